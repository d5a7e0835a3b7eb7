package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
)

// batch is how many blocks, and about how many bytes, are put at once.
const (
	batch      = 256
	batchBytes = 4 << 20
)

// ArchiveBlocks keeps the blocks of a session that no client keeps in a file,
// redacted, numbered as the sources of the state that was made from it. r is
// what the state was read from.
func ArchiveBlocks(ctx context.Context, a pith.Archive, s *pith.State, r io.Reader) error {
	w, err := newWalk(r, NumberingOf(s))
	if err != nil {
		return err
	}
	w.redactor = redact.New()
	var blocks []pith.ArchivedBlock
	size := 0
	put := func() error {
		if len(blocks) == 0 {
			return nil
		}
		err := a.PutBlocks(ctx, s.Checkpoint.SessionID, blocks)
		blocks, size = blocks[:0], 0
		return err
	}
	for {
		m, err := w.next()
		if errors.Is(err, io.EOF) || err == nil && m.Index > s.Checkpoint.ThroughMessage {
			return put()
		}
		if err != nil {
			return err
		}
		for i := range m.Blocks {
			b := &m.Blocks[i]
			if !quotable(b.Kind) {
				continue
			}
			blocks = append(blocks, pith.ArchivedBlock{
				Message: m.Index, Block: i, Role: m.Role, Kind: b.Kind, Tool: w.of[i].tool, Call: callKey(b.ToolUseID),
				Agent: m.Agent, Origin: b.Origin, Time: m.Time, Text: b.Text, Hash: b.Hash,
			})
			if size += len(b.Text); len(blocks) >= batch || size >= batchBytes {
				if err := put(); err != nil {
					return err
				}
			}
		}
	}
}

// callKey stands for the id of a call in an archive, which keeps nothing that a
// client made up.
func callKey(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// ArchivedPassages calls f with the archived blocks of a session as passages,
// in their order, until it returns an error.
func ArchivedPassages(ctx context.Context, a pith.Archive, session string, f func(*Passage) error) error {
	turn, message, last := 0, pith.SystemIndex, pith.Role("")
	return a.EachBlock(ctx, session, func(b *pith.ArchivedBlock) error {
		if b.Message != message || last == "" {
			if b.Role == pith.RoleAssistant && last != pith.RoleAssistant {
				turn++
			}
			message, last = b.Message, b.Role
		}
		at := pith.Source{Message: b.Message, Block: b.Block}
		p := Passage{
			Ref: at.BlockKey(), Source: at, Role: b.Role, Kind: b.Kind, Origin: b.Origin, Turn: turn,
			Tool: b.Tool, call: b.Call, Agent: b.Agent, Time: b.Time, Text: b.Text, Status: StatusUnchecked, hash: sha256.Sum256([]byte(b.Text)),
		}
		if b.Kind == pith.KindToolUse {
			p.Path = pathIn(b.Text)
		}
		return f(&p)
	})
}

// pathIn is the file that the normalised text of a call names.
func pathIn(text string) string {
	for _, key := range pathArgs {
		if _, rest, ok := strings.Cut(text, "\n"+key+": "); ok {
			path, _, _ := strings.Cut(rest, "\n")
			return path
		}
	}
	return patched(text)
}

// fromArchive looks blocks up in the archive, and gives those that are there.
func (q *RecallRequest) fromArchive(ctx context.Context, s *pith.State, of []pith.Source) ([]Passage, error) {
	wanted := make(map[string]bool, len(of))
	for _, at := range of {
		wanted[at.BlockKey()] = true
	}
	var got []Passage
	err := ArchivedPassages(ctx, q.Archive, s.Checkpoint.SessionID, func(p *Passage) error {
		if wanted[p.Ref] {
			got = append(got, *p)
		}
		if len(got) == len(wanted) {
			return errPassed
		}
		return nil
	})
	if err != nil && !errors.Is(err, errPassed) && !errors.Is(err, pith.ErrNotFound) {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	return got, nil
}
