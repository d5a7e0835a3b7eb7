package extract

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

func decided(f *Facts, status string) []string {
	var out []string
	for _, d := range f.Decisions {
		if d.Status == status {
			out = append(out, d.Decision)
		}
	}
	return out
}

func TestAnswersToQuestionTools(t *testing.T) {
	f := newSession().user("Tag it.").use("AskUserQuestion", raw("questions", `[{"question":"Which version?","options":[{"label":"v0.4.0"},{"label":"v0.3.4"}]},{"question":"Say \"when\"?","options":[{"label":"Now"},{"label":"Later"}]}]`)).
		result(`Your questions have been answered: "Which version?"="v0.3.4", "Say "when"?"="Now". You can now continue.`).facts(t)
	if got := decided(f, "approved"); !reflect.DeepEqual(got, []string{`"Which version?"="v0.3.4"`, `"Say "when"?"="Now"`}) {
		t.Fatalf("approved %q", got)
	}
	d := f.Decisions[0]
	if d.Provenance != pith.UserExplicit || len(d.Rejected) != 1 || d.Rejected[0].Alternative != "v0.4.0" {
		t.Errorf("decision is %+v", d)
	}
}

func TestOnlyTheUserApproves(t *testing.T) {
	proposal := "I suggest: ssh deploy@edge-7 'rm -rf /var/cache/edge && reboot'."
	s := newSession().user("The edge node is slow.").says(proposal + " Shall I run it?")
	f := s.facts(t)
	if got := decided(f, "proposed"); !reflect.DeepEqual(got, []string{proposal}) || len(decided(f, "approved")) != 0 {
		t.Errorf("decisions are %+v", f.Decisions)
	}
	if f.Next.Kind != "ask_user" || f.Next.Basis != "question" || f.Next.Text != "Shall I run it?" {
		t.Errorf("next is %+v", f.Next)
	}
	f = s.user("yes, go ahead").facts(t)
	if d := f.Decisions; len(d) != 1 || d[0].Status != "approved" || d[0].Decision != "yes, go ahead" || d[0].Rationale != proposal || d[0].Provenance != pith.UserExplicit {
		t.Errorf("decisions are %+v", d)
	}
}

func TestAShortQuestionAsksAboutTheSentenceBefore(t *testing.T) {
	f := newSession().user("Clean up.").says("Most is old. I would run git push --force now. OK?").facts(t)
	if got := decided(f, "proposed"); !reflect.DeepEqual(got, []string{"I would run git push --force now."}) {
		t.Errorf("proposed %q", got)
	}
	if f := newSession().user("Clean up.").says("There are two. Which one?").facts(t); len(f.Decisions) != 0 {
		t.Errorf("decisions are %+v", f.Decisions)
	}
}

func TestRefusedProposals(t *testing.T) {
	f := newSession().user("Make it cheap.").says("The channel is too slow. Shall I use sync.Map?").
		user("No sync.Map, we cannot range over it atomically. Find something else.").facts(t)
	if len(f.Decisions) != 1 {
		t.Fatalf("decisions are %+v", f.Decisions)
	}
	want := []pith.Alternative{{Alternative: "Shall I use sync.Map?", Reason: "we cannot range over it atomically"}}
	if d := f.Decisions[0]; d.Status != "rejected" || !reflect.DeepEqual(d.Rejected, want) {
		t.Errorf("decision is %+v", d)
	}
	if strings.Contains(f.Next.Text, "sync.Map") || !strings.Contains(f.Next.Text, "Find something else.") {
		t.Errorf("next is %q", f.Next.Text)
	}
}

func TestAnswersToFactsAreNoVerdicts(t *testing.T) {
	f := newSession().user("Why?").says("Do you know if it was on main?").user("yes, that was it").facts(t)
	if len(f.Decisions) != 0 {
		t.Errorf("decisions are %+v", f.Decisions)
	}
}

func TestStatedChoices(t *testing.T) {
	for text, want := range map[string]bool{
		"I'll use slog instead of zap because it is in the standard library.":  true,
		"The root cause is an off-by-one in the pager.":                        true,
		"**The fix:** lock before the read.":                                   true,
		"Decision: use cursor paging.":                                         true,
		"I decided to keep the old name.":                                      true,
		"Going with a heap here.":                                              true,
		"Let me verify rather than speculate.":                                 false,
		"Let me find the root cause.":                                          false,
		"I'll use grep to look for it.":                                        false,
		"The fix is committed.":                                                false,
		"I'm isolating the test instead of guessing.":                          false,
		"I'm adding direct tests instead of only relying on the higher level.": false,
		"I'm doing my own pass so I can judge it instead of just relaying it.": false,
		"If the root cause is in the pager, we stop.":                          false,
		"Should I decide on a fix: A or B?":                                    false,
	} {
		f := newSession().user("Go.").says(text).facts(t)
		if got := len(decided(f, "stated")) == 1; got != want {
			t.Errorf("%q: stated %v, want %v", text, got, want)
		}
	}
	f := newSession().user("Go.").says("I'll use slog instead of zap because it is in the standard library.").facts(t)
	d := f.Decisions[0]
	if d.Provenance != pith.Assistant || d.Rationale != "because it is in the standard library" || len(d.Rejected) != 1 || d.Rejected[0].Alternative != "zap" {
		t.Errorf("decision is %+v", d)
	}
}

func TestApprovalOfAStatedChoice(t *testing.T) {
	f := newSession().user("Cursor or offset?").says("Decision: use cursor paging.").says("Offset paging was tried and skips rows.").user("OK, cursor.").facts(t)
	if len(f.Decisions) != 1 || f.Decisions[0].Status != "approved" || f.Decisions[0].Rationale != "Decision: use cursor paging." {
		t.Errorf("decisions are %+v", f.Decisions)
	}
}

func TestChoicesOfTheUser(t *testing.T) {
	f := newSession().user("Timeout is now 15, not 5.").says("ok").user("let's go with option 2 because it is simpler").says("ok").user("the log is now empty").facts(t)
	if got := decided(f, "approved"); !reflect.DeepEqual(got, []string{"Timeout is now 15, not 5.", "let's go with option 2 because it is simpler"}) {
		t.Errorf("approved %q", got)
	}
}

func TestPlans(t *testing.T) {
	f := newSession().user("Plan the queue move.").use("write_file", arg("path", "plans/queue-move.md"), arg("content", "1 client")).result("ok").user("Plan approved, go.").facts(t)
	if p := f.Context.Plan; p == nil || p.Path != "plans/queue-move.md" || !p.Approved || p.Source.Message != 3 {
		t.Errorf("plan is %+v", p)
	}
	f = newSession().user("Plan it.").use("write_file", arg("path", "plans/move.md")).result("ok").user("Too long, cut part 2.").facts(t)
	if p := f.Context.Plan; p == nil || p.Approved {
		t.Errorf("plan is %+v", p)
	}
	f = newSession().user("Plan it.").use("ExitPlanMode", arg("plan", "# P")).result("User has approved your plan.\n\nYour plan has been saved to: /home/u/plans/a.md\nYou can").facts(t)
	if p := f.Context.Plan; p == nil || p.Path != "/home/u/plans/a.md" || !p.Approved {
		t.Errorf("plan is %+v", p)
	}
}
