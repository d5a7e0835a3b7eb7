package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/providertest"
)

// patience is how long a compaction waits for a model that does not answer.
const patience = 150 * time.Millisecond

// asksIn is the most requests that n compactions may make of a model that
// always fails: three tries, and one more after each rest, of two requests
// each. That an answer is too large shows at the last part of the history only.
func asksIn(n int, failure string) int {
	const tries, rest = 3, 5
	requests := 2
	if failure == "larger" {
		requests = 4
	}
	return requests * (tries + n/rest)
}

// TestCompactorFails is the long session with a compactor that fails in one
// way each time: the session ends as without it, nothing is lost, the model is
// asked a bounded number of times, and the user is told once.
func TestCompactorFails(t *testing.T) {
	for i, failure := range providertest.Failures() {
		f := formats[i%len(formats)]
		t.Run(failure.Name+" "+string(f), func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			d := newDrift(t, failure.Answer)
			c := d.config(t, f)
			if failure.Waits {
				c.CompactTimeout = patience
			}
			told := 0
			c.OnWarn = func(w agent.Warning) {
				switch w.Kind {
				case agent.WarnCompactor:
					told++
				case agent.WarnWindow:
				default:
					t.Errorf("warned: %s: %s", w.Kind, w.Text)
				}
			}
			_, compactions := d.work(t, c)
			d.checkRequests(t)
			made, drafted := 0, 0
			for i := range compactions {
				if compactions[i].Applied {
					made++
				}
				if !compactions[i].FactsOnly {
					drafted++
				}
			}
			asked := 0
			for _, r := range d.server.Requests() {
				if r.Compaction {
					asked++
				}
			}
			if made != len(compactions) || made < 10*prompts()/driftPrompts {
				t.Errorf("%d compactions of %d were applied", made, len(compactions))
			}
			switch {
			case failure.Accepted && (drafted != made || told != 0):
				t.Errorf("%d of %d compactions took the draft, the user was told %d times", drafted, made, told)
			case !failure.Accepted && drafted != 0:
				t.Errorf("%d compactions took a failed answer", drafted)
			case !failure.Accepted && asked > asksIn(made, failure.Name):
				t.Errorf("%d compactions asked %d times, %d are allowed", made, asked, asksIn(made, failure.Name))
			case !failure.Accepted && made >= 3 && told != 1:
				t.Errorf("the user was told %d times", told)
			case asked == 0:
				t.Error("the compactor was not asked")
			}
			t.Logf("%d compactions, %d requests for them, told %d times, %v", made, asked, told, time.Since(began).Round(time.Millisecond))
		})
	}
}

// TestForkFails is the same where the session's own model is asked over the
// session's own request.
func TestForkFails(t *testing.T) {
	for i, name := range []string{"tool call", "cut at max_tokens", "529", "early end", "refusal", "stall"} {
		f := formats[(i+i/len(formats))%len(formats)]
		t.Run(name+" "+string(f), func(t *testing.T) {
			t.Parallel()
			d := newDrift(t, failureNamed(t, name))
			d.serve(t, false) // the question stands behind another message of the user
			c := d.config(t, f)
			c.Compactor, c.Fork, c.CompactTimeout = nil, true, patience
			_, compactions := d.work(t, c)
			d.checkRequests(t)
			if applied(compactions) != len(compactions) {
				t.Errorf("%d compactions of %d were applied", applied(compactions), len(compactions))
			}
		})
	}
}

func failureNamed(t *testing.T, name string) func(*providertest.Request) providertest.Answer {
	t.Helper()
	for _, f := range providertest.Failures() {
		if f.Name == name {
			return f.Answer
		}
	}
	t.Fatalf("there is no failure %q", name)
	return nil
}

// TestTurnFails is a session whose own requests fail now and then: the run ends
// with the error, and an empty prompt goes on where it stood.
func TestTurnFails(t *testing.T) {
	faults := []*providertest.Fault{
		providertest.HTTPError(500), providertest.HTTPError(529), providertest.OverloadedMidStream(), providertest.Reset(), providertest.EarlyEnd(),
		providertest.HTMLPage(), providertest.NotJSON(), providertest.RateLimited(10 * time.Millisecond),
	}
	for _, f := range formats {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			d := newDrift(t, nil)
			requests, failed := 0, 0
			answer := d.answer
			d.server = providertest.New(t, providertest.Options{Window: driftWindow, Strict: true, PreservedThinking: true, Script: func(r *providertest.Request) providertest.Answer {
				if requests++; !r.Compaction && requests%7 == 3 {
					failed++
					return providertest.Answer{Text: "This is cut off in its middle.", Fault: faults[failed%len(faults)]}
				}
				return answer(r)
			}})
			c := d.config(t, f)
			c.OnText = func(string) {}
			a := newAgent(t, c)
			errors := 0
			for n := range prompts() {
				text := d.prompt(n)
				for {
					_, err := a.Run(t.Context(), text)
					if err == nil {
						break
					}
					if compactor.FailureOf(err) == nil || errors > 2*driftPrompts {
						t.Fatal(err)
					}
					errors++
					text = ""
				}
			}
			d.checkRequests(t)
			if errors != failed || errors < prompts()/2 {
				t.Errorf("%d errors of %d faults", errors, failed)
			}
		})
	}
}

// TestForkIsRefused is the long session at a server that takes no two messages
// of the user in a row: the history is sent in the plain way then.
func TestForkIsRefused(t *testing.T) {
	d := newDrift(t, nil)
	c := d.config(t, pith.FormatAnthropic)
	c.Compactor, c.Fork = nil, true
	_, compactions := d.work(t, c)
	for i := range compactions {
		if compactions[i].FactsOnly || !compactions[i].Applied || compactions[i].Report.Forked {
			t.Errorf("compaction %d: applied %v, %+v", i+1, compactions[i].Applied, compactions[i].Report)
		}
	}
	refused := 0
	for _, r := range d.server.Requests() {
		if r.Problem == "" {
			continue
		}
		if refused++; !r.Compaction || !strings.Contains(r.Problem, "must alternate") {
			t.Errorf("request %d: %s", r.N, r.Problem)
		}
	}
	if refused == 0 || refused > 2*len(compactions) {
		t.Errorf("%d requests were refused", refused)
	}
}
