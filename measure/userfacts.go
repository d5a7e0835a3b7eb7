package measure

import (
	"encoding/json"
	"strings"

	"github.com/pith-memory/pith"
)

// maxRequest is how much of a request is held against a text: what stands
// behind it is mostly pasted.
const maxRequest = 400

var insteadWord = pattern(`(?i)\b(?:use|take|do|try|go with|let's use) [^.!?\n]{2,120} instead\b[^.!?\n]{0,80}`)

// spoke takes the current request, and choices in the user's own words.
func (l *ledger) spoke(words string) {
	normal := squash(words)
	n := entry{kind: KindRequest, text: clip(normal, maxRequest), at: l.at}
	if l.request.text != "" && l.request.at != l.at {
		n.was = append(l.request.was, l.request.text)
	}
	l.request = n
	for _, s := range insteadWord().FindAllString(words, -1) {
		l.decide(s, "chosen")
	}
}

// clip cuts a text at a space.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	s = s[:most]
	if i := strings.LastIndexByte(s, ' '); i > most/2 {
		s = s[:i]
	}
	return strings.ToValidUTF8(s, "")
}

func (l *ledger) decide(text, status string) {
	text = squash(text)
	l.decisions.say(text, entry{kind: KindDecision, text: text, status: status, at: l.at})
}

// The words with which clients tell the model what the user said to a call.
const (
	refused    = "The user doesn't want to proceed with this tool use"
	userSaid   = "the user said:\n"
	clarifying = "The user wants to clarify these questions."
)

// answerPair is a question and its answer as Claude Code gives them.
var answerPair = pattern(`"([^"\n]{3,400})"="([^"\n]{1,400})"`)

// decided takes what the user answered, approved or refused.
func (l *ledger) decided(use, res *pith.Block) {
	switch use.ToolName {
	case "AskUserQuestion", "ask_user_question":
		if strings.Contains(res.Text[:min(len(res.Text), 200)], "answer") {
			l.answers(res.Text)
		}
	case "request_user_input":
		l.codexAnswers(res.Text)
	}
	if !strings.HasPrefix(res.Text, refused) {
		return
	}
	_, said, ok := strings.Cut(res.Text, userSaid)
	said, _, _ = strings.Cut(said, "\n\nNote: The user's next message")
	if ok && !strings.HasPrefix(said, clarifying) && strings.TrimSpace(said) != "" {
		l.decide(clip(squash(said), maxRequest), "rejected")
	}
}

func (l *ledger) answers(text string) {
	for _, m := range answerPair().FindAllStringSubmatch(text, -1) {
		l.answered(m[1], m[2])
	}
}

// answered notes the latest answer to a question.
func (l *ledger) answered(question, answer string) {
	question = squash(question)
	l.decisions.say(question, entry{kind: KindDecision, text: question + choice + squash(answer), status: "answered", at: l.at})
}

// choice stands between a question and its answer in an atom's text.
const choice = " = "

// codexAnswers reads {"answers":{"id":{"answers":["label"]}}}.
func (l *ledger) codexAnswers(text string) {
	var v struct {
		Answers map[string]struct {
			Answers []string `json:"answers"`
		} `json:"answers"`
	}
	if json.Unmarshal([]byte(text), &v) != nil {
		return
	}
	for _, id := range sortedKeys(v.Answers) {
		if a := v.Answers[id].Answers; len(a) > 0 {
			l.answered(id, strings.Join(a, ", "))
		}
	}
}
