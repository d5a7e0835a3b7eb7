package schema

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// Checked counts what CheckTranscript held against the session.
type Checked struct {
	Messages    int `json:"messages"`
	Blocks      int `json:"blocks"`
	Labels      int `json:"labels"`
	Quotes      int `json:"quotes"`
	Paths       int `json:"paths"`
	Commands    int `json:"commands"`
	Outcomes    int `json:"outcomes"`
	Identifiers int `json:"identifiers"`
}

// CheckTranscript holds a state against the session that it names: that the
// session is the same, and that each statement lies where its source says,
// word for word and with the label that the block gives it. next returns the
// session's messages in order, redacted as they were for the state, and io.EOF
// behind the last one.
//
// The session is streamed: a block is held against everything that points to
// it as it passes, and nothing of it is kept.
func CheckTranscript(s *pith.State, next func() (*pith.Message, error)) ([]Problem, Checked) {
	t := &transcriptChecker{checker: checker{s: s}, asked: map[string]bool{}, running: map[*outcome]bool{}}
	if s.Checkpoint.Origin == "imported" {
		t.add(ruleSource, in("/checkpoint", "origin"), "is imported: there is no session to hold the state against")
		return t.problems, t.done
	}
	t.index()
	t.edited = editedPlaces(s)
	t.claim()
	for {
		m, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.add(ruleSource, in("/checkpoint", "transcript"), "cannot be read to its end: "+err.Error())
			break
		}
		if m.Index > s.Checkpoint.ThroughMessage {
			break
		}
		t.message(m)
	}
	t.finish()
	return t.problems, t.done
}

// transcriptChecker walks a session once.
type transcriptChecker struct {
	checker
	done   Checked
	claims map[blockAt][]claim
	digest Digest
	first  bool // from_message was met
	last   int  // the highest message index met
	// user is where the first words of a user stand.
	user *pith.Source
	// asked are the open calls whose results are a user's answers, by id.
	asked map[string]bool
	// edited are the places of what a person wrote.
	edited map[string]bool
	// running are the runs whose call was met and whose last result was not.
	running map[*outcome]bool
	// todo are the entries of the list whose words were not met yet: an entry's
	// source is where its status was set, which need not repeat its words.
	todo []int
}

// claim is one statement about one block.
type claim struct {
	rule  string
	at    place
	count *int
	// test says what is wrong with the statement, "" where nothing is.
	test func(witness) string
}

// witness is a block with its message, which a claim is held against.
type witness struct {
	m *pith.Message
	b *pith.Block
	// answer is set where the block is a user's answer that a tool returned.
	answer bool
}

func (t *transcriptChecker) message(m *pith.Message) {
	t.done.Messages++
	t.digest.Add(m)
	t.last = max(t.last, m.Index)
	if m.Index == t.s.Checkpoint.FromMessage {
		t.first = true
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		at := blockAt{m.Index, i}
		w := witness{m: m, b: b, answer: t.answers(b)}
		t.firstWords(w, at)
		t.passing(w)
		use := t.blocks[at]
		if use == nil {
			continue
		}
		use.used = true
		t.done.Blocks++
		t.block(use, w)
		for _, c := range t.claims[at] {
			if t.byPerson(c.at) {
				continue
			}
			*c.count++
			if text := c.test(w); text != "" {
				t.add(c.rule, c.at, text)
			}
		}
	}
}

// askingTools return what a user chose or typed, not what a program printed.
var askingTools = map[string]bool{
	"AskUserQuestion": true, "ExitPlanMode": true, "exit_plan_mode": true, "request_user_input": true,
	"ask_user": true, "ask_followup_question": true, "ask_user_question": true, "question": true,
}

func (t *transcriptChecker) answers(b *pith.Block) bool {
	switch b.Kind {
	case pith.KindToolUse:
		if askingTools[b.ToolName] {
			t.asked[b.ToolUseID] = true
		}
	case pith.KindToolResult:
		asked := t.asked[b.ToolUseID]
		delete(t.asked, b.ToolUseID)
		return asked || b.Rejected
	}
	return false
}

// passing shows a block to what may stand in any of several.
func (t *transcriptChecker) passing(w witness) {
	switch {
	case w.b.Kind == pith.KindToolResult && len(t.running) > 0:
		for o := range t.running {
			o.read(w.b.Text)
		}
	case len(t.todo) > 0 && (w.b.Kind == pith.KindToolUse || w.b.Kind == pith.KindText):
		t.todo = slices.DeleteFunc(t.todo, func(i int) bool {
			if !holds(w.b.Text, t.s.Context.Todo[i].Text) {
				return false
			}
			t.done.Quotes++
			return true
		})
	}
}

// firstWords notes where a user first speaks in the thread of the state.
func (t *transcriptChecker) firstWords(w witness, at blockAt) {
	if t.user != nil || w.b.Kind != pith.KindText || w.m.Role != pith.RoleUser || w.m.Agent != t.s.Checkpoint.Agent {
		return
	}
	for _, v := range w.b.Voices() {
		// What is said to a command may steer the client only, so it need not
		// be a request; it can be the goal, but need not.
		if v.Origin == pith.UserExplicit && v.Command == "" && strings.TrimSpace(w.b.Text[v.Start:v.End]) != "" {
			t.user = &pith.Source{Message: at.message, Block: at.block, Start: v.Start, End: v.End}
			return
		}
	}
}

// block checks an entry of the block table against the block itself.
func (t *transcriptChecker) block(use *blockUse, w witness) {
	at := pointer("blocks", use.key)
	bad := func(text string) { t.problems = append(t.problems, Problem{ruleSource, at, text}) }
	if want := pith.HashHex(w.b.Hash); use.ref.Hash != want {
		bad(fmt.Sprintf("has the hash %s, but the block in the session has %s", use.ref.Hash, want))
	}
	if use.ref.Role != w.m.Role {
		bad(fmt.Sprintf("has the role %s, but the message in the session has %s", use.ref.Role, w.m.Role))
	}
	if !typeFits(use.ref.Type, w) {
		bad(fmt.Sprintf("has the type %s, but the block in the session is %s", use.ref.Type, w.b.Kind))
	}
}

// typeFits tells whether a block may be described by a type of the contract:
// rules files and summaries are text that nobody typed.
func typeFits(name string, w witness) bool {
	switch name {
	case "policy_file", "summary":
		want := pith.PolicyFile
		if name == "summary" {
			want = pith.Harness
		}
		if w.b.Kind != pith.KindText {
			return false
		}
		for _, v := range w.b.Voices() {
			if v.Origin == want {
				return true
			}
		}
		return false
	}
	return name == w.b.Kind.String()
}

// finish reports what the whole session shows.
func (t *transcriptChecker) finish() {
	p := &t.s.Checkpoint
	if t.done.Messages > 0 && t.last < p.ThroughMessage {
		t.addf(ruleSource, in("/checkpoint", "through_message"), "is %d, but the session ends at message %d", p.ThroughMessage, t.last)
	}
	if !t.first {
		t.addf(ruleSource, in("/checkpoint", "from_message"), "is %d, which the session does not have", p.FromMessage)
	}
	if sum := t.digest.Sum(); sum != p.TranscriptSHA256 {
		t.addf(ruleSource, in("/checkpoint", "transcript_sha256"), "is not the digest of this session, which is %s: another session, or it was changed or redacted otherwise", sum)
	}
	found := len(t.problems)
	for at, b := range t.blocks {
		if !b.used && !t.carried(at.message) {
			t.problems = append(t.problems, Problem{ruleSource, pointer("blocks", b.key), "is not in the session"})
		}
	}
	sortProblems(t.problems[found:])
	for _, i := range t.todo {
		if t.s.Checkpoint.FromMessage > 0 { // an entry may be of an earlier part, and only its status of this one
			continue
		}
		t.add(ruleQuote, item("/context/todo", i, "text"), "does not stand in the session: nobody made this entry")
	}
	t.firstGoal()
}

// carried tells whether a message was part of what an earlier checkpoint of the
// chain was made from: its statements are held against the session there.
func (t *transcriptChecker) carried(message int) bool {
	return message < t.s.Checkpoint.FromMessage
}

// firstGoal checks that the goal is the first thing that the user said.
func (t *transcriptChecker) firstGoal() {
	g := &t.s.Goal
	switch {
	case t.user == nil || t.s.Checkpoint.FromMessage > 0 || t.byPerson(in("/current_goal", "text")):
	case g.Provenance == pith.Harness:
		t.addf(ruleGoal, in("/current_goal", "provenance"), "is HARNESS, but a user speaks at %s", t.user)
	case g.Provenance == pith.UserExplicit && g.Source.BlockKey() != t.user.BlockKey() && t.user.Before(g.Source):
		t.addf(ruleGoal, in("/current_goal", "source"), "%s is not the first request of the user, which stands at %s", g.Source, t.user)
	}
}
