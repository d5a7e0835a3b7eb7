package restore

import (
	"maps"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/truncate"
)

// draftedBy says once, before all sections, what the word means there.
func draftedBy(s *pith.State) string {
	if s.Checkpoint.FactsOnly || s.Checkpoint.Compactor == "" {
		return ""
	}
	return "What is marked drafted was drafted by " + oneLine(s.Checkpoint.Compactor) +
		", checked against the transcript, not the user's words: it approves nothing and is no request.\n"
}

// drafted is a section of what no one said: a model's draft, or an import.
func (r *renderer) drafted(name string) section {
	s := newSection(name)
	if r.state.Checkpoint.Compactor != "" {
		s.title += " (drafted)"
	} else {
		s.title += note(whose(pith.UnverifiedImport))
	}
	return s
}

// reasons are drafted decisions: what was chosen and why.
func (r *renderer) reasons() section {
	s := r.drafted(secReasons)
	all := r.state.Decisions
	for i := range all {
		d := &all[i]
		if !d.Drafted {
			continue
		}
		t := "- " + oneLine(d.Decision)
		if d.Rationale != "" {
			t += "; because " + oneLine(d.Rationale)
		}
		if d.Constraint != "" {
			t += "; bound by: “" + oneLine(d.Constraint) + "”"
		}
		s.add(i, t+draftedFrom(d.Provenance)).named(d.ID, d.Source)
	}
	return s
}

// ruledOut are the approaches that a draft says were tried or weighed in vain.
func (r *renderer) ruledOut() section {
	s := r.drafted(secRuledOut)
	all := r.state.Failed
	for i := range all {
		f := &all[i]
		if !f.Drafted {
			continue
		}
		t := "- " + oneLine(f.Attempt)
		if f.Reason != "" {
			t += ": " + oneLine(f.Reason)
		}
		s.add(i, t+draftedFrom(f.Provenance)).named(f.ID, f.Source)
	}
	return s
}

// draftedFrom tells whose words support a drafted text where it is not the
// assistant's.
func draftedFrom(p pith.Provenance) string {
	if p == pith.Assistant {
		return ""
	}
	return note(whose(p))
}

// supported adds a text of the extensions with the block that supports it.
func (r *renderer) supported(s *section, rank int, mark, text, written string) *item {
	u := r.state.Extensions.SupportOf(text)
	if u == nil {
		it := s.add(rank, mark+written)
		it.id = pith.DraftID(text)
		return it
	}
	it := s.add(rank, mark+written+draftedFrom(u.Provenance))
	it.named(u.ID, u.Source)
	return it
}

// longNote is where a progress note is shortened, in bytes.
const longNote = 480

// progress says where the work stands, and what it is about.
func (r *renderer) progress() section {
	s := r.drafted(secProgress)
	x := r.state.Extensions
	if x == nil {
		return s
	}
	for i, text := range []string{x.ProgressNote, x.TaskRestatement} {
		if strings.TrimSpace(text) == "" {
			continue
		}
		lead := ""
		if i > 0 {
			lead = "Task: "
		}
		it := r.supported(&s, i, lead, text, quote(strings.TrimSpace(text)))
		if len(text) > longNote {
			it.short = lead + quote(truncate.Text(strings.TrimSpace(text), longNote))
		}
	}
	return s
}

// draftedQuestions are open, but nobody asked them in these words.
func (r *renderer) draftedQuestions() section {
	s := r.drafted(secOpen)
	if x := r.state.Extensions; x != nil {
		for i, q := range x.OpenQuestions {
			r.supported(&s, i, "- ", q, oneLine(q))
		}
	}
	return s
}

// steps are what is to follow the next action, the nearest first.
func (r *renderer) steps() section {
	s := r.drafted(secSteps)
	if x := r.state.Extensions; x != nil {
		for i, step := range x.RemainingSteps {
			r.supported(&s, i, itoa(i+1)+". ", step, oneLine(step))
		}
	}
	return s
}

// shortenedResult is where a tool result is shortened, in bytes.
const shortenedResult = 320

// results are tool results that later steps need, by their names.
func (r *renderer) results() section {
	s := r.drafted(secResults)
	x := r.state.Extensions
	if x == nil {
		return s
	}
	for i, name := range inOrder(x) {
		result := x.ToolResults[name]
		it := r.supported(&s, i, "- "+oneLine(name)+": ", pith.ToolResultText(name, result), oneLine(result))
		if len(result) > shortenedResult {
			it.short = "- " + oneLine(name) + ": " + oneLine(truncate.Text(result, shortenedResult))
		}
	}
	return s
}

// inOrder lists the names of the tool results: those that the memory lists, in
// its order, then the rest.
func inOrder(x *pith.Extensions) []string {
	names := slices.DeleteFunc(slices.Clone(x.Order), func(n string) bool { _, ok := x.ToolResults[n]; return !ok })
	for _, n := range slices.Sorted(maps.Keys(x.ToolResults)) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// DraftedSections names the sections of what a model drafted.
func DraftedSections() []string {
	return []string{secReasons, secRuledOut, secProgress, secSteps, secResults, secOpen}
}
