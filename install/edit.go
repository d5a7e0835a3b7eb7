package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Entry is one thing that a settings file is to say.
type Entry struct {
	// Path leads to it through objects. Where Append is set it leads to an
	// array, which gets Value as an element.
	Path   []string        `json:"path"`
	Append bool            `json:"append,omitempty"`
	Value  json.RawMessage `json:"value"`
	// Over are values that may be replaced; any other that is there already is a
	// conflict.
	Over []json.RawMessage `json:"-"`
	// Polite is set where a value that is there already stays.
	Polite bool `json:"-"`
	// Apart is a member of Value that the agent writes anew as it likes: what it
	// says does not count.
	Apart string `json:"apart,omitempty"`

	// Made, Tail and Old say how it got in: so many names of the path were there
	// before; the blanks that were put behind it; the value that it replaced.
	Made int    `json:"made,omitempty"`
	Tail string `json:"tail,omitempty"`
	Old  string `json:"old,omitempty"`
}

func (e *Entry) name() string { return strings.Join(e.Path, ".") }

// splice is one change of a text: what stood at an offset, and what stands
// there now.
type splice struct {
	At  int    `json:"at"`
	Del string `json:"del,omitempty"`
	Ins string `json:"ins,omitempty"`
}

func splicing(text string, s splice) string {
	return text[:s.At] + s.Ins + text[s.At+len(s.Del):]
}

// unsplice takes splices back, the last one first; false where the text is not
// what they left behind.
func unsplice(text string, list []splice) (string, bool) {
	for _, s := range slices.Backward(list) {
		if s.At > len(text) || !strings.HasPrefix(text[s.At:], s.Ins) {
			return "", false
		}
		text = text[:s.At] + s.Del + text[s.At+len(s.Ins):]
	}
	return text, true
}

// lookup is where a path ends in a document.
type lookup struct {
	// found is set where the whole path is there, and value is it.
	found bool
	value *hujson.Value
	// in holds the first name that is not there, or the last; depth counts the
	// names that led to it.
	in    container
	depth int
}

func (d *document) lookup(path []string) (lookup, error) {
	l := lookup{value: d.root}
	for i, name := range path {
		c, ok := contents(l.value)
		if !ok || c.array {
			return l, d.fault(l.value.StartOffset, "%s is %s where an object is needed", strings.Join(path[:i], "."), kindName(l.value))
		}
		l.in, l.depth = c, i
		at := c.named(name)
		if at < 0 {
			return l, nil
		}
		l.value = c.items[at].value
	}
	l.found = true
	return l, nil
}

// has tells whether a document says what an entry says.
func (d *document) has(e *Entry) bool {
	if d.root == nil {
		return false
	}
	l, err := d.lookup(e.Path)
	if err != nil || !l.found {
		return false
	}
	if !e.Append {
		return e.says(d.of(l.value))
	}
	c, _ := contents(l.value)
	return c.array && d.element(c, e.Value) >= 0
}

// says tells whether a value says what an entry says.
func (e *Entry) says(value []byte) bool {
	there, errThere := plainValue(value)
	own, errOwn := plainValue(e.Value)
	if errThere != nil || errOwn != nil {
		return false
	}
	for _, v := range []any{there, own} {
		if object, ok := v.(map[string]any); ok && e.Apart != "" {
			delete(object, e.Apart)
		}
	}
	return reflect.DeepEqual(there, own)
}

func (d *document) of(v *hujson.Value) []byte { return []byte(d.text[v.StartOffset:v.EndOffset]) }

// element is the index of the last element that says what a value says, -1 for none.
func (d *document) element(c container, value []byte) int {
	for i := len(c.items) - 1; i >= 0; i-- {
		if sameJSON(d.of(c.items[i].value), value) {
			return i
		}
	}
	return -1
}

func sameJSON(a, b []byte) bool {
	x, errX := plainValue(a)
	y, errY := plainValue(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// edited is a settings file with entries put in.
type edited struct {
	data    []byte
	entries []Entry // those that were put in
	splices []splice
	notes   []string
}

// putJSON puts entries into a settings file. No byte changes but those that are
// put in, and the result is read again before it is believed. Errors: the file
// is no settings file, or says something else already.
func putJSON(path string, data []byte, want []Entry) (*edited, error) {
	d, err := parseDocument(path, data)
	if err != nil {
		return nil, err
	}
	before, err := d.plain()
	if err != nil {
		return nil, broken(path, err, repair)
	}
	out := &edited{}
	for _, e := range want {
		list, note, err := d.put(&e)
		if err != nil {
			return nil, err
		}
		if note != "" {
			out.notes = append(out.notes, note)
		}
		if len(list) == 0 {
			continue
		}
		if d, err = d.spliced(list); err != nil {
			return nil, err
		}
		before = put(before, e)
		out.entries = append(out.entries, e)
		out.splices = append(out.splices, list...)
	}
	after, err := d.plain()
	if err != nil || !reflect.DeepEqual(before, after) {
		return nil, broken(path, errors.Join(errors.New("the edit did not give what it should"), err), repair)
	}
	out.data = []byte(d.mark + d.text)
	return out, nil
}

// spliced is the document after changes.
func (d *document) spliced(list []splice) (*document, error) {
	text := d.text
	for _, s := range list {
		text = splicing(text, s)
	}
	next, err := parseDocument(d.path, []byte(d.mark+text))
	if err != nil {
		return nil, fmt.Errorf("the edit broke the file: %w", err)
	}
	return next, nil
}

// put gives the changes that put an entry in, none where it is there, and notes
// in the entry how.
func (d *document) put(e *Entry) (list []splice, note string, err error) {
	if d.root == nil {
		return d.begin(e), "", nil
	}
	l, err := d.lookup(e.Path)
	switch {
	case err != nil:
		return nil, "", err
	case !l.found:
		e.Made = l.depth
		list, e.Tail = d.insert(l.in, e.Path[l.depth], e.nested(l.depth))
		return list, "", nil
	case d.has(e):
		return nil, "", nil
	case e.Append:
		c, ok := contents(l.value)
		if !ok || !c.array {
			return nil, "", d.fault(l.value.StartOffset, "%s is %s where an array is needed", e.name(), kindName(l.value))
		}
		for _, old := range e.Over {
			if at := d.element(c, old); at >= 0 {
				return d.replace(e, c, c.items[at].value), "", nil
			}
		}
		if at := d.kin(c, e); at >= 0 {
			return nil, fmt.Sprintf("%s: an entry of pith in %s was changed since pith put it there, and stays as it is", d.path, e.name()), nil
		}
		e.Made = len(e.Path)
		list, e.Tail = d.insert(c, "", e.Value)
		return list, "", nil
	case e.Polite:
		return nil, fmt.Sprintf("%s has %s already, which stays", d.path, e.name()), nil
	}
	old := d.of(l.value)
	if !slices.ContainsFunc(e.Over, func(v json.RawMessage) bool { return sameJSON(old, v) }) {
		return nil, "", d.conflict(l.value.StartOffset, e)
	}
	return d.replace(e, l.in, l.value), "", nil
}

// replace gives the change that puts an entry in the place of a value.
func (d *document) replace(e *Entry, in container, v *hujson.Value) []splice {
	e.Made, e.Old = len(e.Path), string(d.of(v))
	ins := string(compact(e.Value))
	if d.spread(in) {
		ins = d.rendered(e.Value, d.lineIndent(v.StartOffset), d.unit(), d.newline())
	}
	return []splice{{v.StartOffset, e.Old, ins}}
}

func (d *document) conflict(at int, e *Entry) error {
	err := d.fault(at, "%s is there already and says something else", e.name())
	return broken(err.Error(), nil, "nothing was changed; it was not made by this pith: take it out of the file, or rename it, and run this again")
}

// nested is the value of the name at a depth of the path, with the names below it.
func (e *Entry) nested(depth int) json.RawMessage {
	value := e.Value
	if e.Append {
		value = slices.Concat([]byte("["), value, []byte("]"))
	}
	for _, name := range slices.Backward(e.Path[depth+1:]) {
		value = slices.Concat([]byte("{"), quoted(name), []byte(":"), value, []byte("}"))
	}
	return value
}

// put is what an entry means for a document that was read.
func put(doc any, e Entry) any {
	root, _ := doc.(map[string]any)
	at := root
	for _, name := range e.Path[:len(e.Path)-1] {
		next, ok := at[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	last := e.Path[len(e.Path)-1]
	value, _ := plainValue(e.Value) // an entry of ours is JSON
	if e.Append {
		list, _ := at[last].([]any)
		if e.Old != "" {
			value = exchanged(list, e.Old, value)
		} else {
			value = append(slices.Clone(list), value)
		}
	}
	at[last] = value
	return root
}

// exchanged is a list with a value in the place of the last that is an old one.
func exchanged(list []any, old string, value any) []any {
	was, _ := plainValue([]byte(old)) // it was read from a document
	list = slices.Clone(list)
	for i := len(list) - 1; i >= 0; i-- {
		if reflect.DeepEqual(list[i], was) {
			list[i] = value
			break
		}
	}
	return list
}

func quoted(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func compact(value []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return value
	}
	return b.Bytes()
}
