package hook

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/trigger"
)

// afterTool looks at how the session stands after a tool ran. Most calls have
// nothing to say. No tool is ever blocked, and nothing is asked of the client.
func (t *turn) afterTool() (Output, error) {
	texts, errs := []string{}, []error{}
	say := func(text string, err error) {
		if err != nil {
			errs = append(errs, err)
		} else if text != "" {
			texts = append(texts, text)
		}
	}
	say(t.owed())
	g, err := t.follow()
	g.Failures = t.failed(g.Failures)
	if err != nil {
		say("", ignoreNothing(err))
	} else {
		t.measured(&g)
		say(t.fills(&g), nil)
	}
	say(t.loops(&g))
	return Output{Context: strings.Join(texts, "\n\n")}, errors.Join(errs...)
}

// fills warns once when the context fills up, and again only after it was
// small in between.
func (t *turn) fills(g *gauge) string {
	r := &t.record.Trigger
	d := t.hooks.config.Memory.Policy.Next(r, trigger.Input{Reading: g.Reading, Turn: g.Turns, FailureRun: g.Failures.N, FailureClass: g.Failures.Class})
	used := g.Reading.Used
	if t.record.Warned > 0 && used < t.record.Warned-t.record.Warned/5 {
		t.record.Warned = 0
	}
	full := d.Reason == pith.ReasonTokens60 || d.Reason == pith.ReasonTokens70 || d.Reason == pith.ReasonTokens80
	if !full || d.Action == trigger.CannotReduce || t.record.Warned > 0 {
		return ""
	}
	t.record.Warned = used
	size := short(used) + " tokens"
	if g.Reading.Window > 0 {
		size = fmt.Sprintf("%.0f %% of %s tokens", 100*g.Reading.Fraction, short(pith.Tokens(g.Reading.Window)))
	}
	return "From pith: the context holds " + size + " and will be compacted before long. Nothing that matters is lost by that: rules, files, failures, " +
		"decisions and the next step are kept, and `recall` of pith gives back what was said or shown. Finish the step at hand; there is no need to hurry, to summarise or to read things again."
}

// loops tells the model that it fails the same way again and again, once for
// each time the policy's number of failures is full.
func (t *turn) loops(g *gauge) (string, error) {
	r := &t.record.Trigger
	run := g.Failures.N - r.Failures
	if g.Failures.N < r.Failures {
		run = g.Failures.N
	}
	// Asked for apart: a full window comes before it, and so does a context that
	// has not grown since it was compacted.
	d := t.hooks.config.Memory.Policy.Decide(trigger.Input{FailureRun: run, FailureClass: g.Failures.Class})
	if d.Reason != pith.ReasonErrorLoop {
		return "", nil
	}
	r.Failures, r.FailureRun = g.Failures.N, g.Failures.N
	k, err := t.remember(pith.ReasonErrorLoop)
	if err != nil {
		return "", err
	}
	text := brief(loopLimit,
		fmt.Sprintf("From pith: the last %d tool runs failed the same way (%s). Running it once more as it is will fail again.", g.Failures.N, line(g.Failures.Class, longLine)),
		[]part{{"The last error", t.lastError()}, {"What fails, with its exact error", failing(k.State)}, {"Tried already, not to be retried as it was", avoided(k.State)}, {"Rules that still hold", userRules(k.State)}},
		"Look for the cause first: read the error, check what it assumes, try something that differs in kind, or ask the user.")
	if !clean(text) {
		return "", errSecret
	}
	return text, nil
}

// lastError is the error of the tool that just failed, as the client tells it.
func (t *turn) lastError() []string {
	if t.input.Error == "" {
		return nil
	}
	return []string{line(redact.New().Text(t.input.Error), longLine)}
}

// failed is the run of failures up to the tool that this event is about. Claude
// Code writes its file after the event and has an event of its own for a failure,
// so what the events say is counted there; elsewhere the file says it.
func (t *turn) failed(file trigger.FailureRun) trigger.FailureRun {
	if t.client != ClaudeCode {
		return file
	}
	run := &t.record.Failures
	switch t.event {
	case PostToolUseFailure:
		run.See(trigger.FailureClass(t.input.ToolName, exitIn(t.input.Error), true))
	case PostToolUse:
		run.See("")
	}
	return *run
}

// exitIn is the exit code that the message of a failed command begins with, nil
// where there is none: "Exit code 3".
func exitIn(message string) *int {
	rest, ok := strings.CutPrefix(message, "Exit code ")
	if !ok {
		return nil
	}
	digits, _, _ := strings.Cut(rest, "\n")
	code, err := strconv.Atoi(strings.TrimSpace(digits))
	if err != nil {
		return nil
	}
	return &code
}

// loopLimit bounds what is said about failures. Units: UTF-16 code units.
const loopLimit = 2_500

// stopTurns is how many turns must have come since the latest checkpoint for
// the end of an answer to be worth another.
const stopTurns = 5

// stop keeps a checkpoint now and then at the end of an answer. It says
// nothing: a client would take that for a reason to go on.
func (t *turn) stop() (Output, error) {
	if t.unfollowed() {
		if _, err := t.remember(pith.ReasonTurns); err != nil {
			return Output{}, ignoreNothing(err)
		}
	}
	g, err := t.follow()
	if err != nil {
		return Output{}, ignoreNothing(err)
	}
	t.measured(&g)
	if g.Turns-t.record.KeptTurn < stopTurns {
		return Output{}, nil
	}
	_, err = t.remember(pith.ReasonTurns)
	return Output{}, ignoreNothing(err)
}

// sessionEnd keeps how the session ended.
func (t *turn) sessionEnd() (Output, error) {
	_, err := t.remember(pith.ReasonTurns)
	return Output{}, ignoreNothing(err)
}

// ignoreNothing: a session without a word in it is nothing to keep, and the file
// of a new one may come later than its first events.
func ignoreNothing(err error) error {
	if pith.KindOf(err) == pith.KindInput {
		return nil
	}
	return err
}
