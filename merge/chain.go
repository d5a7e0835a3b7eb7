package merge

import (
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/diff"
)

// Chain makes a state the child of the latest checkpoint of its session. The
// facts of st are those of the whole session already: taken from the
// transcript again where it holds all of it, or folded on from what prev holds
// (extract.Extractor.GoOn). What only people said of the work is taken over
// here, and so is what no later message speaks of.
func Chain(st, prev *pith.State) error {
	c, p := &st.Checkpoint, &prev.Checkpoint
	parent := p.ID
	c.Seq, c.ParentID, c.SessionID = p.Seq+1, &parent, p.SessionID
	st.Context.Pins = joined(prev.Context.Pins, st.Context.Pins, func(p *pith.Pin) string { return p.Text })
	st.Edits = slices.Clone(prev.Edits)
	if c.FromMessage > 0 {
		carry(st, prev)
	}
	if c.Compactor == "" {
		carryDraft(st, prev)
	}
	fillLists(st)
	st.EmptySlots = st.FindEmpty()
	return diff.Apply(st, st.Edits, c.ThroughMessage)
}

// carry takes over what stands in prev and what the messages at hand, which
// begin behind it, say nothing of.
func carry(st, prev *pith.State) {
	prev = prev.Facts()
	if prev.Checkpoint.Origin != "live" {
		st.Checkpoint.Origin = prev.Checkpoint.Origin // nobody vouches for a part of it
		st.Next.RequiresConfirmation = true
	}
	if st.WorkType == pith.WorkUnspecified {
		st.WorkType = prev.WorkType
	}
	if st.Phase.Name == "" && st.Phase.Current == nil && len(st.Context.Todo) == 0 {
		st.Phase = prev.Phase
	}
	x, was := &st.Context, &prev.Context
	if x.Language == "" {
		x.Language = was.Language
	}
	if x.LastWords == nil {
		x.LastWords = was.LastWords
	}
	words := func(q *pith.Quote) string { return q.Text }
	x.Environment = newest(joined(was.Environment, x.Environment, words), maxEnvironment)
	x.URLs = newest(joined(was.URLs, x.URLs, words), maxURLs)
	x.KeyLines = keyLines(st, prev)
	carryNames(&st.Identifiers, &prev.Identifiers)
	st.Failed = unique(st.Failed, func(f *pith.FailedAttempt) string { return f.Attempt + "\x00" + f.ErrorSignature })
	st.Security.Quarantined = newest(unique(st.Security.Quarantined, func(q *pith.Quarantine) string { return q.SHA256 }), maxQuarantined)
	st.Security.SecretScan.Redactions = addCounts(prev.Security.SecretScan.Redactions, st.Security.SecretScan.Redactions)
	if len(st.Security.SecretScan.Redactions) > 0 {
		st.Security.SecretScan.Status = "redacted"
	}
	st.Checkpoint.Skipped += prev.Checkpoint.Skipped
	st.Blocks = carriedBlocks(st, prev)
}

// The limits of what is joined, the same as extract's for one session.
const (
	maxEnvironment = 16
	maxURLs        = 60
	maxKeyFiles    = 6
	maxQuarantined = 64
	maxTests       = 40
	maxSymbols     = 240
	maxCommits     = 40
	maxRefs        = 60
	maxPaths       = 110
)

// joined lists the items of both, each once, the older ones first.
func joined[T any](older, later []T, key func(*T) string) []T {
	return unique(append(slices.Clone(older), later...), key)
}

// unique keeps the first of the items with the same key.
func unique[T any](list []T, key func(*T) string) []T {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(item T) bool {
		k := key(&item)
		again := seen[k]
		seen[k] = true
		return again
	})
}

// newest keeps the last n items.
func newest[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

// carryNames lists the names that were seen last first.
func carryNames(names, was *pith.Identifiers) {
	name := func(i *pith.Identifier) string { return i.Name }
	for _, l := range []struct {
		now, old *[]pith.Identifier
		limit    int
	}{
		{&names.Tests, &was.Tests, maxTests},
		{&names.Symbols, &was.Symbols, maxSymbols},
		{&names.Commits, &was.Commits, maxCommits},
		{&names.Refs, &was.Refs, maxRefs},
		{&names.Paths, &was.Paths, maxPaths},
	} {
		all := joined(*l.now, *l.old, name)
		*l.now = all[:min(len(all), l.limit)]
	}
}

// keyLines keeps the declarations of files that were not written since.
func keyLines(st, prev *pith.State) []pith.KeyLines {
	written := map[string]bool{}
	for i := range st.Files.Modified {
		if f := &st.Files.Modified[i]; f.Source.Message >= st.Checkpoint.FromMessage {
			written[f.Path] = true
		}
	}
	old := slices.DeleteFunc(slices.Clone(prev.Context.KeyLines), func(k pith.KeyLines) bool { return written[k.Path] })
	all := joined(st.Context.KeyLines, old, func(k *pith.KeyLines) string { return k.Path })
	return all[:min(len(all), maxKeyFiles)]
}

func addCounts(a, b []pith.RuleCount) []pith.RuleCount {
	out := slices.Clone(a)
	for _, c := range b {
		if i := slices.IndexFunc(out, func(o pith.RuleCount) bool { return o.Rule == c.Rule }); i >= 0 {
			out[i].Count += c.Count
			continue
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b pith.RuleCount) int { return strings.Compare(a.Rule, b.Rule) })
	return out
}

// carriedBlocks describes the blocks behind the sources of both: those of the
// messages at hand, and those that prev describes.
func carriedBlocks(st, prev *pith.State) map[string]pith.BlockRef {
	table := map[string]pith.BlockRef{}
	st.EachSource(func(at pith.Source) {
		key := at.BlockKey()
		if ref, ok := st.Blocks[key]; ok {
			table[key] = ref
		} else if ref, ok := prev.Blocks[key]; ok {
			table[key] = ref
		}
	})
	return table
}
