package extract

import "github.com/pith-memory/pith"

// BlockIndex describes every block of a session in 16 bytes each, so that any
// source can be given its role, type and hash when the state is written.
type BlockIndex struct {
	blocks []indexed
	// start[m-first] is where message m's blocks begin.
	start map[int]int
}

type indexed struct {
	hash [8]byte
	role pith.Role
	kind string
}

func (x *BlockIndex) add(m *pith.Message, block int) {
	if x.start == nil {
		x.start = map[int]int{}
	}
	if block == 0 {
		x.start[m.Index] = len(x.blocks)
	}
	b := &m.Blocks[block]
	e := indexed{role: m.Role, kind: b.Kind.String()}
	copy(e.hash[:], b.Hash[:])
	switch {
	case b.Kind == pith.KindText && b.Origin == pith.PolicyFile:
		e.kind = "policy_file"
	case b.Kind == pith.KindText && b.Origin == pith.Harness:
		e.kind = "summary"
	}
	x.blocks = append(x.blocks, e)
}

// Ref describes the block that s points into.
func (x *BlockIndex) Ref(s pith.Source) (pith.BlockRef, bool) {
	at, ok := x.start[s.Message]
	if !ok || at+s.Block >= len(x.blocks) {
		return pith.BlockRef{}, false
	}
	e := x.blocks[at+s.Block]
	var h [32]byte
	copy(h[:], e.hash[:])
	return pith.BlockRef{Role: e.role, Type: e.kind, Hash: pith.HashHex(h)}, true
}
