package providertest

import (
	"encoding/json"
	"slices"
	"strings"
)

// turn is the blocks of messages of one role that follow one another: the API
// reads them as one message.
type turn struct {
	role  string
	at    int // the first message
	parts []part
}

func (r *anthropicRequest) turns() []turn {
	var out []turn
	for i := range r.Messages {
		m := &r.Messages[i]
		if n := len(out); n > 0 && out[n-1].role == m.Role {
			out[n-1].parts = append(out[n-1].parts[:len(out[n-1].parts):len(out[n-1].parts)], m.parts...)
			continue
		}
		out = append(out, turn{m.Role, i, m.parts})
	}
	return out
}

// pairs holds that the results of a turn's calls, all of them and no others,
// open the next turn.
func (r *anthropicRequest) pairs(strict bool) *problem {
	var open []string
	at := 0
	ever := map[string]bool{}
	for _, t := range r.turns() {
		if t.role == "assistant" {
			open, at = nil, t.at
			for _, b := range t.parts {
				if b.Type != "tool_use" {
					continue
				}
				if slices.Contains(open, b.ID) || strict && ever[b.ID] {
					return invalid("tool ids", "", "messages.%d: `tool_use` ids must be unique", t.at)
				}
				ever[b.ID] = true
				open = append(open, b.ID)
			}
			continue
		}
		if p := results(t, open, at); p != nil {
			return p
		}
		open = nil
	}
	if len(open) > 0 {
		return unanswered(at, open)
	}
	return nil
}

func results(t turn, calls []string, callsAt int) *problem {
	got := map[string]bool{}
	other := false
	for j, b := range t.parts {
		if b.Type != "tool_result" {
			other = true
			continue
		}
		switch {
		case !slices.Contains(calls, b.ToolUseID):
			return invalid("pairs", "", "messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", t.at, j, b.ToolUseID)
		case got[b.ToolUseID]:
			return invalid("pairs", "", "messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", t.at, j, b.ToolUseID)
		case other:
			return unanswered(callsAt, []string{b.ToolUseID})
		}
		got[b.ToolUseID] = true
	}
	var missing []string
	for _, id := range calls {
		if !got[id] {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return unanswered(callsAt, missing)
	}
	return nil
}

func unanswered(at int, ids []string) *problem {
	return invalid("pairs", "", "messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", at, strings.Join(ids, ", "))
}

// serverPairs holds that a call of the provider's own tools has its result
// behind it in the same turn. The last turn may have been paused before it.
func (r *anthropicRequest) serverPairs() *problem {
	turns := r.turns()
	for i, t := range turns {
		open := map[string]string{}
		var order []string
		for j, b := range t.parts {
			switch {
			case b.Type == "server_tool_use" || b.Type == "mcp_tool_use":
				open[b.ID] = b.Name
				order = append(order, b.ID)
			case b.Type != "tool_result" && strings.HasSuffix(b.Type, "_tool_result"):
				if _, ok := open[b.ToolUseID]; !ok {
					return invalid("server pairs", "", "messages.%d.content.%d: unexpected `tool_use_id` found in `%s` blocks: %s. Each `%s` block must have a corresponding `server_tool_use` block before it.", t.at, j, b.Type, b.ToolUseID, b.Type)
				}
				delete(open, b.ToolUseID)
			}
		}
		for _, id := range order {
			if name, ok := open[id]; ok && i < len(turns)-1 {
				return invalid("server pairs", "", "messages.%d: `%s` tool use with id `%s` was found without a corresponding `%s_tool_result` block", t.at, name, id, name)
			}
		}
	}
	return nil
}

// prefixes gives for each message what its thinking is bound to, the model
// before all, and as the last one what the answer's is.
func (r *anthropicRequest) prefixes() []string {
	system, err := json.Marshal(textOf(r.System))
	if err != nil {
		system = r.System
	}
	prefix := chain(chain(mac(r.Model), system), r.Tools)
	out := make([]string, 0, len(r.Messages)+1)
	for i := range r.Messages {
		out = append(out, prefix)
		prefix = chain(prefix, r.Messages[i].raw)
	}
	return append(out, prefix)
}

// signatures holds that signed thinking comes back as it was sent and, where
// thinking is preserved, behind the same history.
func (r *anthropicRequest) signatures(preserved bool) *problem {
	var prefixes []string
	drops := r.Thinking != nil && r.Thinking.BlockBinding.OnMismatch == "drop_block"
	for i := range r.Messages {
		for j, b := range r.Messages[i].parts {
			if b.Type != "thinking" {
				continue
			}
			if !signed(b.Thinking, b.Signature) {
				return invalid("signature", "", "messages.%d.content.%d: Invalid `signature` in `thinking` block", i, j)
			}
			if !preserved || drops {
				continue
			}
			if prefixes == nil {
				prefixes = r.prefixes()
			}
			if !bound(b.Thinking, prefixes[i], b.Signature) {
				return invalid("signature", "", "messages.%d.content.%d: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".", i, j)
			}
		}
	}
	return nil
}

// thinksFirst holds that, where a budget for thinking is set, a request that
// answers calls has the thinking with which the last chain of calls began.
// Adaptive thinking has no such rule. began tells the calls that came behind
// thinking.
func (r *anthropicRequest) thinksFirst(began func(call string) bool) *problem {
	if r.Thinking == nil || r.Thinking.Type != "enabled" {
		return nil
	}
	turns := r.turns()
	first := len(turns)
	for i := len(turns) - 1; i > 0 && turns[i].role == "user" && answers(turns[i]); i -= 2 {
		first = i - 1
	}
	if first == len(turns) || len(turns[first].parts) == 0 {
		return nil
	}
	if kind := turns[first].parts[0].Type; kind != "thinking" && kind != "redacted_thinking" &&
		slices.ContainsFunc(turns[first].parts, func(b part) bool { return b.Type == "tool_use" && began(b.ID) }) {
		return invalid("thinking first", "", "messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`.", turns[first].at, kind)
	}
	return nil
}

// answers tells whether a turn holds results of calls.
func answers(t turn) bool {
	return slices.ContainsFunc(t.parts, func(b part) bool { return b.Type == "tool_result" })
}

// strict asks for what the API at other places asks: turns of one message, and
// results that say something.
func (r *anthropicRequest) strict() *problem {
	for i := range r.Messages {
		m := &r.Messages[i]
		if i > 0 && r.Messages[i-1].Role == m.Role {
			return invalid("alternate", "", `messages: roles must alternate between "user" and "assistant", but found multiple %q roles in a row`, m.Role)
		}
		for j, b := range m.parts {
			if b.Type == "tool_result" && (len(b.Content) == 0 || string(b.Content) == `""` || string(b.Content) == "[]") {
				return invalid("empty result", "", "messages.%d.content.%d.tool_result: The content field must not be empty", i, j)
			}
		}
	}
	return nil
}
