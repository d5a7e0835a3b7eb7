package compactor

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// judge tells whether an answer is earned: why it ended, what it holds, what
// it is written in, and, where it is the last, how large it is.
func (r *runner) judge(a *Response, last bool) (*Draft, *Problem) {
	if p := unfinished(a); p != nil {
		return nil, p
	}
	d, object, problem := decode(a.Text)
	if problem != nil {
		return nil, problem
	}
	if s := r.in.State; s != nil {
		if got := otherLanguage(d.prose(), s.Context.Language); got != "" {
			return nil, problemf(ProblemWrongLanguage, "the answer is written in %s, the conversation in %s",
				languageNames[got], languageNames[strings.ToLower(strings.Split(s.Context.Language, "-")[0])])
		}
	}
	if n := meter.Count(object); last && r.in.Replaces > 0 && n >= r.in.Replaces {
		return nil, problemf(ProblemTooLarge, "not reduced: the answer has %d tokens, what it stands for %d", n, r.in.Replaces)
	}
	return d, nil
}

// unfinished is what is wrong with how an answer ended.
func unfinished(a *Response) *Problem {
	empty := blank(a.Text)
	switch {
	case a.Stop == StopRefusal:
		return problemf(ProblemRefused, "the model refused to answer (%s): %s", a.StopReason, excerpt(a.Text))
	case a.Stop == StopMaxTokens:
		return problemf(ProblemCut, "the answer was cut at max_tokens")
	case a.Stop == StopToolUse || a.Stop == StopPause || len(a.ToolCalls) > 0:
		return problemf(ProblemToolCall, "the model called a tool instead of answering: %s", excerpt(strings.Join(a.ToolCalls, ", ")))
	case empty && a.Thought:
		return problemf(ProblemThinkingOnly, "the answer is thinking and nothing else")
	case empty:
		return problemf(ProblemEmpty, "the answer is empty")
	}
	return nil
}

// adjust changes what a retry asks for. It returns false where a retry cannot
// end otherwise.
func (r *runner) adjust(p *part, output pith.Tokens, problem *Problem) bool {
	p.output = output
	switch problem.Kind {
	case ProblemCut, ProblemUnclosed:
		wanted := min(2*output, r.budget.outputCap)
		if r.spare(p) >= wanted*3/4 || !r.less(p, len(p.entries)/2) {
			p.output = wanted
			return true
		}
		p.output = min(wanted, max(output, r.spare(p)))
	case ProblemTooLarge:
		if r.in.Replaces == 0 {
			return true
		}
		half := r.in.Replaces / 2
		if half < leastOutput || half >= output {
			return false
		}
		p.output = half
	}
	return true
}

// spare is the output that fits beside a part as it is, with a retry.
func (r *runner) spare(p *part) pith.Tokens {
	const again = 150 // tokens of the retry itself
	return r.budget.spare((measure(&r.counter, p.prompt(nil)).tokens + again) * r.budget.shrink)
}

// told is what the model is told of its answer.
func (r *runner) told(problem *Problem, output pith.Tokens) string {
	text := problem.Error() + ". "
	switch problem.Kind {
	case ProblemCut, ProblemUnclosed:
		text += "Answer again, from the beginning, in at most " + strconv.Itoa(int(output/2)) + " words."
	case ProblemTooLarge:
		text += "Answer again in at most " + strconv.Itoa(int(output/2)) + " words."
	case ProblemRefused:
		text += "Nothing is asked for but a record of what is in the history, for the people whose history it is. Answer with the JSON object."
	case ProblemToolCall, ProblemMarkup:
		text += "Call no tool. Answer with the JSON object."
	default:
		text += "Answer again with the JSON object that the instruction describes."
	}
	return text
}

// omission stands in the history where texts have no room.
func omission(n int) string {
	return fmt.Sprintf("[%d older texts of the history are left out here]", n)
}
