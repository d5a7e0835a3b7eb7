package memory_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/merge"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/wire"
)

// modelCase is a fault case with what the compactor's model answers in it.
type modelCase struct {
	ID      string          `json:"id"`
	Request json.RawMessage `json:"request"`
	Replies []modelReply    `json:"summarizer_replies"`
	// Alternatives is set where each reply is a case of its own.
	Alternatives bool     `json:"replies_are_alternatives"`
	Secrets      []string `json:"secret_values"`
	Focus        string   `json:"focus"`
	Params       struct {
		Window    int         `json:"context_window"`
		Compactor int         `json:"summarizer_context_window"`
		MaxTokens pith.Tokens `json:"summarizer_max_tokens"`
	} `json:"params"`
}

// modelReply is an answer, or an error of the provider.
type modelReply struct {
	StopReason string `json:"stop_reason"`
	Text       string `json:"text"`
	Error      *struct {
		Status    int    `json:"status"`
		Transport string `json:"transport"`
	} `json:"error"`
}

func loadModelCase(t *testing.T, dir, id string) *modelCase {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", dir, id+".json"))
	if err != nil {
		t.Fatal(err)
	}
	c := new(modelCase)
	if err := json.Unmarshal(b, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// answering is a compactor's model that gives the replies of a case in turn,
// the last one for ever.
type answering struct {
	window  int
	replies []modelReply
	asked   []compactor.Request
}

func (a *answering) About() compactor.Card {
	return compactor.Card{Provider: "test", Name: "answering", Format: pith.FormatAnthropic, Window: a.window}
}

func (a *answering) Complete(_ context.Context, r compactor.Request) (compactor.Response, error) {
	reply := a.replies[min(len(a.asked), len(a.replies)-1)]
	a.asked = append(a.asked, r)
	if e := reply.Error; e != nil {
		f := &compactor.Failure{Model: "test/answering", Status: e.Status, Kind: compactor.FailNetwork, Detail: e.Transport, Attempts: 3}
		switch e.Status {
		case 429:
			f.Kind = compactor.FailRateLimit
		case 529:
			f.Kind = compactor.FailOverloaded
		}
		return compactor.Response{}, f
	}
	resp := compactor.Response{Text: reply.Text, StopReason: reply.StopReason, Attempts: 1, Usage: pith.Usage{Input: 1000, Output: 100}}
	switch reply.StopReason {
	case "end_turn":
		resp.Stop = compactor.StopEnd
	case "max_tokens":
		resp.Stop = compactor.StopMaxTokens
	case "refusal":
		resp.Stop = compactor.StopRefusal
	}
	return resp, nil
}

// modelRun is one compaction with a model, and what it was made from.
type modelRun struct {
	model   *answering
	drafted *memory.Drafted
	report  compactor.Report
	verdict merge.Verdict
	facts   *memory.Result
	judged  *memory.Result
	out     restore.Result
	err     error
}

func (c *modelCase) run(t *testing.T, replies ...modelReply) *modelRun {
	t.Helper()
	before := bytes.Clone(c.Request)
	m := memory.New(memory.Config{Window: c.Params.Window})
	s, err := m.Read(bytes.NewReader(c.Request), memory.ReadOptions{KeepLive: true})
	if err != nil {
		t.Fatal(err)
	}
	r := &modelRun{model: &answering{window: cmp.Or(c.Params.Compactor, 16_000), replies: replies}}
	if r.facts, err = m.Compact(s, pith.ReasonManual); err != nil {
		t.Fatal(err)
	}
	from := bytes.NewReader(c.Request)
	r.drafted, r.report = m.Draft(t.Context(), s, r.facts, from, memory.DraftOptions{
		Model: r.model, Focus: c.Focus, Compactor: compactor.Options{MaxTokens: c.Params.MaxTokens},
	})
	if r.judged, r.verdict, err = m.Judge(s, r.facts, r.drafted, from); err != nil {
		t.Fatal(err)
	}
	if problems := schema.Validate(r.judged.JSON); len(problems) > 0 {
		t.Errorf("the state breaks its schema: %v", problems)
	}
	next, err := memory.Messages(bytes.NewReader(c.Request), "")
	if err != nil {
		t.Fatal(err)
	}
	if problems, _ := schema.CheckTranscript(r.judged.State, next); len(problems) > 0 {
		t.Errorf("provenance: %v", problems)
	}
	in, err := wire.Decode(c.Request)
	if err != nil {
		t.Fatal(err)
	}
	r.out, r.err = m.Apply(in, r.judged, restore.ApplyOptions{Window: 2 * c.Params.Window})
	if !bytes.Equal(c.Request, before) || !bytes.Equal(in.Raw, before) {
		t.Error("the caller's bytes were changed")
	}
	return r
}

// factsOnly holds that no word of a bad answer was used, and that the problem
// is named.
func (r *modelRun) factsOnly(t *testing.T, problem string) {
	t.Helper()
	if r.drafted != nil || !reflect.DeepEqual(r.judged, r.facts) || !r.judged.State.Checkpoint.FactsOnly {
		t.Errorf("an answer that was not earned is used: %+v", r.drafted)
	}
	if r.report.Err == nil || !strings.Contains(r.report.Err.Error(), problem) {
		t.Errorf("the report says %v, want %q", r.report.Err, problem)
	}
	if n := len(r.model.asked); n == 0 || n > 3 {
		t.Errorf("the model was asked %d times", n)
	}
}

func good(text string) modelReply { return modelReply{StopReason: "end_turn", Text: text} }

// TestOverflow (cases A1, A2): what is sent fits the compactor's window, the
// room for its answer included, and nothing is left out unsaid.
func TestOverflow(t *testing.T) {
	for id, want := range map[string]struct {
		inspected, commands []string
	}{
		"A1": {inspected: []string{"pkg/part1/model.go", "pkg/part8/model.go"}},
		"A2": {commands: []string{"go vet ./svc1/...", "go vet ./svc5/..."}},
	} {
		t.Run(id, func(t *testing.T) {
			c := loadModelCase(t, "model", id)
			r := c.run(t, good(`{"current_state": "The work is under way."}`))
			for i, q := range r.model.asked {
				if n := (len(q.System)+len(q.Prompt)+len(q.Schema))/4 + int(q.MaxTokens); n > c.Params.Compactor {
					t.Errorf("request %d takes %d of a window of %d", i, n, c.Params.Compactor)
				}
			}
			if n := len(r.model.asked); n == 0 || n > 6 {
				t.Errorf("the model was asked %d times", n)
			}
			if r.report.Unread > 0 {
				t.Errorf("%d messages were not read: %v", r.report.Unread, r.report.Err)
			}
			if id == "A1" && !strings.Contains(r.judged.State.Goal.Text, "rename Basket to Cart") {
				t.Errorf("goal %q", r.judged.State.Goal.Text)
			}
			for _, p := range want.inspected {
				if !hasPath(r.judged.State.Files.Inspected, p) {
					t.Errorf("%s is not among the inspected files", p)
				}
			}
			for _, command := range want.commands {
				if !strings.Contains(string(r.judged.JSON), command) {
					t.Errorf("%s is not in the state", command)
				}
			}
			if r.err != nil {
				t.Errorf("not applied: %v", r.err)
			}
		})
	}
}

// TestCompactorsWindowIsItsOwn (case A8): the agent's window does not cap what
// the compactor may read.
func TestCompactorsWindowIsItsOwn(t *testing.T) {
	c := loadModelCase(t, "model", "A1")
	c.Params.Compactor = 128_000
	if r := c.run(t, good(`{"current_state": "The work is under way."}`)); len(r.model.asked) != 1 {
		t.Errorf("%d parts for a window of 128,000", len(r.model.asked))
	}
}

// TestBadAnswers (cases F1, F2, F3, F7): an answer that was not earned is told
// so once, and then code alone speaks.
func TestBadAnswers(t *testing.T) {
	half := modelReply{StopReason: "max_tokens", Text: `{"task":"fix the login redirect","constraints":["do not touch the sess`}
	for name, try := range map[string]struct {
		id, problem string
		replies     []modelReply
	}{
		"empty":              {"F1", "empty", []modelReply{good("")}},
		"white space":        {"F1", "empty", []modelReply{good("  \n\t")}},
		"cut twice":          {"F2", "cut", []modelReply{half}},
		"refusal in prose":   {"F3", "refus", loadModelCase(t, "model", "F3").Replies[:1]},
		"refusal by reason":  {"F3", "refus", loadModelCase(t, "model", "F3").Replies[1:]},
		"tool markup":        {"F1", "", []modelReply{good("<tool_call>{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}</tool_call>")}},
		"a fence of another": {"F4", "", loadModelCase(t, "model", "F4").Replies[3:]},
	} {
		t.Run(name, func(t *testing.T) {
			r := loadModelCase(t, "model", try.id).run(t, try.replies...)
			r.factsOnly(t, try.problem)
			if text := r.report.Err.Error(); len(text) > 600 || !utf8.ValidString(text) {
				t.Errorf("the error is not bounded: %q", text)
			}
			for _, must := range []string{"o not touch the session table", "ogout"} {
				if !strings.Contains(r.judged.Block.Text, must) {
					t.Errorf("the block lacks %q", must)
				}
			}
			if len(r.model.asked) == 2 && !strings.Contains(r.model.asked[1].Prompt, try.problem) && try.problem != "refus" {
				t.Errorf("the second request does not say what was wrong: %.300s", r.model.asked[1].Prompt)
			}
		})
	}
}

// TestSecondAnswer (case F2): the answer that was cut is never used, the whole
// one that follows it is, and it had more room.
func TestSecondAnswer(t *testing.T) {
	c := loadModelCase(t, "model", "F2")
	r := c.run(t, c.Replies...)
	if r.drafted == nil || r.drafted.Draft.Task != "fix the login redirect" {
		t.Fatalf("the second answer is not used: %v", r.report.Err)
	}
	if len(r.model.asked) != 2 || r.report.Retries != 1 || r.model.asked[1].MaxTokens <= r.model.asked[0].MaxTokens {
		t.Errorf("asked %d times, %d retries", len(r.model.asked), r.report.Retries)
	}
	if strings.Contains(string(r.judged.JSON), "do not touch the sess\"") {
		t.Error("a part of the first answer is in the state")
	}
}

// TestNarrowDecoding (case F4): four shapes of an answer.
func TestNarrowDecoding(t *testing.T) {
	c := loadModelCase(t, "model", "F4")
	for i, reply := range c.Replies[:3] {
		r := c.run(t, reply)
		if r.drafted == nil || r.drafted.Draft.Task != "fix the login redirect" || len(r.model.asked) != 1 {
			t.Errorf("reply %d gives %+v (%v)", i+1, r.drafted, r.report.Err)
		}
	}
}

// TestProviderFails (case I6): a provider that does not answer costs the model's
// part alone, and says why.
func TestProviderFails(t *testing.T) {
	c := loadModelCase(t, "model", "I6")
	for i, kind := range []compactor.FailureKind{compactor.FailRateLimit, compactor.FailOverloaded, compactor.FailNetwork} {
		r := c.run(t, c.Replies[i])
		r.factsOnly(t, string(kind))
		if len(r.model.asked) != 1 {
			t.Errorf("%s: asked %d times; the provider has tried again already", kind, len(r.model.asked))
		}
	}
}

// TestInventedRules (case C8): a rule that no user stated is refused, and a
// restriction for one run stays one.
func TestInventedRules(t *testing.T) {
	c := loadModelCase(t, "cases", "C8")
	r := c.run(t, good(`{"task": "warm the cache", "constraints": ["Never delete scripts.", "Ask before any merge request is opened."], "next_action": "ask for approval"}`))
	if r.drafted == nil {
		t.Fatal(r.report.Err)
	}
	if !reflect.DeepEqual(r.judged.State.Constraints, r.facts.State.Constraints) {
		t.Errorf("a draft changed the constraints: %v", r.judged.State.Constraints)
	}
	if strings.Contains(string(r.judged.JSON), "merge request") || strings.Contains(r.judged.Block.Text, "merge request") {
		t.Error("the invented rule is in the state")
	}
	if r.verdict.Quarantined == 0 {
		t.Errorf("the invented rule is not counted: %+v", r.verdict)
	}
}

// TestNoSecretReachesTheModel (case J1): neither from the history nor from the
// focus.
func TestNoSecretReachesTheModel(t *testing.T) {
	c := loadModelCase(t, "cases", "J1")
	r := c.run(t, good(`{"current_state": "The token for the registry was moved.", "next_steps": ["use `+c.Secrets[0]+` for now"]}`))
	for _, secret := range c.Secrets {
		for _, q := range r.model.asked {
			if strings.Contains(q.Prompt+q.System, secret) {
				t.Errorf("%s is sent to the model", secret)
			}
		}
		if strings.Contains(string(r.judged.JSON)+r.judged.Block.Text, secret) {
			t.Errorf("%s is in the state", secret)
		}
	}
}

// TestRequestShape (cases M1, L1, K5, M5): text alone, no tools, no image data,
// no option that a model may not know.
func TestRequestShape(t *testing.T) {
	for dir, id := range map[string]string{"model": "M1", "cases": "L1"} {
		c := loadModelCase(t, dir, id)
		if id == "L1" {
			c.Request = bytes.ReplaceAll(c.Request, []byte("iVBOR"), append(bytes.Repeat([]byte("iVBORw0KGgoAAAANSUhEUg"), 60_000), "iVBOR"...))
		}
		r := c.run(t, good(`{"current_state": "The work is under way."}`))
		for _, q := range r.model.asked {
			if q.Body != nil || q.Header != nil {
				t.Error("the plain way sends a body of its own")
			}
			if !json.Valid([]byte(q.Prompt)) && !json.Valid([]byte(q.Prompt[strings.IndexByte(q.Prompt, '{'):])) {
				t.Errorf("%s: the history is no JSON: %.200s", id, q.Prompt)
			}
			if strings.Contains(q.Prompt, "iVBORw0KGgoAAAANSUhEUg") || len(q.Prompt) > 1<<20 {
				t.Errorf("%s: image data is sent, %d bytes in all", id, len(q.Prompt))
			}
			if id == "L1" && !strings.Contains(q.Prompt, "image/png") {
				t.Error("no marker stands for the image")
			}
			if id == "M1" && !strings.Contains(q.Prompt, "du -a") {
				t.Error("the call is not in the history")
			}
		}
	}
}

// TestDraftIsJoined: what a draft adds is marked as such, supported by the
// session, and shown; the facts stay as they are.
func TestDraftIsJoined(t *testing.T) {
	c := loadModelCase(t, "model", "A2")
	c.Params.Compactor = 100_000
	r := c.run(t, good(`{
		"current_state": "go vet was run over ./svc1/... to ./svc5/... and reported nothing so far. It took 98765 seconds.",
		"key_decisions": [{"decision": "Run go vet ./svc3/... before the report", "reason": "report only, change nothing"}],
		"open_questions": ["Are the warnings of svc9/legacy.go known?"],
		"next_steps": ["Write the report over svc1 to svc5"]
	}`))
	if r.drafted == nil {
		t.Fatal(r.report.Err)
	}
	s := r.judged.State
	if s.Checkpoint.FactsOnly || s.Checkpoint.ID == r.facts.State.Checkpoint.ID {
		t.Errorf("the judged state is %+v", s.Checkpoint)
	}
	if strings.Contains(string(r.judged.JSON), "98765") || strings.Contains(string(r.judged.JSON), "svc9/legacy.go") {
		t.Error("a number and a path that the session does not hold are in the state")
	}
	if r.verdict.Dropped == 0 || r.verdict.Kept == 0 {
		t.Errorf("verdict %+v", r.verdict)
	}
	if !slices.ContainsFunc(s.Decisions, func(d pith.Decision) bool { return d.Drafted && strings.Contains(d.Decision, "svc3") }) {
		t.Errorf("the decision is not there: %+v", s.Decisions)
	}
	for _, text := range []string{"Write the report over svc1 to svc5", "reported nothing so far"} {
		if !strings.Contains(r.judged.Block.Text, text) {
			t.Errorf("the block does not say %q", text)
		}
	}
	if s.Goal.SHA256 != r.facts.State.Goal.SHA256 || !reflect.DeepEqual(s.Next, r.facts.State.Next) || !reflect.DeepEqual(s.Evidence, r.facts.State.Evidence) {
		t.Error("the draft changed facts")
	}
}
