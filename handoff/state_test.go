package handoff

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// state is the example of the contract: a session about a flaky test, with an
// unresolved failure and a rule of the user's.
func state(t testing.TB) *pith.State {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join("..", "contracts", "schemas", "examples", "compact-working-state.example.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Unmarshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if problems := schema.Check(s); len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

// seal gives a changed state its id, and wants it valid.
func seal(t testing.TB, s *pith.State) *pith.State {
	t.Helper()
	s.EmptySlots = s.FindEmpty()
	if _, problems := schema.Seal(s); len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

// crowded is the example with n items in each list that a snapshot may cut.
func crowded(t testing.TB, n int) *pith.State {
	s := state(t)
	at := s.Goal.Source
	whole, ran := pith.Source{Message: at.Message, Block: at.Block}, s.Evidence[0].Source
	for i := range n {
		name := "thing" + strconv.Itoa(i)
		for _, list := range []*[]pith.Identifier{&s.Identifiers.Tests, &s.Identifiers.Symbols, &s.Identifiers.Commits, &s.Identifiers.Refs, &s.Identifiers.Paths} {
			*list = append(*list, pith.Identifier{Name: name, Source: whole})
		}
		s.Files.Inspected = append(s.Files.Inspected, pith.File{Path: "/work/auth/seen/" + name + ".go", Op: pith.FileInspected, Via: "Read", Source: whole})
		s.Files.Modified = append(s.Files.Modified, pith.File{Path: "/work/auth/made/" + name + ".go", Op: pith.FileEdited, Via: "Edit", Source: whole})
		s.Context.Done = append(s.Context.Done, pith.Quote{Text: "done " + name, Provenance: pith.Assistant, Source: whole})
		s.Context.URLs = append(s.Context.URLs, pith.Quote{Text: "https://example.com/" + name, Provenance: pith.ToolOutput, Source: whole})
		s.Context.Todo = append(s.Context.Todo, pith.Todo{Text: "todo " + name, Status: "completed", Source: whole})
		s.Context.KeyLines = append(s.Context.KeyLines, pith.KeyLines{Path: "/work/auth/seen/" + name + ".go", Lines: []string{"func " + name + "()"}, Source: whole})
		attempt := "try " + name
		s.Failed = append(s.Failed, pith.FailedAttempt{
			ID: pith.ItemID(pith.IDFailed, whole, attempt), Attempt: attempt, ErrorSignature: "no such file", Reason: "it is not there",
			Occurrences: 1, EndedBy: "passed later", Provenance: pith.ToolOutput, Source: whole,
		})
		fails, passes := "go vet ./"+name, "go vet ./"+name+"/..."
		pass := pith.Evidence{
			ID: pith.ItemID(pith.IDEvidence, s.Next.Source, passes), Command: passes, Verifies: "go vet", ExitCode: new(int), Status: "pass",
			Runs: 1, Provenance: pith.ToolOutput, Source: s.Next.Source,
		}
		again := pith.Evidence{
			ID: pith.ItemID(pith.IDEvidence, ran, fails), Command: fails, Verifies: "go vet", Status: "fail", Runs: 1,
			ResolvedBy: pass.ID, Provenance: pith.ToolOutput, Source: ran,
		}
		first := again
		first.ID, first.Source = pith.ItemID(pith.IDEvidence, whole, fails), whole
		first.ResolvedBy, first.SupersededBy = "", &again.ID
		// Listed in the order of no clock: a chain is followed by its names.
		s.Evidence = append(s.Evidence, again, first, pass)
	}
	return seal(t, s)
}

func testKey(t testing.TB, fill string) Key {
	t.Helper()
	k, err := NewKey([]byte((fill + strings.Repeat("0123456789abcdef", 2))[:KeySize]))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func nonce(n byte) (out [16]byte) {
	for i := range out {
		out[i] = n
	}
	return out
}

func options(t testing.TB) Options {
	return Options{
		Key: testKey(t, "a"), Nonce: nonce(7), Now: noon, Expires: noon.Add(time.Hour),
		Delegator: "main", Role: "tester", Description: "Run the race test.", Criteria: []string{"exit code 0"},
		Tools: []string{"run_tests", "read"}, Paths: []string{"internal/auth"}, Timeout: 90 * time.Second,
	}
}

func build(t testing.TB, s *pith.State, o Options) *Built {
	t.Helper()
	b, err := Build(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// receiver remembers nonces as a receiver does.
type receiver struct {
	used map[string]bool
	last map[string]Link
}

func (r *receiver) expect(t testing.TB) Expect {
	return Expect{
		Keys: NewKeyring(testKey(t, "a")), Audience: "tester", Now: noon.Add(time.Minute),
		Last: func(session string) (Link, error) { return r.last[session], nil },
		Claim: func(nonce string, _ time.Time) error {
			if r.used[nonce] {
				return ErrUsed
			}
			if r.used == nil {
				r.used = map[string]bool{}
			}
			r.used[nonce] = true
			return nil
		},
	}
}

func refused(t testing.TB, err error, want Reason) {
	t.Helper()
	if got := ReasonOf(err); got != want {
		t.Errorf("refused for %q (%v), want %q", got, err, want)
		return
	}
	if pith.KindOf(err) != pith.KindCheck || pith.HintOf(err) == "" || bytes.ContainsRune([]byte(err.Error()), '\n') {
		t.Errorf("%v (kind %d, hint %q): want KindCheck, a hint, one line", err, pith.KindOf(err), pith.HintOf(err))
	}
}
