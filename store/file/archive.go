package file

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/pith-memory/pith"
)

const (
	// blocksFolder lies in the folder of a session, so that one step forgets both.
	blocksFolder = "blocks"
	textSuffix   = ".zst"
	// maxText bounds what one compressed text may grow to.
	maxText = 512 << 20
)

// PutBlocks adds blocks to the archive of a session: each text that is not
// there yet as a file named by its hash, then an index of what was added,
// which makes them count.
func (s *Store) PutBlocks(ctx context.Context, session string, blocks []pith.ArchivedBlock) error {
	op := "archive blocks of session " + shorten(session)
	if session == "" {
		return &pith.Error{Op: op, Kind: pith.KindStore, Err: errors.New("they belong to no session")}
	}
	if err := ctx.Err(); err != nil || len(blocks) == 0 {
		return fail(op, err)
	}
	folder := folderName(session)
	if err := s.sys.mkdir(s.path(folder, blocksFolder)); err != nil {
		return fail(op, err)
	}
	unlock, err := s.lock(ctx, folder)
	if err != nil {
		return fail(op, err)
	}
	defer unlock()
	return fail(op, s.putBlocks(ctx, folder, session, blocks))
}

func (s *Store) putBlocks(ctx context.Context, folder, session string, blocks []pith.ArchivedBlock) error {
	indexes, err := s.indexes(folder)
	if err != nil {
		return err
	}
	known := map[blockKey]bool{}
	for _, x := range indexes {
		for i := range x.Blocks {
			known[x.Blocks[i].key()] = true
		}
	}
	added := index{FormatVersion: formatVersion, Session: session, PutAt: time.Now().UTC(), number: 1}
	if n := len(indexes); n > 0 {
		added.number = indexes[n-1].number + 1
	}
	for i := range blocks {
		line := describeBlock(&blocks[i])
		if known[line.key()] {
			continue
		}
		known[line.key()] = true
		added.Blocks = append(added.Blocks, line)
		if err := s.putText(ctx, folder, line.Text, blocks[i].Text); err != nil {
			return err
		}
	}
	if len(added.Blocks) == 0 {
		return nil
	}
	// The texts come first: an index never names what may be gone.
	in := filepath.Join(folder, blocksFolder)
	for _, dir := range []string{s.path(in), s.path(folder), s.dir} {
		if err := s.sys.syncDir(dir); err != nil {
			return err
		}
	}
	b, err := added.encode()
	if err != nil {
		return err
	}
	return s.publish(ctx, in, s.path(in, indexName(added.number)), b)
}

// putText keeps a text under its hash, once.
func (s *Store) putText(ctx context.Context, folder, hash, text string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := s.path(folder, blocksFolder, hash+textSuffix)
	if _, err := s.readText(path, hash); err == nil {
		return nil
	}
	w, err := packer()
	if err != nil {
		return err
	}
	packed := w.EncodeAll([]byte(text), nil)
	temp := s.path(folder, blocksFolder, tempName())
	if err := s.sys.write(temp, packed); err != nil {
		return err
	}
	// One that cannot be read is replaced: the name says what it must be.
	if err := s.sys.rename(temp, path); err != nil {
		_ = s.sys.remove(temp)
		return err
	}
	return nil
}

// packer and unpacker are made at the first text, and serve all that follow.
var (
	packer = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	})
	unpacker = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxText))
	})
)

// readText reads a text back and holds it against its hash.
func (s *Store) readText(path, hash string) (string, error) {
	packed, err := s.sys.read(path)
	if err != nil {
		return "", err
	}
	r, err := unpacker()
	if err != nil {
		return "", err
	}
	text, err := r.DecodeAll(packed, nil)
	if err != nil {
		return "", damagedf("the text cannot be read: %s", oneLine(err))
	}
	if textHash(string(text)) != hash {
		return "", damagedf("the text is not what its name says")
	}
	return string(text), nil
}

func textHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// EachBlock calls f with the blocks of a session by message and block. One
// whose text cannot be read is left out and named in the error, behind all others.
func (s *Store) EachBlock(ctx context.Context, session string, f func(*pith.ArchivedBlock) error) error {
	op := "read the archived blocks of session " + shorten(session)
	folder := folderName(session)
	indexes, err := s.indexes(folder)
	if err != nil {
		return fail(op, err)
	}
	var lines []line
	for _, x := range indexes {
		lines = append(lines, x.Blocks...)
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.Block, b.Block), cmp.Compare(a.Agent, b.Agent))
	})
	var unread []error
	for i := range lines {
		if err := ctx.Err(); err != nil {
			return fail(op, err)
		}
		text, err := s.readText(s.path(folder, blocksFolder, lines[i].Text+textSuffix), lines[i].Text)
		if err != nil {
			unread = append(unread, fmt.Errorf("block %d.%d: %w", lines[i].Message, lines[i].Block, err))
			continue
		}
		if err := f(lines[i].block(text)); err != nil {
			return err
		}
	}
	if len(unread) > 0 {
		return fail(op, fmt.Errorf("%d blocks cannot be read, the first is %w", len(unread), unread[0]))
	}
	return nil
}

// Prune removes the blocks that were put before a time.
func (s *Store) Prune(ctx context.Context, before time.Time) (int, error) {
	const op = "remove old archived blocks"
	folders, err := s.folders()
	if err != nil {
		return 0, fail(op, err)
	}
	pruned := 0
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return pruned, fail(op, err)
		}
		n, err := s.pruneFolder(ctx, folder, before)
		pruned += n
		if err != nil {
			return pruned, fail(op, err)
		}
	}
	return pruned, nil
}

func (s *Store) pruneFolder(ctx context.Context, folder string, before time.Time) (int, error) {
	dir := s.path(folder, blocksFolder)
	if _, err := s.sys.entries(dir); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	unlock, err := s.lock(ctx, folder)
	if err != nil {
		return 0, err
	}
	defer unlock()
	indexes, err := s.indexes(folder)
	if err != nil {
		return 0, err
	}
	pruned, used := 0, map[string]bool{}
	for _, x := range indexes {
		if !x.PutAt.Before(before) {
			for i := range x.Blocks {
				used[x.Blocks[i].Text+textSuffix] = true
			}
			continue
		}
		if err := s.sys.remove(filepath.Join(dir, indexName(x.number))); err != nil {
			return pruned, err
		}
		pruned += len(x.Blocks)
	}
	// The indexes go first, as they came last.
	if err := s.sys.syncDir(dir); err != nil || pruned == 0 {
		return pruned, err
	}
	return pruned, s.removeUnused(dir, used)
}

// removeUnused removes the texts that no index names.
func (s *Store) removeUnused(dir string, used map[string]bool) error {
	entries, err := s.sys.entries(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == textSuffix && !used[e.Name()] {
			if err := s.sys.remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return s.sys.syncDir(dir)
}
