package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/redact"
)

const (
	// pageTokens is a page where the caller names no limit, maxPage the most
	// that it may name.
	pageTokens = 2_000
	maxPage    = 8_000
	// cursorMeta is where the cursor stands in the _meta of a result.
	cursorMeta = "pith/nextCursor"
)

// page is a part of a text, with the cursor of the next one, "" at the end.
type page struct {
	text, next string
	left       int // bytes behind the page
}

// cut takes the page at a cursor out of a text that a call gave. Errors:
// KindUsage for a cursor of another call or of another text.
func cut(call, text, cursor string, limit int) (page, error) {
	mark := markOf(call, text)
	from := 0
	if cursor != "" {
		at, of, _ := strings.Cut(cursor, "-")
		n, err := strconv.Atoi(at)
		switch {
		case err != nil || n <= 0 || of == "":
			return page{}, usage("take the cursor from the end of the page before", "%q is no cursor", cursor)
		case of != mark || n >= len(text) || !utf8.RuneStart(text[n]):
			return page{}, staleCursor(cursor)
		}
		from = n
	}
	to := from + fit(text[from:], pith.Tokens(bound(limit)))
	p := page{text: text[from:to], left: len(text) - to}
	if p.left > 0 {
		p.next = strconv.Itoa(to) + "-" + mark
	}
	return p, nil
}

// markOf ties a cursor to what it goes on in.
func markOf(call, text string) string {
	sum := sha256.Sum256([]byte(call + "\x00" + text))
	return hex.EncodeToString(sum[:6])
}

func staleCursor(cursor string) error {
	return usage("call again without cursor; the arguments stay the same from page to page", "the cursor %q is of another call, or what it was about has changed", cursor)
}

// bound is the size of a page in tokens.
func bound(limit int) int {
	if limit <= 0 {
		return pageTokens
	}
	return min(limit, maxPage)
}

// fit is how many bytes of a text fit into a number of tokens: whole lines, or
// a part of the first where that alone is too long.
func fit(text string, limit pith.Tokens) int {
	const widest = 16 // bytes that a token of a text has, at most, on average
	n, used := 0, pith.Tokens(0)
	for n < len(text) {
		line := text[n:min(len(text), n+int(limit)*widest)]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		tokens := meter.Count(line)
		if used+tokens > limit {
			if n > 0 {
				return n
			}
			return part(line, limit)
		}
		n, used = n+len(line), used+tokens
	}
	return n
}

// part is how many bytes of one long line fit: at least one character.
func part(line string, limit pith.Tokens) int {
	n := len(line)
	for n > 1 && meter.Count(line[:n]) > limit {
		n = n * 3 / 4
		for n > 0 && !utf8.RuneStart(line[n]) {
			n--
		}
	}
	if n < 1 {
		_, n = utf8.DecodeRuneInString(line)
	}
	return n
}

// paged is the result of a call: a page of a text, redacted once more, and how
// to get the next. The text is kept for its next pages: a session goes on
// between two of them.
func (s *Server) paged(call, text, cursor string, limit int) (*mcp.CallToolResult, error) {
	text = clean(text)
	p, err := cut(call, text, cursor, limit)
	if err != nil {
		return nil, err
	}
	if p.next != "" && cursor == "" {
		s.kept.add(call, text)
	}
	return p.result(), nil
}

// callOf names a call of a tool by its arguments without cursor and limit, and
// by what they mean where they say nothing.
func (x scope) callOf(tool string, args ...string) string {
	return strings.Join(append([]string{tool, x.folder, x.session}, args...), "\x00")
}

func (p page) result() *mcp.CallToolResult {
	r := &mcp.CallToolResult{}
	text := p.text
	if p.next != "" {
		r.Meta = mcp.Meta{cursorMeta: p.next}
		text = strings.TrimSuffix(text, "\n") + fmt.Sprintf("\n[%d more bytes: call again with the same arguments and cursor %q]", p.left, p.next)
	}
	r.Content = []mcp.Content{&mcp.TextContent{Text: text}}
	return r
}

// clean takes out secrets that a text should not have had any more.
func clean(text string) string {
	if len(redact.Scan(text)) == 0 {
		return text
	}
	return redact.New().Text(text)
}

// failed is the result of a call that did not work and that the model can mend:
// one line, and what to do.
func failed(err error) *mcp.CallToolResult {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		text = "it took too long and was stopped: " + text
	case errors.Is(err, context.Canceled):
		text = "it was cancelled"
	}
	if hint := pith.HintOf(err); hint != "" {
		text += "\nWhat to do: " + hint
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// usage is the error for a call that cannot be meant.
func usage(hint, format string, args ...any) error {
	return &pith.Error{Kind: pith.KindUsage, Err: fmt.Errorf(format, args...), Hint: hint}
}

// kept are the last texts that had more than one page.
type kept struct {
	mu   sync.Mutex
	docs []keptText
}

type keptText struct{ call, text string }

const (
	// maxKept is how many texts stay, longKept how long each may be in bytes.
	maxKept  = 8
	longKept = 8 << 20
)

func (k *kept) add(call, text string) {
	if len(text) > longKept {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.docs = append(k.docs, keptText{call, text}); len(k.docs) > maxKept {
		k.docs = k.docs[1:]
	}
}

// page is the page of a kept text at a cursor, and whether there is one.
func (k *kept) page(call, cursor string, limit int) (page, bool) {
	if cursor == "" {
		return page{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, doc := range k.docs {
		if doc.call != call {
			continue
		}
		if p, err := cut(call, doc.text, cursor, limit); err == nil {
			return p, true
		}
	}
	return page{}, false
}
