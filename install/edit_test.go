package install

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sampleEntries are entries as they are put into settings files.
func sampleEntries() []Entry {
	return []Entry{
		{Path: []string{"extraKnownMarketplaces", "pith"}, Value: json.RawMessage(`{"source":{"source":"directory","path":"/data/<pith>"}}`)},
		{Path: []string{"enabledPlugins", "pith@pith"}, Value: json.RawMessage(`true`), Over: []json.RawMessage{json.RawMessage("false")}},
		{Path: []string{"hooks", "PreCompact"}, Append: true, Value: json.RawMessage(`{"hooks":[{"type":"command","command":"pith"}]}`)},
		{Path: []string{"hooks", "SessionStart"}, Append: true, Value: json.RawMessage(`{"hooks":[{"type":"command","command":"pith"}]}`)},
	}
}

func TestPutFollowsTheFile(t *testing.T) {
	one := []Entry{{Path: []string{"a", "b"}, Value: json.RawMessage(`{"c":[1]}`)}}
	for name, x := range map[string]struct{ before, after string }{
		"absent":            {"", "{\n  \"a\": {\n    \"b\": {\n      \"c\": [\n        1\n      ]\n    }\n  }\n}\n"},
		"empty object":      {"{}", "{\n  \"a\": {\n    \"b\": {\n      \"c\": [\n        1\n      ]\n    }\n  }\n}"},
		"one line":          {`{"x":1}`, `{"x":1,"a":{"b":{"c":[1]}}}`},
		"one line, blanks":  {`{"x": 1, "y": 2}`, `{"x": 1, "y": 2, "a": {"b":{"c":[1]}}}`},
		"one line, comma":   {`{"x":1,}`, `{"x":1,"a":{"b":{"c":[1]}},}`},
		"tabs":              {"{\n\t\"x\": 1\n}\n", "{\n\t\"x\": 1,\n\t\"a\": {\n\t\t\"b\": {\n\t\t\t\"c\": [\n\t\t\t\t1\n\t\t\t]\n\t\t}\n\t}\n}\n"},
		"crlf":              {"{\r\n \"a\": {}\r\n}", "{\r\n \"a\": {\r\n  \"b\": {\r\n   \"c\": [\r\n    1\r\n   ]\r\n  }\r\n }\r\n}"},
		"comment behind":    {"{\n  \"a\": {\n    \"x\": 1 // one\n  }\n}", "{\n  \"a\": {\n    \"x\": 1, // one\n    \"b\": {\n      \"c\": [\n        1\n      ]\n    }\n  }\n}"},
		"trailing comma":    {"{\n  \"a\": {\n    \"x\": 1, // one\n  },\n}", "{\n  \"a\": {\n    \"x\": 1, // one\n    \"b\": {\n      \"c\": [\n        1\n      ]\n    },\n  },\n}"},
		"mark":              {byteOrderMark + "{\"x\":1}", byteOrderMark + `{"x":1,"a":{"b":{"c":[1]}}}`},
		"only comments":     {"// mine", "// mine\n{\n  \"a\": {\n    \"b\": {\n      \"c\": [\n        1\n      ]\n    }\n  }\n}\n"},
		"the last of two":   {`{"a":{"b":1},"a":{}}`, `{"a":{"b":1},"a":{"b":{"c":[1]}}}`},
		"end on a line":     {"{\n  \"x\": 1 }", "{\n  \"x\": 1,\n  \"a\": {\n    \"b\": {\n      \"c\": [\n        1\n      ]\n    }\n  }\n }"},
		"is there, written": {"{ \"a\" : {\"b\":{ \"c\":[ 1 /*one*/ ]}} }", "{ \"a\" : {\"b\":{ \"c\":[ 1 /*one*/ ]}} }"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := putJSON("f", []byte(x.before), one)
			if err != nil {
				t.Fatal(err)
			}
			if string(got.data) != x.after {
				t.Errorf("got\n%q\nwant\n%q", got.data, x.after)
			}
		})
	}
}

// TestPutThenTake holds, for any settings file: what is put in is there and
// nothing else changed; a second time changes nothing; and both ways to take it
// out give the file back, byte for byte.
func TestPutThenTake(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := randomSettings(r)
		first, err := putJSON("f", []byte(text), sampleEntries())
		if err != nil {
			if !strings.Contains(err.Error(), "is needed") && !strings.Contains(err.Error(), "is there already") {
				r.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := putJSON("f", first.data, sampleEntries())
		if err != nil || string(again.data) != string(first.data) {
			r.Fatalf("a second time: %v\n%s\n%s", err, first.data, again.data)
		}
		if back, ok := unsplice(strings.TrimPrefix(string(first.data), byteOrderMark), first.splices); !ok || back != strings.TrimPrefix(text, byteOrderMark) {
			r.Fatalf("splices taken back: %v\n%q\n%q", ok, text, back)
		}
		out, err := takeJSON("f", first.data, first.entries)
		d, _ := parseDocument("f", []byte(text))
		nothing := d.root == nil // then an empty object stays
		if err != nil || string(out.data) != text && !nothing {
			r.Fatalf("taken out: %v\n%q\n%q\n%q", err, text, first.data, out.data)
		}
	})
}

// TestTakeFromAChangedFile puts entries in, changes the file as a person would,
// and takes them out: what the person did is all that is left of the difference.
func TestTakeFromAChangedFile(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := randomSettings(r)
		theirs := []Entry{{Path: []string{"theirs"}, Value: json.RawMessage(`{"n":1}`)}, {Path: []string{"env", "X"}, Value: json.RawMessage(`"y"`)}}
		first, err := putJSON("f", []byte(text), sampleEntries())
		if err != nil {
			return
		}
		changed, err := putJSON("f", first.data, theirs)
		if err != nil {
			return
		}
		out, err := takeJSON("f", changed.data, first.entries)
		if err != nil {
			r.Fatal(err)
		}
		want, err := putJSON("f", []byte(text), theirs)
		if err != nil {
			r.Fatal(err)
		}
		x, errX := plainValue(out.data[len(out.data)-len(strings.TrimPrefix(string(out.data), byteOrderMark)):])
		y, errY := plainValue(want.data[len(want.data)-len(strings.TrimPrefix(string(want.data), byteOrderMark)):])
		if errX != nil || errY != nil || !reflect.DeepEqual(x, y) {
			r.Fatalf("%v %v\n%q\n%q\n%q", errX, errY, text, changed.data, out.data)
		}
	})
}

// randomSettings makes a settings file in any of the ways that people write them.
func randomSettings(r *rapid.T) string {
	w := &writer{r: r, nl: rapid.SampledFrom([]string{"\n", "\r\n", ""}).Draw(r, "newline"), unit: rapid.SampledFrom([]string{"  ", "\t", "    ", " ", ""}).Draw(r, "indent")}
	w.comments = w.nl != "" && rapid.Bool().Draw(r, "comments")
	w.commas = rapid.Bool().Draw(r, "commas")
	w.colon = rapid.SampledFrom([]string{":", ": ", " : "}).Draw(r, "colon")
	mark := rapid.SampledFrom([]string{"", "", byteOrderMark}).Draw(r, "mark")
	if rapid.IntRange(0, 20).Draw(r, "nothing") == 0 {
		return mark + w.extra(0)
	}
	return mark + w.extra(0) + w.object(0, true) + w.extra(0) + rapid.SampledFrom([]string{"", "\n"}).Draw(r, "end")
}

type writer struct {
	r                *rapid.T
	nl, unit, colon  string
	comments, commas bool
}

// extra is some comment, or nothing.
func (w *writer) extra(depth int) string {
	if !w.comments || rapid.IntRange(0, 3).Draw(w.r, "comment") > 0 {
		return ""
	}
	return rapid.SampledFrom([]string{" // note: {\"a\", }" + w.nl, "/* note */", w.nl + strings.Repeat(w.unit, depth) + "// note" + w.nl, " /* a\nb */ "}).Draw(w.r, "comment text")
}

func (w *writer) object(depth int, root bool) string {
	names := []string{"hooks", "enabledPlugins", "extraKnownMarketplaces", "env", "PreCompact", "pith", "a\\u0062", "e\\\"x", "ünï"}
	return w.list("{", "}", depth, func() string {
		name := rapid.SampledFrom(names).Draw(w.r, "name")
		value := ""
		switch {
		case root && (name == "hooks" || name == "enabledPlugins" || name == "extraKnownMarketplaces"):
			value = w.object(depth+1, false)
		case name == "PreCompact":
			value = w.list("[", "]", depth+1, func() string { return w.value(depth + 2) })
		default:
			value = w.value(depth + 1)
		}
		return `"` + name + `"` + w.colon + value
	})
}

func (w *writer) list(open, end string, depth int, item func() string) string {
	n := rapid.IntRange(0, 3).Draw(w.r, "size")
	if n == 0 {
		return open + rapid.SampledFrom([]string{"", " ", w.nl, w.extra(depth)}).Draw(w.r, "inside") + end
	}
	one := rapid.IntRange(0, 3).Draw(w.r, "on one line") == 0
	text := open
	for i := range n {
		if !one {
			text += w.nl + strings.Repeat(w.unit, depth+1)
		} else if i > 0 {
			text += " "
		}
		text += w.extra(depth+1) + item() + w.extra(depth+1)
		if i < n-1 || w.commas && rapid.Bool().Draw(w.r, "comma") {
			text += "," + w.extra(depth+1)
		}
	}
	if !one {
		text += w.nl + strings.Repeat(w.unit, depth)
	}
	return text + end
}

func (w *writer) value(depth int) string {
	switch kind := rapid.IntRange(0, 5).Draw(w.r, "kind"); {
	case kind == 0 && depth < 5:
		return w.object(depth, false)
	case kind == 1 && depth < 5:
		return w.list("[", "]", depth, func() string { return w.value(depth + 1) })
	}
	return rapid.SampledFrom([]string{"1e5", "-0", "12345678901234567890", "null", "true", `"//x"`, `"/* \" */"`, `"\ud83d\ude00"`, `""`}).Draw(w.r, "scalar")
}
