package extract

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/pith-memory/pith"
)

// goalSlot keeps what the user asked for: the first request, and every later
// text in order. All of it is verbatim.
type goalSlot struct {
	texts []said
	seen  map[string]bool
	// standIn is what stands in the place of a request where the user typed none.
	standIn  said
	fallback said
	// anchor is where a session without any request points to: the first
	// block of those that fit best.
	anchor pith.Source
	fit    anchorFit
	// shortened are the sizes of texts that an earlier state holds a part of.
	shortened map[pith.Source]int
	// told are texts that the messages at hand may begin with again; nil once
	// something new was said.
	told map[string]bool
	// summary is the client's latest summary; afterBoundary is set until the
	// first text after a compaction was read.
	summary       *pith.Source
	afterBoundary bool
}

// said is a trimmed part of a text block and its source.
type said struct {
	text   string
	origin pith.Provenance
	at     pith.Source
	turn   int
}

// clientCommands are slash commands that steer the client, not the work.
var clientCommands = []string{
	"/model", "/clear", "/exit", "/quit", "/compact", "/cost", "/config", "/login", "/logout", "/help", "/status", "/mcp",
	"/resume", "/memory", "/permissions", "/theme", "/vim", "/doctor", "/bug", "/release-notes", "/reload-plugins", "/fast",
	"/effort", "/add-dir", "/context", "/usage", "/export", "/rename", "/color", "/terminal-setup", "/ide", "/output-style",
	"/statusline", "/plugin", "/plugins", "/hooks", "/agents", "/rewind", "/upgrade", "/privacy-settings", "/new", "/approvals",
}

// isRequest tells whether a part holds words with which the user of this
// thread asks for something.
func isRequest(s *Said) bool {
	return !s.Side && s.Origin == pith.UserExplicit && s.Command != pith.ShellInput && !isOneOf(s.Command, clientCommands...)
}

// mayAmend also takes the words that a user gave to a command of the client's:
// they are no request, but they may hold a rule.
func mayAmend(s *Said) bool {
	return !s.Side && s.Origin == pith.UserExplicit && s.Command != pith.ShellInput && (s.Command == "/compact" || !isOneOf(s.Command, clientCommands...))
}

// anchorFit ranks the blocks that may stand where no request does.
type anchorFit uint8

const (
	fitsNothing anchorFit = iota
	fitsResult            // what a tool wrote
	fitsMute              // an image, thinking, an item of the provider's own
	fitsWords             // a text or a call
)

// block remembers the block that a session without any request points to.
func (g *goalSlot) block(b *pith.Block, at pith.Source) {
	if g.fit == fitsWords {
		return
	}
	fit := fitsMute
	switch {
	case b.Kind == pith.KindToolResult:
		fit = fitsResult
	case b.Kind == pith.KindToolUse, b.Kind == pith.KindText && strings.TrimSpace(b.Text) != "":
		fit = fitsWords
	}
	if fit > g.fit {
		g.anchor, g.fit = at, fit
	}
}

func (s *Said) trimmed() said {
	start, end := trimSpan(s.Text, 0, len(s.Text))
	return said{s.Text[start:end], s.Origin, s.Span(start, end), s.Turn}
}

func (g *goalSlot) said(s *Said) {
	if s.Side {
		return
	}
	switch {
	case isRequest(s):
		g.add(s.trimmed())
	case s.Origin == pith.PeerAgent:
		// The client's own blocks come in the other agent's name, too.
		if t := s.trimmed(); g.standIn.text == "" && t.text != "" && t.text[0] != '<' && !strings.HasPrefix(t.text, "# AGENTS.md") {
			g.standIn = t
		}
	case s.Origin == pith.Harness:
		g.harness(s)
	}
}

// harness keeps the summary or prompt that a session without a user's words
// goes by. Reminders, command output and the like are neither.
func (g *goalSlot) harness(s *Said) {
	t := s.trimmed()
	if t.text == "" {
		return
	}
	summary := g.afterBoundary && t.text[0] != '<' || isSummary(t.text)
	if summary {
		at := t.at
		g.summary, g.afterBoundary = &at, false
		if g.standIn.text == "" {
			g.standIn = summaryGoal(t)
		}
		return
	}
	if g.fallback.text == "" && t.text[0] != '<' && !strings.HasPrefix(t.text, "[Request interrupted") && !strings.HasPrefix(t.text, "Caveat:") {
		t.text = cutTo(t.text, maxStandIn)
		t.at.End = t.at.Start + len(t.text)
		g.fallback = t
	}
}

func isSummary(text string) bool {
	return strings.HasPrefix(text, "This session is being continued") || strings.HasPrefix(text, "Another language model started")
}

// maxStandIn is how much of a prompt or summary may stand for a goal.
const maxStandIn = 4000

// summaryGoal takes the part of a summary that tells what was asked for.
func summaryGoal(t said) said {
	from := 0
	if i := strings.Index(t.text, "Primary Request and Intent"); i >= 0 {
		from = i
		// Claude Code writes an analysis first, with the same heading in it.
		if j := strings.Index(t.text[i+1:], "Primary Request and Intent"); j >= 0 {
			from = i + 1 + j
		}
		from += len("Primary Request and Intent")
		from += len(t.text[from:]) - len(strings.TrimLeft(t.text[from:], ":* "))
	}
	end := len(t.text)
	if from > 0 {
		if j := strings.Index(t.text[from:], "\n2. "); j >= 0 {
			end = from + j
		}
	}
	start, end := trimSpan(t.text, from, from+len(cutTo(t.text[from:end], maxStandIn)))
	if start >= end {
		return t
	}
	base := t.at.Start
	t.text = t.text[start:end]
	t.at.Start, t.at.End = base+start, base+end
	return t
}

// add keeps a text of the user's. One that was said before is dropped, and so
// is one that the next only continues: it was interrupted and typed again.
func (g *goalSlot) add(t said) {
	if t.text == "" {
		return
	}
	if g.told[t.text] {
		return
	}
	g.told = nil
	if g.seen == nil {
		g.seen = map[string]bool{}
	}
	if g.seen[t.text] && len(t.text) > repeatable {
		return
	}
	g.seen[t.text] = true
	if n := len(g.texts); n > 1 && len(g.texts[n-1].text) > repeatable && strings.HasPrefix(t.text, g.texts[n-1].text) {
		g.texts[n-1] = t
		return
	}
	g.texts = append(g.texts, t)
}

// repeatable is the length up to which a text may mean something else when it
// is said again: "yes", "commit", "go on".
const repeatable = 24

// boundary reads a compaction of the client's: the text after it is a summary.
func (g *goalSlot) boundary() { g.afterBoundary = true }

func (g *goalSlot) facts(f *Facts) {
	f.Context.Summary = g.summary
	root, rest := g.root()
	root, rest = splitLong(root, rest)
	sum := sha256.Sum256([]byte(root.text))
	f.Goal = pith.Goal{Text: root.text, Provenance: root.origin, SHA256: hex.EncodeToString(sum[:]), Source: root.at, Amendments: []pith.Amendment{}}
	for i, t := range rest {
		a := amendment(t, i == len(rest)-1)
		if n := g.shortened[t.at]; n > 0 {
			a.Shortened, a.Bytes = true, n
		}
		f.Goal.Amendments = append(f.Goal.Amendments, a)
	}
	f.WorkType = workType(root.text, f.Goal.Amendments)
}

// A text of the user's is kept whole up to longest bytes. Of a longer one the
// beginning and the end are kept, which hold the request around what was pasted.
const (
	longest     = 256 << 10
	longestHead = 192 << 10
	longestTail = 32 << 10
)

// splitLong cuts a goal that is too long: its end becomes the first later text.
func splitLong(root said, rest []said) (said, []said) {
	if len(root.text) <= longest {
		return root, rest
	}
	head, tail := root, root
	head.text, tail.text = cutTo(root.text, longestHead), cutFrom(root.text, longestTail)
	head.at.End = root.at.Start + len(head.text)
	tail.at.Start = root.at.End - len(tail.text)
	return head, append([]said{tail}, rest...)
}

// noRequest stands for a goal where a session holds nothing that could be one.
const noRequest = "The session holds no request."

// root is the goal, and the texts that came after it.
func (g *goalSlot) root() (said, []said) {
	switch {
	case len(g.texts) > 0:
		return g.texts[0], g.texts[1:]
	case g.standIn.text != "":
		return g.standIn, nil
	case g.fallback.text != "":
		return g.fallback, nil
	}
	return said{text: noRequest, origin: pith.Harness, at: g.anchor}, nil
}

// What is pasted is shortened from longBulk bytes on where most of it is code
// or a log, and from longText on whatever it is; the latest text never is.
const (
	longBulk = 3000
	longText = 16000
	bulkHead = 1200
	bulkTail = 800
)

func amendment(t said, latest bool) pith.Amendment {
	a := pith.Amendment{Text: t.text, Relation: relation(t.text), Provenance: t.origin, Source: t.at}
	if len(t.text) > longest {
		a.Text, a.Shortened, a.Bytes = headTail(t.text, longestHead, longestTail), true, len(t.text)
		return a
	}
	if latest || len(t.text) <= longBulk || len(t.text) <= longText && !mostlyBulk(t.text) {
		return a
	}
	a.Text, a.Shortened, a.Bytes = headTail(t.text, bulkHead, bulkTail), true, len(t.text)
	return a
}

// supersedings take back what was asked for before.
var supersedings = []string{
	"forget that", "forget about that", "forget it", "forget what i", "scrap that", "scrap it", "never mind", "nevermind", "instead of that",
	"ignore my last", "ignore my previous", "ignore what i", "change of plan", "new plan:", "cancel that", "drop that", "let's abandon", "lets abandon", "abandon this", "on second thought",
	"olvida eso", "olvídate de", "olvídalo", "esquece isso", "esqueça isso", "oublie ça", "oubliez ça", "laisse tomber", "vergiss das", "vergiss es", "забудь об этом", "забудь это", "отмени это",
	"忘掉", "算了", "不用了，改", "それはやめて", "やっぱり", "그건 잊", "그만두고", "취소하고",
}

// relation tells whether a later text adds to the goal or takes its place.
func relation(text string) string {
	lower := strings.ToLower(cutTo(text, 300))
	for _, p := range supersedings {
		if i := strings.Index(lower, p); i >= 0 && !strings.HasSuffix(lower[:i], "don't ") && !strings.HasSuffix(lower[:i], "not ") {
			return "supersedes"
		}
	}
	if (strings.HasPrefix(lower, "stop") || strings.HasPrefix(lower, "no, stop") || strings.HasPrefix(lower, "wait, ")) && hasPhrase(lower, "instead") {
		return "supersedes"
	}
	return "amends"
}
