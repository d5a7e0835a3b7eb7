package schema

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pith-memory/pith"
)

const maxEdits = 1024

// edits checks what people changed: each names an item, and says what is in
// its place.
func (c *checker) edits() {
	const at = "/edits"
	if len(c.s.Edits) > maxEdits {
		c.addf(ruleSize, in("", "edits"), "has %d items, more than %d", len(c.s.Edits), maxEdits)
	}
	for i := range c.s.Edits {
		e := &c.s.Edits[i]
		c.line(item(at, i, "slot"), e.Slot, 100)
		c.optionalText(item(at, i, "item"), e.Item, 20_000)
		c.oneOf(item(at, i, "op"), e.Op, "removed", "changed", "added")
		c.count(item(at, i, "through_message"), e.Through)
		switch removed := e.Op == "removed"; {
		case removed && e.Value != nil:
			c.add(ruleSchema, item(at, i, "value"), "stands beside a removal")
		case !removed && !jsontext.Value(e.Value).IsValid():
			c.add(ruleSchema, item(at, i, "value"), "is missing or is not JSON")
		}
	}
}

// editedPlaces are the JSON pointers of what a person wrote: the session need
// not hold its words. An edit of an object, or of where the work stands, names
// the whole of it.
func editedPlaces(s *pith.State) map[string]bool {
	if len(s.Edits) == 0 {
		return nil
	}
	doc, err := encode(s, false, true)
	if err != nil {
		return nil
	}
	places := map[string]bool{}
	for i := range s.Edits {
		e := &s.Edits[i]
		if e.Op == "removed" {
			continue
		}
		at := jsontext.Pointer("/" + e.Slot)
		if e.Item == "" {
			places[string(at)] = true
			continue
		}
		list, err := valueAt(doc, at)
		if err != nil {
			continue
		}
		var items []jsontext.Value
		if json.Unmarshal(list, &items) != nil {
			continue
		}
		for k := range items {
			if sameValue(items[k], jsontext.Value(e.Value)) || e.Op == "changed" && isItem(items[k], e.Item) {
				places[item(string(at), k, "").String()] = true
			}
		}
	}
	return places
}

// isItem tells whether an item of a list has that name: a changed one may have
// been ended by a later run, and is the person's all the same.
func isItem(item jsontext.Value, name string) bool {
	var x struct {
		ID   string `json:"id"`
		Path string `json:"path"`
	}
	return json.Unmarshal(item, &x) == nil && name != "" && (x.ID == name || x.Path == name)
}

func sameValue(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && string(a) == string(b)
}

// valueAt finds the value at a pointer of object members.
func valueAt(doc []byte, at jsontext.Pointer) (jsontext.Value, error) {
	v := jsontext.Value(doc)
	for name := range at.Tokens() {
		members := map[string]jsontext.Value{}
		if err := json.Unmarshal(v, &members); err != nil {
			return nil, err
		}
		v = members[name]
	}
	return v, nil
}

// byPerson tells whether a place lies in what a person wrote.
func (t *transcriptChecker) byPerson(at place) bool {
	if len(t.edited) == 0 {
		return false
	}
	p := at.String()
	for {
		if t.edited[p] {
			return true
		}
		i := strings.LastIndexByte(p, '/')
		if i <= 0 {
			return false
		}
		p = p[:i]
	}
}
