package agent

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/trigger"
	"github.com/pith-memory/pith/wire"
)

// What the model is told of calls that did not run, or not to their end.
const (
	saysInterrupted = "The program was stopped while this call ran. It may have had its effect, whole or in part, or none: look before you make it again."
	saysGivenUp     = "The call was not run: the user went on with something else."
	saysDeclined    = "The user did not agree to this call, so it was not run."
	saysCancelled   = "The run was stopped while this call was under way. It may have had its effect, whole or in part."
)

// runCalls runs the open calls of the last reply, one after another in their
// order. When all are answered the results stand in the conversation.
func (a *Agent) runCalls(ctx context.Context) error {
	calls := a.open // the last result takes them away
	for i := range calls {
		if calls[i].answered {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.runCall(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (a *Agent) runCall(ctx context.Context, i int) error {
	c := &a.open[i]
	tool := a.tools[c.Name]
	switch {
	case c.invalid != "":
		return a.result(ctx, i, Output{Text: c.invalid, IsError: true}, "invalid input", true)
	case tool == nil:
		return a.result(ctx, i, Output{Text: fmt.Sprintf("There is no tool %q. The tools are: %s.", c.Name, a.toolNames()), IsError: true}, "unknown tool", true)
	case c.started && !tool.ReadOnly:
		return a.result(ctx, i, Output{Text: saysInterrupted, IsError: true}, "interrupted", false)
	}
	agreed, err := a.agreed(ctx, c, tool)
	if err != nil {
		return err
	}
	if !agreed {
		return a.result(ctx, i, Output{Text: saysDeclined, IsError: true}, "", true)
	}
	if err := a.step(ctx, &Entry{Kind: EntryCall, Call: i}); err != nil {
		return err
	}
	if a.config.OnCall != nil {
		a.config.OnCall(c.Call)
	}
	out, err := protected(ctx, tool, c.Call)
	class := trigger.FailureClass(c.Name, out.Exit, out.IsError)
	if err != nil {
		class = c.Name + ": error"
		if ctx.Err() != nil {
			out.Text = strings.TrimSpace(out.Text + "\n" + saysCancelled)
		} else {
			out.Text = strings.TrimSpace(out.Text + "\n" + err.Error())
		}
		out.IsError = true
	}
	return a.result(ctx, i, out, class, false)
}

// agreed asks the person where the tool wants that.
func (a *Agent) agreed(ctx context.Context, c *call, tool *Tool) (bool, error) {
	if tool.Confirm == nil {
		return true, nil
	}
	if c.Why = tool.Confirm(c.Input); c.Why == "" {
		return true, nil
	}
	if a.config.Confirm == nil {
		return false, nil
	}
	return a.config.Confirm(ctx, c.Call)
}

// protected runs a tool; a panic in it is an error.
func protected(ctx context.Context, tool *Tool, c Call) (out Output, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool broke off: %v", p)
		}
	}()
	return tool.Run(ctx, c.Input)
}

// result writes down what a call gave back.
func (a *Agent) result(ctx context.Context, i int, out Output, class string, unrun bool) error {
	text := out.Text
	if out.Exit != nil {
		if line := "[exit code: " + strconv.Itoa(*out.Exit) + "]"; !strings.HasSuffix(strings.TrimSpace(text), line) {
			text = strings.TrimRight(text, "\n") + "\n" + line
		}
	}
	e := &Entry{Kind: EntryResult, Call: i, Text: text, IsError: out.IsError, Class: class, Unrun: unrun}
	if sent := a.shortened(i, text, out.Exit != nil); sent != text {
		e.Sent = &sent
	}
	c := a.open[i].Call
	err := a.step(ctx, e)
	if a.config.OnResult != nil {
		a.config.OnResult(c, Output{Text: text, IsError: out.IsError, Exit: out.Exit})
	}
	return err
}

// doResult takes a result in. With the last one the results of the reply become
// messages: for Anthropic one, elsewhere one for each call.
func (a *Agent) doResult(e *Entry, c *call) error {
	c.answered, c.text, c.sent, c.isError = true, e.Text, e.Text, e.IsError
	if e.Sent != nil {
		c.sent = *e.Sent
	}
	if e.Class != "" || !e.Unrun {
		a.failures.See(e.Class)
	}
	var sent, whole []wire.ToolResult
	for i := range a.open {
		o := &a.open[i]
		if !o.answered {
			return nil
		}
		sent = append(sent, wire.ToolResult{ID: o.ID, Text: o.sent, IsError: o.isError})
		whole = append(whole, wire.ToolResult{ID: o.ID, Text: o.text, IsError: o.isError})
	}
	a.open = nil
	f := a.talk.format()
	return a.append(&Entry{Time: e.Time}, read(f, wire.ToolResults(f, sent)), read(f, wire.ToolResults(f, whole)))
}

// giveUp answers the calls that are still open without running them.
func (a *Agent) giveUp(ctx context.Context) error {
	calls := a.open
	for i := range calls {
		c := &calls[i]
		if c.answered {
			continue
		}
		out := Output{Text: saysGivenUp, IsError: true}
		if c.started {
			out.Text = saysInterrupted
		}
		if err := a.result(ctx, i, out, "", !c.started); err != nil {
			return err
		}
	}
	return nil
}

func (a *Agent) toolNames() string {
	names := make([]string, len(a.config.Tools))
	for i := range a.config.Tools {
		names[i] = a.config.Tools[i].Name
	}
	return strings.Join(names, ", ")
}

var errNothing = errors.New("nothing was said yet that an empty prompt could go on with")

func nothingToGoOn() error {
	return &pith.Error{Op: "run the agent", Kind: pith.KindUsage, Err: errNothing}
}
