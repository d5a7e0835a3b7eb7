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
	if !d.has(e) {
		if e.Append {
			return nil, ""
		}
		return nil, fmt.Sprintf("%s: %s was changed since pith put it there, and stays", d.path, e.name())
	}
	if e.Old != "" {
		return []splice{{l.value.StartOffset, string(d.of(l.value)), e.Old}}, ""
	}
	depth := len(e.Path)
	c, index := l.in, l.in.named(e.Path[depth-1])
	if e.Append {
		c, _ = contents(l.value)
		index = d.element(c, e.Value)
		depth++
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
	return d.cut(c, index, tail), ""
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
