package hook

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
)

// errForeign is the cause where a session's id is that of another one.
var errForeign = errors.New("what is stored of a session of this id belongs to another account, project or copy of it; it is left as it is")

// mine tells whether a checkpoint that has this session's id is one of this
// account and of the project that the session belongs to: ids are copied with
// the files that they name. What is not known is not held against it.
func (t *turn) mine(saved *pith.Saved) bool {
	if saved.Owner != t.hooks.config.Owner {
		return false
	}
	root := t.root()
	if saved.Project == "" || root == "" && !filepath.IsAbs(t.input.CWD) {
		return true
	}
	if root == "" { // all that is known is where the client is now
		rel, err := filepath.Rel(saved.Project, t.hooks.config.Project(t.input.CWD))
		return err == nil && filepath.IsLocal(rel)
	}
	return t.folderOf(root) == saved.Project || filepath.IsAbs(root) && filepath.Clean(root) == saved.Project
}

// another tells whether what was read is another conversation than the one that
// its latest checkpoint was made from, in another file: a copy that has gone its
// own way. A session's file has all of it, so nothing in it can have come after.
func (r *read) another(previous *pith.Saved) bool {
	old, now := &previous.State.Checkpoint, &r.State.Checkpoint
	return previous.How != howFork && old.Transcript != "" && now.Transcript != "" && old.Transcript != now.Transcript && now.FromMessage > old.ThroughMessage
}

// root is the folder that the session began in, by its own rows, "" where they
// do not say.
func (t *turn) root() string {
	src, err := t.open()
	if err != nil {
		return ""
	}
	defer src.close()
	root, err := memory.Root(src.from(0), memory.Numbering{})
	if err != nil {
		return ""
	}
	return root
}

// folder is the project that the session belongs to: by its own rows, then by
// what the client says, never by the folder that the hook happens to run in.
func (t *turn) folder(s *pith.State) string { return t.folderOf(s.Checkpoint.Workspace.Root) }

func (t *turn) folderOf(root string) string {
	for _, dir := range []string{root, t.input.CWD} {
		if info, err := os.Stat(dir); filepath.IsAbs(dir) && err == nil && info.IsDir() {
			return t.hooks.config.Project(dir)
		}
	}
	for _, dir := range []string{t.input.CWD, root} {
		if filepath.IsAbs(dir) { // it is gone: its name is all that is left
			return filepath.Clean(dir)
		}
	}
	return ""
}
