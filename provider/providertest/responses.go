package providertest

import (
	"fmt"
	"strings"

	"github.com/pith-memory/pith/compactor"
)

// responseItem is an output item: whole, as it begins, and the events between
// its added and its done. The events lack their number, item and index.
type responseItem struct {
	id, whole, start string
	events           []event
}

func responseItems(r *reply) []responseItem {
	var out []responseItem
	if r.Thinking != "" {
		out = append(out, reasoningItem(r))
	}
	if r.Server != nil {
		id := r.itemID("ws", 0)
		body := fmt.Sprintf(`"action":{"type":"search","query":%s,"sources":[{"type":"url","url":%s}]}}`, quote(r.Server.Query), quote(r.Server.URL))
		head := fmt.Sprintf(`{"id":%q,"type":"web_search_call","status":`, id)
		it := responseItem{id: id, whole: head + `"completed",` + body, start: head + `"in_progress"}`}
		for _, step := range []string{"in_progress", "searching", "completed"} {
			it.events = append(it.events, event{"response.web_search_call." + step, ""})
		}
		out = append(out, it)
	}
	if r.Text != "" || r.stop() == compactor.StopRefusal {
		out = append(out, messageItem(r))
	}
	if r.Compaction != "" {
		id := r.itemID("cmp", 0)
		whole := fmt.Sprintf(`{"id":%q,"type":"compaction","encrypted_content":%s}`, id, quote(r.Compaction))
		out = append(out, responseItem{id: id, whole: whole, start: whole})
	}
	for i, c := range r.Calls {
		if c.Text != "" {
			out = append(out, customItem(r, i))
			continue
		}
		id := r.itemID("fc", i)
		item := func(status, arguments string) string {
			return fmt.Sprintf(`{"id":%q,"type":"function_call","status":%q,"arguments":%s,"call_id":%q,"name":%q%s}`, id, status, quote(arguments), c.ID, c.Name, inNamespace(c))
		}
		it := responseItem{id: id, whole: item("completed", string(c.Input)), start: item("in_progress", "")}
		for _, piece := range pieces(string(c.Input)) {
			it.events = append(it.events, event{"response.function_call_arguments.delta", `"delta":` + quote(piece)})
		}
		it.events = append(it.events, event{"response.function_call_arguments.done", `"arguments":` + quote(string(c.Input))})
		out = append(out, it)
	}
	return out
}

func inNamespace(c Call) string {
	if c.Namespace == "" {
		return ""
	}
	return fmt.Sprintf(`,"namespace":%q`, c.Namespace)
}

// customItem is the call of a tool whose input is a text.
func customItem(r *reply, i int) responseItem {
	c, id := r.Calls[i], r.itemID("ctc", i)
	item := func(status, input string) string {
		return fmt.Sprintf(`{"id":%q,"type":"custom_tool_call","status":%q,"call_id":%q,"name":%q,"input":%s}`, id, status, c.ID, c.Name, quote(input))
	}
	it := responseItem{id: id, whole: item("completed", c.Text), start: item("in_progress", "")}
	for _, piece := range pieces(c.Text) {
		it.events = append(it.events, event{"response.custom_tool_call_input.delta", `"delta":` + quote(piece)})
	}
	it.events = append(it.events, event{"response.custom_tool_call_input.done", `"input":` + quote(c.Text)})
	return it
}

func reasoningItem(r *reply) responseItem {
	id := r.itemID("rs", 0)
	part := fmt.Sprintf(`{"type":"summary_text","text":%s}`, quote(r.Thinking))
	it := responseItem{
		id:    id,
		whole: fmt.Sprintf(`{"id":%q,"type":"reasoning","summary":[%s],"encrypted_content":%q}`, id, part, encrypted(id)),
		// The content that a started item shows is not the one to keep.
		start:  fmt.Sprintf(`{"id":%q,"type":"reasoning","summary":[],"encrypted_content":%q}`, id, encrypted("begin"+id)),
		events: []event{{"response.reasoning_summary_part.added", `"summary_index":0,"part":{"type":"summary_text","text":""}`}},
	}
	for _, piece := range pieces(r.Thinking) {
		it.events = append(it.events, event{"response.reasoning_summary_text.delta", `"summary_index":0,"delta":` + quote(piece)})
	}
	it.events = append(it.events,
		event{"response.reasoning_summary_text.done", `"summary_index":0,"text":` + quote(r.Thinking)},
		event{"response.reasoning_summary_part.done", `"summary_index":0,"part":` + part})
	return it
}

func messageItem(r *reply) responseItem {
	id, name, key, text := r.itemID("msg", 0), "output_text", "text", r.Text
	extra := `,"annotations":[],"logprobs":[]`
	if r.stop() == compactor.StopRefusal {
		name, key, text, extra = "refusal", "refusal", refusalText(r), ""
	}
	part := func(text string) string { return fmt.Sprintf(`{"type":%q,%q:%s%s}`, name, key, quote(text), extra) }
	item := func(status, content string) string {
		return fmt.Sprintf(`{"id":%q,"type":"message","status":%q,"content":[%s],"role":"assistant"}`, id, status, content)
	}
	status := "completed"
	if r.stop() == compactor.StopMaxTokens {
		status = "incomplete"
	}
	it := responseItem{id: id, whole: item(status, part(text)), start: item("in_progress", "")}
	it.events = []event{{"response.content_part.added", `"content_index":0,"part":` + part("")}}
	for _, piece := range pieces(text) {
		it.events = append(it.events, event{"response." + name + ".delta", `"content_index":0,"delta":` + quote(piece)})
	}
	it.events = append(it.events,
		event{"response." + name + ".done", fmt.Sprintf(`"content_index":0,%q:%s`, key, quote(text))},
		event{"response.content_part.done", `"content_index":0,"part":` + part(text)})
	return it
}

// responseBody is the response object; a status of "" goes by the answer.
func responseBody(r *reply, status, failure string) string {
	var items []string
	details, usage := "null", "null"
	if status == "" {
		status = "completed"
		if r.stop() == compactor.StopMaxTokens {
			status, details = "incomplete", `{"reason":"max_output_tokens"}`
		}
		for _, it := range responseItems(r) {
			items = append(items, it.whole)
		}
		input := r.usage.Input + r.usage.CacheRead + r.usage.CacheWrite
		usage = fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":%d}`,
			input, r.usage.CacheRead, r.usage.Output, input+r.usage.Output)
	}
	return fmt.Sprintf(`{"id":%q,"object":"response","created_at":%d,"status":%q,"error":%s,"incomplete_details":%s,"model":%s,"output":[%s],"parallel_tool_calls":true,"store":false,"usage":%s}`,
		r.itemID("resp", 0), created, status, failure, details, quote(r.model), strings.Join(items, ","), usage)
}

func responseEvents(r *reply) []event {
	var out []event
	add := func(name, fields string) {
		out = append(out, event{name, fmt.Sprintf(`{"type":%q,"sequence_number":%d,%s}`, name, len(out), fields)})
	}
	add("response.created", `"response":`+responseBody(r, "in_progress", "null"))
	add("response.in_progress", `"response":`+responseBody(r, "in_progress", "null"))
	for i, it := range responseItems(r) {
		add("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, i, it.start))
		for _, e := range it.events {
			fields := fmt.Sprintf(`"item_id":%q,"output_index":%d`, it.id, i)
			if e.data != "" {
				fields += "," + e.data
			}
			add(e.name, fields)
		}
		add("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, i, it.whole))
	}
	last := "response.completed"
	if r.stop() == compactor.StopMaxTokens {
		last = "response.incomplete"
	}
	add(last, `"response":`+responseBody(r, "", "null"))
	return out
}
