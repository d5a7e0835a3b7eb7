package providertest

import (
	"fmt"
	"strings"

	"github.com/pith-memory/pith/compactor"
)

// anthropicBlock is a content block of an answer: as it is in a whole answer,
// as it begins in a stream, and the deltas that fill it.
type anthropicBlock struct {
	whole, start string
	deltas       []string
}

func anthropicBlocks(r *reply) []anthropicBlock {
	var out []anthropicBlock
	if r.Thinking != "" {
		b := anthropicBlock{
			whole:  fmt.Sprintf(`{"type":"thinking","thinking":%s,"signature":%q}`, quote(r.Thinking), r.signature),
			start:  `{"type":"thinking","thinking":"","signature":""}`,
			deltas: anthropicDeltas("thinking_delta", "thinking", r.Thinking),
		}
		b.deltas = append(b.deltas, fmt.Sprintf(`{"type":"signature_delta","signature":%q}`, r.signature))
		out = append(out, b)
	}
	if r.Server != nil {
		out = append(out, anthropicSearch(r)...)
	}
	for _, text := range []string{r.Text, r.Refusal} {
		if text != "" {
			out = append(out, anthropicBlock{
				whole:  fmt.Sprintf(`{"type":"text","text":%s}`, quote(text)),
				start:  `{"type":"text","text":""}`,
				deltas: anthropicDeltas("text_delta", "text", text),
			})
		}
	}
	for _, c := range r.Calls {
		head := fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":`, c.ID, c.Name)
		b := anthropicBlock{whole: head + string(c.Input) + "}", start: head + "{}}"}
		b.deltas = append(b.deltas, `{"type":"input_json_delta","partial_json":""}`)
		b.deltas = append(b.deltas, anthropicDeltas("input_json_delta", "partial_json", string(c.Input))...)
		out = append(out, b)
	}
	return out
}

func anthropicSearch(r *reply) []anthropicBlock {
	id := r.itemID("srvtoolu", 0)
	input := fmt.Sprintf(`{"query":%s}`, quote(r.Server.Query))
	head := fmt.Sprintf(`{"type":"server_tool_use","id":%q,"name":"web_search","input":`, id)
	result := fmt.Sprintf(`{"type":"web_search_tool_result","tool_use_id":%q,"content":[{"type":"web_search_result","title":%s,"url":%s,"encrypted_content":%q,"page_age":null}]}`,
		id, quote(r.Server.Title), quote(r.Server.URL), sign(r.Server.URL, ""))
	return []anthropicBlock{
		{whole: head + input + "}", start: head + "{}}", deltas: anthropicDeltas("input_json_delta", "partial_json", input)},
		{whole: result, start: result},
	}
}

func anthropicDeltas(kind, key, text string) []string {
	var out []string
	for _, piece := range pieces(text) {
		out = append(out, fmt.Sprintf(`{"type":%q,%q:%s}`, kind, key, quote(piece)))
	}
	return out
}

func anthropicStop(s compactor.Stop) string {
	switch s {
	case compactor.StopMaxTokens:
		return "max_tokens"
	case compactor.StopToolUse:
		return "tool_use"
	case compactor.StopRefusal:
		return "refusal"
	case compactor.StopPause:
		return "pause_turn"
	}
	return "end_turn"
}

func anthropicUsage(r *reply, output int) string {
	return fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,"service_tier":"standard"}`,
		r.usage.Input, r.usage.CacheWrite, r.usage.CacheRead, output)
}

func anthropicBody(r *reply) string {
	var blocks []string
	for _, b := range anthropicBlocks(r) {
		blocks = append(blocks, b.whole)
	}
	return fmt.Sprintf(`{"id":%q,"type":"message","role":"assistant","model":%s,"content":[%s],"stop_reason":%q,"stop_sequence":null,"usage":%s}`,
		r.itemID("msg", 0), quote(r.model), strings.Join(blocks, ","), anthropicStop(r.stop()), anthropicUsage(r, r.usage.Output))
}

func anthropicEvents(r *reply) []event {
	var out []event
	add := func(name, data string) { out = append(out, event{name, data}) }
	add("message_start", fmt.Sprintf(`{"type":"message_start","message":{"id":%q,"type":"message","role":"assistant","model":%s,"content":[],"stop_reason":null,"stop_sequence":null,"usage":%s}}`,
		r.itemID("msg", 0), quote(r.model), anthropicUsage(r, 1)))
	for i, b := range anthropicBlocks(r) {
		add("content_block_start", fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, b.start))
		if i == 0 {
			add("ping", `{"type": "ping"}`)
		}
		for _, d := range b.deltas {
			add("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, d))
		}
		add("content_block_stop", fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i))
	}
	add("message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":%d}}`,
		anthropicStop(r.stop()), r.usage.Output))
	add("message_stop", `{"type":"message_stop"}`)
	return out
}

func anthropicError(p *problem, n int) string {
	return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%s},"request_id":"req_%06d"}`, p.kind, quote(p.message), n)
}
