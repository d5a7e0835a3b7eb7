package wire

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// Content reads the value of an Anthropic message's "content", as session rows
// hold it too. Every element of the list gives one block, in order.
func Content(content []byte, role pith.Role) []pith.Block {
	c := jsonscan.New(content)
	return ContentAt(&c, role)
}

// ContentAt is Content for the value at the cursor, which then stands behind it.
func ContentAt(c *jsonscan.Cursor, role pith.Role) []pith.Block {
	r := reader{format: pith.FormatAnthropic, role: role}
	r.content(c)
	return r.blocks
}

func (r *reader) anthropicMessage(raw []byte) {
	c := jsonscan.New(raw)
	if !c.Object() {
		return
	}
	content, found := jsonscan.Cursor{}, false
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "role":
			name, _ := c.Raw()
			r.role = roleOf(name)
		case "id":
			r.id = c.String()
		case "content":
			if r.role != "" && len(r.blocks) == 0 { // the usual order needs no second look
				r.content(&c)
				continue
			}
			content, found = c, true
			c.Skip()
		default:
			c.Skip()
		}
	}
	if found && len(r.blocks) == 0 {
		r.content(&content)
	}
}

// anthropicFields are the members of a content block, still undecoded.
type anthropicFields struct {
	kind, id, useID, name  []byte
	text, thinking         []byte
	hasText, isError       bool
	input, content, source []byte
	title, url             []byte
	// block is what was read at once: the content of a result, or a whole call.
	block pith.Block
}

// anthropicBlock reads the block at the cursor and stands behind it.
func (r *reader) anthropicBlock(c *jsonscan.Cursor) pith.Block {
	opaque := pith.Block{Kind: pith.KindOpaque, Origin: originOf(r.role)}
	if !c.Object() {
		return opaque
	}
	var f anthropicFields
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			f.kind, _ = c.Raw()
		case "id":
			f.id, _ = c.Raw()
		case "tool_use_id":
			f.useID, _ = c.Raw()
		case "name":
			f.name, _ = c.Raw()
		case "text":
			f.text, f.hasText = c.Raw()
		case "thinking":
			f.thinking, _ = c.Raw()
		case "input":
			if string(f.kind) == "tool_use" && f.id != nil && f.name != nil { // the usual order again
				f.block = toolUseAt(jsonscan.Text(f.id), knownName(f.name), c)
				continue
			}
			f.input = c.Value()
		case "content":
			if string(f.kind) == "tool_result" { // the usual order needs no second look
				f.block.Text = ""
				resultValue(&f.block, c)
				continue
			}
			f.content = c.Value()
		case "source":
			f.source = c.Value()
		case "title":
			f.title, _ = c.Raw()
		case "is_error":
			f.isError = c.Bool()
		default:
			c.Skip()
		}
	}
	return r.anthropicKind(&f, opaque)
}

func (r *reader) anthropicKind(f *anthropicFields, opaque pith.Block) pith.Block {
	switch kind := string(f.kind); {
	case kind == "text":
		return r.text(jsonscan.Text(f.text))
	case kind == "thinking":
		return pith.Block{Kind: pith.KindThinking, Text: jsonscan.Text(f.thinking), Origin: pith.Assistant}
	case kind == "redacted_thinking":
		return pith.Block{Kind: pith.KindThinking, Origin: pith.Assistant}
	case kind == "tool_use" && f.block.Kind == pith.KindToolUse:
		return f.block
	case kind == "tool_use":
		return toolUse(jsonscan.Text(f.id), knownName(f.name), f.input)
	case strings.HasSuffix(kind, "_tool_use") && f.id != nil: // of the provider's own, known or not
		name := knownName(f.name)
		if name == "" {
			name = strings.TrimSuffix(kind, "_tool_use")
		}
		return toolUse(jsonscan.Text(f.id), name, f.input)
	case kind == "tool_result":
		b := f.block
		b.Kind, b.ToolUseID, b.IsError, b.Origin = pith.KindToolResult, jsonscan.Text(f.useID), f.isError, pith.ToolOutput
		if f.content != nil {
			resultContent(&b, f.content)
		}
		return b
	case strings.HasSuffix(kind, "_tool_result") && f.useID != nil:
		return serverResult(f)
	case kind == "image", kind == "document":
		b := pith.Block{Kind: pith.KindImage, Origin: pith.ToolOutput}
		b.MediaType, b.MediaBytes = mediaSource(f.source)
		b.Text = mediaMarker(kind, b.MediaType, b.MediaBytes)
		return b
	case kind == "search_result":
		return pith.Block{Kind: pith.KindText, Text: searchResultText(f), Origin: pith.ToolOutput}
	}
	return opaque
}

// resultContent reads the content of a tool result: a string, or blocks whose
// texts are joined by newlines and whose images leave a marker.
func resultContent(b *pith.Block, content []byte) {
	if c := jsonscan.New(content); c.Peek() != 0 {
		resultValue(b, &c)
	}
}

func resultValue(b *pith.Block, c *jsonscan.Cursor) {
	if c.Peek() == '"' {
		b.Text = c.String()
		return
	}
	if c.Peek() != '[' {
		c.Skip()
		return
	}
	c.Array()
	var parts []string
	for c.More() {
		if c.Peek() == '"' {
			parts = append(parts, c.String())
			continue
		}
		part := c.Value()
		if text, ok := resultPart(b, part); ok {
			parts = append(parts, text)
		}
	}
	b.Text = strings.Join(parts, "\n")
}

// resultPart reads one block inside a result, of any provider.
func resultPart(b *pith.Block, part []byte) (string, bool) {
	c := jsonscan.New(part)
	if !c.Object() {
		return "", false
	}
	var f anthropicFields
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			f.kind, _ = c.Raw()
		case "text":
			f.text, f.hasText = c.Raw()
		case "source":
			f.source = c.Value()
		case "image_url", "file_data":
			f.url = c.Value()
		case "tool_name":
			f.name, _ = c.Raw()
		case "title":
			f.title, _ = c.Raw()
		case "content":
			f.content = c.Value()
		default:
			c.Skip()
		}
	}
	switch kind := string(f.kind); kind {
	case "image", "document", "image_url", "input_image", "input_file", "file", "computer_screenshot":
		mediaType, size := mediaSource(f.source)
		if f.url != nil {
			mediaType, size = dataURL(f.url)
		}
		if b.MediaType == "" {
			b.MediaType = mediaType
		}
		b.MediaBytes += size
		return mediaMarker(kind, mediaType, size), true
	case "search_result":
		return searchResultText(&f), true
	case "tool_reference":
		return jsonscan.Text(f.name), true
	}
	return jsonscan.Text(f.text), f.hasText
}

func searchResultText(f *anthropicFields) string {
	lines := make([]string, 0, 3)
	if t := jsonscan.Text(f.title); t != "" {
		lines = append(lines, t)
	}
	source := jsonscan.New(f.source)
	if s := source.String(); s != "" {
		lines = append(lines, s)
	}
	var inner pith.Block
	resultContent(&inner, f.content)
	if inner.Text != "" {
		lines = append(lines, inner.Text)
	}
	return strings.Join(lines, "\n")
}

// serverResult reads the result of a tool that the provider ran: the titles,
// addresses and texts that it found, one on a line, never its encrypted parts.
func serverResult(f *anthropicFields) pith.Block {
	b := pith.Block{
		Kind: pith.KindToolResult, ToolUseID: jsonscan.Text(f.useID),
		IsError: f.isError, Origin: pith.ToolOutput,
	}
	b.Text = foundIn(&b, "content", f.content)
	return b
}

// foundIn collects the words of a value into one text, and notes on the block
// what it says of an error or an exit code.
func foundIn(b *pith.Block, key string, value []byte) string {
	c := jsonscan.New(value)
	if c.Peek() == 0 {
		return ""
	}
	var lines []string
	foundText{block: b, lines: &lines}.value(&c, key, 0)
	return strings.Join(lines, "\n")
}

// foundText collects what a provider's own tool says in words.
type foundText struct {
	block *pith.Block
	lines *[]string
}

const maxFoundDepth = 8

func (t foundText) value(c *jsonscan.Cursor, key string, depth int) {
	switch c.Peek() {
	case '"':
		switch key {
		case "title", "url", "text", "content", "stdout", "stderr", "query", "source", "message", "output":
			if s := c.String(); s != "" {
				*t.lines = append(*t.lines, s)
			}
		case "error_code", "error":
			*t.lines = append(*t.lines, c.String())
			t.block.IsError = true
		default:
			c.Skip()
		}
	case '[':
		if depth >= maxFoundDepth {
			c.Skip()
			return
		}
		c.Array()
		for c.More() {
			t.value(c, key, depth+1)
		}
	case '{':
		if depth >= maxFoundDepth {
			c.Skip()
			return
		}
		c.Object()
		for {
			k, ok := c.Key()
			if !ok {
				return
			}
			t.value(c, string(k), depth+1)
		}
	default:
		if n, ok := c.Int(); ok && (key == "return_code" || key == "exit_code") {
			t.block.Exit = &n
		}
	}
}
