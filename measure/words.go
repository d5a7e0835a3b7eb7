package measure

import (
	"strings"

	"github.com/pith-memory/pith"
)

// Words are the user's own words in a session, in order: what was asked first,
// and everything that was said later. A reader of its own finds them, so that
// it does not agree with the extraction about what a client put there.
type Words struct {
	Goal       string
	Amendments []string
}

// Words returns what the user said up to here.
func (o *Observer) Words() Words {
	if len(o.said) == 0 {
		return Words{}
	}
	return Words{Goal: o.said[0], Amendments: o.said[1:len(o.said):len(o.said)]}
}

// Current is all of it as one text.
func (w Words) Current() string {
	if w.Goal == "" && len(w.Amendments) == 0 {
		return ""
	}
	return w.Goal + "\n" + strings.Join(w.Amendments, "\n")
}

// Stale is what was asked for before the last amendment, "" where none was made.
func (w Words) Stale() string {
	if len(w.Amendments) == 0 {
		return ""
	}
	return Words{Goal: w.Goal, Amendments: w.Amendments[:len(w.Amendments)-1]}.Current()
}

// spokenIn returns the user's words in a block of a message, "" where it holds none.
func spokenIn(m *pith.Message, b *pith.Block) string {
	if b.Kind != pith.KindText || b.Origin != pith.UserExplicit || m.Agent != "" || m.Nested || m.Role != pith.RoleUser {
		return ""
	}
	return spoken(b.Text)
}

// wrote are the beginnings of texts that a client wrote in the user's name.
var wrote = [...]string{
	"This session is being continued from", "Another language model started", "Caveat: The messages below", "# AGENTS.md", "# CLAUDE.md",
	"CRITICAL: Respond with TEXT ONLY", "You are performing a CONTEXT CHECKPOINT",
}

// steering are slash commands that are about the client and not the work.
var steering = " /model /clear /exit /quit /compact /cost /config /login /logout /help /status /mcp /resume /memory /permissions /theme " +
	"/vim /doctor /bug /context /usage /export /rename /ide /plugin /plugins /hooks /agents /rewind /upgrade /new /approvals /fast /effort /add-dir "

// spoken takes out of a user block what the client put there: elements with a
// tag at the beginning of a line, a notice of an interruption, whole texts of
// the client's. Of a slash command the arguments are the user's words.
func spoken(text string) string {
	t := strings.TrimSpace(text)
	for _, w := range wrote {
		if strings.HasPrefix(t, w) {
			return ""
		}
	}
	if _, request, ok := strings.Cut(t, "## My request for Codex:"); ok && strings.HasPrefix(t, "# Context from my IDE setup") {
		return strings.TrimSpace(request)
	}
	if strings.HasPrefix(t, "[Request interrupted") {
		_, t, _ = strings.Cut(t, "\n")
	}
	if name, ok := inside(t, "command-name"); ok {
		args, _ := inside(t, "command-args")
		if strings.Contains(steering, " "+strings.TrimSpace(name)+" ") {
			return ""
		}
		return strings.TrimSpace(args)
	}
	return strings.TrimSpace(withoutElements(t))
}

func inside(text, tag string) (string, bool) {
	_, rest, ok := strings.Cut(text, "<"+tag+">")
	if !ok {
		return "", false
	}
	body, _, ok := strings.Cut(rest, "</"+tag+">")
	return body, ok
}

// withoutElements drops every <tag ...>...</tag> that opens a line and whose
// tag has a hyphen, an underscore or capitals, as the tags of clients have.
func withoutElements(t string) string {
	var out strings.Builder
	for at := 0; at < len(t); {
		open := lineBeginning(t, at, '<')
		if open < 0 {
			out.WriteString(t[at:])
			break
		}
		out.WriteString(t[at:open])
		end := elementEnd(t, open)
		if end < 0 {
			out.WriteByte('<')
			end = open + 1
		}
		at = end
	}
	return out.String()
}

// lineBeginning finds c from at on where nothing but blanks is before it in its line.
func lineBeginning(t string, at int, c byte) int {
	for i := at; i < len(t); {
		j := strings.IndexByte(t[i:], c)
		if j < 0 {
			return -1
		}
		i += j
		before := t[strings.LastIndexByte(t[:i], '\n')+1 : i]
		if strings.TrimSpace(before) == "" || i == at && at > 0 {
			return i
		}
		i++
	}
	return -1
}

// elementEnd is where the client's element ends that opens at open, -1 where
// it is none.
func elementEnd(t string, open int) int {
	n := open + 1
	for n < len(t) && (t[n] == '-' || t[n] == '_' || t[n] >= 'a' && t[n] <= 'z' || t[n] >= 'A' && t[n] <= 'Z') {
		n++
	}
	tag := t[open+1 : n]
	if tag == "" || !strings.ContainsAny(tag, "-_") && tag != strings.ToUpper(tag) && tag != "skill" && tag != "permissions" {
		return -1
	}
	closing := "</" + tag + ">"
	i := strings.Index(t[n:], closing)
	if i < 0 {
		return -1
	}
	return n + i + len(closing)
}
