package handoff

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

func accept(t testing.TB, doc []byte) *Accepted {
	t.Helper()
	var r receiver
	a, err := Accept(doc, r.expect(t), Permissions{Tools: []string{"read", "write"}, Paths: []string{"internal"}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAccept(t *testing.T) {
	s := state(t)
	b := build(t, s, options(t))
	a := accept(t, b.JSON)
	if got := a.Granted; !reflect.DeepEqual(got, Permissions{Tools: []string{"read"}, Paths: []string{"internal/auth"}}) {
		t.Errorf("granted %+v", got)
	}
	if a.State.Goal.Text != s.Goal.Text || len(a.State.Constraints) != len(s.Constraints) || a.State.Constraints[0].Text != s.Constraints[0].Text {
		t.Error("the words of the state changed")
	}
	c := a.State.Checkpoint
	if c.Origin != pith.OriginDelegated || *c.ParentID != b.Snapshot.State.Checkpoint.ID || c.Seq != s.Checkpoint.Seq+2 {
		t.Errorf("the checkpoint is %+v", c)
	}
	if problems := schema.Validate(a.JSON); len(problems) > 0 {
		t.Error(problems)
	}
	if !a.State.Next.RequiresConfirmation {
		t.Error("the next action is taken unasked")
	}
	if a.Link != (Link{MAC: b.Task.Input.Envelope.MAC}) || a.KeyID != testKey(t, "a").ID() {
		t.Errorf("link %v, key %s", a.Link, a.KeyID)
	}
}

// TestLabelsGoDown looks at every label that the accepted state has, wherever
// it stands.
func TestLabelsGoDown(t *testing.T) {
	a := accept(t, build(t, crowded(t, 3), options(t)).JSON)
	labels := 0
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		if v.Type() == reflect.TypeFor[pith.Provenance]() {
			labels++
			if p := pith.Provenance(v.Uint()); p < pith.PeerAgent {
				t.Errorf("%s is %s", path, p)
			}
			return
		}
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem(), path)
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i), path+"[]")
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i), path+"."+v.Type().Field(i).Name)
				}
			}
		}
	}
	walk(reflect.ValueOf(a.State), "state")
	if labels < 20 {
		t.Fatalf("only %d labels were met: the walk is broken", labels)
	}
	for i := range a.State.Invariants {
		if a.State.Invariants[i].Binding != "advisory" {
			t.Error("another agent's words bind")
		}
	}
}

// TestUserCommands: what only a user may put into one step is asked for.
func TestUserCommands(t *testing.T) {
	s := state(t)
	s.Next.Kind, s.Next.Command, s.Next.Provenance = "command", "make clean && make", pith.UserExplicit
	s.Next.Source = s.Goal.Source
	a := accept(t, build(t, seal(t, s), options(t)).JSON)
	if n := a.State.Next; n.Kind != "ask_user" || n.Command != "" {
		t.Errorf("the next action is %+v", n)
	}
}

func TestImportedStatesStayImported(t *testing.T) {
	s, err := schema.FromCompact(pith.Compact{Task: "Mend the roof", CurrentState: "half", NextSteps: []string{"nail"}})
	if err != nil {
		t.Fatal(err)
	}
	a := accept(t, build(t, s, options(t)).JSON)
	if a.State.Goal.Provenance != pith.UnverifiedImport {
		t.Errorf("the goal is %s", a.State.Goal.Provenance)
	}
}

func TestRefusals(t *testing.T) {
	o := options(t)
	doc := build(t, state(t), o).JSON
	edit := func(f func(*Task)) func([]byte) []byte {
		return func([]byte) []byte {
			task := new(Task)
			if err := json.Unmarshal(doc, task); err != nil {
				t.Fatal(err)
			}
			f(task)
			out, err := json.Marshal(task)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
	}
	// resign signs what was changed with the sender's key: the sender lies.
	resign := func(f func(*Task)) func([]byte) []byte {
		return edit(func(task *Task) {
			f(task)
			e := &task.Input.Envelope
			payload, _ := e.check()
			e.MAC = e.sign(o.Key, payload)
			mac, err := task.sign(o.Key)
			if err != nil {
				t.Fatal(err)
			}
			task.Input.MAC = mac
		})
	}
	replace := func(from, to string) func([]byte) []byte {
		return func(doc []byte) []byte {
			if !bytes.Contains(doc, []byte(from)) {
				t.Fatalf("the task does not hold %q", from)
			}
			return bytes.Replace(doc, []byte(from), []byte(to), 1)
		}
	}
	same := func(doc []byte) []byte { return doc }
	tests := []struct {
		name   string
		change func([]byte) []byte
		expect func(*Expect)
		want   Reason
	}{
		{"not JSON", func([]byte) []byte { return []byte("hello") }, nil, RefusedShape},
		{"empty", func([]byte) []byte { return nil }, nil, RefusedShape},
		{"something behind it", func(doc []byte) []byte { return append(bytes.Clone(doc), '{') }, nil, RefusedShape},
		{"unknown member", replace(`"alg"`, `"algo"`), nil, RefusedShape},
		{"member twice", replace(`"alg":`, `"seq": 0, "alg":`), nil, RefusedShape},
		{"permissions twice", replace(`"permissions":`, `"permissions": {"tools":["shell"],"paths":["/"]}, "permissions":`), nil, RefusedShape},
		{"other case", replace(`"permissions"`, `"Permissions"`), nil, RefusedShape},
		{"alg none", replace(`"HMAC-SHA256"`, `"none"`), nil, RefusedAlg},
		{"alg in lower case", replace(`"HMAC-SHA256"`, `"hmac-sha256"`), nil, RefusedAlg},
		{"version", edit(func(k *Task) { k.Input.Envelope.Version = 2 }), nil, RefusedShape},
		{"capital digits in the MAC", edit(func(k *Task) { k.Input.Envelope.MAC = strings.ToUpper(k.Input.Envelope.MAC) }), nil, RefusedShape},
		{"line break in base64", edit(func(k *Task) {
			k.Input.Envelope.Payload = k.Input.Envelope.Payload[:40] + "\n" + k.Input.Envelope.Payload[40:]
		}), nil, RefusedShape},
		{"loose bits in base64", func([]byte) []byte { return looseBits(t, doc) }, nil, RefusedShape},
		{"other key", same, func(x *Expect) { x.Keys = NewKeyring(testKey(t, "b")) }, RefusedKey},
		{"no keys", same, func(x *Expect) { x.Keys = nil }, RefusedKey},
		{"retired key", same, func(x *Expect) {
			ring, ok := x.Keys.Rotate(testKey(t, "b")).Retire(o.Key.ID())
			if !ok {
				t.Fatal("the key was not retired")
			}
			x.Keys = ring
		}, RefusedKey},
		{"key id of another key", edit(func(k *Task) { k.Input.Envelope.KeyID = testKey(t, "b").ID() }), func(x *Expect) { x.Keys = x.Keys.Rotate(testKey(t, "b")) }, RefusedMAC},
		{"audience changed", edit(func(k *Task) { k.Input.Envelope.Audience, k.AssigneeRole = "root", "root" }), func(x *Expect) { x.Audience = "root" }, RefusedMAC},
		{"tools added", edit(func(k *Task) { k.Input.Permissions.Tools = []string{"shell"} }), nil, RefusedTask},
		{"task unsigned", edit(func(k *Task) { k.Input.MAC = "" }), nil, RefusedTask},
		{"task of another envelope", edit(func(k *Task) {
			other := o
			other.Nonce = nonce(9)
			k.Input.Envelope = build(t, state(t), other).Task.Input.Envelope
		}), nil, RefusedTask},
		{"hash of another payload", resign(func(k *Task) { k.Input.Envelope.PayloadSHA256 = strings.Repeat("0", 64) }), nil, RefusedHash},
		{"wrong audience", same, func(x *Expect) { x.Audience = "reviewer" }, RefusedAudience},
		{"no audience", same, func(x *Expect) { x.Audience = "" }, RefusedAudience},
		{"task for another role", resign(func(k *Task) { k.AssigneeRole = "root" }), nil, RefusedAudience},
		{"not yet valid", same, func(x *Expect) { x.Now = noon.Add(-defaultSkew - time.Second) }, RefusedEarly},
		{"expired", same, func(x *Expect) { x.Now = noon.Add(time.Hour) }, RefusedExpired},
		{"older seq", same, func(x *Expect) {
			x.Last = func(string) (Link, error) { return Link{Seq: 3, MAC: strings.Repeat("1", 64)}, nil }
		}, RefusedChain},
		{"unknown type of payload", resign(func(k *Task) { k.Input.Envelope.PayloadType = memoryType }), nil, RefusedPayload},
		{"payload is no state", resign(func(k *Task) { setPayload(&k.Input.Envelope, []byte("{}")) }), nil, RefusedPayload},
		{"payload breaks a rule", resign(func(k *Task) { setPayload(&k.Input.Envelope, brokenState(t)) }), nil, RefusedPayload},
		{"other session", resign(func(k *Task) { k.Input.Envelope.SessionID = "another" }), nil, RefusedSession},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r receiver
			x := r.expect(t)
			if tt.expect != nil {
				tt.expect(&x)
			}
			a, err := Accept(tt.change(doc), x, Permissions{Tools: []string{"shell"}, Paths: []string{"/"}})
			refused(t, err, tt.want)
			if a != nil {
				t.Error("something was accepted all the same")
			}
		})
	}
}

func TestReplay(t *testing.T) {
	doc := build(t, state(t), options(t)).JSON
	var r receiver
	if _, err := Accept(doc, r.expect(t), Permissions{}); err != nil {
		t.Fatal(err)
	}
	_, err := Accept(doc, r.expect(t), Permissions{})
	refused(t, err, RefusedReplay)
	x := r.expect(t)
	x.Claim = nil
	if _, err := Accept(doc, x, Permissions{}); pith.KindOf(err) != pith.KindUsage {
		t.Errorf("without a record of nonces: %v", err)
	}
	disk := errors.New("the disk is full")
	x.Claim = func(string, time.Time) error { return disk }
	if _, err := Accept(doc, x, Permissions{}); !errors.Is(err, disk) {
		t.Errorf("a nonce that could not be recorded: %v", err)
	}
}

// TestRefusedKeepsTheNonce: what is refused can still be accepted by whom it is for.
func TestRefusedKeepsTheNonce(t *testing.T) {
	doc := build(t, state(t), options(t)).JSON
	var r receiver
	x := r.expect(t)
	x.Audience = "reviewer"
	_, err := Accept(doc, x, Permissions{})
	refused(t, err, RefusedAudience)
	if _, err := Accept(doc, r.expect(t), Permissions{}); err != nil {
		t.Error(err)
	}
}

func TestChain(t *testing.T) {
	o := options(t)
	r := receiver{last: map[string]Link{}}
	send := func(previous Link, n byte) *Built {
		o.Previous, o.Nonce = previous, nonce(n)
		return build(t, state(t), o)
	}
	take := func(b *Built) error {
		a, err := Accept(b.JSON, r.expect(t), Permissions{})
		if err == nil {
			r.last[a.State.Checkpoint.SessionID] = a.Link
		}
		return err
	}
	first := send(Link{}, 1)
	second := send(first.Task.Input.Envelope.Link(), 2)
	third := send(second.Task.Input.Envelope.Link(), 3)
	forked := send(Link{Seq: 0, MAC: strings.Repeat("a", 64)}, 4)
	if err := take(first); err != nil {
		t.Fatal(err)
	}
	refused(t, take(forked), RefusedChain)
	if err := take(third); err != nil { // the second one never arrived
		t.Fatal(err)
	}
	refused(t, take(second), RefusedChain)
}

func TestOldKeysOpen(t *testing.T) {
	doc := build(t, state(t), options(t)).JSON
	var r receiver
	x := r.expect(t)
	x.Keys = x.Keys.Rotate(testKey(t, "b"))
	if _, err := Accept(doc, x, Permissions{}); err != nil {
		t.Error(err)
	}
	if _, ok := x.Keys.Retire(testKey(t, "b").ID()); ok {
		t.Error("the key that signs was retired")
	}
}

// brokenState is the example with a rule broken.
func brokenState(t testing.TB) []byte {
	s := state(t)
	s.Constraints[0].Provenance = pith.ToolOutput
	s.Checkpoint.ID, _ = schema.ID(s)
	doc, err := schema.Marshal(s, false)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
