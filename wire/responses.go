package wire

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// itemFields are the members of a responses item, still undecoded.
type itemFields struct {
	kind, role, id, callID, name []byte
	content                      jsonscan.Cursor
	hasContent                   bool
	summaryRaw                   []byte
	arguments, input, output     []byte
	action, operation, errorRaw  []byte
	outputs                      []byte
}

// item reads one item of a responses input, or of a Codex session. A message
// gives one block for each content part, any other item one block, but a call
// that the provider ran itself gives the call and its result.
func (r *reader) item(raw []byte) {
	f := readItemFields(raw)
	r.id = jsonscan.Text(f.id)
	r.role = pith.RoleAssistant
	whole := func(b pith.Block) { r.add(b, wholeMessage, 0, len(raw)) }
	id, name := jsonscan.Text(f.callID), jsonscan.Text(f.name)
	switch kind := string(f.kind); kind {
	case "message", "":
		r.role = roleOf(f.role)
		if f.hasContent {
			r.content(&f.content)
		}
	case "reasoning":
		whole(pith.Block{Kind: pith.KindThinking, Text: reasoningText(&f), Origin: pith.Assistant})
	case "function_call":
		c := jsonscan.New(f.arguments)
		if c.Peek() == '"' {
			whole(argumentsToolUse(id, name, c.String()))
		} else {
			whole(toolUse(id, name, f.arguments))
		}
	case "custom_tool_call":
		whole(toolUse(id, name, f.input))
	case "local_shell_call", "shell_call", "computer_call":
		whole(toolUse(id, strings.TrimSuffix(kind, "_call"), f.action))
	case "apply_patch_call":
		whole(toolUse(id, "apply_patch", f.operation))
	case "mcp_call", "web_search_call", "file_search_call", "code_interpreter_call", "tool_search_call":
		r.providerCall(&f, len(raw))
	default:
		if strings.HasSuffix(kind, "_output") && f.callID != nil {
			r.role = pith.RoleUser
			b := pith.Block{Kind: pith.KindToolResult, ToolUseID: id, Origin: pith.ToolOutput}
			itemOutput(&b, f.output)
			whole(b)
			return
		}
		switch {
		case f.role != nil:
			r.role = roleOf(f.role)
		case kind == "additional_tools" || kind == "configuration_update":
			r.role = pith.RoleSystem
		case kind == "compaction_trigger":
			r.role = pith.RoleUser
		}
		whole(pith.Block{Kind: pith.KindOpaque, Origin: originOf(r.role)})
	}
}

func readItemFields(raw []byte) itemFields {
	var f itemFields
	c := jsonscan.New(raw)
	if !c.Object() {
		f.kind = []byte("unknown")
		return f
	}
	for {
		key, ok := c.Key()
		if !ok {
			return f
		}
		switch string(key) {
		case "type":
			f.kind, _ = c.Raw()
		case "role":
			f.role, _ = c.Raw()
		case "id":
			f.id, _ = c.Raw()
		case "call_id":
			f.callID, _ = c.Raw()
		case "name":
			f.name, _ = c.Raw()
		case "content":
			f.content, f.hasContent = c, true
			c.Skip()
		case "summary":
			f.summaryRaw = c.Value()
		case "arguments":
			f.arguments = c.Value()
		case "input", "code":
			f.input = c.Value()
		case "output":
			f.output = c.Value()
		case "action":
			f.action = c.Value()
		case "operation":
			f.operation = c.Value()
		case "error":
			f.errorRaw = c.Value()
		case "results", "outputs":
			f.outputs = c.Value()
		default:
			c.Skip()
		}
	}
}

// reasoningText joins the summary and, where it is there, the reasoning in
// words. Its encrypted form is never read.
func reasoningText(f *itemFields) string {
	var b pith.Block
	resultContent(&b, f.summaryRaw)
	text := b.Text
	if f.hasContent {
		resultContent(&b, f.content.Value())
		if b.Text != "" && text != "" {
			text += "\n"
		}
		text += b.Text
	}
	return text
}

// itemOutput reads an output: text, content parts, a screenshot, or what a
// shell call that the client ran gave back.
func itemOutput(b *pith.Block, output []byte) {
	c := jsonscan.New(output)
	if c.Peek() == '{' {
		if text, ok := resultPart(b, output); ok {
			b.Text = text
			return
		}
	}
	resultContent(b, output)
	if b.Text == "" && b.MediaType == "" && c.Peek() != '"' {
		b.Text = foundIn(b, "output", output)
	}
}

// providerCall reads a call and its result from one item.
func (r *reader) providerCall(f *itemFields, size int) {
	id := jsonscan.Text(f.id)
	if f.callID != nil {
		id = jsonscan.Text(f.callID)
	}
	name := jsonscan.Text(f.name)
	if name == "" {
		name = strings.TrimSuffix(string(f.kind), "_call")
	}
	input := f.action
	if input == nil {
		input = f.input
	}
	if input == nil {
		input = f.arguments
	}
	call := toolUse(id, name, input)
	if c := jsonscan.New(f.arguments); c.Peek() == '"' {
		call = argumentsToolUse(id, name, c.String())
	}
	result := pith.Block{Kind: pith.KindToolResult, ToolUseID: id, ToolName: name, Origin: pith.ToolOutput}
	var texts []string
	for _, field := range []struct {
		key   string
		value []byte
	}{{"content", f.action}, {"output", f.output}, {"content", f.outputs}, {"error", f.errorRaw}} {
		if text := foundIn(&result, field.key, field.value); text != "" {
			texts = append(texts, text)
		}
	}
	result.Text = strings.Join(texts, "\n")
	r.add(call, wholeMessage, 0, size)
	r.add(result, wholeMessage, 0, size)
}
