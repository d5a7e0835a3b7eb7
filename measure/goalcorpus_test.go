package measure_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/memory"
)

// TestDriftOnCorpus logs how far the goal drifts in pith's state at the end of
// every session, and in the client's own summaries, with the controls.
func TestDriftOnCorpus(t *testing.T) {
	type cut struct {
		name string
		user measure.Words
		held measure.Held
	}
	var cuts []cut
	for _, files := range corpus(t) {
		for _, file := range files {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			m := memory.New(memory.Config{})
			s, err := m.Read(f, memory.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			o := measure.NewObserver()
			n := 0
			readAll(t, file, func(r pith.Record) {
				if r.Boundary != nil {
					n++
					if _, summary := cutAt(t, file, n); summary != "" {
						cuts = append(cuts, cut{filepath.Base(file) + " client", o.Words(), measure.Held{Text: summary}})
					}
				}
				o.Record(r)
			})
			r, err := m.Compact(s, pith.ReasonManual)
			if err != nil {
				t.Logf("%s: %v", file, err)
				continue
			}
			cuts = append(cuts, cut{filepath.Base(file), o.Words(), measure.Held{State: r.State, Text: r.Block.Text}})
		}
	}
	for i, c := range cuts {
		other := ""
		for k := 1; k < len(cuts) && other == ""; k++ {
			if w := cuts[(i+k)%len(cuts)].user; w.Goal != c.user.Goal {
				other = w.Goal
			}
		}
		d := measure.DriftOf(c.user, c.held, other, "")
		t.Logf("%-44s goal %-5v amendments %-5v of %2d cosine %.3f other %.3f stale %.3f", c.name, d.Goal, d.Amendments, len(c.user.Amendments), d.Cosine, d.Other, d.Stale)
		if d.Other >= 0.5 {
			t.Errorf("%s: the goal of another session scores %.3f", c.name, d.Other)
		}
		if c.held.State != nil && !(d.Goal && d.Amendments) {
			t.Logf("GOAL %.300q\nHELD %.300q", c.user.Goal, c.held.State.Goal.Text)
			for _, a := range c.user.Amendments {
				one := measure.DriftOf(measure.Words{Goal: c.user.Goal, Amendments: []string{a}}, c.held, "", "")
				if !one.Amendments {
					t.Logf("LOST %.400q", a)
				}
			}
		}
	}
}
