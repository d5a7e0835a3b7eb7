package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWalk(t *testing.T) {
	c := New([]byte(` {"a" : "x\"y", "n":-12.5, "ok":true, "skip":{"b":["]}",{}]}, "list":[1, "two", null]} tail`))
	if !c.Object() {
		t.Fatal("no object")
	}
	var got []string
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "a":
			got = append(got, c.String())
		case "n":
			n, ok := c.Int()
			if n != -12 || !ok {
				t.Errorf("n = %d, %v", n, ok)
			}
		case "ok":
			if !c.Bool() {
				t.Error("ok is false")
			}
		case "list":
			c.Array()
			for c.More() {
				got = append(got, string(c.Value()))
			}
		default:
			c.Skip()
		}
	}
	if c.Bad() || string(c.b[c.Pos():]) != " tail" {
		t.Errorf("bad %v at %d", c.Bad(), c.Pos())
	}
	if s := strings.Join(got, " "); s != `x"y 1 "two" null` {
		t.Errorf("got %s", s)
	}
}

// Every cut of a value is bad, and so is one that another value follows in
// the middle of a string.
func TestTornValuesAreBad(t *testing.T) {
	const whole = `{"type":"user","list":[{"text":"a \"quoted\" one"},{"n":12}],"uuid":"u1"}`
	walk := func(text string) Cursor {
		c := New([]byte(text))
		if c.Object() {
			for {
				if _, ok := c.Key(); !ok {
					break
				}
				c.Skip()
			}
		}
		return c
	}
	if c := walk(whole); c.Bad() {
		t.Fatal("the whole value is bad")
	}
	for cut := 1; cut < len(whole); cut++ {
		if c := walk(whole[:cut]); !c.Bad() {
			t.Errorf("cut at %d is not bad: %s", cut, whole[:cut])
		}
		if c := walk(whole[:cut] + whole); !c.Bad() {
			t.Errorf("cut at %d and doubled is not bad", cut)
		}
	}
}

func TestTextMatchesEncodingJSON(t *testing.T) {
	for _, s := range []string{
		``, `plain`, `a\nb\t\"\\\/`, `\u00e9\u65e5`, `\ud83d\ude00`, `lone \ud83d`, `lone \ude00 low`, `\ud83d\ud83d\ude00`,
		"raw \xff\xfe bytes", "raw \xff and \\n escape", `\u0000`, `\b\f\r`, "日本語\\n",
	} {
		var want string
		if err := json.Unmarshal([]byte(`"`+s+`"`), &want); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if got := Text([]byte(s)); got != want {
			t.Errorf("%q: got %q want %q", s, got, want)
		}
	}
	for _, s := range []string{`\`, `\u12`, `\uzzzz`, `x\`} { // no JSON, and no panic
		_ = Text([]byte(s))
	}
}

func TestQuotedReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		quoted := AppendQuoted(nil, s)
		var std string
		if err := json.Unmarshal(quoted, &std); err != nil || std != s {
			t.Fatalf("%q: %v, %q", s, err, std)
		}
		c := New(quoted)
		if got := c.String(); got != s || c.Bad() {
			t.Fatalf("%q read back as %q", s, got)
		}
	})
	if got := string(AppendQuoted(nil, "<&>\x01\xff")); got != `"<&>\u0001`+"\ufffd\"" {
		t.Errorf("got %s", got)
	}
}

func TestMember(t *testing.T) {
	b := []byte(`{"a":1, "b" : {"a":2}, "a":[3]}`)
	start, end, ok := Member(b, "a")
	if !ok || string(b[start:end]) != "[3]" {
		t.Errorf("a = %s, %v", b[start:end], ok)
	}
	if _, _, ok := Member(b, "c"); ok {
		t.Error("c was found")
	}
	if _, _, ok := Member([]byte(`{"a":1,`), "a"); ok {
		t.Error("found in a torn object")
	}
	if _, _, ok := Member([]byte(`[1]`), "a"); ok {
		t.Error("found in a list")
	}
}

func TestFind(t *testing.T) {
	if c, ok := Find([]byte(`{"a":1, "b":"x", "a":"y"}`), "a"); !ok || c.String() != "y" {
		t.Errorf("a was not found: %v", ok)
	}
	for _, b := range []string{`{"b":"x"}`, `{"a":"x",`, `["a"]`, ``} {
		c, ok := Find([]byte(b), "a")
		if ok || c.String() != "" || c.Array() || c.Object() {
			t.Errorf("something was found in %s", b)
		}
	}
}

// Whatever encoding/json takes is walked to its end, nothing panics, and a
// decoded string is what encoding/json decodes.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x\u00e9",{"b":null}]}`, `"\ud83d"`, `[[[[`, `{"a":}`, "{\"a\":\"\x00", `[1,,2]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := New(b)
		c.Skip()
		valid := json.Valid(b)
		if valid && (c.Bad() || c.Peek() != 0) {
			t.Fatalf("valid JSON is bad: %q", b)
		}
		var want string
		if s := New(b); valid && json.Unmarshal(b, &want) == nil && s.Peek() == '"' && s.String() != want {
			t.Fatalf("%q is not %q", b, want)
		}
		walkAll(New(b), 0)
		Member(b, "a")
		Text(b)
	})
}

func walkAll(c Cursor, depth int) {
	switch {
	case depth > 50:
	case c.Peek() == '{':
		c.Object()
		for {
			if _, ok := c.Key(); !ok {
				return
			}
			walkAll(c, depth+1)
			c.Skip()
		}
	case c.Peek() == '[':
		c.Array()
		for c.More() {
			walkAll(c, depth+1)
			c.Skip()
		}
	default:
		c.Int()
	}
}
