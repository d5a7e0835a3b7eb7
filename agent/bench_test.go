package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/compactor"
)

// instant answers at once: a call, and then the end of the turn.
type instant struct{ n int }

func (*instant) About() compactor.Card {
	return compactor.Card{Provider: "fake", Name: "fake-1", Format: pith.FormatAnthropic, Window: 1 << 30}
}

func (m *instant) Complete(_ context.Context, r compactor.Request) (compactor.Response, error) {
	m.n++
	out := compactor.Response{Stop: compactor.StopEnd, Usage: pith.Usage{Input: len(r.Body) / 4, Output: 50}}
	if m.n%2 == 1 {
		out.Stop = compactor.StopToolUse
		out.Messages = []json.RawMessage{json.RawMessage(fmt.Sprintf(
			`{"role":"assistant","content":[{"type":"text","text":"Let me look at file %d."},{"type":"tool_use","id":"c%d","name":"read","input":{"file_path":"/srv/app/file%d.go"}}]}`, m.n, m.n, m.n%50))}
		return out, nil
	}
	out.Text = "It holds the handler."
	out.Messages = []json.RawMessage{json.RawMessage(`{"role":"assistant","content":[{"type":"text","text":"It holds the handler."}]}`)}
	return out, nil
}

// BenchmarkTurn is what the loop costs without the model: one prompt, a call
// with its result of 600 bytes and the end of the turn, behind a history of so
// many messages. Half of it is one turn.
func BenchmarkTurn(b *testing.B) {
	for _, messages := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", messages), func(b *testing.B) {
			out := strings.Repeat("func handler(ctx context.Context) error {\n", 15)
			a, err := agent.New(b.Context(), agent.Config{
				Model: &instant{}, System: "Be brief.", Tools: []agent.Tool{tool("read", func(string) (string, error) { return out, nil })},
			})
			if err != nil {
				b.Fatal(err)
			}
			defer a.Close()
			for i := range messages / 4 {
				run(b, a, fmt.Sprintf("Look at part %d of the work.", i))
			}
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				run(b, a, "And the next part?")
			}
		})
	}
}

// BenchmarkCompact is what a compaction costs without the model.
func BenchmarkCompact(b *testing.B) {
	for _, messages := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", messages), func(b *testing.B) {
			out := strings.Repeat("func handler(ctx context.Context) error {\n", 15)
			for b.Loop() {
				b.StopTimer()
				a, err := agent.New(b.Context(), agent.Config{
					Model: &instant{}, System: "Be brief.", Tools: []agent.Tool{tool("read", func(string) (string, error) { return out, nil })},
				})
				if err != nil {
					b.Fatal(err)
				}
				for i := range messages / 4 {
					run(b, a, fmt.Sprintf("Look at part %d of the work.", i))
				}
				b.StartTimer()
				if c, err := a.Compact(b.Context(), ""); err != nil || !c.Applied {
					b.Fatal(err)
				}
				a.Close()
			}
		})
	}
}
