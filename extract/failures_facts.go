package extract

import (
	"slices"
	"strconv"

	"github.com/pith-memory/pith"
)

// maxFailed bounds the failed attempts of a state, the latest.
const maxFailed = 60

// How often the same failure must be seen before a command counts as an
// attempt that leads nowhere. Tests are meant to be run again.
const (
	repeatedCommand      = 2
	repeatedVerification = 3
)

func (s *failureSlot) facts(f *Facts, ev *evidenceSlot) {
	var out []pith.FailedAttempt
	for _, a := range s.attempts {
		it := a.item
		if a.minor && it.EndedBy != "" && it.Occurrences < repeatedVerification {
			continue
		}
		if it.Occurrences >= repeatedVerification && it.EndedBy == "" {
			it.DoNotRetry = true
		}
		out = append(out, it)
	}
	out = append(out, repeatedFailures(ev)...)
	out = append(out, s.undone(ev)...)
	out = append(out, s.givenUp(ev)...)
	slices.SortStableFunc(out, func(a, b pith.FailedAttempt) int {
		switch {
		case a.Source.Before(b.Source):
			return -1
		case b.Source.Before(a.Source):
			return 1
		}
		return 0
	})
	if n := len(out) - maxFailed; n > 0 {
		out = dropAttempts(out, n)
	}
	for i := range out {
		out[i].ID = pith.ItemID(pith.IDFailed, out[i].Source, out[i].Attempt)
	}
	f.Failed = out
}

// dropAttempts drops n attempts, ended ones first, then the oldest; what the
// user refused stays.
func dropAttempts(out []pith.FailedAttempt, n int) []pith.FailedAttempt {
	for _, ended := range [...]bool{true, false} {
		kept := out[:0]
		for i := range out {
			if n > 0 && !out[i].DoNotRetry && (!ended || out[i].EndedBy != "") {
				n--
				continue
			}
			kept = append(kept, out[i])
		}
		out = kept
	}
	return out
}

// repeatedFailures are commands that failed the same way again and again.
func repeatedFailures(ev *evidenceSlot) []pith.FailedAttempt {
	type count struct{ first, last, times int }
	seen := map[string]*count{}
	var order []*count
	for i, r := range ev.runs {
		if !failing(r.item.Status) {
			continue
		}
		k := r.key + "\x00" + r.same
		c := seen[k]
		if c == nil {
			c = &count{first: i}
			seen[k] = c
			order = append(order, c)
		}
		c.last = i
		c.times++
	}
	passed := map[string]int{}
	for i, r := range ev.runs {
		if r.item.Status == statusPass {
			passed[r.key] = i + 1
		}
	}
	var out []pith.FailedAttempt
	for _, c := range order {
		r := ev.runs[c.last]
		need := repeatedCommand
		if r.verifies {
			need = repeatedVerification
		}
		if c.times < need || r.item.Signature == "" {
			continue
		}
		a := pith.FailedAttempt{
			Attempt: r.item.Command, ErrorSignature: r.item.Signature, Occurrences: c.times,
			Reason: "the same failure " + strconv.Itoa(c.times) + " times", Provenance: pith.ToolOutput, Source: r.item.Source,
		}
		if passed[r.key] > c.last {
			a.EndedBy = "passed later"
		} else {
			a.DoNotRetry = c.times >= repeatedVerification
		}
		out = append(out, a)
	}
	return out
}

// undone are edits that were taken back while the last verification failed.
func (s *failureSlot) undone(ev *evidenceSlot) []pith.FailedAttempt {
	var out []pith.FailedAttempt
	for _, u := range s.undos {
		r := ev.lastBefore(u.at)
		if r == nil || !failing(r.item.Status) || r.item.Signature == "" {
			continue
		}
		text := u.edit.text
		if text == "" || r.item.Source.Before(u.edit.at) {
			// Nothing was verified after the edit: it was not undone for failing.
			continue
		}
		out = append(out, pith.FailedAttempt{
			Attempt: text, ErrorSignature: r.item.Signature, Reason: "undone after " + shorten(r.item.Command, 160), Occurrences: 1,
			EndedBy: u.command, Provenance: pith.ToolOutput, Source: u.at,
		})
	}
	return out
}

// lastBefore is the last verification with a result that stands before a place.
func (e *evidenceSlot) lastBefore(at pith.Source) *evidenceRun {
	for i := len(e.runs) - 1; i >= 0; i-- {
		if r := e.runs[i]; r.verifies && !r.waiting && r.item.Source.Before(at) {
			return r
		}
	}
	return nil
}
