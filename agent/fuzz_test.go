package agent_test

import (
	"bytes"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
)

// FuzzReplay: no journal makes an agent break off, and what an agent makes of
// one is a conversation that can be read.
func FuzzReplay(f *testing.F) {
	j := &memJournal{}
	m, work := steady(f, 1)
	a, err := agent.New(f.Context(), agent.Config{Model: m, MaxTokens: 500, Session: "s", Journal: j, Tools: []agent.Tool{work}})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := a.Run(f.Context(), "Go on."); err != nil {
		f.Fatal(err)
	}
	a.Close()
	f.Add(bytes.Join(j.lines, []byte("\n")))
	f.Add([]byte(`{"kind":"start","session":"s","format":"anthropic"}` + "\n" + `{"kind":"reply","messages":[null,{"role":"assistant","content":[{"type":"tool_use"}]}]}` + "\n" + `{"kind":"result"}` + "\n" + `{"kind":"pruning"}`))
	f.Add([]byte(`{"kind":"start","session":"s","format":"anthropic"}` + "\n" + `{"kind":"prompt","text":"Hi"}` + "\n" +
		`{"kind":"compaction","text":"<pith-memory id=x>b</pith-memory>","messages":[{"role":"user","content":"b"},null],"numbers":[-1,0],"in_system":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines [][]byte
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			lines = append(lines, line)
		}
		m := newModel(t, 12_000, nil)
		a, err := agent.New(t.Context(), agent.Config{Model: m, MaxTokens: 500, Session: "s", Journal: &memJournal{lines: lines}})
		if err != nil {
			return
		}
		defer a.Close()
		if c := a.Conversation(); len(c.Raw) == 0 || c.Format != pith.FormatAnthropic {
			t.Errorf("the conversation is %s", c.Raw)
		}
	})
}
