package compactor

import (
	"encoding/json"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/truncate"
)

const (
	// MaxAnswer is the longest answer that is read. Units: bytes.
	MaxAnswer = 256 << 10
	// excerptRunes is how much of an answer an error or a retry may repeat.
	excerptRunes = 200
)

// Decode turns the text of an answer into a draft. It is narrow: the last
// top-level JSON object that has a field of a draft counts, whole or not at
// all; a fence or prose around it does not matter, and an object in a closed
// scratchpad is not seen. Texts are normalised, redacted and capped. Errors:
// a Problem that says what is wrong.
func Decode(text string) (*Draft, error) {
	d, _, problem := decode(text)
	if problem != nil {
		return nil, *problem
	}
	return d, nil
}

// decode also returns the JSON text that the draft was read from.
func decode(text string) (*Draft, string, *Problem) {
	if len(text) > MaxAnswer {
		return nil, "", problemf(ProblemTooLarge, "the answer has %d bytes, over %d", len(text), MaxAnswer)
	}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
	if blank(text) {
		return nil, "", problemf(ProblemEmpty, "the answer is empty")
	}
	found := findObjects(text)
	if found.unclosed {
		return nil, "", problemf(ProblemUnclosed, "the JSON object is not closed: the answer ends in the middle of it")
	}
	if found.broken {
		return nil, "", problemf(ProblemNotJSON, "the JSON object breaks at byte %d: %s", found.at, excerpt(text[max(0, found.at-20):]))
	}
	for i := len(found.whole) - 1; i >= 0; i-- {
		object := text[found.whole[i][0]:found.whole[i][1]]
		if !hasField(object) {
			continue
		}
		if markup := findMarkup(text[:found.whole[i][0]] + "\n" + text[found.whole[i][1]:]); markup != "" {
			return nil, "", problemf(ProblemMarkup, "the answer holds tool-protocol markup (%s)", markup)
		}
		d, problem := readObject(object)
		return d, object, problem
	}
	return nil, "", withoutObject(text, &found)
}

// withoutObject says what an answer is that holds no draft.
func withoutObject(text string, found *objects) *Problem {
	outside := len(strings.TrimSpace(text)) - found.scratch
	switch markup := findMarkup(text); {
	case markup != "":
		return problemf(ProblemMarkup, "the answer is tool-protocol markup (%s), not JSON", markup)
	case len(found.whole) > 0:
		return problemf(ProblemSkeleton, "the JSON object has none of the fields that were asked for: %s", excerpt(text))
	case refuses(text):
		return problemf(ProblemRefused, "the model refused in prose: %s", excerpt(text))
	case outside <= 0 || found.open != 0 && strings.HasPrefix(strings.TrimSpace(text), "<"):
		return problemf(ProblemThinkingOnly, "the answer is thinking and nothing else")
	}
	return problemf(ProblemNotJSON, "the answer holds no JSON object: %s", excerpt(text))
}

// hasField tells whether an object has a field of a draft.
func hasField(object string) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(object), &fields) != nil {
		return true // broken inside: readObject says how
	}
	for _, name := range answerFields {
		if _, ok := fields[name]; ok {
			return true
		}
	}
	return false
}

// readObject turns the JSON object of an answer into a draft that says something.
func readObject(object string) (*Draft, *Problem) {
	var a answer
	if err := json.Unmarshal([]byte(object), &a); err != nil {
		return nil, problemf(ProblemNotJSON, "the JSON is not as it was asked for: %s", excerpt(err.Error()))
	}
	d := a.draft()
	if what := findPlaceholder(d); what != "" {
		return nil, problemf(ProblemPlaceholder, "the answer holds a placeholder where a text is wanted: %s", excerpt(what))
	}
	d = d.redacted().capped(MaxDraftItems, MaxDraftText, MaxDraftItem)
	if strings.TrimSpace(d.said()) == "" {
		return nil, problemf(ProblemSkeleton, "every field of the answer is empty")
	}
	if refused := d.refusal(); refused != "" {
		return nil, problemf(ProblemRefused, "the model refused inside the JSON: %s", excerpt(refused))
	}
	return d, nil
}

// said is what a draft says beside the labels of the work.
func (d *Draft) said() string {
	c := *d
	c.Phase = ""
	return c.prose()
}

// redacted is the draft with every text normalised and redacted, and without
// those that say that there is nothing.
func (d *Draft) redacted() *Draft {
	r := redact.New()
	clean := func(s string) string {
		s = strings.TrimSpace(r.Text(s))
		if saysNothing(s) {
			return ""
		}
		return s
	}
	c := &Draft{Task: clean(d.Task), CurrentState: clean(d.CurrentState), WorkType: workType(d.WorkType), Phase: clean(d.Phase)}
	for _, x := range d.KeyDecisions {
		if x.Decision = clean(x.Decision); x.Decision != "" {
			c.KeyDecisions = append(c.KeyDecisions, Decision{x.Decision, clean(x.Reason), clean(x.Constraint)})
		}
	}
	for _, x := range d.EliminatedApproaches {
		if x.Approach = clean(x.Approach); x.Approach != "" {
			c.EliminatedApproaches = append(c.EliminatedApproaches, Eliminated{x.Approach, clean(x.Reason)})
		}
	}
	for _, x := range d.ToolResults {
		if x.Result = clean(x.Result); x.Result != "" {
			c.ToolResults = append(c.ToolResults, ToolResult{clean(x.Name), x.Result})
		}
	}
	for _, l := range []struct{ to, from *[]string }{
		{&c.OpenQuestions, &d.OpenQuestions}, {&c.NextSteps, &d.NextSteps}, {&c.Constraints, &d.Constraints}, {&c.Approvals, &d.Approvals},
	} {
		for _, x := range *l.from {
			if x = clean(x); x != "" {
				*l.to = append(*l.to, x)
			}
		}
	}
	return c
}

// workType is one of the kinds of work, "" for any other word.
func workType(text string) string {
	switch w := pith.WorkType(strings.ToLower(strings.TrimSpace(text))); w {
	case pith.WorkFeature, pith.WorkBugfix, pith.WorkRefactor, pith.WorkMigration, pith.WorkInvestigation, pith.WorkRelease:
		return string(w)
	}
	return ""
}

func blank(text string) bool { return strings.TrimSpace(strings.Trim(text, "\ufeff\u200b")) == "" }

// excerpt is the redacted beginning of a text, on one line.
func excerpt(text string) string {
	text = redact.New().Text(truncate.Text(text, 8*excerptRunes))
	text = strings.Join(strings.Fields(text), " ")
	n := 0
	for i := range text {
		if n++; n > excerptRunes {
			return text[:i] + "…"
		}
	}
	return text
}
