package agent_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/store/file"
)

// drafter is a compactor that answers by a function.
type drafter struct {
	answer func(ctx context.Context) (compactor.Response, error)
	calls  atomic.Int32
}

func (d *drafter) About() compactor.Card {
	return compactor.Card{Provider: "fake", Name: "small-1", Format: pith.FormatAnthropic, Window: 100_000}
}

func (d *drafter) Complete(ctx context.Context, _ compactor.Request) (compactor.Response, error) {
	d.calls.Add(1)
	return d.answer(ctx)
}

const goodDraft = `{"task":"Do the steps.","current_state":"The steps are being done one after another with the work tool.",
"key_decisions":[{"decision":"one step at a time","reason":"the user asks for steps one after another"}],"next_steps":["go on with the next step"]}`

func goodAnswer(context.Context) (compactor.Response, error) {
	return compactor.Response{Text: goodDraft, Stop: compactor.StopEnd, Attempts: 1}, nil
}

// steady is a session that fills a window of 12,000 tokens again and again: it
// ends its turn with every tenth request.
func steady(t testing.TB, lines int) (*model, agent.Tool) {
	m := newModel(t, 12_000, func(n int, _ *pith.Conversation) answer {
		if n%10 == 0 {
			return answer{text: fmt.Sprintf("Ten more are done, %d in all.", n)}
		}
		return answer{text: fmt.Sprintf("Step %d.", n), calls: []toolCall{{"c", "work", fmt.Sprintf(`{"n":%d}`, n)}}}
	})
	return m, tool("work", func(in string) (string, error) {
		return strings.Repeat("a line of the output of "+in+"\n", lines), nil
	})
}

// TestCaseE5 asks a compactor that always fails no more than three times, tells
// the user once, asks again later, and is glad when it answers.
func TestCaseE5(t *testing.T) {
	m, work := steady(t, 70)
	works := false
	d := &drafter{answer: func(ctx context.Context) (compactor.Response, error) {
		if works {
			return goodAnswer(ctx)
		}
		return compactor.Response{}, &compactor.Failure{Kind: compactor.FailServer, Model: "fake/small-1", Status: 500}
	}}
	applied, told, drafted := 0, 0, 0
	a := newAgent(t, agent.Config{
		Model: m, Compactor: d, MaxTokens: 500, Tools: []agent.Tool{work},
		OnWarn: func(w agent.Warning) {
			if w.Kind == agent.WarnCompactor {
				told++
			}
		},
		OnCompact: func(c agent.Compaction) {
			if c.Applied {
				applied++
			}
			if !c.FactsOnly {
				drafted++
			}
		},
	})
	for applied < 6 {
		run(t, a, "Go on with the steps, one after another.")
	}
	if n := d.calls.Load(); n < 3 || n > 4 || told != 1 || drafted != 0 {
		t.Errorf("%d compactions asked %d times, told %d times, %d drafted", applied, n, told, drafted)
	}
	works = true
	for applied < 14 {
		run(t, a, "Go on with the steps, one after another.")
	}
	if drafted < 3 {
		t.Errorf("of %d compactions %d have a draft, though the model answers again", applied, drafted)
	}
}

// TestCaseE1: system and tools alone are over the threshold. The user is told
// once with the sizes, nobody is asked for a draft, and the requests pass.
func TestCaseE1(t *testing.T) {
	m := newModel(t, 2000, func(n int, _ *pith.Conversation) answer { return answer{text: fmt.Sprintf("Answer %d.", n)} })
	d := &drafter{answer: goodAnswer}
	var warned []agent.Warning
	a := newAgent(t, agent.Config{
		Model: m, Compactor: d, MaxTokens: 150, System: strings.Repeat("Be brief and kind in all you say. ", 190),
		OnWarn: func(w agent.Warning) { warned = append(warned, w) },
	})
	for _, prompt := range []string{"One?", "Two?", "Three?"} {
		run(t, a, prompt)
	}
	if len(warned) != 1 || len(m.bodies) != 3 || d.calls.Load() != 0 {
		t.Fatalf("%d warnings, %d requests, %d drafts", len(warned), len(m.bodies), d.calls.Load())
	}
	var cannot *agent.CannotReduce
	if !errors.As(warned[0].Err, &cannot) || cannot.Parts.System < 1400 || cannot.Parts.Messages == 0 || cannot.Window != 2000 {
		t.Errorf("the warning is %+v (%v)", warned[0], warned[0].Err)
	}
}

// TestCaseE3: what would not be smaller is not applied, and no model is asked.
func TestCaseE3(t *testing.T) {
	m := newModel(t, 50_000, func(int, *pith.Conversation) answer { return answer{text: "Hello."} })
	d := &drafter{answer: goodAnswer}
	a := newAgent(t, agent.Config{Model: m, Compactor: d})
	run(t, a, "Hi.")
	before := string(a.Conversation().Raw)
	c, err := a.Compact(t.Context(), "")
	if pith.KindOf(err) != pith.KindDeclined || c.Applied || d.calls.Load() != 0 {
		t.Errorf("applied %v with %d calls: %v", c.Applied, d.calls.Load(), err)
	}
	if string(a.Conversation().Raw) != before {
		t.Error("the conversation is another one")
	}
	if r := run(t, a, "@compact"); r.Compactions != 0 || len(m.bodies) != 1 {
		t.Errorf("%+v after %d requests", r, len(m.bodies))
	}
}

// TestCaseP1: of two who compact at once one works and the other is told, in
// one agent and in two that share a session.
func TestCaseP1(t *testing.T) {
	store, err := file.Open(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	begin, end := make(chan struct{}), make(chan struct{})
	begun := sync.OnceFunc(func() { close(begin) })
	d := &drafter{answer: func(ctx context.Context) (compactor.Response, error) {
		begun()
		<-end
		return goodAnswer(ctx)
	}}
	config := func(d compactor.Model) (agent.Config, *model) {
		m, work := steady(t, 20)
		return agent.Config{Model: m, Compactor: d, MaxTokens: 500, Tools: []agent.Tool{work}, Store: store, Session: "shared"}, m
	}
	one, _ := config(d)
	a := newAgent(t, one)
	two, _ := config(nil)
	b := newAgent(t, two)
	run(t, a, "Do ten steps.")
	run(t, b, "Do ten steps.")
	run(t, b, "And ten more.")
	var wg sync.WaitGroup
	wg.Go(func() {
		if c, err := a.Compact(t.Context(), ""); err != nil || !c.Saved {
			t.Errorf("the first: %v", err)
		}
	})
	<-begin
	if _, err := a.Compact(t.Context(), ""); !errors.Is(err, agent.ErrBusy) {
		t.Errorf("the second in the same agent: %v", err)
	}
	if _, err := a.Run(t.Context(), "Hello?"); !errors.Is(err, agent.ErrBusy) {
		t.Errorf("a run beside a compaction: %v", err)
	}
	close(end)
	wg.Wait()
	before := string(b.Conversation().Raw)
	_, err = b.Compact(t.Context(), "")
	var conflict *pith.Conflict
	if !errors.As(err, &conflict) || string(b.Conversation().Raw) != before {
		t.Errorf("the second in another agent: %v", err)
	}
	run(t, b, "Go on all the same.")
}

// TestCaseP3: a compactor that never answers costs its timeout and no more.
func TestCaseP3(t *testing.T) {
	m, work := steady(t, 70)
	d := &drafter{answer: func(ctx context.Context) (compactor.Response, error) {
		<-ctx.Done()
		return compactor.Response{}, ctx.Err()
	}}
	applied := 0
	a := newAgent(t, agent.Config{
		Model: m, Compactor: d, CompactTimeout: 30 * time.Millisecond, MaxTokens: 500, Tools: []agent.Tool{work},
		OnCompact: func(c agent.Compaction) {
			if c.Applied && c.FactsOnly {
				applied++
			}
		},
	})
	for range 6 {
		run(t, a, "Go on with the steps, one after another.")
	}
	if applied < 3 || d.calls.Load() > 6 {
		t.Errorf("%d compactions, %d calls", applied, d.calls.Load())
	}
}

// TestCaseA6: after a switch to a smaller window the next request fits, and
// what the other model reported does not count.
func TestCaseA6(t *testing.T) {
	big, work := steady(t, 60)
	big.card.Window = 200_000
	a := newAgent(t, agent.Config{Model: big, MaxTokens: 500, Tools: []agent.Tool{work}})
	for range 3 {
		run(t, a, "Go on with the steps, one after another.")
	}
	if used := a.Reading().Used; used < 15_000 {
		t.Fatalf("the history has %d tokens only", used)
	}
	small, _ := steady(t, 0) // checks that each request fits 12,000 tokens
	small.card.Name = "fake-small"
	if err := a.SetModel(small); err != nil {
		t.Fatal(err)
	}
	if r := a.Reading(); r.Reported != 0 || r.Window != 12_000 || r.Used < 15_000 {
		t.Errorf("the reading after the switch is %+v", r)
	}
	r := run(t, a, "Are you the small one?")
	if r.Compactions == 0 || len(small.bodies) == 0 || !strings.Contains(string(small.bodies[0]), `"model":"fake-small"`) {
		t.Errorf("%+v", r)
	}
	chat := newModel(t, 1000, nil)
	chat.card.Format = pith.FormatOpenAIChat
	if err := a.SetModel(chat); pith.KindOf(err) != pith.KindUsage {
		t.Errorf("a model of another format: %v", err)
	}
}

// cached reports a context that comes from the provider's cache.
type cached struct{ *model }

func (c cached) Complete(ctx context.Context, r compactor.Request) (compactor.Response, error) {
	out, err := c.model.Complete(ctx, r)
	out.Usage = pith.Usage{Input: 40, CacheRead: 60_000, CacheWrite: 900, Output: 60}
	return out, err
}

// TestCaseD3: the size is that of the last request, cache included, and never a
// sum over requests.
func TestCaseD3(t *testing.T) {
	m, work := steady(t, 2)
	m.card.Window = 128_000
	a := newAgent(t, agent.Config{
		Model: cached{m}, MaxTokens: 500, Tools: []agent.Tool{work},
		OnCompact: func(c agent.Compaction) { t.Errorf("compacted: %s", c.Reason) },
	})
	run(t, a, "Do ten steps.")
	if r := a.Reading(); r.Used != 61_000 || r.Reported != 61_000 {
		t.Errorf("the reading is %+v", r)
	}
}

// TestCaseM6: two tools of one name are refused at once.
func TestCaseM6(t *testing.T) {
	m, work := steady(t, 2)
	if _, err := agent.New(t.Context(), agent.Config{Model: m, Tools: []agent.Tool{work, work}}); pith.KindOf(err) != pith.KindUsage {
		t.Errorf("two tools named work: %v", err)
	}
	run(t, newAgent(t, agent.Config{Model: m, Tools: []agent.Tool{work}}), "Do ten steps.")
	for i, body := range m.bodies {
		if n := strings.Count(string(body), `"input_schema"`); n != 1 {
			t.Errorf("request %d lists %d tools", i, n)
		}
	}
}

// TestCasesM7E6G7 holds of every request of a session with many compactions:
// few cache marks, one block at most and nothing in it that the system prompt
// says, and no words in the user's name that the user did not say.
func TestCasesM7E6G7(t *testing.T) {
	for _, inSystem := range []bool{false, true} {
		m, work := steady(t, 70)
		const rule = "Never commit to the branch main."
		applied := 0
		a := newAgent(t, agent.Config{
			Model: m, Compactor: &drafter{answer: goodAnswer}, InSystem: inSystem, MaxTokens: 500, System: "You work in /srv/app. " + rule,
			Tools: []agent.Tool{work}, Memory: memory.Config{},
			OnCompact: func(c agent.Compaction) {
				if c.Applied {
					applied++
					if c.After > 12_000*6/10 || c.After >= c.Before {
						t.Errorf("%d tokens became %d", c.Before, c.After)
					}
				}
			},
		})
		const prompt = "Go on with the steps, one after another."
		for range 5 {
			run(t, a, prompt)
		}
		if applied < 4 {
			t.Errorf("%d compactions", applied)
		}
		for i, c := range m.requests() {
			body := string(c.Raw)
			if n := strings.Count(body, "cache_control"); n > 4 {
				t.Errorf("request %d has %d cache marks", i, n)
			}
			if n := strings.Count(body, `<pith-memory `); n > 1 {
				t.Errorf("request %d has %d blocks", i, n)
			}
			if n := strings.Count(body, rule); n != 1 {
				t.Errorf("request %d says the system's rule %d times", i, n)
			}
			for _, msg := range c.Messages {
				for _, b := range msg.Blocks {
					if msg.Role == pith.RoleUser && b.Kind == pith.KindText && b.Text != prompt && !strings.HasPrefix(b.Text, "<pith-memory ") {
						t.Errorf("request %d has in the user's name: %.200q", i, b.Text)
					}
				}
			}
		}
	}
}

// TestCaseA4: one result that is larger than the window is
// shortened as it enters, and its end stays.
func TestCaseA4(t *testing.T) {
	m := newModel(t, 4000, func(n int, c *pith.Conversation) answer {
		if n == 1 {
			return answer{calls: []toolCall{{"c", "read", `{}`}}}
		}
		return answer{text: "It failed."}
	})
	a := newAgent(t, agent.Config{Model: m, MaxTokens: 300, Tools: []agent.Tool{tool("read", func(string) (string, error) {
		return strings.Repeat("some line of a long log\n", 1700) + "FAIL: 3 of 812 tests\n", nil
	})}})
	run(t, a, "Read the log.")
	last := texts(&m.requests()[1])
	if !strings.Contains(last, "FAIL: 3 of 812 tests") || !strings.Contains(last, "omitted") && !strings.Contains(last, "left out") {
		t.Errorf("the model got\n%s", last)
	}
}

// TestRequestThatFitsNothing is not sent: a typed error says what fills it, and
// the conversation is as it was.
func TestRequestThatFitsNothing(t *testing.T) {
	m := newModel(t, 2000, func(int, *pith.Conversation) answer { return answer{text: "Hm."} })
	a := newAgent(t, agent.Config{Model: m, MaxTokens: 600, System: strings.Repeat("Be brief and kind in all you say. ", 220)})
	_, err := a.Run(t.Context(), "Hello?")
	var cannot *agent.CannotReduce
	if !errors.As(err, &cannot) || pith.KindOf(err) != pith.KindDeclined || len(m.bodies) != 0 {
		t.Errorf("%d requests: %v", len(m.bodies), err)
	}
	if !a.Unfinished() {
		t.Error("the prompt is gone")
	}
}

// TestTooLargeAtTheProvider compacts and sends once again where the provider
// counts otherwise.
func TestTooLargeAtTheProvider(t *testing.T) {
	m, work := steady(t, 40)
	m.card.Window = 100_000
	inner, refused := m.script, 0
	m.script = func(n int, c *pith.Conversation) answer {
		if n == 8 {
			refused++
			return answer{err: &compactor.Failure{Kind: compactor.FailTooLarge, Model: "fake/fake-1", Status: 413}}
		}
		return inner(n, c)
	}
	r := run(t, newAgent(t, agent.Config{Model: m, MaxTokens: 500, Tools: []agent.Tool{work}}), "Do ten steps.")
	if r.Compactions != 1 || refused != 1 || len(m.bodies[8]) >= len(m.bodies[7]) {
		t.Errorf("%+v, %d bytes after %d", r, len(m.bodies[8]), len(m.bodies[7]))
	}
}

// TestModelFails returns the error, loses nothing, and goes on with the same
// prompt or with none.
func TestModelFails(t *testing.T) {
	for _, again := range []string{"", "Look into a.go."} {
		failing := true
		m := newModel(t, 50_000, func(n int, c *pith.Conversation) answer {
			if failing {
				return answer{err: errBroken}
			}
			return answer{text: fmt.Sprintf("%d messages.", len(c.Messages))}
		})
		a := newAgent(t, agent.Config{Model: m})
		if _, err := a.Run(t.Context(), "Look into a.go."); !errors.Is(err, errBroken) {
			t.Fatal(err)
		}
		failing = false
		if r := run(t, a, again); r.Text != "1 messages." || a.Turn() != 1 {
			t.Errorf("after %q: %+v", again, r)
		}
	}
}
