package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// loss is what one value lost on its way through the SDK's types.
type loss struct {
	// path leads to it, by keys and indexes.
	path []string
	// kind is the type of the block around it, "" where none is named.
	kind string
	what string
	// place is where the value itself stands.
	place string
}

func (l *loss) Error() string {
	place := strings.Join(append([]string{l.place}, l.path...), ".")
	if l.kind != "" {
		place += " (type " + strconv.Quote(l.kind) + ")"
	}
	return place + " " + l.what
}

// in places a loss in the history; found is where it was traced to.
func (l *loss) in(place string, found *loss) *loss {
	return &loss{path: found.path, kind: found.kind, what: found.what, place: place}
}

// compare tells what of a value is not what it was. Numbers count as they are
// written, the order of members does not count. Errors: *loss.
func compare(before, after []byte) error {
	a, err := parse(before)
	if err != nil {
		return err
	}
	b, err := parse(after)
	if err != nil {
		return err
	}
	if l := differ(a, b, nil, "", false); l != nil {
		return l
	}
	return nil
}

func parse(raw []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// differ is the first loss between two values. Inside of data, which belongs to
// the tools, every null counts; elsewhere null is how the API writes a field
// that is not there.
func differ(before, after any, path []string, kind string, data bool) *loss {
	lost := func(what string) *loss { return &loss{path: slices.Clone(path), kind: kind, what: what} }
	switch b := before.(type) {
	case map[string]any:
		if t, ok := b["type"].(string); ok && !data {
			kind = t
		}
		a, ok := after.(map[string]any)
		if !ok {
			return lost("would be lost")
		}
		return differMembers(b, a, path, kind, data)
	case []any:
		a, ok := after.([]any)
		if !ok || len(a) != len(b) {
			return lost("would be lost")
		}
		for i := range b {
			if l := differ(b[i], a[i], append(path, strconv.Itoa(i)), kind, data); l != nil {
				return l
			}
		}
	case string:
		if text, ok := after.(string); ok && text == b || !data && len(path) > 0 && path[len(path)-1] == "content" && isText(after, b) {
			return nil
		}
		return lost("would be another text")
	case json.Number:
		if after != before {
			return lost(fmt.Sprintf("would become another number than %s", b))
		}
	default:
		if after != before {
			return lost("would be another value")
		}
	}
	return nil
}

func differMembers(before, after map[string]any, path []string, kind string, data bool) *loss {
	for _, key := range slices.Sorted(maps.Keys(before)) {
		value, there := after[key]
		at := append(path[:len(path):len(path)], key)
		switch {
		case !there && !data && mayBeAbsent(key, before[key], kind):
		case !there:
			return &loss{path: at, kind: kind, what: "would be lost"}
		default:
			if l := differ(before[key], value, at, kind, data || isData(key)); l != nil {
				return l
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if _, there := before[key]; !there {
			return &loss{path: append(path[:len(path):len(path)], key), kind: kind, what: "would be added"}
		}
	}
	return nil
}

// isData tells the members whose value is a tool's and not the API's.
func isData(key string) bool {
	return key == "input" || key == "input_schema" || key == "input_examples"
}

// mayBeAbsent tells whether a member says no more than its absence: null, save
// where it is an answer of its own (a compaction that failed), and the empty
// text of a tool that said nothing.
func mayBeAbsent(key string, value any, kind string) bool {
	if key == "content" && kind == "tool_result" {
		return value == nil || value == ""
	}
	return value == nil && key != "content" && key != "input"
}

// isText tells whether blocks are one that says this text alone.
func isText(blocks any, text string) bool {
	list, ok := blocks.([]any)
	if !ok || len(list) != 1 {
		return false
	}
	block, ok := list[0].(map[string]any)
	return ok && len(block) == 2 && block["type"] == "text" && block["text"] == text
}
