package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/anthropic"
	"github.com/pith-memory/pith/provider/openai"
	"github.com/pith-memory/pith/provider/providertest"
)

const (
	driftWindow = 20_000
	// turnsPerPrompt is how many requests one prompt of the user takes.
	turnsPerPrompt = 5
	driftPrompts   = 40
	shortPrompts   = 14
)

// prompts is how many prompts a run has: 200 turns, or fewer with -short.
func prompts() int {
	if testing.Short() {
		return shortPrompts
	}
	return driftPrompts
}

// rules are what the user asks for, one with each of the first prompts. The
// number makes each one's words its own.
var rules = []string{
	"Never edit internal/gen%02d/api.go by hand.",
	"Do not add a dependency on github.com/example/lib%02d.",
	"Always run make lint-%02d before you call it done.",
	"The response time of /v1/route%02d must stay under 250 ms.",
	"Don't touch the migration 00%02d_init.sql.",
	"Keep the exported function Handle%02d as it is.",
}

const plantedRules = 30

func rule(i int) string { return fmt.Sprintf(rules[i%len(rules)], i) }

// drift is a session of many prompts, and what was planted in it.
type drift struct {
	server *providertest.Server
	turns  int
	// compaction answers the requests for a compaction, nil with a good draft.
	compaction func(*providertest.Request) providertest.Answer
	// inSystem is set where the memory stands in the system prompt.
	inSystem bool
	// facts have to be in the last request, by their words.
	facts []string
}

func newDrift(t *testing.T, compaction func(*providertest.Request) providertest.Answer) *drift {
	d := &drift{compaction: compaction}
	d.serve(t, true)
	return d
}

// serve starts the provider; a strict one asks for roles that alternate.
func (d *drift) serve(t *testing.T, strict bool) {
	d.server = providertest.New(t, providertest.Options{Window: driftWindow, Strict: strict, PreservedThinking: true, Script: d.answer})
}

// answer plays the model: it reads, edits, tests, looks at a log and tells what
// it did, for each prompt.
func (d *drift) answer(r *providertest.Request) providertest.Answer {
	if r.Compaction {
		if d.compaction != nil {
			return d.compaction(r)
		}
		return providertest.Say(providertest.DraftOf(r))
	}
	turn := d.turns
	d.turns++
	n, step := turn/turnsPerPrompt, turn%turnsPerPrompt
	path := fmt.Sprintf("/work/app/module%02d/handler.go", n%10)
	switch step {
	case 0:
		return providertest.Answer{Thinking: fmt.Sprintf("Prompt %d: first I read both files.", n), Calls: []providertest.Call{
			{Name: "read", Input: object("file_path", path)},
			{Name: "read", Input: object("file_path", fmt.Sprintf("/work/app/module%02d/handler_test.go", n%10))},
		}}
	case 1:
		return providertest.Answer{Text: "Now the change.", Calls: []providertest.Call{{Name: "edit", Input: object("file_path", path, "old_string", "return nil", "new_string", fmt.Sprintf("return step%02d()", n))}}}
	case 2:
		a := providertest.Use("bash", string(object("command", testCommand(n))))
		a.Thinking = "The tests will show."
		return a
	case 3:
		a := providertest.Use("bash", string(object("command", fmt.Sprintf("tail -n 60 /var/log/app/run%02d.log", n))))
		a.Server = &providertest.ServerCall{Query: "handler timeouts", Title: "Timeouts", URL: "https://example.com/timeouts"}
		return a
	}
	return providertest.Say(fmt.Sprintf("Module %02d is changed; its handler calls step%02d.", n%10, n))
}

func object(fields ...string) json.RawMessage {
	var b strings.Builder
	for i := 0; i < len(fields); i += 2 {
		b.WriteString("," + quoted(fields[i]) + ":" + quoted(fields[i+1]))
	}
	return json.RawMessage("{" + b.String()[1:] + "}")
}

func testCommand(n int) string { return fmt.Sprintf("go test ./module%02d/...", n%10) }

// failing tells whether the tests of a module fail, which they do to the end.
func failing(n int) bool { return n%10 == 3 || n%10 == 7 }

// prompt is what the user says, with what is to be remembered of it.
func (d *drift) prompt(n int) string {
	text := fmt.Sprintf("Work on module %02d now, step %d.", n%10, n)
	if n < plantedRules {
		text += " " + rule(n)
		d.facts = append(d.facts, rule(n))
	}
	if n%8 == 4 {
		choice := fmt.Sprintf("Let's use queue%02d instead of polling, because polling lost events.", n)
		text += "\n" + choice
		d.facts = append(d.facts, choice)
	}
	if n < 10 {
		d.facts = append(d.facts, fmt.Sprintf("module%02d/handler.go", n))
		exit := 0
		if failing(n) {
			exit = 1
		}
		d.facts = append(d.facts, fmt.Sprintf("`%s` exit %d", testCommand(n), exit))
	}
	return text
}

// workTools do what the model calls, with outputs as large as real ones.
func workTools() []agent.Tool {
	long := func(format string, lines int) string {
		var b strings.Builder
		for i := range lines {
			fmt.Fprintf(&b, format+"\n", i+1)
		}
		return b.String()
	}
	schema := json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},"file_path":{"type":"string"},"old_string":{"type":"string"},"new_string":{"type":"string"}}}`)
	made := func(name string, run func(input map[string]string) agent.Output) agent.Tool {
		return agent.Tool{Name: name, Description: "Runs " + name + ".", Schema: schema, Run: func(_ context.Context, input json.RawMessage) (agent.Output, error) {
			var in map[string]string
			if err := json.Unmarshal(input, &in); err != nil {
				return agent.Output{}, err
			}
			return run(in), nil
		}}
	}
	return []agent.Tool{
		made("read", func(in map[string]string) agent.Output {
			return agent.Output{Text: long("%5d\tfunc handler(ctx context.Context, in Input) error { // "+in["file_path"], 40)}
		}),
		made("edit", func(in map[string]string) agent.Output {
			return agent.Output{Text: "The file " + in["file_path"] + " has been updated."}
		}),
		made("bash", func(in map[string]string) agent.Output {
			command, exit := in["command"], 0
			if !strings.HasPrefix(command, "go test") {
				return agent.Output{Text: long("2026-01-02T03:04:%02d INFO request served in 12 ms by worker", 60), Exit: &exit}
			}
			if n := 0; true {
				if _, err := fmt.Sscanf(command, "go test ./module%d/", &n); err == nil && failing(n) {
					exit = 1
					return agent.Output{Text: "--- FAIL: TestHandler (0.01s)\n    handler_test.go:12: got 3, want 4\nFAIL\n", IsError: true, Exit: &exit}
				}
			}
			return agent.Output{Text: "ok  \tapp/module\t0.012s\n", Exit: &exit}
		}),
	}
}

// liveModel is the provider's client for a format, at the scripted server.
func liveModel(t *testing.T, s *providertest.Server, f pith.Format, name string) compactor.Model {
	t.Helper()
	if f == pith.FormatAnthropic {
		return must(anthropic.New(anthropic.Options{Model: name, BaseURL: s.BaseURL(f), Key: "test-key", Window: driftWindow, MaxOutput: 1500, MaxRetries: -1}))
	}
	api := openai.Responses
	if f == pith.FormatOpenAIChat {
		api = openai.Chat
	}
	return must(openai.New(openai.Options{Model: name, BaseURL: s.BaseURL(f), Key: "test-key", API: api, Window: driftWindow, MaxOutput: 1500, MaxRetries: -1}))
}

const driftSystem = "You are a coding agent in /work/app. Read before you edit."

// config is an agent at the scripted server, with the draft's model beside it.
func (d *drift) config(t *testing.T, f pith.Format) agent.Config {
	return agent.Config{
		Model: liveModel(t, d.server, f, "scripted-1"), Compactor: liveModel(t, d.server, f, "scripted-small"),
		System: driftSystem, Tools: workTools(), MaxTokens: 1500, Project: "/work/app",
	}
}

// work runs the session to its end.
func (d *drift) work(t *testing.T, c agent.Config) (a *agent.Agent, compactions []agent.Compaction) {
	t.Helper()
	c.OnCompact = func(done agent.Compaction) { compactions = append(compactions, done) }
	a = newAgent(t, c)
	for n := range prompts() {
		run(t, a, d.prompt(n))
	}
	return a, compactions
}

func applied(list []agent.Compaction) int {
	n := 0
	for i := range list {
		if list[i].Applied {
			n++
		}
	}
	return n
}

// checkRequests holds that the server had nothing to refuse, that system and
// tools never changed, and that every planted fact is in the last request.
func (d *drift) checkRequests(t *testing.T) {
	t.Helper()
	for _, p := range d.server.Problems() {
		t.Error(p)
	}
	var first, last *providertest.Request
	requests := d.server.Requests()
	for i := range requests {
		r := &requests[i]
		if r.Compaction {
			continue
		}
		if first == nil {
			first = r
		}
		last = r
		memory, ok := strings.CutPrefix(r.System(), driftSystem)
		if !ok || !d.inSystem && memory != "" || memory != "" && !strings.HasPrefix(strings.TrimSpace(memory), "<pith-memory") {
			t.Errorf("request %d: the system prompt is %.300q", r.N, r.System())
		}
		if !bytes.Equal(r.Conversation.Tools, first.Conversation.Tools) {
			t.Errorf("request %d: other tools: %.300s", r.N, r.Conversation.Tools)
		}
		if r.Input+r.Conversation.MaxTokens > driftWindow {
			t.Errorf("request %d: %d tokens and %d for the answer", r.N, r.Input, r.Conversation.MaxTokens)
		}
	}
	if want := prompts() * turnsPerPrompt; d.turns != want {
		t.Errorf("%d turns, want %d", d.turns, want)
	}
	text := last.Text()
	lost := false
	for _, fact := range d.facts {
		if !strings.Contains(text, fact) {
			t.Errorf("the last request lacks %q", fact)
			lost = true
		}
	}
	if lost {
		t.Logf("the last request:\n%s", text)
	}
}

// TestNothingDrifts is a long session in a small window, in each format,
// streamed: compactions come and go, and nothing of what was planted is lost.
func TestNothingDrifts(t *testing.T) {
	for _, f := range formats {
		t.Run(string(f), func(t *testing.T) {
			began := time.Now()
			d := newDrift(t, nil)
			c := d.config(t, f)
			c.OnText = func(string) {}
			a, compactions := d.work(t, c)
			d.checkRequests(t)
			least := 10 * prompts() / driftPrompts
			if n := applied(compactions); n < least {
				t.Errorf("%d compactions, want %d at least", n, least)
			}
			if a.Turn() != prompts()*turnsPerPrompt {
				t.Errorf("turn %d", a.Turn())
			}
			for i := range compactions {
				if compactions[i].FactsOnly {
					t.Errorf("compaction %d took nothing of the draft: %+v, %v", i+1, compactions[i].Verdict, compactions[i].Report.Err)
				}
			}
			most, ofThem := d.server.MaxInFlight()
			if ofThem > 1 {
				t.Errorf("%d compactions at one time", ofThem)
			}
			t.Logf("%d turns, %d compactions, %d requests, %d at one time, %v", a.Turn(), applied(compactions), len(d.server.Requests()), most, time.Since(began).Round(time.Millisecond))
		})
	}
}

// TestForkSharesThePrefix: a forked compaction is the session's request, byte
// for byte, with one message more, so that the provider reads it from its cache.
func TestForkSharesThePrefix(t *testing.T) {
	for _, f := range formats {
		t.Run(string(f), func(t *testing.T) {
			d := newDrift(t, nil)
			d.serve(t, false) // the question stands behind another message of the user
			c := d.config(t, f)
			c.Compactor, c.Fork = nil, true
			_, compactions := d.work(t, c)
			d.checkRequests(t)
			forks := 0
			requests := d.server.Requests()
			for i := range requests {
				if !requests[i].Compaction {
					continue
				}
				longest := 0
				for j := range i {
					if session := requests[j].Body; !requests[j].Compaction && bytes.HasPrefix(requests[i].Body, session[:len(session)-len("]}")]) {
						longest = max(longest, len(session))
					}
				}
				if longest == 0 || len(requests[i].Conversation.Messages) < 3 {
					t.Errorf("request %d shares %d bytes with the session, none of its requests whole", requests[i].N, requests[i].SharedPrefix)
				}
				forks++
			}
			for i := range compactions {
				if !compactions[i].Report.Forked || compactions[i].FactsOnly {
					t.Errorf("compaction %d: %+v", i+1, compactions[i].Report)
				}
			}
			if forks < len(compactions) {
				t.Errorf("%d forks for %d compactions", forks, len(compactions))
			}
		})
	}
}

// TestMemoryInSystem is the long session with the memory in the system prompt:
// the prompt begins as ever, and what stands behind it is the memory.
func TestMemoryInSystem(t *testing.T) {
	for _, f := range formats {
		t.Run(string(f), func(t *testing.T) {
			d := newDrift(t, nil)
			c := d.config(t, f)
			c.InSystem = true
			d.inSystem = true
			_, compactions := d.work(t, c)
			d.checkRequests(t)
			if applied(compactions) != len(compactions) {
				t.Errorf("%d compactions of %d were applied", applied(compactions), len(compactions))
			}
		})
	}
}
