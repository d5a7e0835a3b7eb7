package diff

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pith-memory/pith"
)

// The operations of an edit.
const (
	Removed = "removed"
	Added   = "added"
)

// Edits are what a person changed between two states: in the order of the
// slots, those of lists item by item. Pins are left out, because a state takes
// them from its parent as they are.
func Edits(before, after *pith.State) []pith.Edit {
	a, errA := open(before)
	b, errB := open(after)
	if errA != nil || errB != nil {
		return nil
	}
	var out []pith.Edit
	for i := range slots {
		s := &slots[i]
		if s.carried {
			continue
		}
		for _, e := range s.edits(a, b) {
			e.Slot, e.Through = s.path, after.Checkpoint.ThroughMessage
			out = append(out, e)
		}
	}
	return out
}

func (s *slot) edits(a, b *document) []pith.Edit {
	if s.key == "" {
		was, now := a.value(s), b.value(s)
		switch {
		case same(was, now):
			return nil
		case now == nil:
			return []pith.Edit{{Op: Removed}}
		case was == nil:
			return []pith.Edit{{Op: Added, Value: now}}
		}
		return []pith.Edit{{Op: Changed, Value: now}}
	}
	was, now := a.list(s), b.list(s)
	left := byName(now)
	var out []pith.Edit
	for _, x := range was {
		if _, ok := left[x.name]; !ok {
			out = append(out, pith.Edit{Item: x.name, Op: Removed})
		}
	}
	had := byName(was)
	for _, x := range now {
		switch old, ok := had[x.name]; {
		case !ok:
			out = append(out, pith.Edit{Item: x.name, Op: Added, Value: x.raw})
		case !same(old.raw, x.raw):
			out = append(out, pith.Edit{Item: x.name, Op: Changed, Value: x.raw})
		}
	}
	return out
}

func byName(list []entry) map[string]entry {
	m := make(map[string]entry, len(list))
	for _, x := range list {
		m[x.name] = x
	}
	return m
}

// Join puts edits behind older ones; of several of the same item only the last
// is left, where it was made.
func Join(older, later []pith.Edit) []pith.Edit {
	var out []pith.Edit
	for _, e := range older {
		again := func(l pith.Edit) bool { return l.Slot == e.Slot && l.Item == e.Item }
		if !slices.ContainsFunc(later, again) {
			out = append(out, e)
		}
	}
	return append(out, later...)
}

// Apply makes a person's edits again in a state whose facts were taken from
// the transcript anew, through the message of that number. What says where the
// work stands is left as it is where the work went on since the edit. An edit
// of an item that is not there does nothing.
//
// The state keeps its own rules: the goal's hash, the slots that are empty, the
// order of amendments, and links between runs are set right. On an error the
// state is as it was.
func Apply(s *pith.State, edits []pith.Edit, through int) error {
	if len(edits) == 0 {
		return nil
	}
	d, err := open(s)
	if err != nil {
		return err
	}
	for i := range edits {
		e := &edits[i]
		at := slotAt(e.Slot)
		if at == nil || at.now && e.Through != through {
			continue
		}
		if err := d.apply(at, e, through > e.Through); err != nil {
			return fmt.Errorf("edit %d, of %s: %w", i, e.Slot, err)
		}
	}
	edited, err := d.state()
	if err != nil {
		return fmt.Errorf("put the edits into the state: %w", err)
	}
	keepTouches(edited.Files.Modified, s.Files.Modified)
	keepTouches(edited.Files.Inspected, s.Files.Inspected)
	Mend(edited)
	*s = *edited
	return nil
}

func (d *document) apply(s *slot, e *pith.Edit, later bool) error {
	if s.key == "" {
		if e.Op == Removed {
			d.set(s, nil)
		} else if len(e.Value) > 0 {
			d.set(s, d.sourced(e.Value))
		}
		return nil
	}
	list := d.list(s)
	at := slices.IndexFunc(list, func(x entry) bool { return x.name == e.Item })
	switch {
	case e.Op == Removed && at >= 0:
		list = slices.Delete(list, at, at+1)
	case e.Op != Removed && at >= 0 && len(e.Value) > 0:
		value := d.sourced(e.Value)
		if later {
			value = overtaken(value, list[at].raw)
		}
		list[at].raw = value
	case e.Op == Added && len(e.Value) > 0:
		list = append(list, entry{raw: d.sourced(e.Value)})
	default:
		return nil
	}
	raw := make([]json.RawMessage, len(list))
	for i := range list {
		raw[i] = list[i].raw
	}
	v, err := encode(raw)
	if err != nil {
		return err
	}
	d.set(s, v)
	return nil
}

// endings are the members that say what ended an item.
var endings = []string{"superseded_by", "resolved_by", "ended_by"}

// overtaken is an item as a person left it, with what happened to it since: an
// ending that came later holds, and a file that was touched again is as it is.
func overtaken(edited, current json.RawMessage) json.RawMessage {
	was, now := members{}, members{}
	if json.Unmarshal(edited, &was) != nil || json.Unmarshal(current, &now) != nil {
		return edited
	}
	before, err1 := pith.ParseSource(plain(was["source"]))
	after, err2 := pith.ParseSource(plain(now["source"]))
	if now["path"] != nil && err1 == nil && err2 == nil && before.Before(after) {
		return current
	}
	var ended []string
	for _, name := range endings {
		if plain(was[name]) == "" && plain(now[name]) != "" {
			ended = append(ended, name)
		}
	}
	if len(ended) == 0 {
		return edited
	}
	return withMembersOf(edited, current, ended)
}

// sourced makes an item point at the goal where the state does not know the
// block that it points at.
func (d *document) sourced(item json.RawMessage) json.RawMessage {
	m, goal, blocks := members{}, members{}, members{}
	if json.Unmarshal(item, &m) != nil || m["source"] == nil {
		return item
	}
	_ = json.Unmarshal(d.top["blocks"], &blocks)     // an absent table knows no block
	_ = json.Unmarshal(d.top["current_goal"], &goal) // a state always has one
	at, err := pith.ParseSource(plain(m["source"]))
	if err != nil || blocks[at.BlockKey()] != nil || goal["source"] == nil {
		return item
	}
	return withMembersOf(item, d.top["current_goal"], []string{"source"})
}

// keepTouches takes over what is not written.
func keepTouches(files, from []pith.File) {
	n := make(map[string]int, len(from))
	for i := range from {
		n[from[i].Path] = from[i].Touches
	}
	for i := range files {
		files[i].Touches = n[files[i].Path]
	}
}

// Mend sets right what follows from the rest of a state after a person, or an
// edit, changed it: the goal's hash, the order of amendments, links between
// runs, the slots that are empty, and the table of blocks.
func Mend(s *pith.State) {
	sum := sha256.Sum256([]byte(s.Goal.Text))
	s.Goal.SHA256 = hex.EncodeToString(sum[:])
	slices.SortStableFunc(s.Goal.Amendments, func(a, b pith.Amendment) int {
		switch {
		case a.Source.Before(b.Source):
			return -1
		case b.Source.Before(a.Source):
			return 1
		}
		return 0
	})
	runs := map[string]bool{}
	for i := range s.Evidence {
		runs[s.Evidence[i].ID] = true
	}
	for i := range s.Evidence {
		e := &s.Evidence[i]
		if e.SupersededBy != nil && !runs[*e.SupersededBy] {
			e.SupersededBy = nil
		}
		if !runs[e.ResolvedBy] {
			e.ResolvedBy = ""
		}
	}
	s.EmptySlots = s.FindEmpty()
	if s.Extensions != nil {
		s.Extensions.KeepSupport(s.Phase.Name)
	}
	used := map[string]bool{}
	s.EachSource(func(at pith.Source) { used[at.BlockKey()] = true })
	blocks := make(map[string]pith.BlockRef, len(s.Blocks))
	for key, ref := range s.Blocks {
		if used[key] {
			blocks[key] = ref
		}
	}
	s.Blocks = blocks
}
