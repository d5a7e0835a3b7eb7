package main

import (
	"context"
	"io"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
)

// archive keeps the redacted blocks of a session that no client keeps in a
// file of its own, and removes what is older than the settings say. A store
// that is no archive keeps none: then there is nothing to recall them from.
func (c *console) archive(ctx context.Context, store pith.Store, s *pith.State, again func() (io.Reader, error)) error {
	archive, ok := store.(pith.Archive)
	if !ok {
		return nil
	}
	r, err := again()
	if err != nil {
		return readError("", err)
	}
	if err := memory.ArchiveBlocks(ctx, archive, s, r); err != nil {
		return inStore("archive the session", err)
	}
	days := c.settings.count("keep-days")
	if days == 0 {
		return nil
	}
	_, err = archive.Prune(ctx, time.Now().AddDate(0, 0, -days))
	return inStore("remove old blocks from the archive", err)
}
