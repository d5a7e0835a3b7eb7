// Package redact says what a secret is. It turns text into normalised text in
// which every secret has given way to a marker.
//
// A secret is found by where it stands - a provider's prefix, a private key's
// frame, a URL's user-info, a header, a flag, a name that announces it - and
// never by entropy alone: hashes, paths and ids are as random as keys are.
// What is found is replaced, never refused, so that a match cannot stop the
// work; comments that ask a scanner to look away are not obeyed.
package redact

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
)

// Redactor redacts the texts of one session, in order. It numbers the distinct
// secrets and keeps their hashes, never the secrets. Not for concurrent use.
type Redactor struct {
	numbers   map[[sha256.Size]byte]int
	counts    map[string]int
	sanitized Classes
	// scanner and bytes are used again for every text.
	scanner scanner
	bytes   []byte
}

// New makes a redactor that has seen nothing.
func New() *Redactor {
	return &Redactor{numbers: map[[sha256.Size]byte]int{}, counts: map[string]int{}}
}

// Message normalises and redacts the text and arguments of a message in place
// and hashes each block. Blocks that a provider signed, images and blocks of
// unknown types are left as they are, with the hash of the empty text. Raw is
// never touched.
func (r *Redactor) Message(m *pith.Message) {
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch b.Kind {
		case pith.KindText, pith.KindToolResult:
			b.Text = r.Text(b.Text)
		case pith.KindToolUse:
			for j := range b.Args {
				r.arg(&b.Args[j])
			}
			r.bytes = pith.AppendToolUseText(r.bytes[:0], b.ToolName, b.Args)
			if b.Text != string(r.bytes) {
				b.Text = string(r.bytes)
			}
		default:
			b.Hash = sha256.Sum256(nil)
			continue
		}
		r.bytes = append(r.bytes[:0], b.Text...)
		b.Hash = sha256.Sum256(r.bytes)
	}
	if cap(r.bytes) > maxKept {
		r.bytes = nil
	}
}

// maxKept bounds the memory that is kept for the next text.
const maxKept = 1 << 20

// arg redacts one argument of a tool use. The name of the argument may be what
// announces a secret.
func (r *Redactor) arg(a *pith.Arg) {
	switch {
	case a.IsString:
		value, classes := Normalise(a.Value)
		r.tally(&classes)
		a.Value = r.redactNamed(a.Key, value)
	case json.Valid([]byte(a.Value)):
		a.Value = string(r.json([]byte(a.Value), true))
	default:
		a.Value = r.Text(a.Value)
	}
}

// Text normalises and redacts one text.
func (r *Redactor) Text(s string) string {
	s, classes := Normalise(s)
	r.tally(&classes)
	return r.redact(s)
}

func (r *Redactor) tally(classes *Classes) {
	for c, count := range classes {
		r.sanitized[c] += count
	}
}

// rounds bounds how often a text is scanned again after a replacement. One
// suffices but for texts made to nest one secret in another.
const rounds = 4

func (r *Redactor) redact(s string) string {
	for range rounds {
		found := r.scanner.scan(s, 0)
		if len(found) == 0 {
			break
		}
		s = r.replace(s, found)
	}
	return s
}

func (r *Redactor) replace(s string, found []Finding) string {
	var b strings.Builder
	b.Grow(len(s) + 16*len(found))
	done := 0
	for _, f := range found {
		b.WriteString(s[done:f.Start])
		b.WriteString(r.marker(f.Rule, s[f.Start:f.End]))
		done = f.End
	}
	b.WriteString(s[done:])
	return b.String()
}

// marker counts a redaction and returns what stands for the secret.
func (r *Redactor) marker(rule, secret string) string {
	r.counts[rule]++
	hash := sha256.Sum256([]byte(secret))
	n, seen := r.numbers[hash]
	if !seen {
		n = len(r.numbers) + 1
		r.numbers[hash] = n
	}
	return markerStart + rule + ":" + strconv.Itoa(n) + "]"
}

// Counts is how often each rule redacted something, sorted by rule.
func (r *Redactor) Counts() []pith.RuleCount {
	list := make([]pith.RuleCount, 0, len(r.counts))
	for rule, count := range r.counts {
		list = append(list, pith.RuleCount{Rule: rule, Count: count})
	}
	slices.SortFunc(list, func(a, b pith.RuleCount) int { return cmp.Compare(a.Rule, b.Rule) })
	return list
}

// Sanitized is how many characters of each class were removed or made visible,
// sorted by class.
func (r *Redactor) Sanitized() []pith.ClassCount { return r.sanitized.List() }

const markerStart = "[REDACTED:"

// markerEnd returns where the marker ends that begins at s[i], 0 if none does.
func markerEnd(s string, i int) int {
	if !strings.HasPrefix(s[i:], markerStart) {
		return 0
	}
	j := i + len(markerStart)
	for j < len(s) && (isLower(s[j]) || isDigit(s[j]) || s[j] == '-') {
		j++
	}
	if j == i+len(markerStart) || j == len(s) || s[j] != ':' {
		return 0
	}
	j++
	digits := j
	for j < len(s) && isDigit(s[j]) {
		j++
	}
	if j == digits || j == len(s) || s[j] != ']' {
		return 0
	}
	return j + 1
}

// skipMarkers returns the first place from i on that is not part of a marker.
func skipMarkers(s string, i int) int {
	for i < len(s) {
		end := markerEnd(s, i)
		if end == 0 {
			break
		}
		i = end
	}
	return i
}

// Dirty scans the final bytes of something that is about to be stored or sent:
// the strings of a JSON document as they will be read, any other bytes as text.
// Spans are bytes of final.
func Dirty(final []byte) []Finding {
	if json.Valid(bytes.TrimSpace(final)) {
		return dirtyJSON(final)
	}
	return Scan(string(final))
}
