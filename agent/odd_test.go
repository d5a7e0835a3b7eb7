package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/trigger"
	"github.com/pith-memory/pith/wire"
)

// TestOddAnswers: whatever the model says, the history stays one that an API
// takes, which the fake model checks with every request.
func TestOddAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		format pith.Format
		answer answer
		// told is in the next request, text in the reply; again tells whether
		// there is a next request at all.
		told, text string
		again      bool
		stop       compactor.Stop
	}{
		"unknown tool":          {answer: answer{calls: []toolCall{{"c", "launch", `{}`}}}, told: `no tool "launch"`, again: true},
		"invalid arguments":     {format: pith.FormatOpenAIChat, answer: answer{calls: []toolCall{{"c", "look", `{"path":`}}}, told: "not a JSON object", again: true},
		"arguments of a list":   {format: pith.FormatOpenAIResponses, answer: answer{calls: []toolCall{{"c", "look", `[1]`}}}, told: "not a JSON object", again: true},
		"no arguments":          {format: pith.FormatOpenAIChat, answer: answer{calls: []toolCall{{"c", "look", ``}}}, told: "looked at {}", again: true},
		"kept invalid":          {answer: answer{raw: `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"look","input":{"INVALID_JSON":"{\"pa"}}]}`}, told: "not a JSON object", again: true},
		"cut in a call":         {answer: answer{stop: compactor.StopMaxTokens, calls: []toolCall{{"a", "look", `{"n":1}`}, {"b", "look", `{"n":2}`}}}, told: "cut off at its token limit", again: true},
		"cut behind a call":     {answer: answer{stop: compactor.StopMaxTokens, raw: `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"look","input":{}},{"type":"text","text":"And th"}]}`}, told: "looked at {}", again: true},
		"cut in the text":       {answer: answer{stop: compactor.StopMaxTokens, text: "It is th"}, text: "It is th", stop: compactor.StopMaxTokens},
		"refused":               {answer: answer{stop: compactor.StopRefusal, text: "I will not."}, text: "I will not.", stop: compactor.StopRefusal},
		"refused with a call":   {answer: answer{stop: compactor.StopRefusal, text: "No.", calls: []toolCall{{"c", "look", `{}`}}}, text: "No.", stop: compactor.StopRefusal},
		"empty":                 {answer: answer{stop: compactor.StopEnd}, stop: compactor.StopEnd},
		"thinking alone":        {answer: answer{stop: compactor.StopMaxTokens, raw: `{"role":"assistant","content":[{"type":"thinking","thinking":"Hm","signature":"s"}]}`}, stop: compactor.StopMaxTokens},
		"paused":                {answer: answer{stop: compactor.StopPause, raw: `{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"paused"}}]}`}, again: true},
		"panic":                 {answer: answer{calls: []toolCall{{"c", "crash", `{}`}}}, told: "the tool broke off", again: true},
		"error":                 {answer: answer{calls: []toolCall{{"c", "fail", `{}`}}}, told: "broken", again: true},
		"says nothing":          {answer: answer{calls: []toolCall{{"c", "silent", `{}`}}}, told: "(no output)", again: true},
		"bytes that are no UTF": {answer: answer{calls: []toolCall{{"c", "bytes", `{}`}}}, told: "a\ufffdb", again: true},
		"repeated ids":          {answer: answer{calls: []toolCall{{"c", "look", `{"n":1}`}, {"c", "look", `{"n":2}`}, {"c", "look", `{"n":3}`}}}, told: `looked at {"n":3}`, again: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel(t, 50_000, func(n int, _ *pith.Conversation) answer {
				if n == 1 {
					return c.answer
				}
				return answer{text: "All right."}
			})
			if c.format != "" {
				m.card.Format = c.format
			}
			a := newAgent(t, agent.Config{Model: m, Tools: []agent.Tool{
				tool("look", func(in string) (string, error) { return "looked at " + in, nil }),
				tool("crash", func(string) (string, error) { panic("oh") }),
				tool("fail", func(string) (string, error) { return "half of it", errBroken }),
				tool("silent", func(string) (string, error) { return "", nil }),
				tool("bytes", func(string) (string, error) { return "a\xffb", nil }),
			}})
			r := run(t, a, "Go.")
			want := c.text
			if c.again {
				want, c.stop = "All right.", compactor.StopEnd
			}
			if r.Text != want || r.Stop != c.stop || c.again != (len(m.bodies) == 2) {
				t.Errorf("%d requests: %+v", len(m.bodies), r)
			}
			run(t, a, "And now?")
			all := texts(&m.requests()[len(m.bodies)-1])
			if !strings.Contains(all, c.told) || !strings.Contains(all, "And now?") {
				t.Errorf("the last request says\n%s", all)
			}
		})
	}
}

// TestPausesEnd: an answer that pauses for ever is not sent again for ever.
func TestPausesEnd(t *testing.T) {
	m := newModel(t, 50_000, func(int, *pith.Conversation) answer {
		return answer{stop: compactor.StopPause, raw: `{"role":"assistant","content":[{"type":"text","text":"paused"}]}`}
	})
	if r := run(t, newAgent(t, agent.Config{Model: m}), "Go."); r.Turns != 17 {
		t.Errorf("%d turns", r.Turns)
	}
}

// TestConfirm: what wants a person's word is run with it and not without.
func TestConfirm(t *testing.T) {
	for _, agreed := range []bool{true, false} {
		m := newModel(t, 50_000, func(n int, _ *pith.Conversation) answer {
			if n == 1 {
				return answer{calls: []toolCall{{"c", "bash", `{"command":"rm -rf build"}`}}}
			}
			return answer{text: "Done."}
		})
		ran, asked := 0, ""
		bash := tool("bash", func(string) (string, error) { ran++; return "ok", nil })
		bash.Confirm = func(in json.RawMessage) string {
			if strings.Contains(string(in), "rm ") {
				return "it deletes files"
			}
			return ""
		}
		a := newAgent(t, agent.Config{Model: m, Tools: []agent.Tool{bash}, Confirm: func(_ context.Context, c agent.Call) (bool, error) {
			asked = c.Name + ": " + c.Why
			return agreed, nil
		}})
		run(t, a, "Clean up.")
		said := texts(&m.requests()[1])
		if asked != "bash: it deletes files" || ran != map[bool]int{true: 1}[agreed] || agreed == strings.Contains(said, "did not agree") {
			t.Errorf("agreed %v: ran %d times, asked %q, told %s", agreed, ran, asked, said)
		}
	}
}

// TestCancelled stops a run inside a tool: what it gave back is kept, the calls
// behind it run when the run goes on, and are given up where the user says
// something else.
func TestCancelled(t *testing.T) {
	for _, next := range []string{"", "Something else."} {
		ctx, cancel := context.WithCancel(t.Context())
		m := newModel(t, 50_000, func(n int, _ *pith.Conversation) answer {
			if n == 1 {
				return answer{calls: []toolCall{{"a", "work", `{"n":1}`}, {"b", "work", `{"n":2}`}}}
			}
			return answer{text: "Done."}
		})
		var ran []string
		a := newAgent(t, agent.Config{Model: m, Tools: []agent.Tool{tool("work", func(in string) (string, error) {
			ran = append(ran, in)
			cancel()
			return "did " + in, nil
		})}})
		if _, err := a.Run(ctx, "Go."); !errors.Is(err, context.Canceled) || !a.Unfinished() {
			t.Fatal(err)
		}
		run(t, a, next)
		said := texts(&m.requests()[1])
		if !strings.Contains(said, `did {"n":1}`) || (next == "") != (len(ran) == 2) || (next == "") == strings.Contains(said, "went on with something else") {
			t.Errorf("after %q it ran %v and the model was told\n%s", next, ran, said)
		}
	}
}

// TestGate: at 80 % no tool runs before the state is in the store; the reply
// that was paid for stays, and its calls run afterwards.
func TestGate(t *testing.T) {
	s := &putStore{}
	var order []string
	m := newModel(t, 10_000, func(n int, _ *pith.Conversation) answer {
		switch n {
		case 1, 2, 3:
			return answer{calls: []toolCall{{"r", "read", `{}`}}}
		case 4:
			return answer{used: 8300, calls: []toolCall{{"a", "work", `{"n":1}`}, {"b", "work", `{"n":2}`}}}
		case 5:
			return answer{text: "Both are done."}
		}
		return answer{text: "Well."}
	})
	s.put = func() { order = append(order, "kept") }
	config := agent.Config{Model: m, MaxTokens: 300, Store: s, Session: "s", Tools: []agent.Tool{tool("work", func(in string) (string, error) {
		order = append(order, in)
		return "did " + in, nil
	}), tool("read", func(string) (string, error) { return strings.Repeat("a line of a file\n", 300), nil })}}
	a := newAgent(t, config)
	s.fails = true
	if _, err := a.Run(t.Context(), "Go."); !errors.Is(err, errBroken) || len(order) != 0 {
		t.Fatalf("%v: %v", order, err)
	}
	s.fails = false
	if r := run(t, a, ""); r.Text != "Both are done." || r.Compactions != 1 {
		t.Errorf("%+v", r)
	}
	if got := strings.Join(order, " "); got != `kept {"n":1} {"n":2}` {
		t.Errorf("the order was %s", got)
	}
	if said := texts(&m.requests()[4]); !strings.Contains(said, `did {"n":1}`) || !strings.Contains(said, "<pith-memory ") {
		t.Errorf("the next request says\n%s", said)
	}
}

// putStore keeps checkpoints of one session in memory.
type putStore struct {
	pith.Store
	list  []*pith.Saved
	put   func()
	fails bool
}

func (s *putStore) Put(_ context.Context, c *pith.Saved) error {
	switch {
	case s.fails:
		return &pith.Error{Op: "put", Kind: pith.KindStore, Err: errBroken}
	case len(s.list) > 0 && *c.State.Checkpoint.ParentID != s.list[len(s.list)-1].State.Checkpoint.ID:
		return &pith.Conflict{Session: c.State.Checkpoint.SessionID}
	}
	if s.put != nil {
		s.put()
	}
	s.list = append(s.list, c)
	return nil
}

func (s *putStore) Latest(context.Context, string) (*pith.Saved, error) {
	if len(s.list) == 0 {
		return nil, pith.ErrNotFound
	}
	return s.list[len(s.list)-1], nil
}

// TestPrepared: from 60 % on a draft is made in the background; when the time
// comes it is used, and nothing more is asked.
func TestPrepared(t *testing.T) {
	m, work := steady(t, 30)
	d := &drafter{answer: goodAnswer}
	var made []agent.Compaction
	warned := 0
	a := newAgent(t, agent.Config{
		Model: m, Compactor: d, MaxTokens: 500, Tools: []agent.Tool{work},
		OnWarn:    func(agent.Warning) { warned++ },
		OnCompact: func(c agent.Compaction) { made = append(made, c) },
	})
	for len(made) < 3 {
		run(t, a, "Go on with the steps, one after another.")
	}
	for i, c := range made {
		if !c.Prepared || c.FactsOnly || c.State.Extensions == nil {
			t.Errorf("compaction %d: prepared %v, facts only %v, %v %v", i, c.Prepared, c.FactsOnly, c.Err, c.Report.Err)
		}
	}
	if n := int(d.calls.Load()); n > len(made)+1 || warned < len(made) {
		t.Errorf("%d drafts for %d compactions, %d warnings", n, len(made), warned)
	}
}

// TestFork asks the session's own model over the session's own request: the
// bytes are those of a request that was sent, and one message more.
func TestFork(t *testing.T) {
	for _, f := range formats {
		m, work := steady(t, 60)
		m.card.Format = f
		var forks [][]byte
		forked := 0
		own := forking{model: m, fork: func(body []byte) { forks = append(forks, body) }}
		a := newAgent(t, agent.Config{
			Model: own, Fork: true, MaxTokens: 600, Tools: []agent.Tool{work},
			OnCompact: func(c agent.Compaction) {
				if c.Report.Forked {
					forked++
				}
			},
		})
		for range 4 {
			run(t, a, "Go on with the steps, one after another.")
		}
		if forked == 0 || len(forks) < forked {
			t.Fatalf("%s: %d forked compactions, %d requests", f, forked, len(forks))
		}
		for i, body := range forks {
			// The last request that was sent, byte for byte; then at most its answer
			// and the results of that; then the question.
			longest, added := 0, 0
			for _, sent := range m.bodies {
				prefix := sent[:len(sent)-len("]}")]
				if bytes.HasPrefix(body, prefix) && len(prefix) > longest {
					longest = len(prefix)
					added = len(must(wire.DecodeAs(f, body)).Messages) - len(must(wire.DecodeAs(f, sent)).Messages)
				}
			}
			if added < 1 || added > 4 {
				t.Errorf("%s: fork %d goes on from no request that was sent (%d bytes, %d messages more)", f, i, longest, added)
			}
		}
	}
}

// forking answers forked compactions, and hands all else to the model.
type forking struct {
	*model
	fork func(body []byte)
}

func (m forking) Complete(ctx context.Context, r compactor.Request) (compactor.Response, error) {
	if !strings.Contains(string(r.Body), "eliminated_approaches") {
		return m.model.Complete(ctx, r)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fork(r.Body)
	return goodAnswer(ctx)
}

// TestTriggers: three failures of a kind, the end of a phase, and the user's
// word each compact for their reason.
func TestTriggers(t *testing.T) {
	exit := 1
	m := newModel(t, 20_000, func(n int, _ *pith.Conversation) answer {
		if n%5 == 0 {
			return answer{text: "I stop here."}
		}
		return answer{text: "Again.", calls: []toolCall{{"c", "test", fmt.Sprintf(`{"n":%d}`, n)}}}
	})
	var reasons []string
	a := newAgent(t, agent.Config{
		Model: m, MaxTokens: 500, Memory: memory.Config{Policy: trigger.Policy{}},
		OnCompact: func(c agent.Compaction) { reasons = append(reasons, string(c.Reason)) },
		Tools: []agent.Tool{{Name: "test", Run: func(context.Context, json.RawMessage) (agent.Output, error) {
			return agent.Output{Text: strings.Repeat("FAIL: TestLedger, balance 3, want 4\n", 100), Exit: &exit}, nil
		}}},
	})
	run(t, a, "Make the tests pass.")
	if got := strings.Join(reasons, " "); got != "error_loop" {
		t.Errorf("compacted for %q", got)
	}
	reasons = nil
	m, work := steady(t, 45)
	a = newAgent(t, agent.Config{
		Model: m, MaxTokens: 500, Tools: []agent.Tool{work},
		OnCompact: func(c agent.Compaction) { reasons = append(reasons, string(c.Reason)) },
	})
	run(t, a, "Look around.")
	a.EndPhase("research")
	run(t, a, "Now the next phase.")
	run(t, a, "@compact the balance of the ledger\nThen go on.")
	last := texts(&m.requests()[len(m.bodies)-1])
	if got := strings.Join(reasons, " "); !strings.Contains(got, "phase_boundary") || !strings.Contains(got, "manual") {
		t.Errorf("compacted for %q", got)
	}
	if !strings.Contains(last, "Then go on.") || strings.Contains(last, "@compact") {
		t.Errorf("the model was asked\n%s", last)
	}
}

// TestMaxTurns ends a run that does not end, and goes on with an empty prompt.
func TestMaxTurns(t *testing.T) {
	m, work := steady(t, 2)
	a := newAgent(t, agent.Config{Model: m, MaxTurns: 4, Tools: []agent.Tool{work}})
	if _, err := a.Run(t.Context(), "Do ten steps."); !errors.Is(err, agent.ErrMaxTurns) || a.Turn() != 4 {
		t.Errorf("turn %d: %v", a.Turn(), err)
	}
	_, _ = a.Run(t.Context(), "")
	if r := run(t, a, ""); r.Text != "Ten more are done, 10 in all." || a.Turn() != 10 {
		t.Errorf("turn %d: %+v", a.Turn(), r)
	}
	if _, err := newAgent(t, agent.Config{Model: m}).Run(t.Context(), " "); pith.KindOf(err) != pith.KindUsage {
		t.Errorf("an empty first prompt: %v", err)
	}
}

// TestPruning: after many turns, reasoning that is a large part of the context
// is taken out at once, and a resumed session knows of it.
func TestPruning(t *testing.T) {
	m := newModel(t, 100_000, func(n int, _ *pith.Conversation) answer {
		if n%20 == 0 {
			return answer{text: "Done."}
		}
		return answer{raw: fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":%q,"signature":"s"},{"type":"tool_use","id":"c","name":"work","input":{}}]}`,
			strings.Repeat("I wonder whether this will do. ", 20)), stop: compactor.StopToolUse}
	})
	config := agent.Config{Model: m, Journal: &memJournal{}, Tools: []agent.Tool{tool("work", func(string) (string, error) { return "done", nil })}}
	a := newAgent(t, config)
	run(t, a, "Do it.")
	thoughts := func(body []byte) int { return strings.Count(string(body), `"thinking":"`) }
	most := 0
	for _, body := range m.bodies {
		most = max(most, thoughts(body))
	}
	if last := thoughts(m.bodies[19]); most < 10 || last >= most {
		t.Errorf("at most %d thoughts in a request, %d in the last", most, last)
	}
	if b := newAgent(t, config); string(b.Conversation().Raw) != string(a.Conversation().Raw) {
		t.Error("the resumed conversation is another one")
	}
}
