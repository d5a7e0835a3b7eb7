package transcript

import "github.com/pith-memory/pith"

// CodexRest is what the later part of a rollout must be told of the part before
// it, beside what Behind holds for every format: figures, and how the client
// was set.
type CodexRest struct {
	Sandbox string `json:"sandbox,omitempty"`
	// Used is the size of the context, as reported last.
	Used pith.Tokens `json:"used,omitempty"`
	// Boundaries counts the compactions so far.
	Boundaries int `json:"boundaries,omitempty"`
	// Items is set where messages stand as items, so that events repeat them.
	Items bool `json:"items,omitempty"`
	// Aborted is set where the last message says that the turn was broken off.
	Aborted bool `json:"aborted,omitempty"`
}

// goOn sets the reading up as that of a later part.
func (s *codex) goOn(b *Behind) {
	s.started, s.peer = true, b.Header.Agent != ""
	s.cwd, s.branch = b.CWD, b.Branch
	r := &b.Codex
	s.sandbox, s.boundaries, s.items, s.aborted = r.Sandbox, r.Boundaries, r.Items, r.Aborted
	if r.Used > 0 {
		s.usage = &pith.Usage{Input: int(r.Used)}
	}
}

// isQuiet tells whether nothing that may follow says more about what is held:
// every call has its result, and the last answer its usage.
func (s *codex) isQuiet() bool {
	if s.calls.Waiting() > 0 || !s.items {
		return false
	}
	for i := len(s.held) - 1; i >= 0; i-- {
		if m := s.held[i].record.Message; m != nil && m.Role == pith.RoleAssistant && !m.Nested {
			return m.Usage != nil
		}
	}
	return true
}

// orphaned tells whether the part at hand says how a call of the part before
// it ended.
func (s *codex) orphaned() bool {
	if s.d.opts.Behind == nil {
		return false
	}
	for id := range s.ends {
		if !s.calls.Waits(id) {
			return true
		}
	}
	return false
}

// Settled is a place in a Codex rollout from which a later reading gives what a
// reading of the whole would give, once Next gave io.EOF: the end where that is
// one, else the latest beginning of a request, 0 where none is known.
func (d *Decoder) Settled() (offset int64, end bool) {
	s, ok := d.session.(*codex)
	if !ok {
		return 0, false
	}
	if s.quiet {
		return d.rows.offset, true
	}
	return s.settled, false
}

// Orphaned tells whether the input says something about the part before it,
// which must then be read with it.
func (d *Decoder) Orphaned() bool {
	s, ok := d.session.(*codex)
	return ok && s.orphaned()
}

// Rest is what a reading behind the input must be told. Its CWD and Branch are
// as the rollout has them.
func (d *Decoder) Rest() (r CodexRest, cwd, branch string) {
	s, ok := d.session.(*codex)
	if !ok {
		return r, "", ""
	}
	r = CodexRest{Sandbox: s.sandbox, Used: s.usage.Context(), Boundaries: s.boundaries, Items: s.items, Aborted: s.aborted}
	return r, s.cwd, s.branch
}
