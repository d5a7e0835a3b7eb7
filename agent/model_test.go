package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/wire"
)

// model is a model that answers by a script, and holds every request against
// what the real APIs ask of one.
type model struct {
	t      testing.TB
	card   compactor.Card
	script func(n int, c *pith.Conversation) answer

	mu     sync.Mutex
	bodies [][]byte
}

// answer is what the script wants said.
type answer struct {
	text  string
	calls []toolCall
	stop  compactor.Stop
	err   error
	raw   string // a whole message, instead of all that
	used  int    // what is reported as the input, instead of what it has
}

type toolCall struct{ id, name, input string }

func newModel(t testing.TB, window int, script func(n int, c *pith.Conversation) answer) *model {
	return &model{t: t, card: compactor.Card{Provider: "fake", Name: "fake-1", Format: pith.FormatAnthropic, Window: window}, script: script}
}

func (m *model) About() compactor.Card { return m.card }

func (m *model) Complete(ctx context.Context, r compactor.Request) (compactor.Response, error) {
	if err := ctx.Err(); err != nil {
		return compactor.Response{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bodies = append(m.bodies, bytes.Clone(r.Body))
	c, err := wire.DecodeAs(m.card.Format, r.Body)
	if err != nil {
		m.t.Errorf("request %d cannot be read: %v\n%s", len(m.bodies), err, r.Body)
		return compactor.Response{}, err
	}
	input := meter.EstimateConversation(&c).Total()
	if why := wrong(&c); why != "" {
		m.t.Errorf("request %d is refused: %s\n%.2000s", len(m.bodies), why, r.Body)
	}
	if m.card.Window > 0 && input+c.MaxTokens > pith.Tokens(m.card.Window) {
		m.t.Errorf("request %d has %d tokens and asks for %d, in a window of %d", len(m.bodies), input, c.MaxTokens, m.card.Window)
	}
	a := m.script(len(m.bodies), &c)
	if a.err != nil {
		return compactor.Response{}, a.err
	}
	out := m.say(&a)
	out.Usage = pith.Usage{Input: int(input), Output: int(meter.Count(a.text)) + 20*len(a.calls)}
	if a.used > 0 {
		out.Usage.Input = a.used
	}
	return out, nil
}

func (m *model) say(a *answer) compactor.Response {
	out := compactor.Response{Text: a.text, Stop: a.stop, Model: m.card.Name, Attempts: 1}
	if a.raw != "" {
		out.Messages = []json.RawMessage{json.RawMessage(a.raw)}
		return out
	}
	switch m.card.Format {
	case pith.FormatOpenAIChat:
		out.Messages = chatMessage(a)
	case pith.FormatOpenAIResponses:
		out.Messages = responseItems(a)
	default:
		out.Messages = anthropicMessage(a)
	}
	for _, c := range a.calls {
		out.ToolCalls = append(out.ToolCalls, c.name)
	}
	if out.Stop == compactor.StopOther {
		out.Stop = compactor.StopEnd
		if len(a.calls) > 0 {
			out.Stop = compactor.StopToolUse
		}
	}
	return out
}

func quoted(s string) string { return string(must(json.Marshal(s))) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func anthropicMessage(a *answer) []json.RawMessage {
	var parts []string
	if a.text != "" {
		parts = append(parts, `{"type":"text","text":`+quoted(a.text)+`}`)
	}
	for _, c := range a.calls {
		parts = append(parts, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, c.id, c.name, c.input))
	}
	if len(parts) == 0 {
		return nil
	}
	return []json.RawMessage{json.RawMessage(`{"role":"assistant","content":[` + strings.Join(parts, ",") + `]}`)}
}

func chatMessage(a *answer) []json.RawMessage {
	var calls []string
	for _, c := range a.calls {
		calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, c.id, c.name, quoted(c.input)))
	}
	content := "null"
	if a.text != "" {
		content = quoted(a.text)
	}
	m := `{"role":"assistant","content":` + content
	if len(calls) > 0 {
		m += `,"tool_calls":[` + strings.Join(calls, ",") + `]`
	}
	return []json.RawMessage{json.RawMessage(m + `}`)}
}

func responseItems(a *answer) []json.RawMessage {
	var items []json.RawMessage
	if a.text != "" {
		items = append(items, json.RawMessage(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":`+quoted(a.text)+`}]}`))
	}
	for _, c := range a.calls {
		items = append(items, json.RawMessage(fmt.Sprintf(`{"type":"function_call","call_id":%q,"name":%q,"arguments":%s}`, c.id, c.name, quoted(c.input))))
	}
	return items
}

// wrong says why an API would refuse a conversation, "" where it would not.
func wrong(c *pith.Conversation) string {
	first := true
	open := map[string]int{}
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.Role == pith.RoleSystem {
			continue
		}
		if first && m.Role != pith.RoleUser {
			return "it does not begin with the user"
		}
		first = false
		if len(m.Blocks) == 0 {
			return fmt.Sprintf("message %d is empty", i)
		}
		results := 0
		for j := range m.Blocks {
			switch b := &m.Blocks[j]; b.Kind {
			case pith.KindToolUse:
				if !strings.Contains(string(m.Raw), "server_tool_use") {
					open[b.ToolUseID]++
				}
			case pith.KindToolResult:
				results++
				if open[b.ToolUseID]--; open[b.ToolUseID] < 0 {
					return fmt.Sprintf("message %d answers a call that is not open", i)
				}
			case pith.KindText:
				if strings.TrimSpace(b.Text) == "" {
					return fmt.Sprintf("message %d has an empty text", i)
				}
			}
		}
		if m.Role == pith.RoleUser && c.Format == pith.FormatAnthropic || i == len(c.Messages)-1 {
			for id, n := range open {
				if n > 0 {
					return fmt.Sprintf("call %q has no result before message %d", id, i)
				}
			}
		}
	}
	if last := c.Messages[len(c.Messages)-1]; last.Role != pith.RoleUser && !strings.Contains(string(last.Raw), "paused") {
		return "it does not end with the user or a result"
	}
	return ""
}

func (m *model) requests() []pith.Conversation {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]pith.Conversation, len(m.bodies))
	for i, b := range m.bodies {
		out[i] = must(wire.DecodeAs(m.card.Format, b))
	}
	return out
}

// texts is all that a conversation says.
func texts(c *pith.Conversation) string {
	var b strings.Builder
	for i := range c.Messages {
		for j := range c.Messages[i].Blocks {
			b.WriteString(c.Messages[i].Blocks[j].Text + "\n")
		}
	}
	return b.String()
}

// tool makes a tool that gives back what run says of its input.
func tool(name string, run func(input string) (string, error)) agent.Tool {
	return agent.Tool{Name: name, Description: name, Run: func(_ context.Context, input json.RawMessage) (agent.Output, error) {
		text, err := run(string(input))
		return agent.Output{Text: text}, err
	}}
}

func newAgent(t testing.TB, c agent.Config) *agent.Agent {
	t.Helper()
	a, err := agent.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func run(t testing.TB, a *agent.Agent, prompt string) agent.Reply {
	t.Helper()
	r, err := a.Run(t.Context(), prompt)
	if err != nil {
		t.Fatalf("%v (%s)", err, pith.HintOf(err))
	}
	return r
}

var errBroken = errors.New("broken")
