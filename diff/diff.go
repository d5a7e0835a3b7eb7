package diff

import (
	"encoding/json"
	"strings"

	"github.com/pith-memory/pith"
)

// The ways in which an item of a state stands to another state.
const (
	Kept    = "kept"
	Changed = "changed"
	Dropped = "dropped"
	Closed  = "closed" // it was open, and something ended it
)

// Change is what became of one item between two states.
type Change struct {
	Slot string `json:"slot"`
	// Item is its name in a list: an id, a path, a text.
	Item string `json:"item,omitempty"`
	// Op is kept, changed, dropped, added or closed.
	Op string `json:"op"`
	// Before and After are what it says, "" where it is not there.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Why    string `json:"why,omitempty"`
}

// States says what became of every item from a to b, in the order of the
// slots: within a list first what is gone, then the items as b has them.
func States(a, b *pith.State) []Change {
	old, errA := open(a)
	now, errB := open(b)
	if errA != nil || errB != nil {
		return nil
	}
	p := &pair{a: a, b: b, old: old, now: now}
	var out []Change
	for i := range slots {
		out = append(out, p.slot(&slots[i])...)
	}
	return out
}

// pair is two states that are compared.
type pair struct {
	a, b     *pith.State
	old, now *document
}

func (p *pair) slot(s *slot) []Change {
	if s.key == "" {
		return p.value(s)
	}
	was, now := p.old.list(s), p.now.list(s)
	left, had := byName(now), byName(was)
	var out []Change
	for _, x := range was {
		if _, ok := left[x.name]; !ok {
			out = append(out, Change{Slot: s.path, Item: x.name, Op: Dropped, Before: x.text, Why: p.whyDropped(s, x)})
		}
	}
	for _, x := range now {
		before, ok := had[x.name]
		c := Change{Slot: s.path, Item: x.name, Op: Added, After: x.text}
		if ok {
			c = p.compare(s, before, x)
		} else if p.edited(s, x.name, Added) {
			c.Why = byPerson
		}
		out = append(out, c)
	}
	return out
}

func (p *pair) value(s *slot) []Change {
	was, now := p.old.value(s), p.now.value(s)
	c := Change{Slot: s.path, Before: s.textOf(was), After: s.textOf(now)}
	switch {
	case was == nil && now == nil:
		return nil
	case was == nil:
		c.Op = Added
	case now == nil:
		c.Op = Dropped
	case same(withoutMembers(was, places), withoutMembers(now, places)):
		c.Op = Kept
		return []Change{c}
	default:
		c.Op, c.Why = Changed, differing(was, now)
	}
	if p.edited(s, "", Changed) || p.edited(s, "", Added) || p.edited(s, "", Removed) {
		c.Why = byPerson
	}
	return []Change{c}
}

// places are the members that say where something stands, not what it says.
var places = []string{"source", "call"}

func (p *pair) compare(s *slot, before, after entry) Change {
	c := Change{Slot: s.path, Item: after.name, Op: Kept, Before: before.text, After: after.text}
	if same(withoutMembers(before.raw, places), withoutMembers(after.raw, places)) {
		return c
	}
	if p.edited(s, after.name, Changed) {
		c.Op, c.Why = Changed, byPerson
		return c
	}
	if s.key == "0" {
		return c // a name is the same wherever it was last seen
	}
	if why := closing(before.raw, after.raw); why != "" {
		c.Op, c.Why = Closed, why
		return c
	}
	c.Op, c.Why = Changed, differing(before.raw, after.raw)
	return c
}

// closing says what ended an item that was open, "" where nothing did.
func closing(before, after json.RawMessage) string {
	was, now := members{}, members{}
	if json.Unmarshal(before, &was) != nil || json.Unmarshal(after, &now) != nil {
		return ""
	}
	for _, end := range []struct{ member, why string }{
		{"resolved_by", "resolved by "}, {"superseded_by", "superseded by "}, {"ended_by", "ended: "},
	} {
		text := plain(now[end.member])
		if old := plain(was[end.member]); text != "" && text != "null" && (old == "" || old == "null") {
			return end.why + text
		}
	}
	if status := plain(now["status"]); status != plain(was["status"]) && (status == "completed" || status == "cancelled") {
		return "the list says " + status
	}
	return ""
}

// differing names the members of two objects that are not the same.
func differing(before, after json.RawMessage) string {
	was, now := members{}, members{}
	if json.Unmarshal(before, &was) != nil || json.Unmarshal(after, &now) != nil {
		return ""
	}
	names := map[string]bool{}
	for _, m := range []members{was, now} {
		for name := range m {
			if name != "source" && name != "call" && !same(was[name], now[name]) {
				names[name] = true
			}
		}
	}
	return strings.Join(sorted(names), ", ")
}

const byPerson = "edited by a person"

// edited tells whether b has an edit of the item that a does not have.
func (p *pair) edited(s *slot, item, op string) bool {
	for i := range p.b.Edits {
		e := &p.b.Edits[i]
		if e.Slot == s.path && e.Item == item && e.Op == op && !hasEdit(p.a.Edits, e) {
			return true
		}
	}
	return false
}

func hasEdit(list []pith.Edit, e *pith.Edit) bool {
	for i := range list {
		x := &list[i]
		if x.Slot == e.Slot && x.Item == e.Item && x.Op == e.Op && x.Through == e.Through && same(x.Value, e.Value) {
			return true
		}
	}
	return false
}

// whyDropped says why an item of a is not in b.
func (p *pair) whyDropped(s *slot, x entry) string {
	switch {
	case p.edited(s, x.name, Removed):
		return byPerson
	case s.path == "context/pins":
		return "unpinned"
	case s.path == "context/todo":
		return "replaced by a later list"
	case s.path == "context/pending_calls":
		return "its result came"
	case s.path == "context/open_questions":
		return "answered, or the work went on"
	case s.path == "files_modified_and_inspected/inspected":
		for i := range p.b.Files.Modified {
			if p.b.Files.Modified[i].Path == x.name {
				return "it was modified since"
			}
		}
	case s.path == "verification_and_evidence":
		if by := p.laterRun(x.name); by != "" {
			return "superseded by " + by
		}
	case p.b.Checkpoint.ThroughMessage < p.a.Checkpoint.ThroughMessage:
		return "the other state ends earlier"
	case strings.HasPrefix(s.path, "identifiers/"):
		return "other names are likelier to be needed"
	}
	return "not in the newer transcript"
}

// laterRun finds the run that came after a dropped one of the same command.
func (p *pair) laterRun(id string) string {
	for i := range p.a.Evidence {
		old := &p.a.Evidence[i]
		if old.ID != id {
			continue
		}
		if old.SupersededBy != nil {
			return *old.SupersededBy
		}
		for k := range p.b.Evidence {
			if e := &p.b.Evidence[k]; e.Command == old.Command && old.Source.Before(e.Source) {
				return e.ID
			}
		}
	}
	return ""
}
