package memory

import (
	"context"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
)

// SaveOptions say what is known on this machine about a checkpoint.
type SaveOptions struct {
	Store pith.Store
	// Owner is the account, Project the folder that the work belongs to.
	Owner, Project string
	// Disk is what the workspace looks like now, nil where nobody looked.
	Disk *pith.Disk
	// Now is a clock reading.
	Now time.Time
	// How says what made the checkpoint where that was no compaction.
	How string
}

// Save keeps a result. It reports false, and keeps nothing, where the previous
// checkpoint says it all. Errors: *pith.Conflict where the session went on
// from the same checkpoint meanwhile; KindStore.
func (m *Memory) Save(ctx context.Context, r *Result, o SaveOptions) (bool, error) {
	if r == nil || r.State == nil {
		return false, &pith.Error{Op: "save the state", Kind: pith.KindUsage, Err: errNothing}
	}
	if r.Unchanged {
		return false, nil
	}
	saved := &pith.Saved{
		State: r.State, JSON: r.JSON, SavedAt: o.Now.UTC(), Owner: o.Owner, Project: o.Project, Disk: o.Disk, How: o.How,
	}
	if err := o.Store.Put(ctx, saved); err != nil {
		return false, err
	}
	return true, nil
}

// Restore renders a state that was made before, as it stands. Errors:
// KindCheck where a secret is in it.
func (m *Memory) Restore(s *pith.State) (*Result, error) {
	written, err := schema.Marshal(s, false)
	if err != nil {
		return nil, err
	}
	var size pith.Tokens
	if m.config.Steady {
		size = s.Metrics.TokensAfter // it may be larger than what Live alone allows
	}
	block := restore.Render(s, restore.Options{
		Replaces:     size,
		Pattern:      m.config.Pattern,
		Budget:       m.config.Budget,
		Window:       m.config.Window,
		Live:         s.Metrics.TokensBefore,
		RenderResent: m.config.RenderResent,
		Explain:      m.config.Explain,
	})
	r := &Result{State: s, JSON: written, Block: block, Unchanged: true}
	return r, r.rescan()
}
