package schema

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pith-memory/pith"
)

func exampleJSON(t testing.TB, indent bool) []byte {
	t.Helper()
	b, err := Marshal(example(), indent)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRoundTrip(t *testing.T) {
	for _, indent := range []bool{false, true} {
		b := exampleJSON(t, indent)
		s, err := Unmarshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s, example()) {
			t.Error("another state came back")
		}
		again, err := Marshal(s, indent)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b, again) {
			t.Error("the same state was written in other bytes")
		}
	}
}

func TestMarshalForm(t *testing.T) {
	s := &pith.State{Goal: pith.Goal{Text: "a < b && c > d\u2028"}, Identifiers: pith.Identifiers{Tests: []pith.Identifier{{Name: "Map<K>"}}}}
	b, err := Marshal(s, false)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, want := range []string{`"a < b && c > d`, `"Map<K>"`, `"amendments":[]`, `"modified":[]`, `"blocks":{}`} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s: %s", want, text)
		}
	}
	for _, bad := range []string{`\u003c`, `"amendments":null`, `"disk"`, `"stale"`, `"bytes"`, `"model"`} {
		if strings.Contains(text, bad) {
			t.Errorf("holds %s: %s", bad, text)
		}
	}
	if !strings.HasSuffix(text, "}\n") || strings.Count(text, "\n") != 1 {
		t.Error("want one line and a newline")
	}
	if !strings.HasPrefix(text, `{"contract_type":`) {
		t.Error("the fields are not in the order of the struct")
	}
}

// TestID fixes how an id is made, with the canonical form written out.
func TestID(t *testing.T) {
	s := example()
	first, err := ID(s)
	if err != nil {
		t.Fatal(err)
	}
	if first != s.Checkpoint.ID {
		t.Error("the id depends on the id")
	}
	doc := jsontext.Value(bytes.Replace(exampleJSON(t, true), []byte(first), nil, 1))
	if err := doc.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	if got := sha256Hex(doc); got != first {
		t.Errorf("the id is %s, but the written state has the canonical hash %s", first, got)
	}
	s.Context.Pins = append(s.Context.Pins, pith.Pin{Text: "keep", By: "user"})
	if other, _ := ID(s); other == first {
		t.Error("another state has the same id")
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	good := string(exampleJSON(t, true))
	edit := func(old, replacement string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the example lacks %s", old)
		}
		return strings.Replace(good, old, replacement, 1)
	}
	envelope, err := os.ReadFile(filepath.Join(examples, "checkpoint-envelope.example.json"))
	if err != nil {
		t.Fatal(err)
	}
	memory, err := os.ReadFile(filepath.Join(examples, "compact-memory.example.json"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, in, want string }{
		{"empty", "\n", "the input is empty"},
		{"array", "[1]", "a JSON array"},
		{"text", "# Notes", "not JSON"},
		{"block", "<pith-memory id=\"x\">", "a restore block"},
		{"object", "{}", "an empty object"},
		{"body", `{"model":"m","messages":[]}`, "an API body"},
		{"row", `{"type":"user","message":{}}`, "a session file"},
		{"other contract", `{"contract_type":"invoice"}`, `contract_type "invoice"`},
		{"envelope", string(envelope), "a checkpoint envelope"},
		{"memory", string(memory), "an 8-field memory"},
		{"older", edit("2.3.0", "2.0.0"), `schema version "2.0.0", this pith reads "2.3.0"`},
		{"newer", edit("2.3.0", "2.10.0"), `schema version "2.10.0"`},
		{"no version", edit(`"schema_version": "2.3.0",`, ""), `schema version ""`},
		{"unknown member", edit(`"seq": 0`, `"seq": 0, "mood": 1`), "line 7, at /checkpoint/mood: the contract has no such member"},
		{"twice", edit(`"seq": 0`, `"seq": 0, "seq": 1`), `/checkpoint/seq`},
		{"another type", edit(`"seq": 0`, `"seq": "0"`), "at /checkpoint/seq: a JSON string cannot stand here"},
		{"bad label", edit(`"USER_EXPLICIT"`, `"OPERATOR"`), `unknown provenance "OPERATOR"`},
		{"bad source", edit(`"8.0:0-60"`, `"8"`), `source "8" is not message.block`},
		{"bad identifier", edit(`"TestTokenRefresh",`, `"TestTokenRefresh", "a", "b",`), "identifier"},
		{"trailing", good + "{}", "after top-level value"},
		{"cut", good[:len(good)/2], "line "},
		{"deep", `{"contract_type":` + strings.Repeat("[", 200000), "line 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Unmarshal([]byte(tt.in))
			if err == nil {
				t.Fatal("it was read")
			}
			if pith.KindOf(err) != pith.KindInput || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %q, want one line of the input's kind with %q", err, tt.want)
			}
		})
	}
	if hint := pith.HintOf(unmarshalError(edit("2.3.0", "2.10.0"))); !strings.Contains(hint, "update pith") {
		t.Errorf("a newer version has the hint %q", hint)
	}
	if hint := pith.HintOf(unmarshalError(edit("2.3.0", "2.0.9"))); !strings.Contains(hint, "make the state again") {
		t.Errorf("an older version has the hint %q", hint)
	}
}

func unmarshalError(text string) error {
	_, err := Unmarshal([]byte(text))
	return err
}

func FuzzUnmarshal(f *testing.F) {
	f.Add(exampleJSON(f, false))
	// Small seeds, which a fuzzer gets further with than with a whole state.
	const head = `{"contract_type":"compact-working-state","schema_version":"2.3.0",`
	for _, rest := range []string{
		`"current_goal":{"text":"a","provenance":"HARNESS","source":"s.0:1-2","amendments":[{"text":"b","source":"1.0"}]}}`,
		`"verification_and_evidence":[{"id":"ev-0123456789","exit_code":1,"counts":{"passed":1},"superseded_by":"ev-0123456789","call":"3.1"}]}`,
		`"identifiers":{"tests":[["TestA","1.0","note"]]},"next_single_safe_action":{"command":"rm -r 'a' && b"}}`,
		`"extensions":{"tool_results":{"cws/a":"\u0007"}},"checkpoint":{"created_at":"2026-01-02T03:04:05.6+01:00","origin":"imported"}}`,
	} {
		f.Add([]byte(head + rest))
	}
	f.Add([]byte(`{"contract_type":"compact-working-state","schema_version":"2.3.0","blocks":{"0.0":{}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Unmarshal(b)
		if err != nil {
			if pith.KindOf(err) != pith.KindInput {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		Check(s)
		CheckTranscript(s, stream(session()))
		one, err := Marshal(s, false)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Unmarshal(one)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		two, err := Marshal(again, false)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Fatalf("the round trip changed\n%s\nto\n%s", one, two)
		}
		if c, err := ToCompact(s); err == nil {
			if _, err := FromCompact(c); err != nil && pith.KindOf(err) != pith.KindInput {
				t.Fatal(err)
			}
		}
	})
}
