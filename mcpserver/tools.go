package mcpserver

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addTools offers the tools. Descriptions are short: a client may show all of
// them to the model with every request.
func (s *Server) addTools() {
	add(s, reading("state", "Working state", "What this session must not forget: goal, rules, files, failures, decisions, next step, checked against the disk. Call it after a compaction or a resume, or when unsure what was agreed.",
		object(map[string]*jsonschema.Schema{
			"section": enum("One part in full instead of the whole block.", sectionNames()...),
			"session": sessionArg(), "cursor": cursorArg(), "limit": limitArg("Tokens of the answer (default 4000 for the block, 2000 for a section)."),
		})), s.state)
	add(s, reading("recall", "Recall", "The original text behind a reference that a block or a search shows (9f3a51c0/inspected, ev-1a2b, 12.0), or all that calls naming a path or a command returned.",
		object(map[string]*jsonschema.Schema{
			"reference": text("A reference, as it stands in a block or a search.", 200),
			"calls":     text("A path or a command, instead of a reference.", 1000),
			"session":   sessionArg(), "cursor": cursorArg(), "limit": limitArg("Tokens of a page (default 2000)."),
		})), s.recall)
	add(s, reading("search", "Search", "Passages of this session that hold all the words, the best first, each with the reference that recall takes. For what was said, shown or run before a compaction.",
		object(map[string]*jsonschema.Schema{
			"query":   text("Words; \"quoted words\" stand together.", 500),
			"session": sessionArg(), "cursor": cursorArg(), "limit": number("Passages of a page (default 8).", 1, 30),
		}, "query")), s.search)
	add(s, writing("checkpoint", "Checkpoint", "Keep the working state now: after a finished phase, three failures in a row, before a hand-over or a long detour.",
		object(map[string]*jsonschema.Schema{
			"reason":     enum("Why now (default manual).", "phase", "failures", "handoff", "manual"),
			"session":    sessionArg(),
			"transcript": text("The session's file, where it is not found by itself; a file of this project's agents.", 4096),
		}), checkpointSchema(), false), s.checkpoint)
	add(s, writing("pin", "Pin", "Keep a text word for word in every later state of the session, or take one back with remove. For what must never be lost.",
		object(map[string]*jsonschema.Schema{
			"text":    text("The text. Secrets in it are redacted.", 2000),
			"remove":  {Type: "boolean", Description: "Take the pin with this text back."},
			"session": sessionArg(),
		}, "text"), pinSchema(), true), s.pin)
	add(s, handoffTool(), s.handoff)
	add(s, reading("compact_text", "Compact a text", "Shorten a long output to its head, its verdicts and its tail; or turn the body of an API request (Anthropic, OpenAI) into a memory block. Nothing is stored.",
		object(map[string]*jsonschema.Schema{
			"text":  text("A long output or text.", maxText),
			"body":  text("Instead: the JSON of an API request with its messages.", maxText),
			"limit": limitArg("Tokens of the answer (default 2000)."),
		})), s.compactText)
}

// maxText bounds what is given to be compacted, in characters.
const maxText = 4 << 20

// add offers a tool whose handler gives an error for what the model can mend.
func add[In, Out any](s *Server, t *mcp.Tool, handle func(context.Context, *mcp.CallToolRequest, In) (*mcp.CallToolResult, Out, error)) {
	s.takes[t.Name] = t.InputSchema.(*jsonschema.Schema)
	mcp.AddTool(s.mcp, t, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		r, out, err := handle(ctx, req, in)
		if err != nil {
			return failed(err), nil, nil
		}
		if r != nil {
			return r, nil, nil
		}
		return nil, out, nil
	})
}

// reading describes a tool that changes nothing.
func reading(name, title, about string, in *jsonschema.Schema) *mcp.Tool {
	closed := false
	return &mcp.Tool{
		Name: name, Title: title, Description: about, InputSchema: in,
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed, DestructiveHint: &closed},
	}
}

// writing describes a tool that adds to the store of checkpoints.
func writing(name, title, about string, in, out *jsonschema.Schema, idempotent bool) *mcp.Tool {
	t := reading(name, title, about, in)
	t.Annotations.ReadOnlyHint, t.Annotations.IdempotentHint = false, idempotent
	if out != nil {
		t.OutputSchema = out
	}
	return t
}

// object is the schema of an object that takes nothing but what it names.
func object(properties map[string]*jsonschema.Schema, required ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: properties, Required: required, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
}

func text(about string, longest int) *jsonschema.Schema {
	shortest := 1
	return &jsonschema.Schema{Type: "string", Description: about, MinLength: &shortest, MaxLength: &longest}
}

func enum(about string, values ...string) *jsonschema.Schema {
	x := &jsonschema.Schema{Type: "string", Description: about}
	for _, v := range values {
		x.Enum = append(x.Enum, v)
	}
	return x
}

func number(about string, least, most float64) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Description: about, Minimum: &least, Maximum: &most}
}

// list is a list of distinct texts.
func list(about string, most, longest int) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Description: about, Items: text("", longest), MaxItems: &most, UniqueItems: true}
}

func sessionArg() *jsonschema.Schema {
	return text("Another session or checkpoint of this project: an id, its beginning, or \"latest\". Default: the current session.", 200)
}

func cursorArg() *jsonschema.Schema {
	return text("Where the page before says that the next one begins.", 64)
}

func limitArg(about string) *jsonschema.Schema { return number(about, 100, maxPage) }
