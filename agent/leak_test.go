package agent_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/compactor"
)

// TestCloseEndsEverything: a draft that is being made ahead is ended and waited
// for, whatever the agent was doing.
func TestCloseEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 20 {
		m, work := steady(t, 40)
		begun := make(chan struct{}, 100)
		d := &drafter{answer: func(ctx context.Context) (compactor.Response, error) {
			begun <- struct{}{}
			<-ctx.Done()
			return compactor.Response{}, ctx.Err()
		}}
		a, err := agent.New(t.Context(), agent.Config{
			Model: m, Compactor: d, MaxTokens: 500, CompactTimeout: time.Minute, Tools: []agent.Tool{work},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for ctx.Err() == nil {
				_, _ = a.Run(ctx, fmt.Sprintf("Go on %d.", i))
			}
		}()
		<-begun
		cancel()
		a.Close()
		<-done
		a.Close() // and again, which does nothing
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d now", before, runtime.NumGoroutine())
}

// TestReadersBesideARun: the other methods may be called while the agent runs.
func TestReadersBesideARun(t *testing.T) {
	m, work := steady(t, 70)
	a := newAgent(t, agent.Config{Model: m, Compactor: &drafter{answer: goodAnswer}, MaxTokens: 500, Tools: []agent.Tool{work}})
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			last := a.Turn()
			c := a.Conversation()
			if len(c.Raw) == 0 || a.Reading().Window != 12_000 || a.Turn() < last {
				t.Error("a reader saw half a step")
			}
			_ = a.Unfinished()
			a.EndPhase("p")
		}
	}()
	for range 4 {
		run(t, a, "Go on with the steps, one after another.")
	}
	close(stop)
	<-done
}
