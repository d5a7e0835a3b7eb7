package compactor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// fake answers with its replies in order; the last one repeats.
type fake struct {
	card    Card
	replies []reply
	asked   []Request
}

type reply struct {
	Response
	err error
}

func (f *fake) About() Card { return f.card }

func (f *fake) Complete(ctx context.Context, r Request) (Response, error) {
	f.asked = append(f.asked, r)
	if err := ctx.Err(); err != nil {
		return Response{}, err
	}
	x := f.replies[min(len(f.asked), len(f.replies))-1]
	return x.Response, x.err
}

func says(text string) reply { return reply{Response: Response{Text: text, Stop: StopEnd}} }

func stops(stop Stop, text string) reply { return reply{Response: Response{Text: text, Stop: stop}} }

func fails(kind FailureKind) reply {
	return reply{err: &Failure{Kind: kind, Model: "test/model", Status: 429}}
}

const good = `{"task":"fix the login redirect","current_state":"tests pass, the logout path is open","next_steps":["handle the logout path"]}`

func text(origin pith.Provenance, s string) pith.Block {
	return pith.Block{Kind: pith.KindText, Text: s, Origin: origin}
}

func user(s string) *pith.Message {
	return &pith.Message{Role: pith.RoleUser, Blocks: []pith.Block{text(pith.UserExplicit, s)}}
}

func says2(s string) *pith.Message {
	return &pith.Message{Role: pith.RoleAssistant, Blocks: []pith.Block{text(pith.Assistant, s)}}
}

func call(id, tool, command string) *pith.Message {
	args := []pith.Arg{{Key: "command", Value: command, IsString: true}}
	return &pith.Message{Role: pith.RoleAssistant, Blocks: []pith.Block{{
		Kind: pith.KindToolUse, ToolUseID: id, ToolName: tool, Args: args, Text: pith.ToolUseText(tool, args), Origin: pith.Assistant,
	}}}
}

func result(id, output string) *pith.Message {
	return &pith.Message{Role: pith.RoleUser, Blocks: []pith.Block{{Kind: pith.KindToolResult, ToolUseID: id, Text: output, Origin: pith.ToolOutput}}}
}

func stream(messages ...*pith.Message) func() (*pith.Message, error) {
	i := 0
	return func() (*pith.Message, error) {
		if i == len(messages) {
			return nil, io.EOF
		}
		m := messages[i]
		m.Index = i
		i++
		return m, nil
	}
}

// login is a small session.
func login() []*pith.Message {
	return []*pith.Message{
		user("Fix the login redirect. Do not touch the session table."),
		call("t1", "read_file", "auth/redirect.go"),
		result("t1", strings.Repeat("red 0001 worker=1 bucket=37 state=ok\n", 90)),
		call("t2", "bash", "go test ./auth"),
		result("t2", "ok\t./auth 11 passed\nexit status 0"),
		says2("Everything is green, I will now update the docs."),
		user("Before the docs: also handle the logout path."),
	}
}

func run(t *testing.T, m Model, in Input, o Options) (*Draft, Report) {
	t.Helper()
	if in.Next == nil {
		in.Next = stream(login()...)
	}
	d, report := Run(t.Context(), m, in, o)
	if (d == nil) == (report.Err == nil) {
		t.Fatalf("draft %v with error %v", d, report.Err)
	}
	return d, report
}

// prompt is what a request's prompt says.
type prompt struct {
	Part     partOf  `json:"part"`
	Focus    string  `json:"focus"`
	Facts    *facts  `json:"known_facts"`
	Previous *Draft  `json:"previous_memory"`
	History  []entry `json:"history"`
	Retry    *retry  `json:"retry"`
}

func readPrompt(t testing.TB, r Request) prompt {
	t.Helper()
	var p prompt
	d := json.NewDecoder(strings.NewReader(r.Prompt))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Fatalf("the prompt is no JSON document: %v\n%s", err, r.Prompt)
	}
	return p
}

func TestAnswers(t *testing.T) {
	state := &pith.State{Context: pith.Context{Language: "pt"}}
	english := `{"task":"Fix the commission in the sales package and keep the rounding as it is","current_state":"The error was found in the integer division, which is not yet changed and has to be fixed before the tests are run"}`
	for name, c := range map[string]struct {
		reply reply
		state *pith.State
		want  ProblemKind // "" is accepted
	}{
		"good":                  {reply: says(good)},
		"empty":                 {reply: says(""), want: ProblemEmpty},
		"white space":           {reply: says("  \n\t\u200b"), want: ProblemEmpty},
		"refusal by stop":       {reply: stops(StopRefusal, ""), want: ProblemRefused},
		"refusal in prose":      {reply: says("Sorry, but writing such a record is not something I will do here. The material looks sensitive to me."), want: ProblemRefused},
		"refusal in Chinese":    {reply: says("抱歉，我无法完成这个请求。"), want: ProblemRefused},
		"refusal in French":     {reply: says("Je suis désolé, mais je ne peux pas vous aider."), want: ProblemRefused},
		"refusal in JSON":       {reply: says(`{"task":"I'm sorry, but I can't help with that.","next_steps":[]}`), want: ProblemRefused},
		"a task with can't":     {reply: says(`{"task":"I can't log in after the redirect: find out why"}`)},
		"tool call":             {reply: reply{Response: Response{Stop: StopToolUse, ToolCalls: []string{"bash"}}}, want: ProblemToolCall},
		"tool call beside text": {reply: reply{Response: Response{Text: good, Stop: StopEnd, ToolCalls: []string{"bash"}}}, want: ProblemToolCall},
		"paused":                {reply: stops(StopPause, ""), want: ProblemToolCall},
		"cut":                   {reply: stops(StopMaxTokens, `{"goal":"fix the login redirect","constraints":["do not touch the sess`), want: ProblemCut},
		"cut but whole":         {reply: stops(StopMaxTokens, good), want: ProblemCut},
		"unclosed":              {reply: says(`{"goal":"fix the login redirect","constraints":["do not`), want: ProblemUnclosed},
		"whole, then unclosed":  {reply: says(good + "\n" + `{"task":"fix`), want: ProblemUnclosed},
		"fenced":                {reply: says("```json\n" + good + "\n```")},
		"fence never closed":    {reply: says("```json\n" + good)},
		"scratchpad first":      {reply: says("<analysis>shape: ```json\n{\"goal\":\"EXAMPLE ONLY\"}\n```</analysis>\n" + good)},
		"scratchpad only":       {reply: says("<think>{\"goal\":\"EXAMPLE ONLY\"}</think>"), want: ProblemThinkingOnly},
		"inside prose":          {reply: says("Here is the memory you asked for:\n" + good + "\nTell me if { anything } is missing.")},
		"fenced bash":           {reply: says("```bash\ngo test ./auth\n```\nAll good."), want: ProblemNotJSON},
		"prose":                 {reply: says("The login redirect is fixed and the logout path is next."), want: ProblemNotJSON},
		"broken after example":  {reply: says(`{"goal":"EXAMPLE"} and now {"goal":"fix" oops}`), want: ProblemNotJSON},
		"trailing comma":        {reply: says(`{"task":"fix the login",}`), want: ProblemNotJSON},
		"skeleton":              {reply: says(`{"task":"","current_state":"","key_decisions":[],"next_steps":[],"work_type":"unspecified","phase":""}`), want: ProblemSkeleton},
		"skeleton of N/A":       {reply: says(`{"task":"N/A","current_state":"None","next_steps":["n/a"],"phase":"-"}`), want: ProblemSkeleton},
		"labels alone":          {reply: says(`{"work_type":"bugfix","phase":"testing"}`), want: ProblemSkeleton},
		"other object":          {reply: says(`{"summary":"the login is fixed"}`), want: ProblemSkeleton},
		"angle placeholder":     {reply: says(`{"task":"<the goal>","current_state":"done"}`), want: ProblemPlaceholder},
		"string placeholder":    {reply: says(`{"task":"string","next_steps":["string"]}`), want: ProblemPlaceholder},
		"dots":                  {reply: says(`{"task":"fix the login","next_steps":["..."]}`), want: ProblemPlaceholder},
		"to be done":            {reply: says(`{"task":"fix the login","current_state":"TODO"}`), want: ProblemPlaceholder},
		"instruction copied":    {reply: says(`{"task":"what the user wants to reach, in one or two sentences."}`), want: ProblemPlaceholder},
		"thinking only":         {reply: reply{Response: Response{Stop: StopEnd, Thought: true}}, want: ProblemThinkingOnly},
		"markup":                {reply: says("<tool_call>\n{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n</tool_call>"), want: ProblemMarkup},
		"markup of another":     {reply: says(`[TOOL_CALLS][{"name":"bash","arguments":{}}]`), want: ProblemMarkup},
		"wrong language":        {reply: says(english), state: state, want: ProblemWrongLanguage},
		"right language":        {reply: says(`{"task":"Corrigir o cálculo da comissão e não alterar a função arredondar()","current_state":"O erro está na divisão inteira, que ainda não foi corrigida, e os testes não foram executados"}`), state: state},
		"huge":                  {reply: says(strings.Repeat("x", MaxAnswer+1)), want: ProblemTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			m := &fake{replies: []reply{c.reply}}
			d, report := run(t, m, Input{State: c.state}, Options{Window: 60_000})
			if c.want == "" {
				if report.Err != nil || d.Task == "" || strings.Contains(d.Task, "EXAMPLE") || report.Calls != 1 || report.Retries != 0 {
					t.Fatalf("draft %+v, %+v", d, report)
				}
				return
			}
			var p Problem
			if !errors.As(report.Err, &p) || p.Kind != c.want {
				t.Fatalf("error %v, want %s", report.Err, c.want)
			}
			if len(m.asked) != 2 || report.Retries != 1 || len(report.Problems) != 2 {
				t.Fatalf("%d calls, %+v: want one retry", len(m.asked), report)
			}
			again := readPrompt(t, m.asked[1])
			if again.Retry == nil || !strings.Contains(again.Retry.Problem, string(c.want)) || len([]rune(again.Retry.Answer)) > excerptRunes+1 {
				t.Errorf("the retry tells %+v", again.Retry)
			}
			if len(again.History) != len(login()) {
				t.Errorf("the retry shows %d texts", len(again.History))
			}
		})
	}
}

func TestSecondAnswerIsUsed(t *testing.T) {
	m := &fake{replies: []reply{
		stops(StopMaxTokens, `{"goal":"fix the login redirect","constraints":["do not touch the sess`),
		says(`{"goal": "fix the login redirect", "constraints": ["Do not touch the session table."], "next_action": "handle the logout path"}`),
	}}
	d, report := run(t, m, Input{}, Options{Window: 20_000, MaxTokens: 1000})
	if d == nil || d.Task != "fix the login redirect" || !slices.Equal(d.NextSteps, []string{"handle the logout path"}) || !slices.Equal(d.Constraints, []string{"Do not touch the session table."}) {
		t.Fatalf("draft %+v, %+v", d, report)
	}
	if m.asked[0].MaxTokens != 1000 || m.asked[1].MaxTokens != 2000 {
		t.Errorf("max_tokens %d, then %d: want twice the room", m.asked[0].MaxTokens, m.asked[1].MaxTokens)
	}
}

func TestCutWithoutRoomAsksForLess(t *testing.T) {
	var messages []*pith.Message
	for i := range 60 {
		messages = append(messages, says2(fmt.Sprintf("Step %d: %s", i, strings.Repeat("went on with the work. ", 6))))
	}
	m := &fake{replies: []reply{stops(StopMaxTokens, `{"task":"fix`), says(good)}}
	d, report := run(t, m, Input{Next: stream(messages...)}, Options{Window: 5000, MaxTokens: 1200})
	if d == nil || report.Unread != 0 || report.Messages != 60 {
		t.Fatalf("%+v, %v", report, report.Err)
	}
	if a, b := len(readPrompt(t, m.asked[0]).History), len(readPrompt(t, m.asked[1]).History); b > a*2/3 || m.asked[1].MaxTokens < m.asked[0].MaxTokens {
		t.Errorf("%d texts with max_tokens %d, then %d with %d", a, m.asked[0].MaxTokens, b, m.asked[1].MaxTokens)
	}
}

func TestNotSmaller(t *testing.T) {
	long := `{"goal":"` + strings.Repeat("long 0001 worker=1 bucket=37 state=ok ", 160) + `"}`
	m := &fake{replies: []reply{says(long)}}
	_, report := run(t, m, Input{Replaces: 100}, Options{})
	var p Problem
	if !errors.As(report.Err, &p) || p.Kind != ProblemTooLarge || len(m.asked) != 1 || !strings.Contains(p.Text, "not reduced") {
		t.Fatalf("%d calls, %v", len(m.asked), report.Err)
	}
	m = &fake{replies: []reply{says(long), says(good)}}
	d, report := run(t, m, Input{Replaces: 2000}, Options{})
	if d == nil || len(m.asked) != 2 || m.asked[1].MaxTokens != 1000 {
		t.Fatalf("%d calls, %+v", len(m.asked), report)
	}
}

func TestFailures(t *testing.T) {
	for kind, calls := range map[FailureKind]int{
		FailRateLimit: 1, FailOverloaded: 1, FailNetwork: 1, FailTimeout: 1, FailInvalid: 1, FailAuth: 1, FailTooLarge: 2,
	} {
		m := &fake{replies: []reply{fails(kind)}}
		_, report := run(t, m, Input{}, Options{})
		if f := FailureOf(report.Err); f == nil || f.Kind != kind || len(m.asked) != calls || report.Problems[len(report.Problems)-1].Kind != ProblemUnavailable {
			t.Errorf("%s: %d calls, %+v, %v", kind, len(m.asked), report, report.Err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := &fake{replies: []reply{says(good)}}
	if d, report := Run(ctx, m, Input{Next: stream(login()...)}, Options{}); d != nil || !errors.Is(report.Err, context.Canceled) || len(m.asked) != 0 {
		t.Errorf("cancelled: %d calls, %v", len(m.asked), report.Err)
	}
	broken := errors.New("disk on fire")
	_, report := run(t, m, Input{Next: func() (*pith.Message, error) { return nil, broken }}, Options{})
	if !errors.Is(report.Err, broken) {
		t.Errorf("a broken history: %v", report.Err)
	}
	_, report = run(t, m, Input{Next: stream()}, Options{})
	if report.Err == nil || len(m.asked) != 0 {
		t.Errorf("an empty history: %v after %d calls", report.Err, len(m.asked))
	}
}

func TestHistoryOverTheWindowGoesInParts(t *testing.T) {
	messages := []*pith.Message{user("Goal: rename Basket to Cart in every package, keep the JSON field names unchanged.")}
	for i := range 8 {
		id := fmt.Sprintf("t%d", i)
		var output strings.Builder
		for l := range 65 {
			fmt.Fprintf(&output, "p%d %04d worker=%d bucket=%d state=ok\n", i, l, l%8, l*37%100)
		}
		messages = append(messages, call(id, "read_file", fmt.Sprintf("pkg/part%d/model.go", i)), result(id, output.String()))
	}
	m := &fake{card: Card{Provider: "anthropic", Window: 4000}, replies: []reply{says(good)}}
	d, report := run(t, m, Input{Next: stream(messages...)}, Options{})
	if d == nil || report.Parts < 2 || report.Messages != len(messages) || report.Unread != 0 || report.Calls > 12 {
		t.Fatalf("%+v, %v", report, report.Err)
	}
	shown := map[int]bool{}
	for i, r := range m.asked {
		checkFits(t, r, 4000, 135, 4<<20)
		p := readPrompt(t, r)
		if p.Part.N != i+1 || (p.Previous != nil) != (i > 0) {
			t.Errorf("request %d: part %d, previous %v", i, p.Part.N, p.Previous)
		}
		for _, e := range p.History {
			shown[e.I] = true
		}
	}
	if len(shown) != len(messages) {
		t.Errorf("%d of %d messages were shown", len(shown), len(messages))
	}
}

// checkFits holds a request against a window and a body size.
func checkFits(t testing.TB, r Request, window int, percent pith.Tokens, maxBody int) {
	t.Helper()
	all := r.System + r.Prompt + string(r.Schema)
	counted := max(meter.Count(all)*percent/100, pith.Tokens(len([]rune(all))/4))
	if counted+r.MaxTokens > pith.Tokens(window) {
		t.Fatalf("%d tokens and %d of answer are over the window of %d", counted, r.MaxTokens, window)
	}
	body, err := json.Marshal(map[string]any{"s": r.System, "p": r.Prompt, "schema": r.Schema})
	if err != nil {
		t.Fatal(err)
	}
	if len(body) > maxBody {
		t.Fatalf("a body of %d bytes, over %d", len(body), maxBody)
	}
}

func TestOutputIsClampedBeforeTheHistoryIsCut(t *testing.T) {
	var messages []*pith.Message
	for i := range 5 {
		id := fmt.Sprintf("t%d", i)
		messages = append(messages, call(id, "bash", fmt.Sprintf("go vet ./svc%d/...", i)), result(id, strings.Repeat("state is ok\n", 160)))
	}
	m := &fake{card: Card{Window: 8192}, replies: []reply{says(good)}}
	_, report := run(t, m, Input{Next: stream(messages...)}, Options{MessageCap: -1})
	if report.Parts != 1 || m.asked[0].MaxTokens >= 4096 || m.asked[0].MaxTokens < leastOutput {
		t.Fatalf("%d parts, max_tokens %d", report.Parts, m.asked[0].MaxTokens)
	}
	checkFits(t, m.asked[0], 8192, 115, 4<<20)
}

func TestLastCallReadsTheNewest(t *testing.T) {
	var messages []*pith.Message
	for i := range 400 {
		messages = append(messages, says2(fmt.Sprintf("Step %d: %s", i, strings.Repeat("went on with the work. ", 10))))
	}
	m := &fake{card: Card{Window: 4000}, replies: []reply{says(good)}}
	d, report := run(t, m, Input{Next: stream(messages...)}, Options{MaxCalls: 5})
	if d == nil || report.Calls > 5 || report.Unread == 0 || report.Messages+report.Unread != 400 {
		t.Fatalf("%+v, %v", report, report.Err)
	}
	last := readPrompt(t, m.asked[len(m.asked)-1]).History
	if last[len(last)-1].I != 399 || !strings.Contains(last[0].Text, "left out") {
		t.Errorf("the last part ends with message %d and begins %q", last[len(last)-1].I, last[0].Text)
	}
	if p := report.Problems[len(report.Problems)-1]; p.Kind != ProblemUnread {
		t.Errorf("the report ends with %v", p)
	}
}
