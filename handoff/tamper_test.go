package handoff

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
)

func setPayload(e *Envelope, payload []byte) {
	sum := sha256.Sum256(payload)
	e.Payload, e.PayloadSHA256 = base64.StdEncoding.EncodeToString(payload), hex.EncodeToString(sum[:])
}

// looseBits writes the same payload bytes as other base64: the bits behind the
// last byte are no part of it.
func looseBits(t testing.TB, doc []byte) []byte {
	task := new(Task)
	if err := json.Unmarshal(doc, task); err != nil {
		t.Fatal(err)
	}
	payload := []byte(task.Input.Envelope.Payload)
	at := bytes.IndexByte(payload, '=') - 1
	if at < 0 {
		// No padding: cut a byte off, so that there is some.
		raw, _ := base64.StdEncoding.DecodeString(string(payload))
		payload = []byte(base64.StdEncoding.EncodeToString(raw[:len(raw)-1]))
		at = bytes.IndexByte(payload, '=') - 1
	}
	payload[at]++
	task.Input.Envelope.Payload = string(payload)
	out, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// flips are other values for a byte.
func flips(b byte) []byte {
	out := []byte{b ^ 0x01, b ^ 0x20, b ^ 0x80, ' ', '"'}
	return slices.DeleteFunc(out, func(x byte) bool { return x == b })
}

// TestEveryByteOfATask: whatever byte changes, the task is refused, or what is
// accepted of it is the same.
func TestEveryByteOfATask(t *testing.T) {
	doc := build(t, state(t), options(t)).JSON
	want := accept(t, doc)
	changed, harmless := 0, 0
	for i := range doc {
		for _, b := range flips(doc[i]) {
			tampered := bytes.Clone(doc)
			tampered[i] = b
			var r receiver
			got, err := Accept(tampered, r.expect(t), Permissions{Tools: []string{"read", "write"}, Paths: []string{"internal"}})
			changed++
			if err == nil {
				harmless++
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("byte %d (%q for %q) changed what is accepted", i, b, doc[i])
				}
			} else if ReasonOf(err) == "" {
				t.Fatalf("byte %d: %v is no refusal", i, err)
			}
		}
	}
	if harmless*20 > changed {
		t.Errorf("%d of %d changes were accepted: more than the white space", harmless, changed)
	}
}

func TestEveryByteOfAnEnvelope(t *testing.T) {
	e := &build(t, state(t), options(t)).Task.Input.Envelope
	doc, err := e.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var r receiver
	want, err := Open(doc, r.expect(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(doc) - 1 { // behind the last brace stands white space
		for _, b := range flips(doc[i]) {
			tampered := bytes.Clone(doc)
			tampered[i] = b
			var r receiver
			got, err := Open(tampered, r.expect(t))
			if err == nil || ReasonOf(err) == "" {
				t.Fatalf("byte %d (%q for %q): %v, %v", i, b, doc[i], err, reflect.DeepEqual(got, want))
			}
		}
	}
	for i := range doc[:len(doc)-2] {
		var r receiver
		if _, err := Open(doc[:i], r.expect(t)); ReasonOf(err) != RefusedShape {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
}

// TestExampleOpens: the encoding is the one that the contract's example has.
func TestExampleOpens(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "contracts", "schemas", "examples", "checkpoint-envelope.example.json"))
	if err != nil {
		t.Fatal(err)
	}
	secret := sha256.Sum256([]byte("the key of pith's examples"))
	k, err := NewKey(secret[:])
	if err != nil {
		t.Fatal(err)
	}
	var r receiver
	x := r.expect(t)
	x.Keys, x.Audience = NewKeyring(k), "self"
	o, err := Open(doc, x)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(o.State.Goal.Text, "Fix the flaky") || !o.Expires.IsZero() {
		t.Errorf("opened %+v", o)
	}
}

func TestKeyFiles(t *testing.T) {
	k := testKey(t, "a")
	again, err := ParseKey(MarshalKey(k))
	if err != nil || again != k {
		t.Fatal(again, err)
	}
	file := string(MarshalKey(k))
	for _, bad := range []string{"", "pith-key-v1", strings.ToUpper(file), file + "\n", file[:len(file)-3], strings.Replace(file, "v1", "v2", 1), "pith-key-v1 " + strings.Repeat("00", 32)} {
		if _, err := ParseKey([]byte(bad)); pith.KindOf(err) != pith.KindInput {
			t.Errorf("%q: %v", bad, err)
		} else if len(bad) > 40 && strings.Contains(err.Error(), bad[12:30]) {
			t.Errorf("the error holds the key: %v", err)
		}
	}
	if s := k.String(); !strings.Contains(s, k.ID()) || strings.Contains(s, file[12:30]) {
		t.Errorf("a key prints as %s", s)
	}
}

func TestPermissionsWithin(t *testing.T) {
	asked := Permissions{Tools: []string{"a", "b", "a"}, Paths: []string{"internal/auth/", "/etc", "x/../..", "docs", ".", "~/.ssh", `C:\work\pith`}}
	tests := []struct {
		allowed Permissions
		want    Permissions
	}{
		{Permissions{}, Permissions{[]string{}, []string{}}},
		{Permissions{Tools: []string{"b", "c"}}, Permissions{[]string{"b"}, []string{}}},
		{Permissions{Paths: []string{"internal"}}, Permissions{[]string{}, []string{"internal", "internal/auth"}}},
		{Permissions{Paths: []string{"/etc/ssh", "internals", "../docs"}}, Permissions{[]string{}, []string{"/etc/ssh", "internals"}}},
		{Permissions{Paths: []string{"/"}}, Permissions{[]string{}, []string{"/etc"}}},
		{Permissions{Paths: []string{`C:\work`}}, Permissions{[]string{}, []string{`C:\work\pith`}}},
		{Permissions{Paths: []string{`C:\`, "~", ""}}, Permissions{[]string{}, []string{`C:\work\pith`}}},
	}
	for _, tt := range tests {
		if got := asked.Within(tt.allowed); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("within %+v: %+v, want %+v", tt.allowed, got, tt.want)
		}
	}
}

// TestGrantsLieInBoth: what is granted is both asked for and allowed.
func TestGrantsLieInBoth(t *testing.T) {
	path := rapid.StringMatching(`/?(a|b|\.|\.\.|~)(/(a|b|\.\.|\.))*/?`)
	rapid.Check(t, func(t *rapid.T) {
		asked := Permissions{Paths: rapid.SliceOf(path).Draw(t, "asked")}
		allowed := Permissions{Paths: rapid.SliceOf(path).Draw(t, "allowed")}
		for _, p := range asked.Within(allowed).Paths {
			in := func(list []string) bool {
				return slices.ContainsFunc(list, func(outer string) bool { return !strays(outer) && contains(outer, p) })
			}
			if strays(p) || !in(asked.Paths) || !in(allowed.Paths) {
				t.Fatalf("%q is granted of %q, where %q is allowed", p, asked.Paths, allowed.Paths)
			}
		}
	})
}

func FuzzAccept(f *testing.F) {
	f.Add(build(f, state(f), options(f)).JSON)
	f.Add([]byte(`{"input_data":{"compact_working_state":{"alg":"HMAC-SHA256"}}}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		var r receiver
		a, err := Accept(doc, r.expect(t), Permissions{})
		if (a == nil) == (err == nil) || err != nil && ReasonOf(err) == "" {
			t.Fatalf("%v, %v", a, err)
		}
	})
}

func FuzzOpen(f *testing.F) {
	e := &build(f, state(f), options(f)).Task.Input.Envelope
	doc, err := e.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(doc)
	f.Fuzz(func(t *testing.T, doc []byte) {
		var r receiver
		o, err := Open(doc, r.expect(t))
		if (o == nil) == (err == nil) || err != nil && ReasonOf(err) == "" {
			t.Fatalf("%v, %v", o, err)
		}
	})
}

// FuzzSigned gives signed payloads of any bytes to the reader of states.
func FuzzSigned(f *testing.F) {
	f.Add(build(f, state(f), options(f)).Snapshot.JSON)
	f.Fuzz(func(t *testing.T, payload []byte) {
		k := testKey(t, "a")
		e, err := Seal(k, payload, Header{SessionID: "5d1f2c3e-session", Audience: "tester", Nonce: nonce(1), Created: noon, Expires: noon.Add(time.Hour)})
		if err != nil {
			return
		}
		doc, err := e.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		var r receiver
		if o, err := Open(doc, r.expect(t)); err == nil {
			if _, _, err := relay(o.State); err != nil && ReasonOf(err) == "" {
				t.Fatal(err)
			}
		}
	})
}
