package anthropic

import (
	"bytes"
	"encoding/json"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/pith-memory/pith/jsonscan"
)

// The SDK reads what belongs to tools into maps, and every number in them into
// a float64. These functions put the bytes themselves where a number would come
// out as another one; what comes out the same stays a map.

// kept is a value, or its bytes where the value would be written differently.
func kept(value any, raw []byte) any {
	written, err := json.Marshal(value)
	if err != nil || raw == nil {
		return value
	}
	a, errA := parse(raw)
	b, errB := parse(written)
	if errA != nil || errB != nil || differ(a, b, nil, "", true) == nil {
		return value
	}
	return json.RawMessage(bytes.Clone(raw))
}

// keepFields does so for the values of a map.
func keepFields(fields map[string]any, raw []byte) {
	for key, value := range fields {
		fields[key] = kept(value, member(raw, key))
	}
}

func keepSchema(t *sdk.ToolUnionParam, raw []byte) {
	if t.OfTool == nil {
		return
	}
	schema := member(raw, "input_schema")
	s := &t.OfTool.InputSchema
	s.Properties = kept(s.Properties, member(schema, "properties"))
	keepFields(s.ExtraFields, schema)
}

func keepBetaSchema(t *sdk.BetaToolUnionParam, raw []byte) {
	if t.OfTool == nil {
		return
	}
	schema := member(raw, "input_schema")
	s := &t.OfTool.InputSchema
	s.Properties = kept(s.Properties, member(schema, "properties"))
	keepFields(s.ExtraFields, schema)
}

func keepInputs(m *sdk.MessageParam, raw []byte) {
	if m.OfAssistant == nil {
		return
	}
	inputs := inputsIn(raw, len(m.OfAssistant.Content))
	for i, input := range inputs {
		switch block := &m.OfAssistant.Content[i]; {
		case block.OfToolUse != nil:
			block.OfToolUse.Input = kept(block.OfToolUse.Input, input)
		case block.OfServerToolUse != nil:
			block.OfServerToolUse.Input = kept(block.OfServerToolUse.Input, input)
		}
	}
}

func keepBetaInputs(m *sdk.BetaMessageParam, raw []byte) {
	if m.OfAssistant == nil {
		return
	}
	inputs := inputsIn(raw, len(m.OfAssistant.Content))
	for i, input := range inputs {
		switch block := &m.OfAssistant.Content[i]; {
		case block.OfToolUse != nil:
			block.OfToolUse.Input = kept(block.OfToolUse.Input, input)
		case block.OfServerToolUse != nil:
			block.OfServerToolUse.Input = kept(block.OfServerToolUse.Input, input)
		case block.OfMCPToolUse != nil:
			block.OfMCPToolUse.Input = kept(block.OfMCPToolUse.Input, input)
		}
	}
}

// inputsIn is the input of each block of a message, nil for a block without;
// nothing where there are not n blocks, because some were lost.
func inputsIn(message []byte, n int) [][]byte {
	content, ok := jsonscan.Find(message, "content")
	if !ok || content.Peek() != '[' || !content.Array() {
		return nil
	}
	inputs := make([][]byte, 0, n)
	for content.More() {
		inputs = append(inputs, member(content.Value(), "input"))
	}
	if len(inputs) != n {
		return nil
	}
	return inputs
}

// withoutEmptyResults takes the content out of tool results that are "": the
// SDK would make a text block of it, and the API refuses one without text.
func withoutEmptyResults(message []byte) []byte {
	content, ok := jsonscan.Find(message, "content")
	if !ok || content.Peek() != '[' || !content.Array() {
		return message
	}
	var out []byte
	done := 0
	for content.More() {
		block := content.Value()
		if kind, _ := jsonscan.Find(block, "type"); kind.String() != "tool_result" {
			continue
		}
		start, end, ok := jsonscan.Member(block, "content")
		if !ok || string(block[start:end]) != `""` {
			continue
		}
		at := content.Pos() - len(block) // null is how a field is left out
		out = append(append(out, message[done:at+start]...), "null"...)
		done = at + end
	}
	if done == 0 {
		return message
	}
	return append(out, message[done:]...)
}
