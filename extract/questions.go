package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// questionSlot knows who spoke last and what is still open between the user
// and the agent.
type questionSlot struct {
	user, assistant said
	// userCall is how many calls there were before the user's last words.
	userCall int
	// asked is what the assistant had said last when the user spoke.
	asked said
	// before is what an earlier state quotes of the assistant's last words.
	before said
	// interrupting is set where the user spoke while the agent was at work.
	interrupting bool
	// ran are the latest commands that went well.
	ran []string
	// last says what came last: the user, the assistant's text, or a call.
	last event
	// stop is where the client noted an interruption.
	stop pith.Source
	// lastUse is the message of the latest call that has a result.
	lastUse int
}

type event uint8

const (
	nothing event = iota
	userSpoke
	assistantSpoke
	callEnded
	// interrupted: the client noted that the user stopped the agent.
	interrupted
)

func (q *questionSlot) said(s *Said) {
	if s.Side {
		return
	}
	switch {
	case isRequest(s):
		q.request(s.trimmed(), s.Call)
	case s.Origin == pith.Assistant:
		if t := s.trimmed(); t.text != "" {
			q.assistant, q.last = t, assistantSpoke
		}
	case s.Origin == pith.Harness && strings.HasPrefix(strings.TrimSpace(s.Text), "[Request interrupted by user"):
		q.last, q.stop = interrupted, s.trimmed().at
	}
}

func (q *questionSlot) request(t said, call int) {
	if t.text == "" {
		return
	}
	q.interrupting = q.last == callEnded
	q.user, q.userCall, q.asked, q.last = t, call, q.assistant, userSpoke
	if q.asked.text == "" {
		q.asked = q.before
	}
}

func (q *questionSlot) call(c *Call) {
	if c.Side {
		return
	}
	q.last, q.lastUse = callEnded, max(q.lastUse, c.At.Message)
	if c.Command != "" && len(c.Command) <= maxRanBytes && c.OK() {
		if q.ran = append(q.ran, c.Command); len(q.ran) > maxRan {
			q.ran = append(q.ran[:0], q.ran[1:]...)
		}
	}
	if text, at, ok := refusal(c); ok {
		q.request(said{text: text, origin: pith.UserExplicit, at: at, turn: c.Turn}, c.Seq)
	}
}

// What of the assistant's last words is kept, from each end.
const (
	lastWordsHead = 1000
	lastWordsTail = 560
	// maxPendingBytes is how much of a call without a result is shown.
	maxPendingBytes  = 600
	maxOpenQuestions = 4
	maxRan           = 40
	maxRanBytes      = 120
)

func (q *questionSlot) facts(f *Facts, x *Extractor) {
	f.Context.PendingCalls = []pith.PendingCall{}
	for _, c := range q.pending(x) {
		f.Context.PendingCalls = append(f.Context.PendingCalls, pith.PendingCall{Tool: c.Use.ToolName, Text: headTail(argsText(&c.Use), maxPendingBytes/2, maxPendingBytes/2), Source: c.At})
	}
	if t := q.assistant; t.text != "" {
		f.Context.LastWords = &pith.Quote{Text: headTail(t.text, lastWordsHead, lastWordsTail), Provenance: pith.Assistant, Source: t.at}
	}
	f.Context.OpenQuestions = q.open()
}

// pending are the calls of the latest request that have no result. A call that
// the agent went on without is no longer awaited.
func (q *questionSlot) pending(x *Extractor) []*Call {
	latest := max(q.lastUse, q.assistant.at.Message, q.user.at.Message)
	for _, c := range x.calls.pending {
		if !c.Side {
			latest = max(latest, c.At.Message)
		}
	}
	var out []*Call
	for _, c := range x.calls.pending {
		if !c.Side && c.At.Message == latest {
			out = append(out, c)
		}
	}
	return out
}

// argsText is a tool use without the tool's name.
func argsText(b *pith.Block) string {
	_, args, _ := strings.Cut(b.Text, "\n")
	return args
}

// open are the questions that wait for an answer: the assistant's where it
// spoke last, else the user's.
func (q *questionSlot) open() []pith.Quote {
	out := []pith.Quote{}
	t := q.user
	switch {
	case q.last == assistantSpoke:
		t = q.assistant
	case q.last == nothing || q.last == interrupted || t.text == "":
		return out
	}
	sentences(t.text, func(p sentence) {
		text := t.text[p.start:p.end]
		if !endsAsQuestion(text) || len(text) > maxDecisionBytes || t.origin == pith.Assistant && p.start < len(t.text)-maxTail {
			return
		}
		at := t.at
		at.Start, at.End = t.at.Start+p.start, t.at.Start+p.end
		out = append(out, pith.Quote{Text: text, Provenance: t.origin, Source: at})
	})
	if len(out) > maxOpenQuestions {
		out = out[len(out)-maxOpenQuestions:]
	}
	return out
}

// awaitsAnswer returns the question that the assistant ended with.
func (q *questionSlot) awaitsAnswer() (said, bool) {
	if q.last != assistantSpoke {
		return said{}, false
	}
	tail := cutFrom(q.assistant.text, maxTail)
	base := len(q.assistant.text) - len(tail)
	var last, question sentence
	sentences(tail, func(p sentence) {
		last = p
		if endsAsQuestion(tail[p.start:p.end]) {
			question = p
		}
	})
	// A short remark may follow the question: "Let me know."
	if question.end == 0 || len(tail)-question.end > 200 && last != question {
		return said{}, false
	}
	at := q.assistant.at
	at.Start, at.End = at.Start+base+question.start, at.Start+base+question.end
	return said{text: tail[question.start:question.end], origin: pith.Assistant, at: at}, true
}

// intentions begin a sentence that says what comes next. "Let me see" does not.
var intentions = []string{"next, i'll", "next i'll", "next, i will", "next i will", "next up:", "next step:", "next:", "now i'll", "i'll now", "i will now", "now i will", "then i'll", "my next step", "the next step is", "next is ", "als nächstes", "a seguir vou", "a continuación voy", "ensuite je"}

// intent returns the last thing that the assistant said it would do, where
// nothing was done since.
func (q *questionSlot) intent() (said, bool) {
	if q.last != assistantSpoke {
		return said{}, false
	}
	var found said
	sentences(q.assistant.text, func(p sentence) {
		text := q.assistant.text[p.start:p.end]
		lower := strings.TrimLeft(plainLower(text), "*_# ")
		for _, m := range intentions {
			if strings.HasPrefix(lower, m) || strings.Contains(lower, ", "+m) {
				at := q.assistant.at
				at.Start, at.End = at.Start+p.start, at.Start+p.end
				found = said{text: text, origin: pith.Assistant, at: at}
			}
		}
	})
	return found, found.text != ""
}
