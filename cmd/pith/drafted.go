package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// draftedMark tells an item that a model drafted from a fact.
func draftedMark(drafted bool) string {
	if drafted {
		return "[drafted] "
	}
	return ""
}

// draftedLines are what a model drafted, or an import brought, and no slot holds.
func draftedLines(s *pith.State) []string {
	var out []string
	for i := range s.Failed {
		if f := &s.Failed[i]; f.Drafted {
			out = append(out, "ruled out: "+f.Attempt)
		}
	}
	x := s.Extensions
	if x == nil {
		return out
	}
	if x.ProgressNote != "" {
		out = append(out, "progress: "+x.ProgressNote)
	}
	for _, q := range x.OpenQuestions {
		out = append(out, "open: "+q)
	}
	for i, step := range x.RemainingSteps {
		out = append(out, fmt.Sprintf("step %d: %s", i+1, step))
	}
	for _, name := range slices.Sorted(maps.Keys(x.ToolResults)) {
		out = append(out, name+": "+x.ToolResults[name])
	}
	return out
}

// claimsDropped says what a draft was not believed, "" for nothing.
func claimsDropped(kinds []pith.KindCount) string {
	if len(kinds) == 0 {
		return ""
	}
	parts := make([]string, len(kinds))
	for i, k := range kinds {
		parts[i] = fmt.Sprintf("%s %d", k.Kind, k.Count)
	}
	return "; not kept: " + strings.Join(parts, ", ")
}
