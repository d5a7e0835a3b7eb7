package install_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/provider/providertest"
)

// smallWindow is the smallest window that Claude Code can be told of; full is
// from where on it compacts in it. Units: tokens.
const (
	smallWindow = "CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000"
	full        = 69_000
)

// newClaude makes a rig in which Claude Code has pith, as a user sets it up.
func newClaude(t *testing.T, s *script) *rig {
	t.Helper()
	r := newRig(t, s)
	r.Env = append(r.Env, smallWindow)
	r.pith("install", "claude-code", "--yes")
	return r
}

// valid fails the test where a request was refused or a run went wrong.
func (r *rig) valid(res result) result {
	r.t.Helper()
	if res.Code != 0 || len(r.Server.Problems()) > 0 {
		r.t.Fatalf("exit %d\n%s\n%s\nrefused: %q", res.Code, res.Out, res.Err, r.Server.Problems())
	}
	return res
}

// memories are pith's own texts in a request: the older client puts what hooks say
// behind the result of a tool where its model takes no message of the system.
func memories(q *providertest.Request) []string {
	var list []string
	for i := range q.Conversation.Messages {
		for _, b := range q.Conversation.Messages[i].Blocks {
			if at := strings.Index(b.Text, "<pith-memory checkpoint="); at >= 0 {
				list = append(list, b.Text[at:])
			}
		}
	}
	return list
}

// behind gives the requests that carry pith's memory, in order, and the last
// one before them.
func behind(t *testing.T, requests []providertest.Request) (*providertest.Request, []providertest.Request) {
	t.Helper()
	for i := range requests {
		if len(memories(&requests[i])) > 0 && i > 0 {
			return &requests[i-1], requests[i:]
		}
	}
	t.Fatalf("none of %d requests carries a memory", len(requests))
	return nil, nil
}

// memoryFirst holds that a request begins with one memory, behind what the
// client itself says first.
func memoryFirst(t *testing.T, q *providertest.Request) {
	t.Helper()
	if n := len(memories(q)); n != 1 {
		t.Errorf("request %d has %d memories", q.N, n)
	}
	if strings.Count(strings.Join(memories(q), ""), "<pith-memory checkpoint=") != 1 {
		t.Errorf("request %d has a memory in a memory", q.N)
	}
	for _, b := range q.Conversation.Messages[0].Blocks {
		switch {
		case strings.HasPrefix(b.Text, "<pith-memory"):
			return
		case !strings.HasPrefix(b.Text, "<system-reminder>"):
			t.Errorf("request %d begins with %.80q", q.N, b.Text)
			return
		}
	}
	t.Errorf("the first message of request %d has no memory", q.N)
}

// rounds are the calls and results of a request, by the call's id, without what
// the client reminds the model of behind them.
func rounds(q *providertest.Request) map[string]string {
	list := map[string]string{}
	for i := range q.Conversation.Messages {
		for _, b := range q.Conversation.Messages[i].Blocks {
			if b.Kind == pith.KindToolUse || b.Kind == pith.KindToolResult {
				text, _, _ := strings.Cut(b.Text, "\n\n<system-reminder>")
				list[b.ToolUseID] += b.ToolName + " " + strings.TrimRight(text, "\n") + "\n"
			}
		}
	}
	return list
}

// repeated are the ids of calls that stand in a request more than once.
func repeated(q *providertest.Request) []string {
	seen, list := map[string]int{}, []string(nil)
	for i := range q.Conversation.Messages {
		for _, b := range q.Conversation.Messages[i].Blocks {
			if b.Kind == pith.KindToolUse {
				if seen[b.ToolUseID]++; seen[b.ToolUseID] == 2 {
					list = append(list, b.ToolUseID)
				}
			}
		}
	}
	return list
}

// lastRoundsStay holds that the last of the rounds before a compaction are in
// the request behind it, word for word.
func lastRoundsStay(t *testing.T, before, first *providertest.Request) {
	t.Helper()
	had, has := rounds(before), rounds(first)
	stayed := 0
	for id, round := range has {
		if had[id] == "" {
			continue // the round that filled the window
		}
		stayed++
		if had[id] != round {
			t.Errorf("round %s was %q, is %q", id, had[id], round)
		}
	}
	if stayed == 0 || stayed == len(had) {
		t.Errorf("%d rounds before, %d after it, %d of them the same", len(had), len(has), stayed)
	}
}

func TestRealClaudeCompacts(t *testing.T) {
	t.Parallel()
	s := &script{Summary: "<summary>Some work was done.</summary>"}
	r := newClaude(t, s)
	p := plant(r)
	s.then(p.turns(r, full)...)
	s.then(fill(30_000), fill(40_000), fill(full), fill(20_000), providertest.Say("All is done."))
	r.valid(r.claude("current", "-p", p.Prompt))
	before, requests := behind(t, s.Main())
	lastRoundsStay(t, before, &requests[0])
	seen := map[string]bool{}
	for i := range requests {
		q := &requests[i]
		memoryFirst(t, q)
		seen[strings.Join(memories(q), "")] = true
		if lost := p.missing(spoken(q)); len(lost) > 0 {
			t.Errorf("request %d does not hold %q", q.N, lost)
		}
	}
	if len(seen) != 2 {
		t.Errorf("%d memories, there were two compactions", len(seen))
	}
	p.saidOnce(t, &requests[len(requests)-1])
	r.chain(2)

	for _, prompt := range []string{"/compact keep the port", "/pith:compact keep the port"} {
		t.Run(prompt, func(t *testing.T) {
			n := len(s.Main())
			s.then(fill(22_000), fill(24_000), providertest.Say("Done."))
			r.valid(r.claude("current", "--continue", "-p", "Look once more."))
			for _, q := range s.Main()[n:] {
				memoryFirst(t, &q) // a resumed session goes on behind the compaction
				if twice := repeated(&q); len(twice) > 0 {
					t.Errorf("request %d has calls twice: %q", q.N, twice)
				}
			}
			r.valid(r.claude("current", "--continue", "-p", prompt))
			s.then(providertest.Say("Going on."))
			r.valid(r.claude("current", "--continue", "-p", "Go on."))
			main := s.Main()
			last := &main[len(main)-1]
			memoryFirst(t, last)
			if seen[strings.Join(memories(last), "")] || len(main) != n+4 {
				t.Errorf("%d requests, and the memory is the one before", len(main)-n)
			}
			seen[strings.Join(memories(last), "")] = true
			if lost := p.missing(spoken(last)); len(lost) > 0 {
				t.Errorf("lost %q", lost)
			}
		})
	}
	if n := s.Summaries(); n != 0 {
		t.Errorf("%d requests for a summary, none is needed", n)
	}
	p.ranOnce(r)
}

// ranOnce holds that each of the planted commands counts once, however often the
// client wrote it again.
func (p *planted) ranOnce(r *rig) {
	r.t.Helper()
	var state struct {
		Evidence []struct {
			Command string `json:"command"`
			Runs    int    `json:"runs"`
		} `json:"verification_and_evidence"`
		Failed []struct {
			Signature   string `json:"signature"`
			Occurrences int    `json:"occurrences"`
		} `json:"failed_attempts_and_antipatterns"`
	}
	out := r.pith("show", "--view", "state").Out
	if err := json.Unmarshal([]byte(out), &state); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	found := 0
	for _, e := range state.Evidence {
		if _, planted := p.Exits[e.Command]; !planted {
			continue
		}
		if found++; e.Runs != 1 {
			r.t.Errorf("%q ran once, and counts %d times", e.Command, e.Runs)
		}
	}
	for _, f := range state.Failed {
		if f.Occurrences > 1 {
			r.t.Errorf("a failure that took place once counts %d times: %s", f.Occurrences, f.Signature)
		}
	}
	if found != len(p.Exits) {
		r.t.Errorf("%d of %d commands are known", found, len(p.Exits))
	}
}

// TestRealClaudeThinks compacts in the middle of a chain of calls of a model with
// a budget for thinking: its API takes the results of calls only behind the
// thinking of before.
func TestRealClaudeThinks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model string
		// refused is set where the client learns from the API that it is full.
		refused bool
	}{{"claude-sonnet-4-5", false}, {"claude-sonnet-4-5", true}, {"claude-opus-5-5", false}, {"claude-opus-5-5", true}} {
		t.Run(fmt.Sprintf("%s, refused %v", c.model, c.refused), func(t *testing.T) {
			t.Parallel()
			model := c.model
			s := &script{}
			r := newClaude(t, s)
			p := plant(r)
			turns := p.turns(r, full)
			for i := range turns {
				turns[i].Thinking = fmt.Sprintf("Now for part %d of the work.", i)
			}
			more := fill(20_000)
			more.Thinking = "Once more, then."
			if c.refused {
				turns[len(turns)-1].Usage = used(40_000)
				turns = append(turns, providertest.Answer{Fault: providertest.OverWindow(215_000, 200_000)})
			}
			s.then(turns...)
			s.then(more, providertest.Say("All is done."))
			r.valid(r.claude("current", "--model", model, "-p", p.Prompt))
			s.then(providertest.Say("Done."))
			r.valid(r.claude("current", "--model", model, "--continue", "-p", "Look once more."))
			before, requests := behind(t, s.Main())
			lastRoundsStay(t, before, &requests[0])
			for i := range requests {
				memoryFirst(t, &requests[i])
				if lost := p.missing(spoken(&requests[i])); len(lost) > 0 {
					t.Errorf("request %d does not hold %q", requests[i].N, lost)
				}
			}
			budget := strings.Contains(string(requests[0].Body), `"type":"enabled"`)
			if budget != (model == "claude-sonnet-4-5") {
				t.Errorf("a budget for thinking: %v", budget)
			}
			if kept := thoughts(&requests[0]) > 0; kept != budget {
				t.Errorf("the thinking of kept rounds is there: %v", kept)
			}
			if s.Summaries() != 0 {
				t.Errorf("%d requests for a summary", s.Summaries())
			}
			p.ranOnce(r)
		})
	}
}

// thoughts counts the thinking in a request.
func thoughts(q *providertest.Request) int {
	n := 0
	for i := range q.Conversation.Messages {
		for _, b := range q.Conversation.Messages[i].Blocks {
			if b.Kind == pith.KindThinking {
				n++
			}
		}
	}
	return n
}

// fill is a turn behind which the client is told how full its window is.
func fill(tokens int) providertest.Answer {
	a := bash("echo looked again")
	a.Usage = used(tokens)
	return a
}
