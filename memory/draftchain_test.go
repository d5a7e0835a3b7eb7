package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
)

// TestDraftsChain: what an earlier draft said and the next one repeats stays,
// although the messages that support it are no longer at hand; what it leaves
// out is gone; and where the next compaction has no model, it is carried.
func TestDraftsChain(t *testing.T) {
	m := memory.New(memory.Config{Window: 20_000})
	talk := func(from, to int) []byte {
		var messages []message
		for i := from; i < to; i++ {
			messages = append(messages,
				message{"user", fmt.Sprintf("Look at pkg/part%d/model.go and say what you think of the retry loop.", i)},
				message{"assistant", fmt.Sprintf("pkg/part%d/model.go retries without a limit. I chose exponential backoff over a fixed delay, since the server sheds load under constant retries.", i)})
		}
		return body(t, messages...)
	}
	draft := func(texts ...string) *answering {
		d := compactor.Draft{CurrentState: "pkg/part1/model.go was looked at.", NextSteps: []string{"Look at the retry loop of the next part"}}
		for _, x := range texts {
			d.KeyDecisions = append(d.KeyDecisions, compactor.Decision{Decision: x, Reason: "the server sheds load under constant retries"})
		}
		b, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return &answering{window: 50_000, replies: []modelReply{good(string(b))}}
	}
	compact := func(data []byte, previous *pith.State, model *answering) *memory.Result {
		s, err := m.Read(bytes.NewReader(data), memory.ReadOptions{Previous: previous, KeepLive: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Compact(s, pith.ReasonManual)
		if err != nil || model == nil {
			return r
		}
		d, report := m.Draft(t.Context(), s, r, bytes.NewReader(data), memory.DraftOptions{Model: model})
		if d == nil {
			t.Fatal(report.Err)
		}
		if r, _, err = m.Judge(s, r, d, bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	const backoff = "Use exponential backoff over a fixed delay in pkg/part1/model.go"
	drafted := func(r *memory.Result) []string {
		var out []string
		for i := range r.State.Decisions {
			if r.State.Decisions[i].Drafted {
				out = append(out, r.State.Decisions[i].Decision)
			}
		}
		return out
	}
	first := compact(talk(0, 4), nil, draft(backoff))
	if got := drafted(first); !slices.Equal(got, []string{backoff}) {
		t.Fatalf("the first draft gives %q", got)
	}
	asked := draft(backoff)
	second := compact(talk(4, 8), first.State, asked)
	if got := drafted(second); !slices.Equal(got, []string{backoff}) {
		t.Errorf("the second draft, which repeats it, gives %q", got)
	}
	if !strings.Contains(asked.asked[0].Prompt, backoff) {
		t.Error("the model is not told what the earlier draft said")
	}
	carried := compact(talk(8, 12), second.State, nil)
	if got := drafted(carried); !slices.Equal(got, []string{backoff}) || carried.State.Checkpoint.Compactor == "" {
		t.Errorf("without a model, %q is carried (%q)", got, carried.State.Checkpoint.Compactor)
	}
	gone := compact(talk(8, 12), second.State, draft())
	if got := drafted(gone); len(got) != 0 {
		t.Errorf("a draft that drops it gives %q", got)
	}
}
