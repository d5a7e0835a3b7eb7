package agent_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
)

var formats = []pith.Format{pith.FormatAnthropic, pith.FormatOpenAIChat, pith.FormatOpenAIResponses}

// TestLoop runs two turns with parallel calls in each format.
func TestLoop(t *testing.T) {
	for _, f := range formats {
		t.Run(string(f), func(t *testing.T) {
			m := newModel(t, 100_000, func(n int, c *pith.Conversation) answer {
				if n == 1 {
					return answer{text: "Let me look.", calls: []toolCall{{"c1", "look", `{"path":"a.go"}`}, {"c1", "look", `{"path":"b.go"}`}}}
				}
				return answer{text: "Both are there."}
			})
			m.card.Format = f
			var seen []string
			a := newAgent(t, agent.Config{Model: m, System: "Be brief.", Tools: []agent.Tool{tool("look", func(in string) (string, error) {
				seen = append(seen, in)
				return "here", nil
			})}})
			if r := run(t, a, "Are a.go and b.go there?"); r.Text != "Both are there." || r.Turns != 2 {
				t.Errorf("the reply is %+v", r)
			}
			if got := strings.Join(seen, " "); got != `{"path":"a.go"} {"path":"b.go"}` {
				t.Errorf("the tool saw %s", got)
			}
			if a.Turn() != 2 || a.Unfinished() {
				t.Errorf("turn %d, unfinished %v", a.Turn(), a.Unfinished())
			}
			run(t, a, "Thanks.")
			if got := len(m.bodies); got != 3 {
				t.Errorf("%d requests", got)
			}
		})
	}
}

// TestCaseQ2 holds that between two compactions each request begins with the
// bytes of the one before, and that system and tools never change.
func TestCaseQ2(t *testing.T) {
	for _, f := range formats {
		t.Run(string(f), func(t *testing.T) {
			const window = 12_000
			m := newModel(t, window, func(n int, c *pith.Conversation) answer {
				if n%60 == 0 {
					return answer{text: "Done."}
				}
				return answer{text: fmt.Sprintf("Step %d.", n), calls: []toolCall{{"c", "work", fmt.Sprintf(`{"n":%d}`, n)}}}
			})
			m.card.Format = f
			applied := 0
			compacted := map[int]bool{}
			a := newAgent(t, agent.Config{
				Model: m, System: "Be brief. Never touch go.sum.", MaxTokens: 500,
				Tools: []agent.Tool{tool("work", func(in string) (string, error) { return strings.Repeat("line of output "+in+"\n", 60), nil })},
				OnCompact: func(c agent.Compaction) {
					if c.Applied {
						applied++
						compacted[len(m.bodies)+1] = true
					}
				},
			})
			run(t, a, "Do sixty steps. Keep the public API as it is.")
			if applied < 3 {
				t.Errorf("%d compactions", applied)
			}
			for i := 1; i < len(m.bodies); i++ {
				shared := m.bodies[i-1][:bytes.LastIndexByte(m.bodies[i-1], ']')]
				if compacted[i+1] {
					shared = shared[:bytes.Index(shared, []byte(map[pith.Format]string{
						pith.FormatAnthropic: `"messages":`, pith.FormatOpenAIChat: `"messages":[{"role":"system"`, pith.FormatOpenAIResponses: `"input":`,
					}[f]))]
				}
				if !bytes.HasPrefix(m.bodies[i], shared) {
					t.Errorf("request %d does not begin as request %d", i+1, i)
				}
			}
			last := texts(&m.requests()[len(m.bodies)-1])
			for _, want := range []string{"Do sixty steps.", "Keep the public API as it is."} {
				if !strings.Contains(last, want) {
					t.Errorf("the last request lacks %q", want)
				}
			}
			if a.Turn() != 60 {
				t.Errorf("turn %d", a.Turn())
			}
		})
	}
}
