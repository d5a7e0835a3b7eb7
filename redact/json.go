package redact

import (
	"encoding/json"
	"strings"

	"github.com/pith-memory/pith/jsonscan"
)

// opaqueKeys hold what a provider signed or encrypted, or the bytes of an
// image: their values are never read and never changed.
const opaqueKeys = " signature encrypted_content encrypted_index encrypted_stdout thinking thought_signature thoughtsignature redacted_thinking data image_url image_data b64_json base64 bytes "

// minOpaqueKey is the length of the shortest of them.
const minOpaqueKey = 4

// JSON redacts the strings in a JSON document, or in several that follow one
// another, and leaves every other byte as it is. A string in which there is no
// secret is not normalised either. Bytes that are no JSON are redacted as text.
func (r *Redactor) JSON(raw []byte) []byte { return r.json(raw, false) }

// json is JSON; with normal set, every string is normalised as well, and the
// space between the strings loses its carriage returns.
func (r *Redactor) json(raw []byte, normal bool) []byte {
	w := jsonWalk{s: string(raw)}
	done := 0
	var out []byte
	for w.next() {
		text, ok := w.value()
		if !ok || w.opaque() {
			continue
		}
		clean, classes := Normalise(text)
		result := r.redactNamed(w.announcer(), clean)
		if result == text || result == clean && !normal {
			continue
		}
		r.tally(&classes)
		out = appendGap(out, w.s[done:w.start], normal)
		out = jsonscan.AppendQuoted(out, result)
		done = w.end
	}
	if done == 0 && (!normal || strings.IndexByte(w.s, '\r') < 0) {
		return raw
	}
	return appendGap(out, w.s[done:], normal)
}

// appendGap appends what stands between two strings that changed.
func appendGap(out []byte, gap string, normal bool) []byte {
	if normal {
		gap = strings.ReplaceAll(gap, "\r", "")
	}
	return append(out, gap...)
}

// redactNamed redacts a normalised text that stands under a name of its own.
func (r *Redactor) redactNamed(name, s string) string {
	if rule := namedSecret(name, s); rule != "" {
		start := skipMarkers(s, 0)
		return s[:start] + r.marker(rule, s[start:])
	}
	return r.redact(s)
}

// dirtyJSON scans the strings of a document as they will be read. The span of
// a finding is the string that it is in.
func dirtyJSON(final []byte) []Finding {
	var found []Finding
	var sc scanner
	w := jsonWalk{s: string(final)}
	for w.next() {
		text, ok := w.value()
		if !ok || w.opaque() {
			continue
		}
		text, _ = Normalise(text)
		rule := namedSecret(w.announcer(), text)
		if f := sc.scan(text, 0); rule == "" && len(f) > 0 {
			rule = f[0].Rule
		}
		if rule != "" {
			found = append(found, Finding{w.start, w.end, rule})
		}
	}
	return found
}

// jsonWalk steps over the strings of JSON text, with the key that each stands
// under. It does not check the text.
type jsonWalk struct {
	s          string
	start, end int    // of the string, with its quotes
	key        string // the last key before it in its object, or its array's
	isKey      bool
	pos        int
	// keys holds, for each open bracket, the key that it stands under.
	keys []string
}

// next moves to the next string.
func (w *jsonWalk) next() bool {
	for w.pos < len(w.s) {
		i := w.pos
		w.pos++
		switch w.s[i] {
		case '{', '[':
			w.keys = append(w.keys, w.key)
		case '}', ']':
			if n := len(w.keys); n > 0 {
				w.key = w.keys[n-1]
				w.keys = w.keys[:n-1]
			}
		case '"':
			end := stringEnd(w.s, i)
			w.pos = end
			if w.isKey = colonAfter(w.s, end); w.isKey {
				w.key = strings.Trim(w.s[i:end], `"`)
			}
			w.start, w.end = i, end
			return true
		}
	}
	return false
}

// colonAfter tells whether a colon follows at s[i], behind a little white space.
func colonAfter(s string, i int) bool {
	for stop := min(len(s), i+8); i < stop; i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
		default:
			return s[i] == ':'
		}
	}
	return false
}

// stringEnd returns where the string ends whose first quote is at s[i].
func stringEnd(s string, i int) int {
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '"':
			return j + 1
		case '\\':
			j++
		}
	}
	return len(s)
}

// value decodes the string. It reports false where it is torn.
func (w *jsonWalk) value() (string, bool) {
	quoted := w.s[w.start:w.end]
	if len(quoted) < 2 || quoted[len(quoted)-1] != '"' {
		return "", false
	}
	if strings.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], true
	}
	var text string
	err := json.Unmarshal([]byte(quoted), &text)
	return text, err == nil
}

// opaque tells whether the string belongs to a provider.
func (w *jsonWalk) opaque() bool {
	return !w.isKey && len(w.key) >= minOpaqueKey && listed(opaqueKeys, strings.ToLower(w.key))
}

// announcer is the name that the string stands under.
func (w *jsonWalk) announcer() string {
	if w.isKey {
		return ""
	}
	return w.key
}
