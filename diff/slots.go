// Package diff turns two states into what changed between them, and what a
// person changed in a state into edits that can be applied to a later one.
//
// It works on the written form, by a table of the slots: a slot is a list
// whose items have names, or one value.
package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// slot is a place in a state, as the table knows it.
type slot struct {
	// path names it, with at most one "/" between the members.
	path string
	// key is the member that names an item of a list. "" is one value, "0" the
	// first element of items that are arrays, "." an item that is its own name.
	key string
	// show are the members that say what an item says.
	show []string
	// leave are members of one value that are slots of their own.
	leave []string
	// now is set for what says where the work stands: an edit of it holds only
	// until the work goes on.
	now bool
	// carried is set for what a state takes from its parent as it is.
	carried bool
}

// slots are the slots in the order in which people read them.
var slots = []slot{
	{path: "current_goal", show: []string{"text"}, leave: []string{"amendments"}},
	{path: "current_goal/amendments", key: "text", show: []string{"text"}},
	{path: "work_type"},
	{path: "phase_control", show: []string{"current_phase", "phase_name", "status"}, now: true},
	{path: "active_constraints", key: "id", show: []string{"text"}},
	{path: "files_modified_and_inspected/modified", key: "path", show: []string{"op", "path"}},
	{path: "files_modified_and_inspected/inspected", key: "path", show: []string{"path"}},
	{path: "decisions_and_tradeoffs", key: "id", show: []string{"drafted", "decision", "rationale"}},
	{path: "verification_and_evidence", key: "id", show: []string{"command", "status", "exit_code", "signature"}},
	{path: "failed_attempts_and_antipatterns", key: "id", show: []string{"drafted", "attempt", "error_signature", "ended_by"}},
	{path: "preserved_invariants", key: "id", show: []string{"text"}},
	{path: "next_single_safe_action", show: []string{"kind", "text"}, now: true},
	{path: "context/todo", key: "text", show: []string{"status", "text"}, now: true},
	{path: "context/pending_calls", key: "text", show: []string{"tool", "text"}, now: true},
	{path: "context/open_questions", key: "text", show: []string{"text"}, now: true},
	{path: "context/last_words", show: []string{"text"}, now: true},
	{path: "context/pins", key: "text", show: []string{"text"}, carried: true},
	{path: "context/plan", show: []string{"path", "approved"}},
	{path: "context/environment", key: "text", show: []string{"text"}},
	{path: "context/done", key: "text", show: []string{"text"}},
	{path: "context/unverified", key: "text", show: []string{"text"}},
	{path: "context/urls", key: "text", show: []string{"text"}},
	{path: "context/key_lines", key: "path", show: []string{"path"}},
	{path: "identifiers/tests", key: "0"},
	{path: "identifiers/symbols", key: "0"},
	{path: "identifiers/commits", key: "0"},
	{path: "identifiers/refs", key: "0"},
	{path: "identifiers/paths", key: "0"},
	{path: "extensions/progress_note", now: true},
	{path: "extensions/task_restatement"},
	{path: "extensions/open_questions", key: ".", now: true},
	{path: "extensions/remaining_steps", key: ".", now: true},
	{path: "extensions/tool_results", now: true},
}

func slotAt(path string) *slot {
	i := slices.IndexFunc(slots, func(s slot) bool { return s.path == path })
	if i < 0 {
		return nil
	}
	return &slots[i]
}

type members = map[string]json.RawMessage

// document is a state in its written form, one level of members at a time.
type document struct {
	top members
	sub map[string]members
}

func open(s *pith.State) (*document, error) {
	b, err := encode(s)
	if err != nil {
		return nil, err
	}
	d := &document{sub: map[string]members{}}
	return d, json.Unmarshal(b, &d.top)
}

// encode writes JSON without the escapes that only a web page needs.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// inner gives the members that a slot is one of, and its name there.
func (d *document) inner(path string) (members, string) {
	outer, name, nested := strings.Cut(path, "/")
	if !nested {
		return d.top, path
	}
	m, ok := d.sub[outer]
	if !ok {
		m = members{}
		_ = json.Unmarshal(d.top[outer], &m) // an absent object has no members
		d.sub[outer] = m
	}
	return m, name
}

// value is what stands in a slot, nil for nothing.
func (d *document) value(s *slot) json.RawMessage {
	m, name := d.inner(s.path)
	v := m[name]
	if string(v) == "null" || len(v) == 0 {
		return nil
	}
	return withoutMembers(v, s.leave)
}

func (d *document) set(s *slot, v json.RawMessage) {
	m, name := d.inner(s.path)
	if v == nil {
		delete(m, name)
		return
	}
	if len(s.leave) > 0 {
		v = withMembersOf(v, m[name], s.leave)
	}
	m[name] = v
}

// state reads the document back.
func (d *document) state() (*pith.State, error) {
	for name, m := range d.sub {
		if len(m) == 0 && d.top[name] == nil {
			continue
		}
		v, err := encode(m)
		if err != nil {
			return nil, err
		}
		d.top[name] = v
	}
	b, err := encode(d.top)
	if err != nil {
		return nil, err
	}
	s := new(pith.State)
	return s, json.Unmarshal(b, s)
}

// withoutMembers leaves members of an object out.
func withoutMembers(v json.RawMessage, names []string) json.RawMessage {
	if len(names) == 0 {
		return v
	}
	m := members{}
	if json.Unmarshal(v, &m) != nil {
		return v
	}
	for _, name := range names {
		delete(m, name)
	}
	b, err := encode(m)
	if err != nil {
		return v
	}
	return b
}

// withMembersOf takes members of another object over.
func withMembersOf(v, from json.RawMessage, names []string) json.RawMessage {
	m, old := members{}, members{}
	if json.Unmarshal(v, &m) != nil || json.Unmarshal(from, &old) != nil {
		return v
	}
	for _, name := range names {
		delete(m, name)
		if x, ok := old[name]; ok {
			m[name] = x
		}
	}
	b, err := encode(m)
	if err != nil {
		return v
	}
	return b
}

// entry is an item of a list by its name.
type entry struct {
	name string
	text string
	raw  json.RawMessage
}

// list gives the items of a slot. Of those with the same name, all but the
// first have their number behind it.
func (d *document) list(s *slot) []entry {
	var raw []json.RawMessage
	_ = json.Unmarshal(d.value(s), &raw) // an absent list has no items
	out := make([]entry, len(raw))
	seen := make(map[string]int, len(raw))
	for i, r := range raw {
		name := s.nameOf(r)
		seen[name]++
		if n := seen[name]; n > 1 {
			name = fmt.Sprintf("%s (%d)", name, n)
		}
		out[i] = entry{name: name, text: s.textOf(r), raw: r}
	}
	return out
}

func (s *slot) nameOf(item json.RawMessage) string {
	switch s.key {
	case ".":
		return plain(item)
	case "0":
		var a []json.RawMessage
		if json.Unmarshal(item, &a) != nil || len(a) == 0 {
			return ""
		}
		return plain(a[0])
	}
	m := members{}
	_ = json.Unmarshal(item, &m) // what is no object has no name
	return plain(m[s.key])
}

// textOf is what an item or a value says, for people.
func (s *slot) textOf(v json.RawMessage) string {
	if len(v) == 0 {
		return ""
	}
	if s.key == "0" {
		return s.nameOf(v)
	}
	if len(s.show) == 0 {
		return plain(v)
	}
	m := members{}
	if json.Unmarshal(v, &m) != nil {
		return plain(v)
	}
	var parts []string
	for _, name := range s.show {
		text := plain(m[name])
		if text == "" || text == "null" {
			continue
		}
		switch name {
		case "exit_code":
			text = "exit " + text
		case "drafted":
			text = name
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ": ")
}

// plain is a JSON string as text, and any other value as it is written.
func plain(v json.RawMessage) string {
	var text string
	if json.Unmarshal(v, &text) == nil {
		return text
	}
	return string(v)
}

// same compares values regardless of how they are written.
func same(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, err1 := json.Marshal(x)
	q, err2 := json.Marshal(y)
	return err1 == nil && err2 == nil && bytes.Equal(p, q)
}

func sorted(set map[string]bool) []string {
	return slices.Sorted(maps.Keys(set))
}
