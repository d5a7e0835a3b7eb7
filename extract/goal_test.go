package extract

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

func amendments(f *Facts) []string {
	return texts(f.Goal.Amendments, func(a pith.Amendment) string { return a.Text })
}

func TestGoalIsTheFirstRequest(t *testing.T) {
	f := newSession().system("You are a coding agent.").
		harness("<local-command-stdout>ok</local-command-stdout>").
		user("  There is a data race in post.go.\nFind it. ").
		says("Looking.").user("yes").says("Done?").user("yes").says("ok").
		user("The test never finishes, give it a deadline.").facts(t)
	if want := "There is a data race in post.go.\nFind it."; f.Goal.Text != want || f.Goal.Provenance != pith.UserExplicit {
		t.Errorf("goal is %q by %s", f.Goal.Text, f.Goal.Provenance)
	}
	sum := sha256.Sum256([]byte(f.Goal.Text))
	if f.Goal.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("goal_sha256 is %s", f.Goal.SHA256)
	}
	if got, want := amendments(f), []string{"yes", "yes", "The test never finishes, give it a deadline."}; !reflect.DeepEqual(got, want) {
		t.Errorf("amendments are %q", got)
	}
}

func TestLongGoalIsNeverShortened(t *testing.T) {
	goal := strings.Repeat("at=1 b=2 c=3 a log line\n", 4000) + "Fix that."
	f := newSession().user(goal).says("Hm.").user("go on please, as I said").facts(t)
	if f.Goal.Text != goal {
		t.Errorf("goal has %d of %d bytes", len(f.Goal.Text), len(goal))
	}
}

func TestSlashCommands(t *testing.T) {
	command := func(name, args string) string {
		return "<command-name>" + name + "</command-name>\n<command-message>x</command-message>\n<command-args>" + args + "</command-args>"
	}
	f := newSession().user(command("/model", "opus")).user(command("/goal", "simplify this repo")).
		user("<bash-input>rm -rf build</bash-input>").user(command("/compact", "never drop the rules")).facts(t)
	if f.Goal.Text != "simplify this repo" || len(f.Goal.Amendments) != 0 {
		t.Errorf("goal is %q, amendments %q", f.Goal.Text, amendments(f))
	}
	if !contains(constraintTexts(f), "never drop the rules") {
		t.Errorf("the rule given to /compact is lost: %q", constraintTexts(f))
	}
}

func TestBulkIsShortenedButNeverTheLatest(t *testing.T) {
	log := strings.Repeat("2031-01-05 10:00:00 worker=1 state=ok\n", 120)
	review := "Review:\n" + strings.Repeat("The retry loop is fine, but its name is odd.\n", 120)
	f := newSession().user("Fix it.").says("ok").user(log).says("ok").user(review).says("ok").user(log + "last").facts(t)
	if a := f.Goal.Amendments; len(a) != 3 || !a[0].Shortened || a[0].Bytes != len(strings.TrimSpace(log)) || len(a[0].Text) > 2200 || a[1].Shortened || a[2].Shortened {
		t.Errorf("amendments: %+v", a)
	}
}

func TestRepeatedWordsAreKeptOnce(t *testing.T) {
	long := "The attribution fails silently if any step returns an error."
	f := newSession().user("Start.").says("x").user(long).says("x").user(long + " Can we add logging?").says("x").user(long + " Can we add logging?").facts(t)
	if got := amendments(f); !reflect.DeepEqual(got, []string{long + " Can we add logging?"}) {
		t.Errorf("amendments are %q", got)
	}
}

func TestRelation(t *testing.T) {
	for text, want := range map[string]string{
		"Forget that, use the old one.":           "supersedes",
		"Stop, do the README instead.":            "supersedes",
		"Vergiss das, nimm die alte.":             "supersedes",
		"yeah let's abandon the current branch":   "supersedes",
		"Also add a test.":                        "amends",
		"instead of a map use a slice":            "amends",
		"don't forget that the port is 9443 here": "amends",
	} {
		if got := relation(text); got != want {
			t.Errorf("%q %s, want %s", text, got, want)
		}
	}
}

func TestSessionWithoutUserWords(t *testing.T) {
	summary := "This session is being continued from a previous conversation.\n\nSummary:\n1. Primary Request and Intent:\n   - Clean up the explain output\n\n2. Key Concepts:\n   - x"
	f := newSession().harness(summary).says("Working.").facts(t)
	if f.Goal.Text != "- Clean up the explain output" || f.Goal.Provenance != pith.Harness {
		t.Errorf("goal is %q by %s", f.Goal.Text, f.Goal.Provenance)
	}
	if f.Next.Kind != "ask_user" {
		t.Errorf("next is %+v", f.Next)
	}
	if f.Context.Summary == nil || f.Context.Summary.Message != 0 {
		t.Errorf("summary is %v", f.Context.Summary)
	}
	if f := newSession().says("Hello.").facts(t); f.Goal.Text == "" || f.Next.Kind != "ask_user" {
		t.Errorf("empty session: goal %q, next %+v", f.Goal.Text, f.Next)
	}
}

func TestSubAgentThreads(t *testing.T) {
	side := pith.Block{Kind: pith.KindText, Origin: pith.UserExplicit, Text: "You must never answer. Find all callers."}
	s := newSession().user("Add pagination.")
	s.x.Message(&pith.Message{Index: 1, Role: pith.RoleUser, Agent: "ag1", Blocks: []pith.Block{side}})
	f := s.x.Facts()
	if f.Goal.Text != "Add pagination." || len(f.Goal.Amendments) != 0 || len(f.Constraints) != 0 {
		t.Errorf("a sub-agent's prompt became %q, %q", amendments(f), constraintTexts(f))
	}
	own := New()
	own.Message(&pith.Message{Role: pith.RoleUser, Agent: "ag1", Blocks: []pith.Block{{Kind: pith.KindText, Origin: pith.PeerAgent, Text: "Find all callers."}}})
	if f := own.Facts(); f.Goal.Text != "Find all callers." || f.Goal.Provenance != pith.PeerAgent || f.Phase.Owner != "ag1" {
		t.Errorf("own file: goal %q by %s, owner %s", f.Goal.Text, f.Goal.Provenance, f.Phase.Owner)
	}
}

func TestBoundaryAddsOnlyNewWords(t *testing.T) {
	s := newSession().user("Speed up the import. Keep the CSV format.").says("ok")
	s.x.Boundary(&pith.Boundary{N: 1, Replacement: []pith.Message{
		{Index: 0, Role: pith.RoleUser, Blocks: []pith.Block{textBlock(pith.UserExplicit, "Speed up the import. Keep the CSV format.")}},
	}})
	s.harness("This session goes on. Goal: speed.")
	f := s.facts(t)
	if len(f.Goal.Amendments) != 0 {
		t.Errorf("replacement history was read as new: %q", amendments(f))
	}
	if f.Context.Summary == nil || f.Context.Summary.Message != 2 {
		t.Errorf("summary is %v", f.Context.Summary)
	}
}

func TestWorkType(t *testing.T) {
	for text, want := range map[string]pith.WorkType{
		"There is a data race in ledger/post.go. Find it and fix it.": pith.WorkBugfix,
		"our git status has broken, why?":                             pith.WorkBugfix,
		"Add pagination to the orders API.":                           pith.WorkFeature,
		"Refactor the tax module. Never run migrations.":              pith.WorkRefactor,
		"Deploy build 71 to staging.":                                 pith.WorkRelease,
		"Migrate the queue to NATS":                                   pith.WorkMigration,
		"Why is the orders table so big? Only analyse.":               pith.WorkInvestigation,
		"Corrija o cálculo de comissão":                               pith.WorkBugfix,
		"请修复登录问题":                                                     pith.WorkBugfix,
		"Work only in /srv/shop-fix-123 (branch fix-123).":            pith.WorkUnspecified,
		"Make counter.Inc cheap under contention.":                    pith.WorkUnspecified,
	} {
		if got := workType(text, nil); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
