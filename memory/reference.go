package memory

import (
	"fmt"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/restore"
)

// Reference is what a block says in the place of what it left out, as in
// "9f3a51c0/inspected": a checkpoint, by the beginning of its id, and in it a
// section of the block, an item's id, or a source.
type Reference struct {
	// Checkpoint is at least six hex digits, "" for the checkpoint at hand.
	Checkpoint string
	Key        string
}

// shortestID is how many digits of an id a reference must have.
const shortestID = 6

// ParseReference reads CHECKPOINT/KEY, or KEY alone. Errors: KindUsage.
func ParseReference(text string) (Reference, error) {
	r := Reference{Key: strings.Trim(strings.TrimSpace(text), "[]….")}
	if id, key, ok := strings.Cut(r.Key, "/"); ok {
		r = Reference{Checkpoint: strings.ToLower(id), Key: key}
		if len(id) < shortestID || strings.Trim(r.Checkpoint, "0123456789abcdef") != "" {
			return r, noReference("%q is not the beginning of a checkpoint's id, of six hex digits or more", id)
		}
	}
	if r.Key == "" {
		return r, noReference("%q names nothing", text)
	}
	return r, nil
}

func noReference(format string, args ...any) error {
	return &pith.Error{
		Op: "read the reference", Kind: pith.KindUsage, Err: fmt.Errorf(format, args...),
		Hint: "a reference is CHECKPOINT/KEY or KEY, where KEY is a section as in a block (inspected), an item's id (ev-…) or a source (12.0)",
	}
}

// target is what a reference leads to: places in the session and, where a
// person or pith wrote it, the text itself.
type target struct {
	id, text string
	sources  []pith.Source
}

// targets looks a key up in a state.
func targets(s *pith.State, key string) ([]target, error) {
	if at, err := pith.ParseSource(key); err == nil {
		return []target{{sources: []pith.Source{at}}}, nil
	}
	items, section := restore.References(s, key)
	if !section {
		if t, ok := itemOf(s, key); ok {
			return []target{t}, nil
		}
		return nil, noReference("checkpoint %s has no section, item or source %q", short(s.Checkpoint.ID), key)
	}
	out := make([]target, 0, len(items))
	for _, it := range items {
		out = append(out, target{id: it.ID, text: it.Text, sources: it.Sources})
	}
	return out, nil
}

// itemOf finds an item of a state by its id.
func itemOf(s *pith.State, id string) (target, bool) {
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.ID == id {
			t := target{id: id, text: e.Command, sources: []pith.Source{e.Source}}
			if e.CallSource != nil {
				t.sources = append(t.sources, *e.CallSource)
			}
			return t, true
		}
	}
	one := func(text string, at pith.Source) (target, bool) {
		return target{id: id, text: text, sources: []pith.Source{at}}, true
	}
	for i := range s.Constraints {
		if c := &s.Constraints[i]; c.ID == id {
			return one(c.Text, c.Source)
		}
	}
	for i := range s.Decisions {
		if d := &s.Decisions[i]; d.ID == id {
			return one(d.Decision, d.Source)
		}
	}
	for i := range s.Failed {
		if f := &s.Failed[i]; f.ID == id {
			return one(f.Attempt, f.Source)
		}
	}
	for i := range s.Invariants {
		if v := &s.Invariants[i]; v.ID == id {
			return one(v.Text, v.Source)
		}
	}
	for _, section := range restore.DraftedSections() {
		items, _ := restore.References(s, section)
		for i := range items {
			if items[i].ID == id {
				return target{id: id, text: items[i].Text, sources: items[i].Sources}, true
			}
		}
	}
	return target{}, false
}

func short(id string) string { return id[:min(len(id), 12)] }
