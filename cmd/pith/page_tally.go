package main

import (
	"path/filepath"
	"strings"

	"github.com/pith-memory/pith/measure"
)

// tally sorts the reports of a run for the page. It keeps the order in which
// candidates and sessions came.
type tally struct {
	of      []string // the candidates
	files   []sessionKey
	cuts    []*measure.Report // at cuts that stand for themselves
	rounds  []*measure.Report // of chains of compactions
	ordinal map[string]int    // of a candidate
	names   map[sessionKey]string
}

type sessionKey struct{ file, session string }

func keyOf(r *measure.Report) sessionKey { return sessionKey{r.File, r.Session} }

func tallyOf(reports []measure.Report) *tally {
	t := &tally{ordinal: map[string]int{}, names: map[sessionKey]string{}}
	for i := range reports {
		r := &reports[i]
		if _, ok := t.ordinal[r.Of]; !ok {
			t.ordinal[r.Of] = len(t.of)
			t.of = append(t.of, r.Of)
		}
		if _, ok := t.names[keyOf(r)]; !ok {
			t.names[keyOf(r)] = ""
			t.files = append(t.files, keyOf(r))
		}
		if r.Cut.Kind == "round" {
			t.rounds = append(t.rounds, r)
		} else {
			t.cuts = append(t.cuts, r)
		}
	}
	t.nameSessions()
	return t
}

// nameSessions calls a session by its file's last name, or by the whole name
// where two files have the same.
func (t *tally) nameSessions() {
	bases := map[string]string{}
	for _, k := range t.files {
		base := filepath.Base(k.file)
		if other, ok := bases[base]; ok && other != k.file {
			bases[base] = ""
			continue
		}
		bases[base] = k.file
	}
	for _, k := range t.files {
		name := k.file
		if base := filepath.Base(k.file); bases[base] != "" {
			name = base
		}
		if k.session != "" {
			name += "#" + k.session
		}
		t.names[k] = visible(name)
	}
}

// measured are the reports that the summary is about: the cuts, or the rounds
// of the chains where nothing else was measured.
func (t *tally) measured() []*measure.Report {
	if len(t.cuts) == 0 {
		return t.rounds
	}
	return t.cuts
}

// present are the reports of one candidate that have figures.
func present(reports []*measure.Report, of string) []*measure.Report {
	var out []*measure.Report
	for _, r := range reports {
		if r.Of == of && r.Absent == "" {
			out = append(out, r)
		}
	}
	return out
}

// atomList picks a list of counts from a report.
type atomList func(*measure.Report) []measure.Retained

func allAtoms(r *measure.Report) []measure.Retained     { return r.All }
func neededAtoms(r *measure.Report) []measure.Retained  { return r.Needed }
func allInText(r *measure.Report) []measure.Retained    { return r.InText }
func neededInText(r *measure.Report) []measure.Retained { return r.NeededInText }
func allInState(r *measure.Report) []measure.Retained   { return r.InState }

// pooled adds up the counts of several reports, of one kind or, for "", of all.
func pooled(reports []*measure.Report, pick atomList, kind measure.Kind) measure.Retained {
	sum := measure.Retained{Kind: kind}
	for _, r := range reports {
		for _, x := range pick(r) {
			if kind == "" || x.Kind == kind {
				sum.Full += x.Full
				sum.Half += x.Half
				sum.Stale += x.Stale
				sum.Of += x.Of
			}
		}
	}
	return sum
}

func fractionOf(r measure.Retained) fraction {
	return fraction{Part: float64(r.Full) + float64(r.Half)/2, Of: r.Of}
}

// held is a fraction with the interval that it lies in.
type held struct {
	fraction
	Low, High string // empty where one session alone says nothing about others
}

// heldOf pools a candidate's counts; the interval is over sessions, because
// the cuts of one session are not independent.
func heldOf(reports []*measure.Report, pick atomList) held {
	h := held{fraction: fractionOf(pooled(reports, pick, ""))}
	if s := summary(reports, pick, ""); s.Sessions > 1 && s.MicroLow < s.MicroHigh {
		h.Low, h.High = strings.TrimSuffix(percent(s.MicroLow), " %"), oneLine(percent(s.MicroHigh))
	}
	return h
}

func (t *tally) tokenizer() string {
	for _, r := range t.measured() {
		if r.Size.Tokenizer != "" {
			return visible(r.Size.Tokenizer)
		}
	}
	return ""
}
