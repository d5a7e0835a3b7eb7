package install_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// The session that opencode and pi are given: 40 files, five commands that
// fail, and a rule.

// plantedGoal is what the user asks for, with a rule in it.
const plantedGoal = "Write the forty modules below src/mod. Constraint: never open a network socket in any test, not even on loopback. Run the checks as you go."

// plantedTurns write 40 files and end five commands with the exit codes 3, 4, 5, 6
// and 7, several calls in each turn; the provider counts more and more tokens.
// write and shell make the input of a client's tools.
func plantedTurns(write, shell func(a, b string) providertest.Call) []providertest.Answer {
	var turns []providertest.Answer
	for i := range 10 {
		var calls []providertest.Call
		for j := range 4 {
			n := 4*i + j
			calls = append(calls, write(plantedPath(n), plantedFile(n)))
		}
		if i%2 == 0 {
			calls = append(calls, shell(fmt.Sprintf("echo check %d; exit %d", i, 3+i/2), "Run check"))
		}
		turns = append(turns, providertest.Answer{Text: fmt.Sprintf("Step %d.", i), Calls: calls, Usage: used(25_000 + 2_000*i)})
	}
	return turns
}

func plantedFile(n int) string {
	return fmt.Sprintf("package mod\n\n// F%02d is number %d.\nfunc F%02d() int { return %d }\n", n, n, n, n) + strings.Repeat("\n// It says no more than that.\n", 60)
}

func plantedPath(n int) string { return fmt.Sprintf("src/mod/part_%02d.go", n) }

// lostOf lists what of the planted session a request does not hold.
func lostOf(text string) []string {
	var lost []string
	wanted := []string{plantedGoal, "never open a network socket"}
	for n := range 40 {
		wanted = append(wanted, filepath.Base(plantedPath(n)))
	}
	for i := range 5 {
		wanted = append(wanted, fmt.Sprintf("exit %d", 3+i))
	}
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			lost = append(lost, w)
		}
	}
	return lost
}

// object is a JSON object of texts, from its keys and values.
func object(pairs ...string) json.RawMessage {
	members := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i]] = pairs[i+1]
	}
	text, _ := json.Marshal(members) // texts are always JSON
	return text
}

// memoryIn is pith's memory in a request, "" where there is none.
func memoryIn(q *providertest.Request) string {
	_, rest, ok := strings.Cut(q.Text(), "<pith-memory ")
	memory, _, closed := strings.Cut(rest, "</pith-memory>")
	if !ok || !closed {
		return ""
	}
	return memory
}

// whole fails the test where a request is not one that carries pith's memory,
// every planted fact and the newest round.
func whole(t *testing.T, q *providertest.Request) {
	t.Helper()
	if lost := lostOf(memoryIn(q)); len(lost) > 0 {
		t.Errorf("request %d has a memory of %d bytes, without %q", q.N, len(memoryIn(q)), lost)
	}
	if n := strings.Count(q.Text(), "<pith-memory "); n != 1 {
		t.Errorf("request %d has %d memories", q.N, n)
	}
}

// quiet fails the test where the client asked for a summary or sent what the
// API would refuse.
func (r *rig) quiet() {
	r.t.Helper()
	if n, wrong := r.Script.Summaries(), r.Server.Problems(); n > 0 || len(wrong) > 0 {
		r.t.Errorf("%d requests for a summary; refused: %q", n, wrong)
	}
}

// readAll fails the test where a state that was made from a client's own record
// of the planted session does not hold all of it.
func readAll(t *testing.T, state string) {
	t.Helper()
	var s struct {
		Files struct {
			Modified []json.RawMessage `json:"modified"`
		} `json:"files_modified_and_inspected"`
		Evidence []json.RawMessage `json:"verification_and_evidence"`
	}
	if err := json.Unmarshal([]byte(state), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Files.Modified) != 40 || len(s.Evidence) != 5 {
		t.Errorf("%d files and %d commands were read, want 40 and 5", len(s.Files.Modified), len(s.Evidence))
	}
}

// sizes tells of each request how long it is and what of the session is not in it.
func sizes(s *script) string {
	var b strings.Builder
	for i, q := range s.Main() {
		lost := lostOf(q.Text())
		fmt.Fprintf(&b, "request %d: %d messages, %d bytes, without %d of the facts\n", i, len(q.Conversation.Messages), len(q.Body), len(lost))
	}
	return b.String()
}
