package merge

import (
	"math/bits"
	"strings"

	"github.com/pith-memory/pith"
)

// part is a stretch of the transcript with one voice.
type part struct {
	text   string
	at     pith.Source
	origin pith.Provenance
	ref    pith.BlockRef
	known  bool
	// seq numbers the parts from 1.
	seq uint32
	// touched are the statements of which something stands in the part.
	touched []int
	trusted bool
	// fact is set for what the state itself holds: it supports a statement
	// only where no message does.
	fact bool
}

// Message looks for the claims in one message, redacted as everything behind
// package redact is. What pith itself put there - an earlier block - is no
// support for what was in it, and what a client put there supports nothing.
func (c *Claims) Message(m *pith.Message) {
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Text == "" {
			c.answers(b)
			continue
		}
		answer := c.answers(b)
		voices := b.Voices()
		for _, v := range voices {
			p := part{text: b.Text[v.Start:v.End], at: pith.Source{Message: m.Index, Block: i}, origin: v.Origin, ref: refOf(m, b), known: true}
			if len(voices) > 1 {
				p.at.Start, p.at.End = v.Start, v.End
			}
			if v.Origin == pith.Harness && strings.Contains(p.text, ownFence) {
				continue
			}
			if m.Agent != "" && p.origin == pith.UserExplicit {
				p.origin = pith.PeerAgent // another agent wrote a sub-agent's task
			}
			p.trusted = p.origin <= pith.UserExplicit && b.Kind == pith.KindText || answer && m.Agent == ""
			c.scan(&p)
		}
	}
}

// answers tells whether a block is what a user chose or typed when the client
// asked, which a tool's result holds: the words are the user's, the label stays.
func (c *Claims) answers(b *pith.Block) bool {
	switch b.Kind {
	case pith.KindToolUse:
		switch b.ToolName {
		case "AskUserQuestion", "ExitPlanMode", "exit_plan_mode", "request_user_input", "ask_user", "ask_followup_question", "ask_user_question", "question":
			c.asked[b.ToolUseID] = true
		}
	case pith.KindToolResult:
		asked := c.asked[b.ToolUseID]
		delete(c.asked, b.ToolUseID)
		return asked
	}
	return false
}

// ownFence begins a block that pith rendered.
const ownFence = "<pith-memory"

// refOf describes a block as the table of blocks does.
func refOf(m *pith.Message, b *pith.Block) pith.BlockRef {
	kind := b.Kind.String()
	switch {
	case b.Kind == pith.KindText && b.Origin == pith.PolicyFile:
		kind = "policy_file"
	case b.Kind == pith.KindText && b.Origin == pith.Harness:
		kind = "summary"
	}
	return pith.BlockRef{Role: m.Role, Type: kind, Hash: pith.HashHex(b.Hash)}
}

// scan reads one part and lets each statement keep it where it supports the
// statement better than what came before.
func (c *Claims) scan(p *part) {
	if len(c.items) == 0 {
		return
	}
	p.seq = c.part.seq + 1
	p.touched = c.part.touched[:0]
	c.part = *p
	c.index.scan(p.text, c.part.seq, c)
	for _, n := range c.part.touched {
		s := &c.items[n]
		words := bits.OnesCount64(s.mask)
		better := s.held > s.best.claims || s.held == s.best.claims && (words > s.best.words || words == s.best.words && !p.fact)
		if p.origin != pith.Harness && (better || !s.best.found) {
			s.best = support{at: p.at, origin: p.origin, ref: p.ref, known: p.known, claims: s.held, words: words, found: true}
		}
		if s.rule == nil || !p.trusted || s.rule.held {
			continue
		}
		if s.rule.told && s.quotes() && s.held == len(s.claims) {
			s.rule.held = true // the user's own words, quoted
		} else if 2*words >= s.words {
			s.rule.read(p.text)
		}
	}
}

// touch makes a statement begin anew in the part at hand.
func (c *Claims) touch(n int) *statement {
	s := &c.items[n]
	if s.stamp != c.part.seq {
		s.stamp, s.mask, s.held = c.part.seq, 0, 0
		c.part.touched = append(c.part.touched, n)
	}
	return s
}

// word notes that a content word of a statement stands in the part at hand.
func (c *Claims) word(n int, bit uint8) { c.touch(n).mask |= 1 << bit }

// found notes that a claim of a statement stands in the part at hand.
func (c *Claims) found(n, k int) {
	s := c.touch(n)
	s.held++
	s.claims[k].met = true
}
