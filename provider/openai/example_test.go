package openai_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/provider/openai"
	"github.com/pith-memory/pith/restore"
)

// A local server, as Ollama or vLLM are, needs a base URL and no key.
func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Method, r.URL.Path)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()

	model, err := openai.New(openai.Options{Model: "qwen3:8b", BaseURL: server.URL + "/v1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := model.Complete(context.Background(), compactor.Request{Prompt: "Say hello."})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model, "says", answer.Text)
	// Output:
	// POST /v1/chat/completions
	// openai/qwen3:8b says Hello.
}

// A history in the types of the SDK's chat completions is compacted, and comes
// back in the same types.
func ExampleFromChat() {
	history := openai.ChatHistory{Model: "gpt-4.1", Messages: []sdk.ChatCompletionMessageParamUnion{
		sdk.SystemMessage("You are a coding agent."),
		sdk.UserMessage("Make the tests of the billing package pass. Never edit testdata/golden."),
	}}
	for i := range 40 {
		id := fmt.Sprintf("call_%d", i)
		history.Messages = append(history.Messages,
			sdk.ChatCompletionMessageParamUnion{OfAssistant: &sdk.ChatCompletionAssistantMessageParam{
				ToolCalls: []sdk.ChatCompletionMessageToolCallUnionParam{{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
					ID:       id,
					Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: "read", Arguments: fmt.Sprintf(`{"path":"billing/part%d.go"}`, i)},
				}}},
			}},
			sdk.ToolMessage(strings.Repeat("a line of the file that was read\n", 40), id))
	}

	conversation, err := openai.FromChat(history)
	if err != nil {
		fmt.Println(err)
		return
	}
	short, err := compact(conversation)
	if err != nil {
		fmt.Println(err)
		return
	}
	after, err := openai.ToChat(short)
	if err != nil {
		fmt.Println(err)
		return
	}

	fmt.Println("fewer messages:", len(after.Messages) < len(history.Messages)/2)
	fmt.Println("first:", after.Messages[0].OfSystem.Content.OfString.Value)
	fmt.Println("the rule is there:", strings.Contains(string(short.Messages[1].Raw), "Never edit testdata/golden"))
	n := len(after.Messages)
	fmt.Println("last call and result:", after.Messages[n-2].OfAssistant.ToolCalls[0].OfFunction.ID, after.Messages[n-1].OfTool.ToolCallID)
	// Output:
	// fewer messages: true
	// first: You are a coding agent.
	// the rule is there: true
	// last call and result: call_39 call_39
}

// The same with the items of the responses API. What the compaction adds to the
// system prompt is in the instructions.
func ExampleFromItems() {
	history := openai.ItemHistory{Model: "gpt-4.1", Instructions: "You are a coding agent.", Items: []responses.ResponseInputItemUnionParam{
		responses.ResponseInputItemParamOfMessage("Make the tests of the billing package pass. Never edit testdata/golden.", responses.EasyInputMessageRoleUser),
	}}
	for i := range 40 {
		id := fmt.Sprintf("call_%d", i)
		output := responses.ResponseInputItemParamOfFunctionCallOutput(strings.Repeat("a line of the file that was read\n", 40))
		output.OfFunctionCallOutput.CallID = sdk.String(id)
		history.Items = append(history.Items,
			responses.ResponseInputItemParamOfFunctionCall(fmt.Sprintf(`{"path":"billing/part%d.go"}`, i), id, "read"), output)
	}

	conversation, err := openai.FromItems(history)
	if err != nil {
		fmt.Println(err)
		return
	}
	short, err := compact(conversation)
	if err != nil {
		fmt.Println(err)
		return
	}
	after, err := openai.ToItems(short)
	if err != nil {
		fmt.Println(err)
		return
	}

	fmt.Println("fewer items:", len(after.Items) < len(history.Items)/2)
	fmt.Println("the rule is there:", strings.Contains(after.Instructions, "Never edit testdata/golden"))
	fmt.Println("last:", after.Items[len(after.Items)-1].OfFunctionCallOutput.CallID.Value)
	// Output:
	// fewer items: true
	// the rule is there: true
	// last: call_39
}

// compact makes the conversation to send next out of the one so far.
func compact(c pith.Conversation) (pith.Conversation, error) {
	m := memory.New(memory.Config{Budget: 2000})
	session, err := m.Read(bytes.NewReader(c.Raw), memory.ReadOptions{Name: "history", KeepLive: true})
	if err != nil {
		return c, err
	}
	result, err := m.Compact(session, pith.ReasonManual)
	if err != nil {
		return c, err
	}
	applied, err := m.Apply(session.Conversation(), result, restore.ApplyOptions{KeepTokens: 2000})
	return applied.Conversation, err
}
