package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// request makes a step of the user's last words. A short reply is read with
// what it answers, a follow-up in the middle of the work with the goal.
func request(x *Extractor, f *Facts) pith.NextAction {
	q := &x.questions
	text := openRequest(q.user.text)
	if mostlyBulk(text) {
		text = headTail(text, maxContextBytes, maxContextBytes/2)
	}
	n := withTarget(f, x, pith.NextAction{Kind: "inspect", Text: headTail(text, maxNextBytes-400, 360), Basis: "user_request", Provenance: pith.UserExplicit, Source: q.user.at})
	if n.Kind == "inspect" && isRemark(text) {
		n.Text = "Answer the user: “" + n.Text + "”"
	}
	switch {
	case q.asked.text != "" && isReply(q.user.text):
		n.Text += inAnswer + closingSentence(q.asked.text) + "”)"
	case q.asked.text == "" && x.next != nil && x.next.Source == q.user.at && hint(x.next.Text, inAnswer) != "":
		n.Text += hint(x.next.Text, inAnswer)
	case q.interrupting && f.Goal.Source != q.user.at && len(f.Goal.Text) <= maxContextBytes && !finished(x, f):
		n.Text += forGoal + f.Goal.Text + "”)"
	case x.next != nil && x.next.Source == q.user.at && hint(x.next.Text, forGoal) != "" && !finished(x, f):
		n.Text += hint(x.next.Text, forGoal)
	}
	n.Text += pause(x, f)
	return n
}

// What the note begins with that says what a user's words are about.
const (
	inAnswer = " (in answer to: “"
	forGoal  = " (goal: “"
)

// hint is such a note in the text of the step that a state before named: the
// words that it was taken from are not at hand any more.
func hint(text, note string) string {
	at := strings.LastIndex(text, note)
	if at < 0 {
		return ""
	}
	end := strings.Index(text[at:], "”)")
	if end < 0 {
		return ""
	}
	return text[at : at+end+len("”)")]
}

// isRemark tells words that ask for no work, or ask a question, from a request:
// what follows from them is an answer.
func isRemark(text string) bool {
	remark := true
	sentences(text, func(p sentence) {
		lower := strings.ToLower(text[p.start:p.end])
		ws := englishWords(lower)
		if len(ws) == 0 || commands(ws) || asks(ws) || hasPhrase(lower, "can we") || hasPhrase(lower, "could we") {
			remark = false
		}
	})
	return remark && text != ""
}

// isReply tells whether a text only means something after what it answers.
func isReply(text string) bool {
	lower := strings.ToLower(text)
	return len(text) <= repeatable || len(text) <= shortReply && (startsWithOne(lower, agreeing) && !strings.Contains(lower, ". ") || startsWithOne(lower, refusing))
}

// openRequest leaves out a first sentence that only turns something down.
func openRequest(text string) string {
	if len(text) > maxReply {
		return text
	}
	rest := ""
	first := true
	sentences(text, func(p sentence) {
		if first && startsWithOne(strings.ToLower(text[p.start:p.end]), refusing) {
			rest = strings.TrimSpace(text[p.end:])
		}
		first = false
	})
	if rest == "" {
		return text
	}
	return rest
}

func closingSentence(text string) string {
	tail := cutFrom(text, maxTail)
	last := ""
	sentences(tail, func(p sentence) { last = tail[p.start:p.end] })
	if last == "" {
		last = tail
	}
	return cutFrom(last, maxContextBytes)
}

// finished tells whether a finished step, or a command that the goal names,
// carried it out.
func finished(x *Extractor, f *Facts) bool {
	for _, command := range x.questions.ran {
		if len(command) > 5 && strings.Contains(f.Goal.Text, command) {
			return true
		}
	}
	goal := tokensOf(f.Goal.Text)
	for i := range f.Context.Done {
		done := tokensOf(f.Context.Done[i].Text)
		common := 0
		for _, t := range goal {
			if containsToken(done, t) {
				common++
			}
		}
		if len(goal) > 0 && common*2 > len(goal) {
			return true
		}
	}
	return false
}

// pauses mark a rule about when to stop and wait.
var pauses = []string{"stop after", "stop when", "stop before", "wait for", "wait until", "then wait", "and wait", "ask me", "ask before", "ask first", "before you", "confirm with me", "check with me", "until i", "one at a time"}

// pause is the user's rule about stopping that stands with the latest request.
func pause(x *Extractor, f *Facts) string {
	for i := len(f.Constraints) - 1; i >= 0; i-- {
		c := &f.Constraints[i]
		if c.Provenance != pith.UserExplicit || c.Source.Message != x.questions.user.at.Message || len(c.Text) > maxContextBytes {
			continue
		}
		lower := strings.ToLower(c.Text)
		for _, p := range pauses {
			if strings.Contains(lower, p) && !strings.Contains(x.questions.user.text, c.Text+" (") {
				return " (mind: “" + c.Text + "”)"
			}
		}
	}
	return ""
}

// withTarget makes an edit of a step that names a known file and asks for a
// change to it. Where nothing may be changed, a step stays one of looking.
func withTarget(f *Facts, x *Extractor, n pith.NextAction) pith.NextAction {
	var target *pith.File
	for _, list := range [][]pith.File{f.Files.Modified, f.Files.Inspected} {
		for i := range list {
			if p := &list[i]; target == nil && p.Op != pith.FileDeleted && namesFile(n.Text, p) {
				target = p
			}
		}
	}
	if target == nil {
		return n
	}
	n.TargetPath = target.Path
	if wantsChange(n.Text) && !readOnly(x, f) {
		n.Kind = "edit"
	}
	return n
}

func namesFile(text string, p *pith.File) bool {
	if p.Path == "" {
		return false
	}
	if strings.Contains(text, p.Path) || p.AsUsed != "" && strings.Contains(text, p.AsUsed) {
		return true
	}
	base := baseName(p.Path)
	i := strings.Index(text, base)
	return len(base) > 4 && i >= 0 && !wordBefore(text, i) && !wordAfter(text, i+len(base))
}

// changing are verbs of change, in lower case.
var changing = []string{"fix", "add", "change", "edit", "update", "write", "implement", "remove", "rename", "refactor", "set", "raise", "port", "replace", "create", "move", "delete", "bump", "make", "apply", "corrija", "corrige", "altere", "cambia", "ändere", "исправь", "修正", "修改", "수정"}

func wantsChange(text string) bool {
	lower := strings.ToLower(text)
	for _, v := range changing {
		if hasPhrase(lower, v) || v[0] >= 0xe3 && strings.Contains(lower, v) {
			return true
		}
	}
	return false
}

// readOnly tells whether nothing may be changed: the client or the system
// prompt says so, or the user did and has not asked for a change since.
func readOnly(x *Extractor, f *Facts) bool {
	if x.constraints.environment.readOnly {
		return true
	}
	readOnly := false
	for i := range f.Constraints {
		c := &f.Constraints[i]
		if c.Polarity == requires || !forbidsChange(c.Text) {
			continue
		}
		switch c.Provenance {
		case pith.System:
			return true
		case pith.UserExplicit:
			readOnly = !changeAskedAfter(f, c.Source)
		}
	}
	return readOnly
}

func forbidsChange(text string) bool {
	lower := strings.ToLower(text)
	for _, p := range [...]string{"read-only", "must not modify files", "not modify any", "do not modify files", "don't modify files", "explore only", "only analyse", "only analyze", "any file changed", "without doing any changes", "without changing anything", "change nothing", "don't change anything", "do not change anything", "no changes", "no edits", "not edit any", "don't edit", "do not edit files", "只分析", "只读", "変更しないで", "변경하지 마"} {
		if strings.Contains(lower, p) {
			return true
		}
	}
	return false
}

// changeAskedAfter tells whether the user asked for a change after s.
func changeAskedAfter(f *Facts, s pith.Source) bool {
	for i := range f.Goal.Amendments {
		a := &f.Goal.Amendments[i]
		if s.Message < a.Source.Message && wantsChange(a.Text) && !endsAsQuestion(a.Text) {
			return true
		}
	}
	return false
}
