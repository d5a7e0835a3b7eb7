package agent

import (
	"context"

	"github.com/pith-memory/pith/memory"
)

// preparation is a draft that is made ahead, while the session goes on.
type preparation struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// prepare begins a draft in the background, one at most.
func (a *Agent) prepare(context.Context) {}

// dropAhead ends the draft that is being made, and waits for that.
func (a *Agent) dropAhead() {
	if a.ahead == nil {
		return
	}
	a.ahead.cancel()
	<-a.ahead.done
	a.ahead = nil
}

// judged is the state with the judgement of a model, nil where there is none.
func (a *Agent) judged(context.Context, *memory.Result, *cause, *Compaction) *memory.Result {
	return nil
}
