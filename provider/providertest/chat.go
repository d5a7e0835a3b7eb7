package providertest

import (
	"fmt"
	"strings"

	"github.com/pith-memory/pith/compactor"
)

// created is the time of every answer: the server knows no clock. Units: seconds since 1970.
const created = 1767225600

func chatStop(s compactor.Stop) string {
	switch s {
	case compactor.StopMaxTokens:
		return "length"
	case compactor.StopToolUse:
		return "tool_calls"
	}
	return "stop" // a refusal has a field of its own
}

func chatUsage(r *reply) string {
	prompt := r.usage.Input + r.usage.CacheRead + r.usage.CacheWrite
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}`,
		prompt, r.usage.Output, prompt+r.usage.Output, r.usage.CacheRead)
}

func chatBody(r *reply) string {
	content, refusal := "null", "null"
	if r.Text != "" || len(r.Calls) == 0 && r.Refusal == "" {
		content = quote(r.Text)
	}
	if r.stop() == compactor.StopRefusal {
		refusal = quote(refusalText(r))
	}
	message := fmt.Sprintf(`{"role":"assistant","content":%s,"refusal":%s`, content, refusal)
	if r.Thinking != "" {
		message += `,"reasoning_content":` + quote(r.Thinking)
	}
	if len(r.Calls) > 0 {
		calls := make([]string, len(r.Calls))
		for i, c := range r.Calls {
			calls[i] = fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, c.ID, c.Name, quote(string(c.Input)))
		}
		message += `,"tool_calls":[` + strings.Join(calls, ",") + "]"
	}
	return fmt.Sprintf(`{"id":%q,"object":"chat.completion","created":%d,"model":%s,"choices":[{"index":0,"message":%s},"logprobs":null,"finish_reason":%q}],"usage":%s,"system_fingerprint":null}`,
		r.itemID("chatcmpl", 0), created, quote(r.model), message, chatStop(r.stop()), chatUsage(r))
}

// refusalText is what the model says when it refuses.
func refusalText(r *reply) string {
	if r.Refusal != "" {
		return r.Refusal
	}
	return "I'm sorry, but I can't assist with that request."
}

func chatEvents(r *reply) []event {
	var out []event
	add := func(choices, usage string) {
		data := fmt.Sprintf(`{"id":%q,"object":"chat.completion.chunk","created":%d,"model":%s,"system_fingerprint":null,"choices":[%s]`,
			r.itemID("chatcmpl", 0), created, quote(r.model), choices)
		if r.usageChunk {
			data += `,"usage":` + usage
		}
		out = append(out, event{data: data + "}"})
	}
	delta := func(d, stop string) {
		add(fmt.Sprintf(`{"index":0,"delta":{%s},"logprobs":null,"finish_reason":%s}`, d, stop), "null")
	}
	texts := func(key, text string) {
		for _, piece := range pieces(text) {
			delta(fmt.Sprintf(`%q:%s`, key, quote(piece)), "null")
		}
	}
	delta(`"role":"assistant","content":"","refusal":null`, "null")
	texts("reasoning_content", r.Thinking)
	texts("content", r.Text)
	if r.stop() == compactor.StopRefusal {
		texts("refusal", refusalText(r))
	}
	for i, c := range r.Calls {
		delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]`, i, c.ID, c.Name), "null")
		for _, piece := range pieces(string(c.Input)) {
			delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":%s}}]`, i, quote(piece)), "null")
		}
	}
	delta("", fmt.Sprintf("%q", chatStop(r.stop())))
	if r.usageChunk {
		add("", chatUsage(r))
	}
	return append(out, event{data: "[DONE]"})
}

// openAIError is the body of an error in both formats of OpenAI.
func openAIError(p *problem) string {
	return fmt.Sprintf(`{"error":{"message":%s,"type":%q,"param":%s,"code":%s}}`, quote(p.message), p.kind, orNull(p.param), orNull(p.code))
}

func orNull(s string) string {
	if s == "" {
		return "null"
	}
	return quote(s)
}
