package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// partsSlot follows a request that has numbered parts: what the agent writes,
// changes and runs afterwards tells which part it is at.
type partsSlot struct {
	parts []part
	// current is the part that was worked on last, -1 before the first.
	current int
	// closed is set where the agent's last words say that all is done.
	closed bool
	// seq is the number of calls before the request.
	seq int
}

type part struct {
	text   string
	at     pith.Source
	tokens []string
	// weights say how well each token tells the part from the others.
	weights []float64
}

const (
	// minParts is from how many numbered parts on a request is a list.
	minParts = 3
	// maxParted is the length up to which a text is a request, not a document.
	maxParted = 3000
	// shortReply is the length up to which a text only lets the agent go on.
	shortReply = 60
)

func (p *partsSlot) said(s *Said) {
	switch {
	case isRequest(s):
		t := s.trimmed()
		if parts := requestParts(s, t); parts != nil {
			p.parts, p.current, p.closed, p.seq = parts, -1, false, s.Call
		} else if len(t.text) > shortReply {
			p.parts = nil
		}
	case p.parts != nil && !s.Side && s.Origin == pith.Assistant:
		sentences(s.Text, func(q sentence) { p.touch(s.Text[q.start:q.end]) })
		lower := strings.ToLower(s.Text)
		p.closed = p.current == len(p.parts)-1 && (hasPhrase(lower, "done") || hasPhrase(lower, "complete") || hasPhrase(lower, "finished"))
	}
}

func (p *partsSlot) call(c *Call) {
	if p.parts == nil || c.Side || !c.OK() && c.Command == "" {
		return
	}
	if c.Command != "" {
		p.touch(cutTo(c.Command, 400))
		return
	}
	if text := c.Use.Arg("new_string", "new", "content", "new_str", "input", "patch"); text != "" {
		p.touch(c.Use.Arg("file_path", "path") + " " + cutTo(text, 400))
	}
}

// touch finds the part that a text is about. Work goes forward, and it seldom
// leaves out more than one part at a time.
func (p *partsSlot) touch(text string) {
	words := tokensOf(text)
	best, at := 0.0, -1
	for i := max(p.current, 0); i < len(p.parts) && i <= p.current+2; i++ {
		score := 0.0
		for k, t := range p.parts[i].tokens {
			if containsToken(words, t) {
				score += p.parts[i].weights[k]
			}
		}
		if score > best {
			best, at = score, i
		}
	}
	if at >= 0 && best >= 0.5 {
		p.current = at
	}
}

// weigh sets the weight of every token: the fewer parts have it, the more.
func weigh(parts []part) []part {
	for i := range parts {
		for _, t := range parts[i].tokens {
			n := 0
			for j := range parts {
				if containsToken(parts[j].tokens, t) {
					n++
				}
			}
			parts[i].weights = append(parts[i].weights, 1/float64(max(n, 1)))
		}
	}
	return parts
}

func containsToken(list []string, t string) bool {
	for _, l := range list {
		if l == t || len(l) > 5 && len(t) > 5 && l[:5] == t[:5] {
			return true
		}
	}
	return false
}

// tokensOf are the words of a text that can tell one part from another.
func tokensOf(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isWordRune(r) && r != '-' }) {
		if len(w) >= 4 && !isOneOf(w, "this", "that", "with", "then", "from", "into", "make", "sure", "also", "when", "each", "file", "code", "func", "return", "please") && len(out) < 200 {
			out = append(out, strings.TrimSuffix(w, "s"))
		}
	}
	return out
}

func (p *partsSlot) items() []pith.Todo {
	var out []pith.Todo
	for i, q := range p.parts {
		status := "pending"
		switch {
		case i < p.current || p.closed:
			status = "completed"
		case i == p.current:
			status = "in_progress"
		}
		out = append(out, pith.Todo{Text: q.text, Status: status, Source: q.at})
	}
	return out
}

// requestParts reads "(1) ... (2) ..." or numbered lines. A text that ends in
// a question describes something and asks for nothing part by part.
func requestParts(s *Said, t said) []part {
	if len(t.text) > maxParted || strings.HasSuffix(t.text, "?") {
		return nil
	}
	marks := partMarks(s.Text)
	if len(marks) < minParts {
		return nil
	}
	var out []part
	for i, m := range marks {
		end := len(s.Text)
		if i+1 < len(marks) {
			end = marks[i+1].start
		}
		start, end := partSpan(s.Text, m.end, end, i+1 == len(marks))
		if start >= end {
			return nil
		}
		out = append(out, part{text: s.Text[start:end], at: s.Span(start, end), tokens: tokensOf(s.Text[start:end])})
	}
	return weigh(out)
}

// partSpan is a part without what joins it to the next; the last one ends with
// its sentence.
func partSpan(text string, start, end int, last bool) (int, int) {
	if i := strings.Index(text[start:end], "\n\n"); i >= 0 {
		end = start + i
	}
	if last {
		first := end
		splitParagraph(text, start, end, false, func(s sentence) { first = min(first, s.end) })
		end = first
	}
	start, end = trimSpan(text, start, end)
	t := strings.TrimRight(text[start:end], ",; \n")
	for _, and := range []string{" and", ", and"} {
		t = strings.TrimSuffix(t, and)
	}
	return start, start + len(strings.TrimRight(t, ",; \n"))
}

type mark struct{ start, end int }

// partMarks finds the marks 1, 2, 3 ... in order, at the beginning of a line
// or in brackets within one.
func partMarks(text string) []mark {
	var out []mark
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '(' && (c < '0' || c > '9') {
			continue
		}
		lineStart := strings.TrimSpace(text[strings.LastIndexByte(text[:i], '\n')+1:i]) == ""
		spaced := i > 0 && (text[i-1] == ' ' || text[i-1] == '\n')
		n, number := numbered(text[i:])
		if n == 0 || !lineStart && (!spaced || text[i+n-2] == '.') {
			continue
		}
		if number == len(out)+1 {
			out = append(out, mark{i, i + n})
		} else if number == 1 {
			out = append(out[:0], mark{i, i + n})
		}
		i += n - 1
	}
	return out
}
