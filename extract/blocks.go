package extract

import "github.com/pith-memory/pith"

// BlockIndex describes every block of a session in 10 bytes each, so that any
// source can be given its role, type and hash when the state is written. It is
// the one thing that grows with the file.
type BlockIndex struct {
	blocks []indexed
	// start[i] is where the blocks of message first+i begin; system is the
	// place of the separate system parameter, which comes before all messages.
	start       []uint32
	first       int
	system      uint32
	hasMessages bool
	hasSystem   bool
}

// indexed is what is kept of a block: its hash, cut as HashHex cuts it.
type indexed struct {
	hash [8]byte
	role uint8
	kind uint8
}

var (
	indexedRoles = [...]pith.Role{pith.RoleSystem, pith.RoleUser, pith.RoleAssistant}
	// indexedKinds are the block types of the contract.
	indexedKinds = [...]string{"text", "tool_use", "tool_result", "policy_file", "summary", "thinking", "image", "opaque"}
)

func (x *BlockIndex) add(m *pith.Message, block int) {
	if block == 0 {
		x.open(m.Index)
	}
	b := &m.Blocks[block]
	e := indexed{}
	copy(e.hash[:], b.Hash[:])
	for i, r := range indexedRoles {
		if r == m.Role {
			e.role = uint8(i)
		}
	}
	switch {
	case b.Kind == pith.KindText && b.Origin == pith.PolicyFile:
		e.kind = 3
	case b.Kind == pith.KindText && b.Origin == pith.Harness:
		e.kind = 4
	case b.Kind == pith.KindText:
		e.kind = 0
	case b.Kind == pith.KindToolUse:
		e.kind = 1
	case b.Kind == pith.KindToolResult:
		e.kind = 2
	case b.Kind == pith.KindThinking:
		e.kind = 5
	case b.Kind == pith.KindImage:
		e.kind = 6
	default:
		e.kind = 7
	}
	x.blocks = append(x.blocks, e)
}

// open notes where a message's blocks begin. Messages without blocks leave no
// gap: their place is that of the next one.
func (x *BlockIndex) open(message int) {
	at := uint32(len(x.blocks))
	if message == pith.SystemIndex {
		x.system, x.hasSystem = at, true
		return
	}
	if !x.hasMessages {
		x.first, x.hasMessages = message, true
	}
	for len(x.start) <= message-x.first {
		x.start = append(x.start, at)
	}
}

// Ref describes the block that s points into.
func (x *BlockIndex) Ref(s pith.Source) (pith.BlockRef, bool) {
	var at int
	switch i := s.Message - x.first; {
	case s.Message == pith.SystemIndex && x.hasSystem:
		at = int(x.system)
	case s.Message >= x.first && i < len(x.start):
		at = int(x.start[i])
	default:
		return pith.BlockRef{}, false
	}
	if at += s.Block; at >= len(x.blocks) {
		return pith.BlockRef{}, false
	}
	e := x.blocks[at]
	var h [32]byte
	copy(h[:], e.hash[:])
	return pith.BlockRef{Role: indexedRoles[e.role], Type: indexedKinds[e.kind], Hash: pith.HashHex(h)}, true
}
