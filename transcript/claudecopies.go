package transcript

import (
	"slices"

	"github.com/pith-memory/pith"
)

// copiedRows are the rows that the client writes behind a compaction that a hook
// answered: what the hook put in the history's place, and copies of the messages
// that stay, with ids of their own and no usage. They are the context that the
// client goes on with, and nobody said anything in them a second time.
type copiedRows struct {
	// boundary waits for its rows, nil where none is open; time is its own.
	boundary *pith.Boundary
	time     string
	// first is set where the file begins with the boundary, as that of a forked
	// session does: what was kept is all there is, and is read as it stands.
	first bool
}

// remade tells the rows that the client wrote from what a hook gave it.
func (r *claudeRow) remade(role pith.Role) bool {
	if role == pith.RoleUser {
		return string(r.rowSource) == "hook" && !r.meta && !r.compacted
	}
	return string(r.madeBy) == "other" && string(r.message.model) == "<synthetic>" && !r.apiError
}

// copied tells the rows behind a boundary that belong to it. What a hook handed
// back as it was is the model's own row once more, from before the boundary.
func (s *claudeCode) copied(r *claudeRow, role pith.Role) bool {
	if r.remade(role) {
		return true
	}
	k := &s.copies
	begun := k.first || k.boundary != nil && len(k.boundary.Replacement)+len(s.turn.after) > 0
	return begun && role == pith.RoleAssistant && !r.apiError && len(r.timestamp) > 0 && string(r.timestamp) <= k.time
}

// repeats takes a copied row into the context of its boundary. It gives false
// where the row is to be read as a message.
func (s *claudeCode) repeats(r *claudeRow, id string, line int, role pith.Role) bool {
	k := &s.copies
	if k.first {
		at := k.time
		s.copiesEnd()
		k.first, k.time = true, at
		return false
	}
	if k.boundary == nil { // what a hook says, or the rest of a copy whose beginning was read before
		return slices.ContainsFunc(r.message.blocks, func(b pith.Block) bool {
			return b.Kind == pith.KindToolUse || b.Kind == pith.KindToolResult
		})
	}
	s.message(r, id, line, role)
	return true
}

// copiesEnd closes the rows behind a boundary, and hands it out.
func (s *claudeCode) copiesEnd() {
	b := s.copies.boundary
	if b != nil {
		s.turn.flush(s)
		s.d.ready = append(s.d.ready, pith.Record{Boundary: b})
	}
	s.copies = copiedRows{}
}
