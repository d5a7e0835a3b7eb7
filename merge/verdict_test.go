package merge_test

import (
	"io"
	"slices"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
)

var eof = io.EOF

func session() []*pith.Message {
	return []*pith.Message{
		user("Fix the flaky TestTokenRefresh in internal/auth. Do not change the public API."),
		assistant("I read the test first. The refresh races with the clock."),
		call("Bash", "go test -run TestTokenRefresh -count=100 ./internal/auth"),
		result("--- FAIL: TestTokenRefresh (0.00s)\n    refresh_test.go:41: token expired after 1,500 ms\n97 passed, 3 failed\nFAIL"),
		assistant("A longer sleep hides the race, so it is ruled out. I inject a clock into TokenStore instead; commit 9f3a51c07be2 has the start of it."),
		user("Good. Should the CLI flag --clock-skew stay at 30 s? Decide later."),
	}
}

func TestJudgeKeepsWhatTheTranscriptHolds(t *testing.T) {
	d := &compactor.Draft{
		CurrentState: "The clock is injected into `TokenStore`. 97 of 100 runs passed before. Everything was deployed to cluster-7.",
		WorkType:     "bugfix",
		Phase:        "inject the clock",
		KeyDecisions: []compactor.Decision{
			{Decision: "Inject a clock into TokenStore", Reason: "the refresh races with the clock", Constraint: "Do not change the public API"},
			{Decision: "Move the store to internal/auth/redis.go", Reason: "it is faster"},
		},
		EliminatedApproaches: []compactor.Eliminated{{Approach: "A longer sleep", Reason: "it hides the race"}},
		OpenQuestions:        []string{"Should --clock-skew stay at 30 s?", "Should --max-drift be 12 s?"},
		NextSteps:            []string{"Run `go test -run TestTokenRefresh -count=100 ./internal/auth` with the injected clock", "Push tag v2.1.0"},
		ToolResults:          []compactor.ToolResult{{Name: "test run", Result: "token expired after 1500 ms at refresh_test.go:41"}},
		Constraints:          []string{"Do not change the public API.", "Never touch the database."},
		Approvals:            []string{"The user approved a force push."},
	}
	s, v, _ := judged(t, d, session()...)
	if s.Checkpoint.FactsOnly || s.Checkpoint.Compactor != "test/model" {
		t.Errorf("checkpoint %+v", s.Checkpoint)
	}
	x := s.Extensions
	if x == nil || x.ProgressNote != "The clock is injected into `TokenStore`. 97 of 100 runs passed before." {
		t.Fatalf("extensions %+v", x)
	}
	i := slices.IndexFunc(s.Decisions, func(d pith.Decision) bool { return d.Drafted })
	if i < 0 || s.Decisions[i].Constraint != "Do not change the public API." || s.Decisions[i].Provenance != pith.Assistant || s.Decisions[i].Source.Message != 4 {
		t.Errorf("decisions %+v", s.Decisions)
	}
	f := slices.IndexFunc(s.Failed, func(d pith.FailedAttempt) bool { return d.Drafted })
	if f < 0 || !s.Failed[f].DoNotRetry {
		t.Errorf("failed %+v", s.Failed)
	}
	if len(x.RemainingSteps) != 1 || len(x.ToolResults) != 1 {
		t.Errorf("extensions %+v", x)
	}
	t.Logf("%+v\n%+v\n%+v", v, x, s.Security)
}
