package merge

import (
	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/extract"
)

// blockTable describes every block that an item of the state points into.
func blockTable(s *pith.State, index *extract.BlockIndex) map[string]pith.BlockRef {
	table := map[string]pith.BlockRef{}
	s.EachSource(func(at pith.Source) {
		key := at.BlockKey()
		if _, done := table[key]; done {
			return
		}
		if ref, ok := index.Ref(at); ok {
			table[key] = ref
		}
	})
	return table
}

// fillLists turns absent lists into empty ones: a state never holds null where
// the contract has a list.
func fillLists(s *pith.State) {
	fill(&s.Goal.Amendments)
	fill(&s.Constraints)
	fill(&s.Files.Modified)
	fill(&s.Files.Inspected)
	fill(&s.Decisions)
	for i := range s.Decisions {
		fill(&s.Decisions[i].Rejected)
	}
	fill(&s.Evidence)
	fill(&s.Failed)
	fill(&s.Invariants)
	fill(&s.Next.Preconditions)
	fill(&s.Context.Todo)
	fill(&s.Context.PendingCalls)
	fill(&s.Context.OpenQuestions)
	fill(&s.Context.Pins)
	fill(&s.Context.Environment)
	fill(&s.Context.URLs)
	fill(&s.Context.Done)
	fill(&s.Identifiers.Tests)
	fill(&s.Identifiers.Symbols)
	fill(&s.Identifiers.Commits)
	fill(&s.Identifiers.Refs)
	fill(&s.Identifiers.Paths)
	fill(&s.Security.SecretScan.Redactions)
	fill(&s.Security.Sanitized)
	fill(&s.Security.Quarantined)
}

func fill[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}
