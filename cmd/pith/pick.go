package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

const latest = "latest"

// pick fetches the checkpoint that an argument means: "latest" for the newest
// one of the current folder's project, a session's id for its newest one, a
// checkpoint's id for itself, or the beginning of either id. Errors: KindUsage
// where the beginning fits several, KindStore where there is no such one.
func (c *console) pick(ctx context.Context, store pith.Store, what string) (*pith.Saved, error) {
	return c.pickIn(ctx, store, what, "")
}

// pickIn is pick for another folder than the current one.
func (c *console) pickIn(ctx context.Context, store pith.Store, what, folder string) (*pith.Saved, error) {
	entries, err := store.List(ctx, "")
	if err != nil {
		return nil, inStore("list the checkpoints", err)
	}
	if what == latest || what == "" {
		return pickLatest(ctx, store, entries, projectFolder(folder))
	}
	sessions, checkpoints := matching(entries, what)
	switch {
	case len(sessions) == 1 && (len(checkpoints) == 0 || sessions[0] == what):
		s, err := store.Latest(ctx, sessions[0])
		return s, inStore("read the latest checkpoint of session "+sessions[0], err)
	case len(checkpoints) == 1 && len(sessions) == 0:
		s, err := store.Get(ctx, checkpoints[0])
		return s, inStore("read checkpoint "+short(checkpoints[0]), err)
	case len(sessions)+len(checkpoints) == 0:
		return nil, &pith.Error{
			Op: fmt.Sprintf("find %q", what), Kind: pith.KindStore, Err: pith.ErrNotFound,
			Hint: "`pith sessions` lists what there is; `pith compact FILE --save` puts a session there",
		}
	}
	var list []string
	for _, id := range sessions {
		list = append(list, "session "+id)
	}
	for _, id := range checkpoints {
		list = append(list, "checkpoint "+id[:min(len(id), 16)])
	}
	return nil, usage("give more of the id", "%q fits several: %s", what, strings.Join(list, ", "))
}

// matching finds the ids that begin with a text; one that is the text itself
// leaves the others out.
func matching(entries []pith.Entry, what string) (sessions, checkpoints []string) {
	for i := range entries {
		e := &entries[i]
		if e.SessionID == what {
			return []string{what}, nil
		}
		if strings.HasPrefix(e.SessionID, what) && !slices.Contains(sessions, e.SessionID) {
			sessions = append(sessions, e.SessionID)
		}
		if strings.HasPrefix(e.ID, what) && len(what) >= 4 && !slices.Contains(checkpoints, e.ID) {
			checkpoints = append(checkpoints, e.ID)
		}
	}
	return sessions, checkpoints
}

// pickLatest finds the project that a folder lies in, the innermost
// where there are several, and its newest checkpoint that can be read.
func pickLatest(ctx context.Context, store pith.Store, entries []pith.Entry, here string) (*pith.Saved, error) {
	me := owner()
	project := ""
	for i := range entries {
		e := &entries[i]
		if e.Damaged == "" && mine(e.Owner, me) && belongs(here, e.Project) && len(e.Project) > len(project) {
			project = e.Project
		}
	}
	if project == "" {
		return nil, &pith.Error{
			Op: "find the latest checkpoint", Kind: pith.KindStore, Err: fmt.Errorf("none belongs to %s", here),
			Hint: "`pith sessions` lists what there is; name a session or a checkpoint by the beginning of its id",
		}
	}
	var last error
	for i := range entries {
		e := &entries[i]
		if e.Damaged != "" || e.Project != project || !mine(e.Owner, me) {
			continue
		}
		s, err := store.Get(ctx, e.ID)
		var damaged *pith.Damaged
		if errors.As(err, &damaged) {
			last = err
			continue
		}
		return s, inStore("read the latest checkpoint", err)
	}
	return nil, inStore("read the latest checkpoint", last)
}

// mine tells whether an owner is this account; nobody owns what was made
// before owners were kept.
func mine(owner, me string) bool { return owner == "" || owner == me }

// inside tells whether a folder is a project or lies in it.
func inside(dir, project string) bool {
	if project == "" {
		return false
	}
	return dir == project || strings.HasPrefix(dir, strings.TrimSuffix(project, string(filepath.Separator))+string(filepath.Separator))
}

// belongs tells whether work in a folder is work of a project. The home folder
// and the top of a disk are projects for themselves, and not for all below.
func belongs(here, project string) bool {
	return inside(here, project) && (here == project || project != homeFolder() && project != filepath.Dir(project))
}

// inStore gives an error of a store that has no kind the kind of one, and is
// nil for a nil error.
func inStore(op string, err error) error {
	if err == nil {
		return nil
	}
	var known *pith.Error
	if errors.As(err, &known) {
		return err
	}
	hint := ""
	if errors.Is(err, pith.ErrNotFound) {
		hint = "`pith sessions` lists what there is"
	}
	return &pith.Error{Op: op, Kind: pith.KindStore, Err: err, Hint: hint}
}

// short is an id as people read it.
func short(id string) string { return id[:min(len(id), 12)] }
