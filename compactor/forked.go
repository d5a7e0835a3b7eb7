package compactor

import (
	"github.com/pith-memory/pith"
)

// fork asks over the session's own request: its body, byte for byte, and one
// message more. It is not done where that does not fit or the provider does
// not take it: then the history is sent in the plain way.
func (r *runner) fork(f *Fork) (d *Draft, done bool, err error) {
	var again *retry
	for try := 0; ; try++ {
		request, problem := r.forkRequest(f, again)
		if problem != nil {
			r.problem(problem)
			return nil, false, nil
		}
		response, err := r.complete(request, try)
		if err != nil {
			return nil, !r.plainMayAnswer(err), err
		}
		d, problem := r.judge(&response, true)
		if problem == nil {
			r.report.Forked, r.report.Parts = true, 1
			return d, true, nil
		}
		r.problem(problem)
		output := f.MaxTokens
		if output == 0 {
			output = r.options.MaxTokens
		}
		if try > 0 || r.report.Calls >= r.options.MaxCalls || problem.Kind == ProblemTooLarge {
			return nil, true, *problem
		}
		again = &retry{Problem: r.told(problem, min(output, r.options.MaxTokens)/2), Answer: excerpt(response.Text)}
	}
}

// plainMayAnswer tells whether a failure is of the forked request itself, so
// that a request of another shape may do.
func (r *runner) plainMayAnswer(err error) bool {
	f := FailureOf(err)
	return f != nil && (f.Kind == FailTooLarge || f.Kind == FailInvalid) && r.report.Calls < r.options.MaxCalls
}

// forkRequest is the session's body with our message, or why there is none.
func (r *runner) forkRequest(f *Fork, again *retry) (Request, *Problem) {
	text := forkInstruction + "\n" + instruction + "\n" + r.forkPrompt(again)
	output := f.MaxTokens
	if output <= 0 {
		output = r.options.MaxTokens
	}
	added := (measure(&r.counter, text).tokens + framing) * r.budget.percent / 100
	if need := f.Size + added + output; need > pith.Tokens(r.budget.window) {
		return Request{}, problemf(ProblemNoFork, "the session's request with the question and its answer has %d tokens, over the window of %d", need, r.budget.window)
	}
	body, err := f.Body(text)
	if err != nil {
		return Request{}, problemf(ProblemNoFork, "append to the session's request: %s", excerpt(err.Error()))
	}
	if len(body) > r.options.MaxBody {
		return Request{}, problemf(ProblemNoFork, "the session's request has %d bytes, over %d", len(body), r.options.MaxBody)
	}
	return Request{Body: body, Header: f.Header, MaxTokens: output}, nil
}

// forkPrompt is the JSON document of a forked request, which has no history of
// its own.
func (r *runner) forkPrompt(again *retry) string {
	h := r.head(1, previousDraft(r.in.Previous), r.budget.room(r.options.MaxTokens))
	b := h.json
	if again != nil {
		b = append(append(b, `,"retry":`...), encode(again)...)
	}
	return string(append(b, '}'))
}
