package anthropic_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/anthropic"
	"github.com/pith-memory/pith/provider/providertest"
	"github.com/pith-memory/pith/wire"
)

// An answer is the same whether it is streamed or not.
func TestAnswersOfTheScriptedServer(t *testing.T) {
	for name, answer := range map[string]providertest.Answer{
		"text":        providertest.Say("Grüße, 世界 😀!"),
		"thinking":    {Thinking: "hm", Text: "Yes."},
		"calls":       {Text: "I look.", Calls: []providertest.Call{{ID: "toolu_1", Name: "read", Input: json.RawMessage(`{"n":1.10}`)}, {ID: "toolu_2", Name: "bash"}}},
		"cut":         {Text: "It was c", Stop: compactor.StopMaxTokens},
		"refusal":     {Refusal: "No."},
		"own tool":    {Server: &providertest.ServerCall{Query: "q", Title: "t", URL: "https://example.com"}, Text: "Found."},
		"empty":       {},
		"only a call": providertest.Use("read", `{"path":"a"}`),
	} {
		t.Run(name, func(t *testing.T) {
			s := providertest.New(t, providertest.Options{Key: key, Script: func(*providertest.Request) providertest.Answer { return answer }})
			m := newModel(t, anthropic.Options{BaseURL: s.BaseURL(pith.FormatAnthropic)})
			var answers [2]compactor.Response
			for i, stream := range []bool{true, false} {
				body, err := wire.NewRequest(pith.FormatAnthropic, wire.RequestParts{
					Model: "claude-haiku-4-5", MaxTokens: 100, Stream: stream, Tools: []wire.Tool{{Name: "read"}, {Name: "bash"}},
					Messages: []json.RawMessage{wire.UserMessage(pith.FormatAnthropic, "Go.")},
				})
				if err != nil {
					t.Fatal(err)
				}
				var said strings.Builder
				answers[i], err = m.Complete(t.Context(), compactor.Request{Body: body, OnText: func(piece string) { said.WriteString(piece) }})
				if err != nil {
					t.Fatal(err, s.Problems())
				}
				if said.String() != answers[i].Text || answers[i].ID == "" || answers[i].Usage.Input == 0 {
					t.Errorf("%q was said; the answer is %+v", said.String(), answers[i])
				}
				answers[i].ID = ""
				if name == "only a call" { // the server makes its id anew
					answers[i].Messages = nil
				}
			}
			if !reflect.DeepEqual(normal(answers[0]), normal(answers[1])) {
				t.Errorf("streamed\n%s\nwhole\n%s", asJSON(answers[0]), asJSON(answers[1]))
			}
		})
	}
}

// normal takes out what the scripted server makes anew for each request.
func normal(r compactor.Response) string {
	text := asJSON(r)
	for _, name := range []string{"signature", "id", "tool_use_id", "encrypted_content"} {
		parts := strings.Split(text, `"`+name+`":"`)
		for i := 1; i < len(parts); i++ {
			_, parts[i], _ = strings.Cut(parts[i], `"`)
		}
		text = strings.Join(parts, `"`+name+`":`)
	}
	return text
}

// Turns of an agent, whose history goes through the SDK's types each time: the
// server holds thinking to everything that was before it.
func TestTurnsThroughParams(t *testing.T) {
	s := providertest.New(t, providertest.Options{Key: key, Strict: true, PreservedThinking: true, Script: func(r *providertest.Request) providertest.Answer {
		if r.N < 4 {
			return providertest.Answer{Thinking: "step by step", Calls: []providertest.Call{{Name: "read", Input: json.RawMessage(`{"at":12345678901234567890}`)}}}
		}
		return providertest.Say("Done.")
	}})
	m := newModel(t, anthropic.Options{BaseURL: s.BaseURL(pith.FormatAnthropic)})
	body, err := wire.NewRequest(pith.FormatAnthropic, wire.RequestParts{
		Model: "claude-haiku-4-5", System: "Be brief.", MaxTokens: 100, Stream: true, Tools: []wire.Tool{{Name: "read"}},
		Messages: []json.RawMessage{wire.UserMessage(pith.FormatAnthropic, "Go.")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		answer, err := m.Complete(t.Context(), compactor.Request{Body: body})
		if err != nil {
			t.Fatal(err, s.Problems())
		}
		if answer.Stop != compactor.StopToolUse {
			if answer.Text != "Done." {
				t.Errorf("the answer is %+v", answer)
			}
			return
		}
		added := answer.Messages
		reply, err := wire.DecodeAs(pith.FormatAnthropic, []byte(`{"messages":[`+string(added[0])+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range reply.Messages[0].Blocks {
			if b.Kind == pith.KindToolUse {
				added = append(added, wire.ToolResults(pith.FormatAnthropic, []wire.ToolResult{{ID: b.ToolUseID, Text: "ok"}})...)
			}
		}
		if body, err = wire.Append(pith.FormatAnthropic, body, added...); err != nil {
			t.Fatal(err)
		}
		_, _, messages, err := anthropic.ToParams(conversation(t, string(body)))
		if err != nil {
			t.Fatal(err)
		}
		there, err := anthropic.FromParams(nil, nil, messages)
		if err != nil {
			t.Fatal(err)
		}
		c := conversation(t, string(body))
		c.Messages = there.Messages
		if body, err = wire.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("it never ended")
}

func TestFailuresOfTheScriptedServer(t *testing.T) {
	for _, f := range providertest.Failures() {
		if !f.Transport || f.Waits {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			s := providertest.New(t, providertest.Options{Script: f.Answer})
			m := newModel(t, anthropic.Options{BaseURL: s.BaseURL(pith.FormatAnthropic), MaxRetries: -1})
			_, err := m.Complete(t.Context(), compactor.Request{Prompt: "Go."})
			failure := compactor.FailureOf(err)
			if failure == nil || failure.Attempts != 1 || failure.Detail == "" {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
