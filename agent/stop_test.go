package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/agent"
	"github.com/pith-memory/pith/store/file"
)

// stopper counts the places at which a program may be stopped, and stops it at
// one of them.
type stopper struct {
	n int
	// at is where it is stopped, again where the run that goes on is stopped too.
	at, again int
	place     string
}

func (s *stopper) here(place string) {
	if s.n++; s.n == s.at || s.n == s.again {
		s.place = place
		runtime.Goexit() // no recover stops this
	}
}

// stopJournal stops the program before and after an entry is written.
type stopJournal struct {
	agent.Journal
	stop *stopper
}

func (j stopJournal) Append(ctx context.Context, e *agent.Entry) error {
	j.stop.here("before the journal has a " + string(e.Kind))
	err := j.Journal.Append(ctx, e)
	j.stop.here("after the journal has a " + string(e.Kind))
	return err
}

type stopStore struct {
	pith.Store
	stop *stopper
}

func (s stopStore) Put(ctx context.Context, c *pith.Saved) error {
	s.stop.here("before the store has a checkpoint")
	err := s.Store.Put(ctx, c)
	s.stop.here("after the store has a checkpoint")
	return err
}

// TestStops stops a run of twenty turns with several compactions before and
// after each of its effects, and resumes it: no step is lost, none done twice,
// and the run ends as the one that was not stopped.
func TestStops(t *testing.T) {
	whole := &stopper{}
	want := stoppedRun(t, whole, false, false)
	if whole.n < 100 || want.compactions < 2 {
		t.Fatalf("%d places and %d compactions are too few to say anything", whole.n, want.compactions)
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for at := 1; at <= whole.n; at += step {
		checkStopped(t, &want, &stopper{at: at}, at%9 == 1)
		if at%3 == 0 { // and once more, soon after it went on
			checkStopped(t, &want, &stopper{at: at, again: at + 1 + at%7}, false)
		}
	}
}

func checkStopped(t *testing.T, want *stoppedResult, stop *stopper, files bool) {
	t.Helper()
	got := stoppedRun(t, stop, true, files)
	name := fmt.Sprintf("stop %d, %d (%s)", stop.at, stop.again, got.place)
	if got.place == "" {
		t.Errorf("%s: it was not stopped", name)
	}
	if got.text != want.text {
		t.Errorf("%s: the last words are %q", name, got.text)
	}
	if got.turn < want.turn || got.turn > want.turn+2 {
		t.Errorf("%s: the run ended with turn %d, not %d", name, got.turn, want.turn)
	}
	for i := 1; i <= lastStep; i++ {
		in := fmt.Sprintf(`{"step":%d}`, i)
		done := count(got.done, in)
		switch interrupted := strings.Contains(got.told, "stopped while this call ran"); {
		case done > 1:
			t.Errorf("%s: step %d was done %d times", name, i, done)
		case done == 0 && !interrupted:
			t.Errorf("%s: step %d was lost", name, i)
		}
		if read := count(got.read, in); read == 0 {
			t.Errorf("%s: step %d was never read", name, i)
		}
	}
}

const lastStep = 12

type stoppedResult struct {
	text, place, told string
	turn, compactions int
	done, read        []string
}

// stoppedRun is a run that is stopped once, and resumed. Where files is set its
// journal and its store are on the disk.
func stoppedRun(t *testing.T, stop *stopper, resume, files bool) (out stoppedResult) {
	t.Helper()
	dir := t.TempDir()
	var store pith.Store = &putStore{}
	if files {
		store = must(file.Open(filepath.Join(dir, "store")))
	}
	// The model goes on from what it sees: the next step is the one behind the
	// last of which it has both results, so that it says the same after a stop.
	asked := 0
	m := newModel(t, 9_000, func(_ int, c *pith.Conversation) answer {
		asked++
		defer stop.here("after the model answered")
		stop.here("before the model is asked")
		next := 1
		for i := range c.Messages {
			for _, b := range c.Messages[i].Blocks {
				if b.Kind == pith.KindToolUse && b.ToolName == "write" {
					_, _ = fmt.Sscanf(b.Arg("step"), "%d", &next)
					next++
				}
			}
		}
		if next > lastStep {
			return answer{text: "All steps are done."}
		}
		in := fmt.Sprintf(`{"step":%d}`, next)
		return answer{text: fmt.Sprintf("Now step %d.", next), calls: []toolCall{{"w", "write", in}, {"r", "read", in}}}
	})
	config := func(j agent.Journal) agent.Config {
		return agent.Config{
			Model: m, MaxTokens: 400, Session: "s1", Store: stopStore{store, stop}, Journal: stopJournal{j, stop},
			OnCompact: func(c agent.Compaction) {
				if c.Applied {
					out.compactions++
				}
			},
			Tools: []agent.Tool{
				{Name: "write", Run: func(_ context.Context, in json.RawMessage) (agent.Output, error) {
					stop.here("before the tool did its work")
					out.done = append(out.done, string(in))
					stop.here("after the tool did its work")
					return agent.Output{Text: "written"}, nil
				}},
				{Name: "read", ReadOnly: true, Run: func(_ context.Context, in json.RawMessage) (agent.Output, error) {
					stop.here("before the read")
					out.read = append(out.read, string(in))
					return agent.Output{Text: strings.Repeat("a line of the file of "+string(in)+"\n", 110)}, nil
				}},
			},
		}
	}
	memory := &memJournal{}
	life := func(prompt string) (finished bool) {
		var j agent.Journal = memory
		if files {
			f := must(agent.OpenJournal(filepath.Join(dir, "journal")))
			defer f.Close()
			j = f
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			a, err := agent.New(t.Context(), config(j))
			if err != nil {
				t.Error(err)
				return
			}
			defer a.Close()
			if a.Turn() > 0 && !a.Unfinished() {
				prompt = "" // it ended, and nobody was told
			}
			r, err := a.Run(t.Context(), prompt)
			if err != nil {
				t.Errorf("at %d: %v (%s)", stop.at, err, pith.HintOf(err))
			}
			out.text, out.turn, finished = r.Text, a.Turn(), true
			for _, e := range entries(t, j) {
				out.told += e.Text + "\n"
			}
		}()
		<-done
		return finished
	}
	defer func() { out.place = stop.place }()
	for lives := 0; !life(promptText) && resume; lives++ {
		if lives > 3 {
			t.Fatalf("it does not end: %s", stop.place)
		}
	}
	return out
}

// memJournal is a journal in memory, of what a file would hold.
type memJournal struct{ lines [][]byte }

func (j *memJournal) Append(_ context.Context, e *agent.Entry) error {
	j.lines = append(j.lines, must(json.Marshal(e)))
	return nil
}

func (j *memJournal) Each(_ context.Context, f func(*agent.Entry) error) error {
	for _, line := range j.lines {
		e := new(agent.Entry)
		if err := json.Unmarshal(line, e); err != nil {
			return err
		}
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}

const promptText = "Do the twelve steps, one after another. Never skip one."

func count(list []string, s string) int {
	return len(slices.DeleteFunc(slices.Clone(list), func(x string) bool { return x != s }))
}
