package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pith-memory/pith/compactor"
)

// announced is a model that says on a terminal that it is being asked, and for
// how long. In a pipe it is silent.
type announced struct {
	compactor.Model
	asking *asking
}

// Complete asks the model.
func (a announced) Complete(ctx context.Context, r compactor.Request) (compactor.Response, error) {
	defer a.asking.begin(a.About().String())()
	return a.Model.Complete(ctx, r)
}

// asking is the line on the terminal while a model is asked.
type asking struct {
	console *console
	calls   int
}

// begin shows the line; the function that it returns takes it away.
func (a *asking) begin(model string) func() {
	if !a.console.progress {
		return func() {}
	}
	a.calls++
	text := "asking " + model
	if a.calls > 1 {
		text += fmt.Sprintf(" (call %d)", a.calls)
	}
	start, stop := time.Now(), make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			fmt.Fprintf(a.console.err, "\r\x1b[K%s ... %d s", text, int(time.Since(start).Seconds()))
			select {
			case <-stop:
				fmt.Fprintf(a.console.err, "\r\x1b[K")
				return
			case <-tick.C:
			}
		}
	})
	return func() {
		close(stop)
		drawing.Wait()
	}
}
