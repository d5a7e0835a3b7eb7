package compactor

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/truncate"
)

// entry is one text of the history as the model sees it: a block of a message,
// or one voice of it. It is data in a JSON document; whose words it holds is a
// field of its own, which no text can forge.
type entry struct {
	I        int    `json:"i"`
	From     string `json:"from"`
	Kind     string `json:"kind"`
	Tool     string `json:"tool,omitempty"`
	Error    bool   `json:"error,omitempty"`
	Rejected bool   `json:"rejected_by_user,omitempty"`
	Exit     *int   `json:"exit,omitempty"`
	Text     string `json:"text"`
}

// fromNames are the words for who speaks, by provenance.
var fromNames = [...]string{
	pith.System: "system", pith.PolicyFile: "rules_file", pith.UserExplicit: "user", pith.Assistant: "assistant",
	pith.ToolOutput: "tool", pith.Harness: "harness", pith.PeerAgent: "sub_agent", pith.UnverifiedImport: "unverified",
}

func fromName(p pith.Provenance) string {
	if int(p) < len(fromNames) {
		return fromNames[p]
	}
	return "unverified"
}

// reader turns messages into entries.
type reader struct {
	// cap is the most characters of one entry, 0 for no cap.
	cap int
	// tools names the open calls by id. Clients reuse ids: the latest counts.
	tools map[string]string
	// hasPrevious is set where the previous memory is in the prompt: pith's own
	// block in the history would say it again.
	hasPrevious bool
}

// read appends the entries of a message. There are none for a message that is
// left out: of a sub-agent, nested, or without a text that anybody said.
func (r *reader) read(dst []entry, m *pith.Message) []entry {
	if m.Agent != "" || m.Nested {
		return dst
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		e := entry{I: m.Index, From: fromName(b.Origin), Kind: b.Kind.String()}
		switch b.Kind {
		case pith.KindText:
			dst = r.voices(dst, m, b)
			continue
		case pith.KindToolUse:
			r.tools[b.ToolUseID] = b.ToolName
			e.Kind, e.Tool, e.Text = "call", b.ToolName, r.shorten(strings.TrimPrefix(strings.TrimPrefix(b.Text, b.ToolName), "\n"))
		case pith.KindToolResult:
			e.Kind, e.Tool, e.Text = "result", r.tools[b.ToolUseID], r.output(b.Text)
			e.Error, e.Rejected, e.Exit = b.IsError, b.Rejected, b.Exit
		case pith.KindImage:
			e.Tool, e.Text = r.tools[b.ToolUseID], imageMarker(b)
		default:
			continue // thinking, and what pith does not read
		}
		dst = append(dst, e)
	}
	return dst
}

// voices appends a text block's parts, each with who said it.
func (r *reader) voices(dst []entry, m *pith.Message, b *pith.Block) []entry {
	for _, v := range b.Voices() {
		text := strings.TrimSpace(b.Text[v.Start:v.End])
		if text == "" || v.Origin == pith.PolicyFile {
			continue // the client sends a rules file again by itself
		}
		if v.Origin == pith.Harness {
			if isSummary(text) || !r.hasPrevious && strings.HasPrefix(text, ownBlock) {
				dst = append(dst, entry{I: m.Index, From: fromName(v.Origin), Kind: "summary", Text: shortenTo(text, summaryCaps*r.cap)})
				continue
			}
			if isReminder(text) {
				continue
			}
		}
		e := entry{I: m.Index, From: fromName(v.Origin), Kind: "text", Text: r.shorten(text)}
		if v.Command != "" && v.Command != pith.ShellInput {
			e.Tool = v.Command
		}
		dst = append(dst, e)
	}
	return dst
}

const (
	// summaryCaps is how many times the cap of a message a summary may have: it
	// stands for a whole history.
	summaryCaps = 4
	ownBlock    = "<pith-memory"
)

// isSummary tells whether a client's own text stands for an earlier history.
func isSummary(text string) bool {
	return strings.HasPrefix(text, "This session is being continued") || strings.HasPrefix(text, "Another language model started")
}

// reminders open the client's texts that say nothing of the work. Pith's own
// block is among them: what it holds is the previous memory already.
var reminders = [...]string{
	"<system-reminder", "<system_reminder", "<local-command-caveat", "Caveat: ", "<command-message", "<command-name", "<command-contents",
	"<ide_", "<total_tokens", "<environment_context", "<environment_details", "<permissions", "<skills_instructions",
	"<plugins_instructions", "<app-context", "<collaboration_mode", "<session-context", "<fork-boilerplate", "<skill",
	ownBlock, "CRITICAL: Respond with TEXT ONLY", "You are performing a CONTEXT CHECKPOINT",
}

func isReminder(text string) bool {
	for _, r := range reminders {
		if strings.HasPrefix(text, r) {
			return true
		}
	}
	return false
}

// imageMarker stands for an image, whose data no request holds.
func imageMarker(b *pith.Block) string {
	media := b.MediaType
	if media == "" {
		media = "of unknown type"
	}
	if b.MediaBytes <= 0 {
		return "[image " + media + "]"
	}
	return "[image " + media + ", " + megabytes(b.MediaBytes) + "]"
}

func megabytes(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n) + " B"
	case n < 100_000:
		return strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}

// output shortens what a tool gave back: to its first and last lines, then as
// any other text.
func (r *reader) output(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(no output)"
	}
	if r.cap > 0 && utf8.RuneCountInString(text) > r.cap {
		text = truncate.Lines(text, truncate.Options{}).Text
	}
	return r.shorten(text)
}

func (r *reader) shorten(text string) string { return shortenTo(text, r.cap) }

// shortenTo keeps at most n characters, 0 for all: the head and the tail, with
// what is left out stated between them.
func shortenTo(text string, n int) string {
	if n <= 0 || len(text) <= n {
		return text
	}
	characters := utf8.RuneCountInString(text)
	if characters <= n {
		return text
	}
	short := text
	for limit := len(text) * n / characters; limit > 0; limit = limit * 9 / 10 {
		short = truncate.Text(text, limit)
		if utf8.RuneCountInString(short) <= n {
			break
		}
	}
	return short
}

// encode writes a value as JSON that a model reads as it is meant: without the
// escapes that only browsers need. Line separators and bytes that are no
// character are escaped or replaced.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null") // our own structs of texts and numbers are always written
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
