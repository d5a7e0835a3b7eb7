package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
)

// keep archives a session that came inside the event: there is no file of it
// that a source could be looked up in later. A store that is no archive keeps
// none.
func (t *turn) keep(store pith.Store, s *pith.State) error {
	archive, ok := store.(pith.Archive)
	if !ok || len(t.input.Export) == 0 {
		return nil
	}
	if err := memory.ArchiveBlocks(t.ctx, archive, s, bytes.NewReader(t.input.Export)); err != nil {
		return fmt.Errorf("archive the session: %w", err)
	}
	return t.prune(t.ctx, archive)
}

// prune removes what is older than the archive is to be.
func (t *turn) prune(ctx context.Context, archive pith.Archive) error {
	days := t.hooks.config.KeepDays
	if days == 0 {
		return nil
	}
	if _, err := archive.Prune(ctx, t.hooks.config.Now().AddDate(0, 0, -days)); err != nil {
		return fmt.Errorf("remove old blocks from the archive: %w", err)
	}
	return nil
}

// placedFolder is where pith's plugin for opencode keeps, in a file for each
// session, the memory that it places, so that it goes on with the same bytes.
const placedFolder = "opencode"

// forgetPlaced removes what a plugin keeps of a session in the folder of the
// records. Nothing there is no error.
func forgetPlaced(dir, session string) error {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, session)
	err := os.Remove(filepath.Join(dir, placedFolder, name+".json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what the plugin keeps of session %s: %w", session, err)
	}
	return nil
}
