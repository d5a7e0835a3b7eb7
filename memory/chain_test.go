package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/diff"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/wire"
)

// rounds is how often the longest session is compacted, one after another.
const rounds = 50

// chained is a session and how often it is compacted.
type chained struct {
	name   string
	data   []byte
	rounds int
}

// chainedSessions are the sessions of PITH_CORPUS, the one with the most rows
// in full, or a made one.
func chainedSessions(t *testing.T) []chained {
	t.Helper()
	var all []chained
	longest := 0
	for _, client := range []string{"claude-code", "codex"} {
		files, _ := filepath.Glob(filepath.Join(os.Getenv("PITH_CORPUS"), client, "*.jsonl"))
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, chained{filepath.Base(f), data, 8})
			if bytes.Count(data, []byte("\n")) > bytes.Count(all[longest].data, []byte("\n")) {
				longest = len(all) - 1
			}
		}
	}
	if all == nil {
		all = []chained{{"made", madeSession(1 << 20), rounds}}
	}
	all[longest].rounds = rounds
	return all
}

// link compacts an input as the child of a checkpoint, and holds it against
// the contract and its own messages.
func link(t *testing.T, input []byte, previous *pith.State, through *int) *memory.Result {
	t.Helper()
	m := memory.New(memory.Config{})
	s, err := m.Read(bytes.NewReader(input), memory.ReadOptions{Previous: previous, Through: through, Name: "/srv/session.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatal(err)
	}
	if problems := schema.Validate(r.JSON); len(problems) > 0 {
		t.Fatalf("the state breaks its schema: %v", problems)
	}
	state, err := schema.Unmarshal(r.JSON)
	if err != nil {
		t.Fatal(err)
	}
	next, err := memory.MessagesOf(bytes.NewReader(input), state)
	if err != nil {
		t.Fatal(err)
	}
	if problems, _ := schema.CheckTranscript(state, next); len(problems) > 0 {
		t.Fatalf("checkpoint %d: %d problems, the first %v", state.Checkpoint.Seq, len(problems), problems[0])
	}
	return &memory.Result{State: state, JSON: r.JSON, Block: r.Block, Unchanged: r.Unchanged}
}

// open lists what no compaction may lose: rules, and failures nothing ended.
func open(s *pith.State) (rules, failures map[string]string) {
	rules, failures = map[string]string{}, map[string]string{}
	for i := range s.Constraints {
		rules[s.Constraints[i].Text] = s.Constraints[i].ID
	}
	for i := range s.Invariants {
		rules[s.Invariants[i].Text] = s.Invariants[i].ID
	}
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Unresolved() {
			failures[e.ID] = e.Command
		}
	}
	return rules, failures
}

// heldOn checks one step of a chain.
func heldOn(t *testing.T, a, b *pith.State, whole *pith.State) {
	t.Helper()
	if b.Checkpoint.ParentID == nil || *b.Checkpoint.ParentID != a.Checkpoint.ID || b.Checkpoint.Seq != a.Checkpoint.Seq+1 {
		t.Fatalf("checkpoint %d does not follow %d", b.Checkpoint.Seq, a.Checkpoint.Seq)
	}
	if a.Goal.SHA256 != b.Goal.SHA256 && a.Goal.Provenance == pith.UserExplicit {
		t.Errorf("checkpoint %d: the goal became %q", b.Checkpoint.Seq, b.Goal.Text)
	}
	if b.Checkpoint.CompactedAtTurn < a.Checkpoint.CompactedAtTurn {
		t.Errorf("checkpoint %d: turn %d after %d", b.Checkpoint.Seq, b.Checkpoint.CompactedAtTurn, a.Checkpoint.CompactedAtTurn)
	}
	rules, failures := open(a)
	nowRules, _ := open(b)
	for text, id := range rules {
		if nowRules[text] == "" {
			t.Errorf("checkpoint %d lost the rule %q", b.Checkpoint.Seq, text)
		} else if nowRules[text] != id {
			t.Errorf("checkpoint %d: the rule %q has another id", b.Checkpoint.Seq, text)
		}
	}
	for id, command := range failures {
		if !slices.ContainsFunc(b.Evidence, func(e pith.Evidence) bool {
			return e.ID == id || e.Command == command
		}) {
			t.Errorf("checkpoint %d lost the failure of %q and does not say what ended it", b.Checkpoint.Seq, command)
		}
	}
}

// TestChainOfAGrowingSession compacts a session again and again as it grows:
// what comes out is what one compaction of the whole gives.
func TestChainOfAGrowingSession(t *testing.T) {
	for _, c := range chainedSessions(t) {
		t.Run(c.name, func(t *testing.T) { growing(t, c.data, c.rounds) })
	}
}

func growing(t *testing.T, data []byte, rounds int) {
	t.Helper()
	once := link(t, data, nil, nil)
	last := once.State.Checkpoint.ThroughMessage
	var prev *pith.State
	var sizes []int
	for i := range rounds {
		through := last * (i + 1) / rounds
		r := link(t, data, prev, &through)
		sizes = append(sizes, len(r.JSON))
		if prev != nil && !r.Unchanged {
			heldOn(t, prev, r.State, once.State)
		}
		prev = r.State
	}
	if again := link(t, data, prev, nil); !again.Unchanged || again.State.Checkpoint.ID != prev.Checkpoint.ID {
		t.Error("compacting it once more, with nothing new, made another checkpoint")
	}
	if d := len(mustJSON(t, prev.Evidence)) - len(mustJSON(t, once.State.Evidence)); d != 0 {
		t.Errorf("the evidence of the chain differs from that of one compaction by %d bytes", d)
	}
	if n, want := len(mustJSON(t, prev)), len(mustJSON(t, once.State)); n > want+200 {
		t.Errorf("after %d rounds the state has %d bytes, made at once %d", rounds, n, want)
	}
	t.Logf("bytes of the state: %v; made at once %d", sizes, len(once.JSON))
}

// callID finds the id of a call and that of a result.
var callID = regexp.MustCompile(`"id":\s?"(toolu_[^"]+)"|"tool_use_id":\s?"([^"]+)"|"call_id":\s?"([^"]+)"`)

// wholeParts cuts a session into as many parts as there are rounds, where no
// call waits for its result.
func wholeParts(data []byte, rounds int) [][]byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	waits := map[string]bool{}
	var parts [][]byte
	start := 0
	for i, line := range lines {
		for _, m := range callID.FindAllSubmatch(line, -1) {
			id := string(bytes.Join(m[1:], nil))
			if bytes.Contains(line, []byte("event_msg")) {
				continue
			}
			if result := len(m[2]) > 0 || bytes.Contains(line, []byte("_output")); result {
				delete(waits, id)
			} else {
				waits[id] = true
			}
		}
		if len(waits) == 0 && i+1-start >= len(lines)/rounds || i == len(lines)-1 {
			parts = append(parts, bytes.Join(lines[start:i+1], nil))
			start, waits = i+1, map[string]bool{}
		}
	}
	return parts
}

// TestChainOfParts compacts a session of which each round sees only the rows
// that came since, as a conversation that was compacted and goes on.
func TestChainOfParts(t *testing.T) {
	for _, c := range chainedSessions(t) {
		t.Run(c.name, func(t *testing.T) { inParts(t, c.data, c.rounds) })
	}
}

func inParts(t *testing.T, data []byte, rounds int) {
	t.Helper()
	once := link(t, data, nil, nil)
	parts := wholeParts(data, rounds)
	var prev *pith.State
	var sizes []int
	for _, part := range parts {
		m := memory.New(memory.Config{})
		if s, err := m.Read(bytes.NewReader(part), memory.ReadOptions{}); err != nil || s.Messages == 0 {
			continue // rows that are no messages
		}
		r := link(t, part, prev, nil)
		sizes = append(sizes, len(r.JSON))
		if prev != nil {
			heldOn(t, prev, r.State, once.State)
			if r.State.Checkpoint.FromMessage != prev.Checkpoint.ThroughMessage+1 {
				t.Errorf("checkpoint %d begins at message %d, the one before ends at %d", r.State.Checkpoint.Seq, r.State.Checkpoint.FromMessage, prev.Checkpoint.ThroughMessage)
			}
		}
		prev = r.State
	}
	if n := len(sizes); n < rounds/2 {
		t.Fatalf("only %d parts hold messages", n)
	}
	for _, f := range once.State.Files.Modified {
		if !slices.ContainsFunc(prev.Files.Modified, func(g pith.File) bool { return g.Path == f.Path }) {
			t.Errorf("the chain lost the modified file %s (%s by %s at %s)", f.Path, f.Op, f.Via, f.Source)
		}
	}
	rules, _ := open(once.State)
	have, _ := open(prev)
	for text := range rules {
		if have[text] == "" {
			t.Errorf("the chain lost the rule %q", text)
		}
	}
	if n := len(mustJSON(t, prev)); n > 2*len(once.JSON) {
		t.Errorf("after %d parts the state has %d bytes, made at once %d", len(sizes), n, len(once.JSON))
	}
	t.Logf("bytes of the state: %v; made at once %d", sizes, len(once.JSON))
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// row writes a row of a Claude Code session.
func row(kind, text string, n int) string {
	return fmt.Sprintf(`{"type":%q,"uuid":"u%d","sessionId":"s-1","cwd":"/srv/app","message":{"id":"m%d","role":%q,"content":%q}}`+"\n", kind, n, n, kind, text)
}

func call(command, result string, failed bool, n int) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":"a%d","sessionId":"s-1","cwd":"/srv/app","message":{"id":"c%d","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":%q}}]}}`+"\n", n, n, n, command) +
		fmt.Sprintf(`{"type":"user","uuid":"r%d","sessionId":"s-1","cwd":"/srv/app","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","is_error":%t,"content":%q}]}}`+"\n", n, n, failed, result)
}

// TestChainCloses holds that a later part resolves, answers and replaces what
// an earlier part left open, and that the same item is never open and done.
func TestChainCloses(t *testing.T) {
	first := row("user", "Fix the rounding in /srv/app/money.go. Never push to main.", 1) +
		call("go test ./money/", "Exit code 1\n--- FAIL: TestRound (0.00s)\nFAIL\tmoney\t0.1s", true, 2) +
		row("assistant", "Shall I use big.Rat?", 3)
	second := row("user", "yes, and keep the API as it is", 4) +
		call("go test ./money/", "ok  \tmoney\t0.1s", false, 5) +
		row("assistant", "The tests pass. Next I will update the changelog.", 6)
	a := link(t, []byte(first), nil, nil).State
	if _, failures := open(a); len(failures) != 1 || a.Next.Kind != "ask_user" {
		t.Fatalf("the first part leaves open %v, next %+v", failures, a.Next)
	}
	b := link(t, []byte(second), a, nil).State
	if _, failures := open(b); len(failures) != 0 {
		t.Errorf("still open after the test passed: %v", failures)
	}
	failed := slices.IndexFunc(b.Evidence, func(e pith.Evidence) bool { return e.ID == a.Evidence[0].ID })
	if failed < 0 || b.Evidence[failed].SupersededBy == nil {
		t.Errorf("the failure is not closed with what ended it: %+v", b.Evidence)
	}
	if b.Goal.SHA256 != a.Goal.SHA256 || len(b.Goal.Amendments) != 1 || !strings.Contains(b.Goal.Amendments[0].Text, "keep the API") {
		t.Errorf("goal %q with %+v", b.Goal.Text, b.Goal.Amendments)
	}
	if constraint(b, "push to main") == nil {
		t.Errorf("the rule is gone: %s", rules(b))
	}
	for _, d := range b.Decisions {
		if strings.Contains(d.Decision, "big.Rat") && d.Status == "proposed" {
			t.Errorf("the question was answered, but it is still open: %+v", d)
		}
	}
	c := link(t, []byte(row("user", "thanks", 7)+row("assistant", "Done.", 8)), b, nil).State
	if len(c.Evidence) > len(b.Evidence) {
		t.Errorf("closed runs are carried on: %+v", c.Evidence)
	}
	if c.Checkpoint.CompactedAtTurn <= a.Checkpoint.CompactedAtTurn {
		t.Errorf("turn %d", c.Checkpoint.CompactedAtTurn)
	}
}

// TestChainRefusesToGoBack holds that an earlier part of a session never
// stands behind a later one.
func TestChainRefusesToGoBack(t *testing.T) {
	data := []byte(row("user", "Fix the rounding.", 1) + row("assistant", "I will.", 2) + row("user", "And the export.", 3))
	whole := link(t, data, nil, nil).State
	through := 0
	_, err := memory.New(memory.Config{}).Read(bytes.NewReader(data), memory.ReadOptions{Previous: whole, Through: &through})
	if pith.KindOf(err) != pith.KindDeclined || !strings.Contains(err.Error(), "message 2") {
		t.Errorf("got %v", err)
	}
}

// TestChainOfRestoredBody compacts a conversation, sends on what is left of
// it, and compacts that again: the block in it is a record, never the user's
// words, and the messages that were kept are not told twice.
func TestChainOfRestoredBody(t *testing.T) {
	type message struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	}
	var messages []message
	say := func(role string, content any) { messages = append(messages, message{role, content}) }
	say("user", "Fix the rounding in money.go. Never push to main.")
	for i := range 12 {
		id := fmt.Sprintf("toolu_%d", i)
		say("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": fmt.Sprintf("cat part%d.go", i)}}})
		say("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": strings.Repeat("func step() {}\n", 400)}})
	}
	say("assistant", "I have read all parts.")
	say("user", "Now change MulRat first.")
	body := func() []byte {
		return mustJSON(t, map[string]any{"model": "claude-opus-4-8", "max_tokens": 1000, "messages": messages})
	}
	m := memory.New(memory.Config{Budget: 1500})
	s, err := m.Read(bytes.NewReader(body()), memory.ReadOptions{KeepLive: true})
	if err != nil {
		t.Fatal(err)
	}
	first, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []restore.Pattern{restore.PatternSystem, restore.PatternMessage} {
		m := memory.New(memory.Config{Budget: 1500, Pattern: pattern})
		out, err := m.Apply(s.Conversation(), first, restore.ApplyOptions{KeepMessages: 3})
		if err != nil {
			t.Fatal(err)
		}
		sent, err := wire.Encode(out.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		var next map[string]any
		if err := json.Unmarshal(sent, &next); err != nil {
			t.Fatal(err)
		}
		next["messages"] = append(next["messages"].([]any),
			message{"assistant", []any{map[string]any{"type": "tool_use", "id": "toolu_x", "name": "Edit", "input": map[string]any{"file_path": "money.go", "old_string": "a", "new_string": "b"}}}},
			message{"user", []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_x", "content": "The file money.go has been updated."}}},
			message{"user", "And add a test."})
		second := link(t, mustJSON(t, next), first.State, nil).State
		if second.Goal.SHA256 != first.State.Goal.SHA256 || second.Goal.Provenance != pith.UserExplicit {
			t.Errorf("the goal became %q (%s)", second.Goal.Text, second.Goal.Provenance)
		}
		var later []string
		for _, a := range second.Goal.Amendments {
			later = append(later, a.Text)
		}
		if want := []string{"Now change MulRat first.", "And add a test."}; !slices.Equal(later, want) {
			t.Errorf("later messages %q, want %q", later, want)
		}
		if n := len(second.Constraints); n != len(first.State.Constraints) {
			t.Errorf("%d rules, before %d: %s", n, len(first.State.Constraints), rules(second))
		}
		if !hasPath(second.Files.Modified, "money.go") || len(second.Files.Inspected) < 12 {
			t.Errorf("modified %v, inspected %v", paths(second.Files.Modified), paths(second.Files.Inspected))
		}
	}
}

// TestChainKeepsEdits holds that what a person took out, changed or added in a
// state is so in the next one too, though the facts are taken from the
// transcript again; where the work stands is the transcript's to say.
func TestChainKeepsEdits(t *testing.T) {
	data := row("user", "Fix the rounding. Never push to main. Always run the linter.", 1) + call("go vet ./...", "ok", false, 2) + row("assistant", "Next I will change MulRat.", 3)
	first := link(t, []byte(data), nil, nil).State
	edited := *first
	edited.Constraints = slices.DeleteFunc(slices.Clone(first.Constraints), func(c pith.Constraint) bool { return strings.Contains(c.Text, "linter") })
	edited.Goal.Text = "Fix the rounding in MulRat only."
	edited.Next = first.Next
	edited.Next.Text = "Ask Ada first."
	edited.Context.Pins = []pith.Pin{{Text: "ask before any release", By: "user"}}
	diff.Mend(&edited)
	edited.Edits = diff.Edits(first, &edited)
	parent := first.Checkpoint.ID
	edited.Checkpoint.ParentID, edited.Checkpoint.Seq = &parent, 1
	if _, problems := schema.Seal(&edited); len(problems) > 0 {
		t.Fatal(problems)
	}
	grown := data + row("user", "go on", 4) + row("assistant", "I will now edit money.go.", 5)
	next := link(t, []byte(grown), &edited, nil).State
	if next.Goal.Text != edited.Goal.Text || constraint(next, "linter") != nil || constraint(next, "push to main") == nil {
		t.Errorf("goal %q, rules %s", next.Goal.Text, rules(next))
	}
	if len(next.Context.Pins) != 1 || len(next.Edits) != len(edited.Edits) {
		t.Errorf("pins %+v, edits %+v", next.Context.Pins, next.Edits)
	}
	if next.Next.Text == "Ask Ada first." {
		t.Error("the work went on, and the next action is the old one")
	}
}
