package measure

import (
	"strings"

	"github.com/pith-memory/pith"
)

// Window is how many calls after a cut count as what the agent needed next.
const Window = 60

var (
	plainPair  = pattern(`^[A-Za-z-]+/[A-Za-z-]+$`)
	pathWord   = pattern(`(?:[\w.~+-]*/)+[\w.+-]*\w`)
	testWord   = pattern(`\bTest[A-Z]\w{3,}\b|\btest_\w{4,}\b`)
	shaWord    = pattern(`\b[0-9a-f]{7,40}\b`)
	symbolWord = pattern(`\b[A-Za-z_]\w{4,59}\b`)
)

// Needs are the names that the agent's next calls used, by kind.
type Needs struct{ paths, tests, shas, symbols set }

// Call adds the names of one call; the caller stops after Window calls.
func (n *Needs) Call(b *pith.Block, seen func(string) bool) {
	for _, a := range b.Args {
		if a.Key == "new_string" || a.Key == "content" || a.Key == "description" {
			continue // what the agent makes up now it need not remember
		}
		n.text(a.Value, seen)
	}
}

// unescaped turns the escapes of a text that is quoted inside a text into spaces.
var unescaped = strings.NewReplacer(`\n`, "  ", `\t`, "  ", `\r`, "  ")

func (n *Needs) text(v string, seen func(string) bool) {
	v = unescaped.Replace(v)
	add := func(s *set, w string) {
		if !s.has[w] && seen(w) {
			s.add(w)
		}
	}
	for _, w := range pathWord().FindAllString(v, -1) {
		if isPath(w) {
			add(&n.paths, w)
		}
	}
	for _, w := range testWord().FindAllString(v, -1) {
		add(&n.tests, w)
	}
	for _, w := range shaWord().FindAllString(v, -1) {
		if strings.ContainsAny(w, "abcdef") && strings.ContainsAny(w, "0123456789") {
			add(&n.shas, w)
		}
	}
	for _, w := range symbolWord().FindAllString(v, -1) {
		if isSymbol(w) && !testWord().MatchString(w) {
			add(&n.symbols, w)
		}
	}
}

// isPath wants two parts at least, and more than two words of prose with a
// slash between them: "request/response" is no path, nor is a type of media.
func isPath(w string) bool {
	inner := strings.TrimLeft(w, "/.")
	return len(w) > 5 && strings.Contains(inner, "/") && !strings.Contains(w, "//") && !strings.HasPrefix(w, "/dev/") &&
		!strings.HasPrefix(w, "application/") && (inner != w || !plainPair().MatchString(w))
}

// isSymbol wants an inner capital or underscore: a name that somebody coined.
func isSymbol(w string) bool {
	for i := 1; i < len(w); i++ {
		if w[i] == '_' || w[i] >= 'A' && w[i] <= 'Z' && w[i-1] >= 'a' && w[i-1] <= 'z' {
			return strings.ToUpper(w) != w
		}
	}
	return false
}

// TextOf is the text of messages, as a client's replacement history holds it.
func TextOf(messages []pith.Message) string {
	var b strings.Builder
	for i := range messages {
		for k := range messages[i].Blocks {
			b.WriteString(messages[i].Blocks[k].Text + "\n")
		}
	}
	return b.String()
}
