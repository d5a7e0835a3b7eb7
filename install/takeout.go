package install

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// takeJSON takes entries out of a settings file that changed since they were
// put in. Only they go; what people made of them stays, with a note.
func takeJSON(path string, data []byte, list []Entry) (*edited, error) {
	d, err := parseDocument(path, data)
	if err != nil {
		return nil, err
	}
	out := &edited{data: data}
	if d.root == nil {
		return out, nil
	}
	for _, e := range slices.Backward(list) {
		splices, note := d.take(&e)
		if note != "" {
			out.notes = append(out.notes, note)
		}
		if len(splices) == 0 {
			continue
		}
		slices.SortFunc(splices, func(a, b splice) int { return b.At - a.At })
		if d, err = d.spliced(splices); err != nil {
			return nil, err
		}
		out.entries = append(out.entries, e)
		out.splices = append(out.splices, splices...)
	}
	out.data = []byte(d.mark + d.text)
	return out, nil
}

// take gives the changes that take an entry out.
func (d *document) take(e *Entry) (list []splice, note string) {
	l, err := d.lookup(e.Path)
	if err != nil || !l.found {
		return nil, ""
	}
	there := d.has(e)
	if !there && !e.Append {
		return nil, fmt.Sprintf("%s: %s was changed since pith put it there, and stays", d.path, e.name())
	}
	if e.Old != "" && !e.Append {
		return []splice{{l.value.StartOffset, string(d.of(l.value)), e.Old}}, ""
	}
	depth := len(e.Path)
	c, index := l.in, l.in.named(e.Path[depth-1])
	if e.Append {
		c, _ = contents(l.value)
		index = d.element(c, e.Value)
		depth++
	}
	if !there {
		if index, list, note = d.takeKin(c, e); index < 0 {
			return list, note
		}
	}
	// What was made to hold it goes with it, where nothing else came in.
	for depth > e.Made+1 && len(c.items) == 1 && d.bare(c) {
		depth--
		up, err := d.lookup(e.Path[:depth])
		if err != nil {
			break
		}
		c, index = up.in, up.in.named(e.Path[depth-1])
	}
	tail := ""
	if depth == e.Made+1 {
		tail = e.Tail
	}
	return d.cut(c, index, tail), note
}

// kin is the index of a group of hooks that runs a command of an entry's group
// but is not that group, which somebody changed then; -1 for none.
func (d *document) kin(c container, e *Entry) int {
	own := commandsOf([]Entry{*e})
	for _, old := range e.Over {
		own = append(own, commandsOf([]Entry{{Value: old}})...)
	}
	return slices.IndexFunc(c.items, func(x item) bool {
		plain, err := plainJSON(d.of(x.value))
		return err == nil && slices.ContainsFunc(commandsOf([]Entry{{Value: plain}}), func(s string) bool { return slices.Contains(own, s) })
	})
}

// hasKin tells whether a document says what an entry says in a way of its own.
func (d *document) hasKin(e *Entry) bool {
	if d.root == nil || !e.Append {
		return false
	}
	l, err := d.lookup(e.Path)
	if err != nil || !l.found {
		return false
	}
	c, _ := contents(l.value)
	return c.array && d.kin(c, e) >= 0
}

// takeKin gives the changes that take pith's command out of a group of hooks
// that somebody changed; where the group holds no other, the index of the group,
// which is to go whole, else -1.
func (d *document) takeKin(c container, e *Entry) (whole int, list []splice, note string) {
	if !c.array {
		return -1, nil, ""
	}
	at := d.kin(c, e)
	if at < 0 {
		return -1, nil, ""
	}
	own := commandsOf([]Entry{*e})
	note = fmt.Sprintf("%s: an entry of pith in %s was changed since pith put it there; its command goes all the same", d.path, e.name())
	group, _ := contents(c.items[at].value)
	named := group.named("hooks")
	if named < 0 {
		return -1, nil, "" // written in a way that is not the agent's
	}
	hooks, ok := contents(group.items[named].value)
	if !ok || len(hooks.items) < 2 {
		return at, nil, note
	}
	i := slices.IndexFunc(hooks.items, func(x item) bool {
		m, ok := contents(x.value)
		if n := m.named("command"); ok && n >= 0 {
			plain, _ := plainValue(d.of(m.items[n].value)) // it was parsed already
			command, _ := plain.(string)
			return slices.Contains(own, command)
		}
		return false
	})
	if i < 0 {
		return -1, nil, ""
	}
	return -1, d.cut(hooks, i, ""), note
}

// bare tells whether a container holds no comments of its own.
func (d *document) bare(c container) bool {
	for _, x := range c.items {
		if extraEnd(x.before) > 0 || extraEnd(string(x.value.AfterExtra)) > 0 || extraEnd(string(x.value.BeforeExtra)) > 0 {
			return false
		}
	}
	return extraEnd(c.after) == 0
}

// cut gives the changes that take one item out of a container: it, the blanks
// that lead to it, and one comma. Comments stay.
func (d *document) cut(c container, index int, tail string) []splice {
	x := c.items[index]
	from := x.start - len(x.before) + extraEnd(x.before)
	list := []splice{{At: from, Del: d.text[from:x.end]}}
	last := index == len(c.items)-1
	switch {
	case x.comma >= 0:
		list = append(list, splice{At: x.comma, Del: ","})
	case index > 0:
		list = append(list, splice{At: c.items[index-1].comma, Del: ","})
	}
	if behind := max(x.end, x.comma+1); last && tail != "" && strings.HasPrefix(d.text[behind:], tail) {
		list = append(list, splice{At: behind, Del: tail})
	}
	return list
}

// entriesOf are the members of objects and the elements of arrays that a
// document of ours holds, two names deep, to be put into somebody else's.
func entriesOf(data []byte) ([]Entry, error) {
	var doc map[string]map[string][]json.RawMessage
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	var list []Entry
	for _, outer := range sorted(doc) {
		for _, inner := range sorted(doc[outer]) {
			for _, value := range doc[outer][inner] {
				list = append(list, Entry{Path: []string{outer, inner}, Append: true, Value: value})
			}
		}
	}
	return list, nil
}

func sorted[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
