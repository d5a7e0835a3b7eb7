package extract

import (
	"encoding/json"
	"strings"

	"github.com/pith-memory/pith"
)

// decisionSlot keeps what was chosen and why: by the user, whose words alone
// approve or reject, and by the assistant, as far as it said so plainly.
type decisionSlot struct {
	list []pith.Decision
	seen map[string]bool
	// told are decisions of an earlier state, which the messages at hand may
	// tell again.
	told map[string]bool
	// latest are the assistant's last texts, in which a proposal is looked for
	// once the user answers; proposal is a stated choice, or what was found.
	latest   [2]Said
	proposal proposal
	plan     planSlot
}

const (
	// maxStated bounds the choices that only the assistant stated.
	maxStated        = 40
	maxDecisionBytes = 700
)

// proposal is a sentence of the assistant's that waits for the user's word.
type proposal struct {
	text string
	at   pith.Source
	// asked is set where the text ended in a question.
	asked bool
	turn  int
}

func (d *decisionSlot) said(s *Said) {
	if s.Side {
		return
	}
	switch {
	case isRequest(s):
		d.plan.user(s)
		d.propose()
		d.user(s)
		d.proposal, d.latest = proposal{}, [2]Said{}
	case s.Origin == pith.Assistant:
		d.assistant(s)
	}
}

func (d *decisionSlot) call(c *Call) {
	if c.Side {
		return
	}
	d.plan.call(c)
	switch {
	case isOneOf(c.Use.ToolName, questionTools...):
		d.answers(c)
	case c.Result.Rejected:
		d.refused(c)
	}
}

// questionTools ask the user something; their result is the user's answer.
var questionTools = []string{"AskUserQuestion", "ask_user_question", "ask_followup_question", "request_user_input", "ask_user", "question"}

// answers reads the result of a question tool: the client wrote what the user
// chose after each question.
func (d *decisionSlot) answers(c *Call) {
	if c.Result.IsError || c.Result.Rejected || strings.TrimSpace(c.Result.Text) == "" {
		return
	}
	options := optionsOf(c.Use.Arg("questions"))
	found := false
	for from := 0; ; {
		start, end, ok := quotedPair(c.Result.Text, from)
		if !ok {
			break
		}
		text := c.Result.Text[start:end]
		k := pith.Decision{Decision: text, Status: "approved", Provenance: pith.UserExplicit, Source: c.ResultAt, Rejected: notChosen(options, text)}
		k.Source.Start, k.Source.End = start, end
		d.add(k)
		found, from = true, end
	}
	if !found {
		start, end := trimSpan(c.Result.Text, 0, len(cutTo(c.Result.Text, maxDecisionBytes)))
		k := pith.Decision{Decision: c.Result.Text[start:end], Rationale: cutTo(c.Use.Arg("question"), maxDecisionBytes), Status: "approved", Provenance: pith.UserExplicit, Source: c.ResultAt}
		k.Source.Start, k.Source.End = start, end
		d.add(k)
	}
}

// quotedPair finds the next "question"="answer" in a result.
func quotedPair(text string, from int) (start, end int, ok bool) {
	i := strings.Index(text[from:], `"="`)
	if i < 0 {
		return 0, 0, false
	}
	i += from
	start = strings.LastIndex(text[from:i], `", "`)
	if start >= 0 {
		start += from + len(`", `)
	} else if start = strings.IndexByte(text[from:i], '"'); start >= 0 {
		start += from
	} else {
		return 0, 0, false
	}
	rest := text[i+len(`"="`):]
	for j := 0; j < len(rest); j++ {
		if rest[j] == '"' && (j+1 == len(rest) || rest[j+1] == '.' || rest[j+1] == ',' || rest[j+1] == ' ' || rest[j+1] == '\n') {
			return start, i + len(`"="`) + j + 1, true
		}
	}
	return 0, 0, false
}

func optionsOf(questions string) []string {
	var list []struct{ Options []struct{ Label string } }
	if json.Unmarshal([]byte(questions), &list) != nil {
		return nil
	}
	var out []string
	for _, q := range list {
		for _, o := range q.Options {
			out = append(out, o.Label)
		}
		out = append(out, "")
	}
	return out
}

// notChosen are the options of the answered question that the answer does not
// name. Questions are separated by "" in options.
func notChosen(options []string, pair string) []pith.Alternative {
	_, answer, _ := strings.Cut(pair, `"="`)
	var group []pith.Alternative
	chosen := false
	for _, o := range options {
		switch {
		case o == "":
			if chosen {
				return group
			}
			group, chosen = nil, false
		case strings.Contains(answer, o):
			chosen = true
		default:
			group = append(group, pith.Alternative{Alternative: o})
		}
	}
	return nil
}

// refused records a call that the user turned down, with the user's reason.
func (d *decisionSlot) refused(c *Call) {
	attempt := callText(c)
	text, at, ok := refusal(c)
	if ok {
		d.add(pith.Decision{Decision: cutTo(text, maxDecisionBytes), Status: "rejected", Provenance: pith.UserExplicit, Source: clip(at, maxDecisionBytes, text), Rejected: []pith.Alternative{{Alternative: attempt}}})
		return
	}
	if isOneOf(c.Use.ToolName, questionTools...) {
		return
	}
	d.add(pith.Decision{Decision: attempt, Status: "rejected", Provenance: pith.Assistant, Source: spanIn(&c.Use, c.At, attempt)})
}

// clip moves the end of a source to where a text was cut.
func clip(at pith.Source, n int, text string) pith.Source {
	at.End = at.Start + len(cutTo(text, n))
	return at
}

// callText is the line of a tool use that tells best what it would have done.
func callText(c *Call) string {
	text := c.Use.Arg("command", "cmd", "file_path", "path", "url", "title", "query", "prompt")
	if text == "" {
		text = c.Use.ToolName
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		line = c.Use.ToolName
	}
	return cutTo(line, maxDecisionBytes)
}

// add files a decision once. Only the latest of the assistant's own stay.
func (d *decisionSlot) add(k pith.Decision) {
	if k.Decision == "" {
		return
	}
	key := k.Status + "\x00" + k.Decision
	if d.seen[key] && len(k.Decision) > repeatable || d.told[key+"\x00"+k.Rationale] {
		return
	}
	d.supersede(&k)
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[key] = true
	k.ID = pith.ItemID(pith.IDDecision, k.Source, k.Decision)
	if k.Rejected == nil {
		k.Rejected = []pith.Alternative{}
	}
	d.list = append(d.list, k)
	if k.Status != "stated" {
		return
	}
	stated, first := 0, -1
	for i := range d.list {
		if d.list[i].Status == "stated" {
			if stated++; first < 0 {
				first = i
			}
		}
	}
	if stated > maxStated {
		d.list = append(d.list[:first], d.list[first+1:]...)
	}
}

func (d *decisionSlot) facts(f *Facts) {
	f.Decisions = append([]pith.Decision{}, d.list...)
	d.propose()
	if p := d.proposal; p.text != "" && p.asked {
		f.Decisions = append(f.Decisions, pith.Decision{
			ID: pith.ItemID(pith.IDDecision, p.at, p.text), Decision: p.text, Rejected: []pith.Alternative{}, Status: "proposed", Provenance: pith.Assistant, Source: p.at,
		})
	}
	f.Context.Plan = d.plan.plan()
}
