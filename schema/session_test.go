package schema

import (
	"crypto/sha256"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
)

var update = flag.Bool("update", false, "write the examples anew")

const examples = "../contracts/schemas/examples/"

// session is a small session about a flaky test, as it is after redaction.
func session() []*pith.Message {
	use := func(name string, args ...string) pith.Block {
		b := pith.Block{Kind: pith.KindToolUse, ToolName: name, ToolUseID: "toolu_" + name, Origin: pith.Assistant}
		for i := 0; i < len(args); i += 2 {
			b.Args = append(b.Args, pith.Arg{Key: args[i], Value: args[i+1], IsString: true})
		}
		b.Text = pith.ToolUseText(name, b.Args)
		return b
	}
	result := func(name, text string, exit ...int) pith.Block {
		b := pith.Block{Kind: pith.KindToolResult, ToolUseID: "toolu_" + name, Text: text, Origin: pith.ToolOutput}
		if len(exit) > 0 {
			b.Exit, b.IsError = &exit[0], exit[0] != 0
		}
		return b
	}
	says := func(text string) pith.Block {
		return pith.Block{Kind: pith.KindText, Text: text, Origin: pith.Assistant}
	}
	asks := func(text string) pith.Block {
		return pith.Block{Kind: pith.KindText, Text: text, Origin: pith.UserExplicit}
	}
	var all []*pith.Message
	add := func(role pith.Role, blocks ...pith.Block) {
		for i := range blocks {
			blocks[i].Hash = sha256.Sum256([]byte(blocks[i].Text))
		}
		all = append(all, &pith.Message{Index: len(all), Role: role, Blocks: blocks})
	}
	add(pith.RoleUser, asks("<system-reminder>Never mention this reminder.</system-reminder>\nFix the flaky TestTokenRefresh in internal/auth. Do not change the public API."))
	add(pith.RoleAssistant, says("I read the test first."), use("Read", "file_path", "/work/auth/internal/auth/refresh_test.go"))
	add(pith.RoleUser, result("Read", "     1\tpackage auth\n     2\t\n     3\tfunc TestTokenRefresh(t *testing.T) {\n"))
	add(pith.RoleAssistant, says("I inject a clock instead of a longer sleep, because time.Now made the test racy. The exported names of auth stay."),
		use("Edit", "file_path", "/work/auth/internal/auth/refresh.go", "old_string", "time.Now()", "new_string", "c.now()"))
	add(pith.RoleUser, result("Edit", "The file /work/auth/internal/auth/refresh.go has been updated."))
	add(pith.RoleAssistant, use("Bash", "command", "go test -run TestTokenRefresh -count=100 ./internal/auth"))
	add(pith.RoleUser, result("Bash", "=== RUN   TestTokenRefresh\n    refresh_test.go:41: token expired\n97 passed, 3 failed\nFAIL\nexit status 1\n", 1))
	add(pith.RoleUser, asks("Keep the coverage of internal/auth above 80 % as well. A release has to go out on Friday."))
	add(pith.RoleAssistant, says("Next I replace the second time.Now() in refresh.go, line 88."))
	return all
}

// stream hands messages to CheckTranscript.
func stream(all []*pith.Message) func() (*pith.Message, error) {
	return func() (*pith.Message, error) {
		if len(all) == 0 {
			return nil, io.EOF
		}
		m := all[0]
		all = all[1:]
		return m, nil
	}
}

// find is the source of a text in the session.
func find(all []*pith.Message, message, block int, text string) pith.Source {
	at := strings.Index(all[message].Blocks[block].Text, text)
	if at < 0 {
		panic("the session lacks " + text)
	}
	return pith.Source{Message: message, Block: block, Start: at, End: at + len(text)}
}

func ptr[T any](v T) *T { return &v }

// example is the state of the session, complete and consistent.
func example() *pith.State {
	all := session()
	whole := func(m, b int) pith.Source { return pith.Source{Message: m, Block: b} }
	goal := "Fix the flaky TestTokenRefresh in internal/auth. Do not change the public API."
	rule, later := "Do not change the public API.", all[7].Blocks[0].Text
	friday, kept := "A release has to go out on Friday.", "The exported names of auth stay."
	const dir = "/work/auth/internal/auth/"
	var digest Digest
	for _, m := range all {
		digest.Add(m)
	}
	id := func(kind string, at pith.Source, text string) string { return pith.ItemID(kind, at, text) }
	next := all[8].Blocks[0].Text
	s := imported(pith.Compact{}) // for the empty lists
	s.Checkpoint = pith.Checkpoint{
		SessionID: "5d1f2c3e-session", CreatedAt: ptr(time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)),
		Trigger: pith.ReasonTokens70, ThroughMessage: 8, CompactedAtTurn: 4, TranscriptSHA256: digest.Sum(),
		ExtractorVersion: "extract/1", Origin: "live", Format: pith.FormatClaudeCode, Model: "example-model",
		Transcript: "/home/dev/sessions/5d1f2c3e.jsonl", Compactor: "anthropic/claude-haiku-4-5",
		Workspace: pith.Workspace{Root: "/work/auth", CWD: "/work/auth", Branch: "fix/flaky-refresh", Head: "a1b2c3d4"},
	}
	s.Goal = pith.Goal{
		Text: goal, Provenance: pith.UserExplicit, SHA256: sha256Hex([]byte(goal)), Source: find(all, 0, 0, goal),
		Amendments: []pith.Amendment{{Text: later, Relation: "amends", Provenance: pith.UserExplicit, Source: find(all, 7, 0, later)}},
	}
	s.WorkType = pith.WorkBugfix
	s.Phase = pith.Phase{Current: ptr(2), Total: ptr(3), Name: "Implementation", Status: "in_progress", Owner: "main-agent", ExitCriteria: []string{"TestTokenRefresh passes 100 times"}}
	ruleAt := find(all, 0, 0, rule)
	s.Constraints = []pith.Constraint{{ID: id("co", ruleAt, rule), Text: rule, Kind: "prohibition", Polarity: "forbid", Provenance: pith.UserExplicit, Source: ruleAt}}
	s.Files.Modified = []pith.File{{Path: dir + "refresh.go", Op: pith.FileEdited, Via: "Edit", Source: whole(3, 1)}}
	s.Files.Inspected = []pith.File{{Path: dir + "refresh_test.go", Op: pith.FileInspected, Via: "Read", Source: whole(1, 1)}}
	decided := "I inject a clock instead of a longer sleep, because time.Now made the test racy."
	decidedAt := find(all, 3, 0, decided)
	s.Decisions = []pith.Decision{{
		ID: id("de", decidedAt, decided), Decision: decided, Rationale: "time.Now made the test racy",
		Rejected: []pith.Alternative{{Alternative: "a longer sleep"}}, Status: "stated", Provenance: pith.Assistant, Source: decidedAt,
	}}
	drafted := "Replace both calls of time.Now() in refresh.go"
	s.Decisions = append(s.Decisions, pith.Decision{
		ID: id("de", whole(8, 0), drafted), Decision: drafted, Rationale: "the test is racy", Rejected: []pith.Alternative{},
		Status: "stated", Drafted: true, Provenance: pith.Assistant, Source: whole(8, 0),
	})
	command := "go test -run TestTokenRefresh -count=100 ./internal/auth"
	s.Evidence = []pith.Evidence{{
		ID: id("ev", whole(6, 0), command), Command: command, Verifies: "go test", ExitCode: ptr(1), Status: "fail",
		Counts:    &pith.Counts{Passed: 97, Failed: 3},
		Excerpt:   &pith.Excerpt{Head: []string{"=== RUN   TestTokenRefresh"}, Tail: []string{"FAIL", "exit status 1"}, OmittedLines: 2},
		Signature: "refresh_test.go:N: token expired", Runs: 1, Provenance: pith.ToolOutput, Source: whole(6, 0), CallSource: ptr(whole(5, 0)),
	}}
	fridayAt, keptAt := find(all, 7, 0, friday), find(all, 3, 0, kept)
	s.Invariants = []pith.Invariant{
		{ID: id("in", fridayAt, friday), Text: friday, Binding: "binding", Provenance: pith.UserExplicit, Source: fridayAt},
		{ID: id("in", keptAt, kept), Text: kept, Binding: "advisory", Provenance: pith.Assistant, Source: keptAt},
	}
	s.Next = pith.NextAction{
		Kind: "edit", Text: next, TargetPath: dir + "refresh.go", Preconditions: []pith.Precondition{{Path: dir + "refresh.go", Must: "exist"}},
		Basis: "intent", Provenance: pith.Assistant, Source: find(all, 8, 0, next),
	}
	s.EmptySlots = []string{"failed_attempts_and_antipatterns"}
	s.Context.Language = "en"
	s.Context.Todo = []pith.Todo{{Text: "replace the second time.Now()", Status: "in_progress", Source: whole(8, 0)}}
	s.Context.LastWords = &pith.Quote{Text: next, Provenance: pith.Assistant, Source: find(all, 8, 0, next)}
	s.Identifiers.Tests = []pith.Identifier{{Name: "TestTokenRefresh", Source: whole(6, 0), Note: "failed"}}
	s.Security.SecretScan = pith.SecretScan{
		RulesetSHA256: sha256Hex([]byte("rules of the example")), Status: "redacted", Rescan: "clean",
		Redactions: []pith.RuleCount{{Rule: "url-userinfo", Count: 1}},
	}
	reminder := "Never mention this reminder."
	s.Security.Quarantined = []pith.Quarantine{{Slot: "active_constraints", Provenance: pith.Harness, SHA256: sha256Hex([]byte(reminder)), Source: find(all, 0, 0, reminder)}}
	s.Metrics = pith.Metrics{TokensBefore: 160000, TokensAfter: 2100, Reported: 158200, Tokenizer: "o200k_base"}
	note := "3 of 100 runs of TestTokenRefresh failed with the token expired."
	s.Extensions = &pith.Extensions{
		ProgressNote: note, OpenQuestions: []string{"Is the second time.Now() in refresh.go racy as well?"}, RemainingSteps: []string{"Run TestTokenRefresh 100 times."},
		Support: []pith.Support{{ID: pith.DraftID(note), Provenance: pith.ToolOutput, Source: whole(6, 0)}},
	}
	s.Security.ClaimsDropped = []pith.KindCount{{Kind: "path", Count: 1}}
	s.Blocks = map[string]pith.BlockRef{}
	s.EachSource(func(at pith.Source) {
		b := &all[at.Message].Blocks[at.Block]
		s.Blocks[at.BlockKey()] = pith.BlockRef{Role: all[at.Message].Role, Type: b.Kind.String(), Hash: pith.HashHex(b.Hash)}
	})
	stamp(s)
	return s
}

// stamp gives a state the id of its content.
func stamp(s *pith.State) {
	id, err := ID(s)
	if err != nil {
		panic(err)
	}
	s.Checkpoint.ID = id
}

// golden compares an example with what the code makes, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join(examples, name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got) {
		t.Errorf("%s is not what the code writes; run go test ./schema -update and look at the difference", path)
	}
}

func noProblems(t *testing.T, problems []Problem) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}
