package merge

import (
	"maps"
	"slices"

	"github.com/pith-memory/pith"
)

// carryDraft takes over what an earlier draft had added, where no model
// drafted the judgement anew: it may be older than the facts, and is said to
// be drafted all the same.
func carryDraft(st, prev *pith.State) {
	c, p := &st.Checkpoint, &prev.Checkpoint
	if prev.Extensions != nil && st.Extensions == nil {
		x := *prev.Extensions
		x.DraftedSlots = nil
		st.Extensions = &x
	}
	if p.Compactor == "" {
		return
	}
	c.Compactor, c.FactsOnly = p.Compactor, false
	for i := range prev.Decisions {
		if d := &prev.Decisions[i]; d.Drafted {
			st.Decisions = append(st.Decisions, *d)
		}
	}
	for i := range prev.Failed {
		if f := &prev.Failed[i]; f.Drafted {
			st.Failed = append(st.Failed, *f)
		}
	}
	st.Decisions = unique(st.Decisions, func(d *pith.Decision) string { return d.ID })
	st.Failed = unique(st.Failed, func(f *pith.FailedAttempt) string { return f.ID })
	st.Security.ClaimsDropped = slices.Clone(prev.Security.ClaimsDropped)
	carryDraftedSlots(st, prev)
	carryDraftedBlocks(st, prev)
}

// carryDraftedSlots takes over the single values that a draft filled, where
// the facts still have none.
func carryDraftedSlots(st, prev *pith.State) {
	if prev.Extensions == nil {
		return
	}
	for _, slot := range prev.Extensions.DraftedSlots {
		switch slot {
		case pith.DraftedWorkType:
			if st.WorkType != pith.WorkUnspecified && st.WorkType != prev.WorkType {
				continue
			}
			st.WorkType = prev.WorkType
		case pith.DraftedPhaseName:
			if st.Phase.Name != "" && st.Phase.Name != prev.Phase.Name {
				continue
			}
			st.Phase.Name = prev.Phase.Name
		}
		st.Extensions.DraftedSlots = append(st.Extensions.DraftedSlots, slot)
	}
}

// carryDraftedBlocks describes the blocks that the carried items point to.
func carryDraftedBlocks(st, prev *pith.State) {
	blocks := maps.Clone(st.Blocks)
	if blocks == nil {
		blocks = map[string]pith.BlockRef{}
	}
	st.EachSource(func(at pith.Source) {
		key := at.BlockKey()
		if _, known := blocks[key]; known {
			return
		}
		if ref, ok := prev.Blocks[key]; ok {
			blocks[key] = ref
		}
	})
	st.Blocks = blocks
}
