package main

import (
	"context"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/adk/middlewares/reduction"
	"github.com/cloudwego/eino/adk/middlewares/summarization"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// setup is a middleware and how it is configured.
type setup struct {
	of           string
	wantsSummary bool
	make         func(context.Context, *recorded) (adk.ChatModelAgentMiddleware, error)
}

// setups differ from eino's defaults in when they begin: at once, since the
// cut is given. The truncation of single results is off, which the clients'
// own tools have done already, and what is cleared goes nowhere: files that could
// be read again count for no candidate.
var setups = []setup{
	{"eino summarization", true, func(ctx context.Context, m *recorded) (adk.ChatModelAgentMiddleware, error) {
		return summarization.New(ctx, &summarization.Config{
			Model:              m,
			Trigger:            &summarization.TriggerCondition{ContextTokens: 1},
			TranscriptFilePath: "session.jsonl",
		})
	}},
	{"eino reduction", false, clearing(0)},
	{"eino reduction, 10 rounds", false, clearing(10)},
}

func clearing(rounds int) func(context.Context, *recorded) (adk.ChatModelAgentMiddleware, error) {
	return func(ctx context.Context, _ *recorded) (adk.ChatModelAgentMiddleware, error) {
		return reduction.New(ctx, &reduction.Config{
			SkipTruncation:            true,
			MaxTokensForClear:         1,
			ClearRetentionSuffixLimit: rounds,
		})
	}
}

// recorded answers as the summarizing model would have: with the summary that
// another model really wrote of this history, and with the section that eino's
// instruction asks for and then fills with the user's messages itself.
type recorded struct {
	summary string
	shown   int
}

const userMessages = "\n\n<all_user_messages>\n</all_user_messages>"

func (r *recorded) Generate(_ context.Context, input []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	// The first message is the instruction's, the last one asks for the summary.
	for _, m := range input[1 : len(input)-1] {
		r.shown += len(m.Content)
		for _, c := range m.ToolCalls {
			r.shown += len(c.Function.Arguments)
		}
	}
	return schema.AssistantMessage(r.summary+userMessages, nil), nil
}

func (r *recorded) Stream(ctx context.Context, input []*schema.Message, o ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	m, err := r.Generate(ctx, input, o...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{m}), nil
}
