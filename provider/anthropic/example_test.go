package anthropic_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/provider/anthropic"
	"github.com/pith-memory/pith/restore"
)

// longHistory is a session in the SDK's own types, as an agent's loop holds it.
func longHistory() []sdk.MessageParam {
	history := []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock("Fix the rounding in invoice.go. Never touch the ledger package."))}
	for i := range 12 {
		id := fmt.Sprintf("toolu_%02d", i)
		history = append(history,
			sdk.NewAssistantMessage(sdk.NewToolUseBlock(id, map[string]any{"path": fmt.Sprintf("invoice/part%d.go", i)}, "Read")),
			sdk.NewUserMessage(sdk.NewToolResultBlock(id, strings.Repeat("func round(cents int64) int64 { return cents }\n", 80), false)))
	}
	return append(history,
		sdk.NewAssistantMessage(sdk.NewTextBlock("The rounding is in part7.go. Shall I change it?")),
		sdk.NewUserMessage(sdk.NewTextBlock("Yes, please.")))
}

// A history in the SDK's types is compacted and goes on in the SDK's types.
func ExampleFromParams() {
	system := []sdk.TextBlockParam{{Text: "You are a careful programmer."}}
	history := longHistory()

	conversation, err := anthropic.FromParams(system, nil, history)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := memory.New(memory.Config{Window: 200_000})
	session, err := m.Read(bytes.NewReader(conversation.Raw), memory.ReadOptions{Format: pith.FormatAnthropic, KeepLive: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := m.Compact(session, pith.ReasonManual)
	if err != nil {
		fmt.Println(err)
		return
	}
	applied, err := m.Apply(session.Conversation(), result, restore.ApplyOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	system, _, history, err = anthropic.ToParams(applied.Conversation)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("blocks of the system prompt:", len(system))
	fmt.Println("the rule is in it:", strings.Contains(system[len(system)-1].Text, "Never touch the ledger package."))
	fmt.Println("fewer messages:", len(history) < len(longHistory()))
	last := history[len(history)-1].OfUser.Content
	fmt.Println("it goes on from:", last[len(last)-1].OfText.Text)
	// Output:
	// blocks of the system prompt: 2
	// the rule is in it: true
	// fewer messages: true
	// it goes on from: Yes, please.
}

// A model is asked, and its answer comes as it arrives.
func ExampleModel_Complete() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeSSE(w, sse(-1)) }))
	defer server.Close()

	model, err := anthropic.New(anthropic.Options{Model: "claude-haiku-4-5", Key: "the key", BaseURL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := model.Complete(context.Background(), compactor.Request{
		Prompt: "Greet me.",
		OnText: func(piece string) { fmt.Printf("%q ", piece) },
	})
	if failure := compactor.FailureOf(err); failure != nil {
		fmt.Println(failure.Kind, failure.Passing())
		return
	}
	fmt.Printf("%q %d tokens\n", answer.Text, answer.Usage.Output)
	// Output:
	// "Good " "day." "Good day." 4 tokens
}
