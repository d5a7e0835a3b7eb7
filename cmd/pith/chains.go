package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/handoff"
)

// What was handed over and accepted is remembered in the user's data folder:
//
//	handoff/nonces/NONCE             used; holds the time until which it counts, or nothing
//	handoff/sent/CHAIN/SEQ           the MAC of an envelope that was made
//	handoff/accepted/CHAIN/SEQ       the MAC of an envelope that was accepted
//
// A file is made whole and at once or not at all, so that of several processes
// one wins.
func handoffFolder(parts ...string) string {
	return filepath.Join(append([]string{dataFolder(), "pith", "handoff"}, parts...)...)
}

// chainFolder is the folder for the envelopes of a session for one audience.
func chainFolder(kind, session, audience string) string {
	sum := sha256.Sum256([]byte(session + "\x00" + audience))
	return handoffFolder(kind, hex.EncodeToString(sum[:16]))
}

func recordError(op string, err error) error {
	return &pith.Error{Op: op, Kind: pith.KindStore, Err: cause(err), Hint: "what was handed over is remembered in " + handoffFolder()}
}

// lastLink finds the last envelope of a chain, the zero Link where it has none.
func lastLink(dir string) (handoff.Link, error) {
	seqs, err := chainSeqs(dir)
	if err != nil || len(seqs) == 0 {
		return handoff.Link{}, err
	}
	last := seqs[0]
	for _, n := range seqs {
		last = max(last, n)
	}
	mac, err := os.ReadFile(filepath.Join(dir, strconv.FormatInt(last, 10)))
	if err != nil {
		return handoff.Link{}, recordError("read the last hand-over", err)
	}
	return handoff.Link{Seq: last, MAC: strings.TrimSpace(string(mac))}, nil
}

func chainSeqs(dir string) ([]int64, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, recordError("read the hand-overs", err)
	}
	var seqs []int64
	for _, f := range files {
		if n, err := strconv.ParseInt(f.Name(), 10, 64); err == nil && n >= 0 {
			seqs = append(seqs, n)
		}
	}
	return seqs, nil
}

// keptLinks is how many places of a chain stay on the disk.
const keptLinks = 16

// addLink remembers an envelope; it reports false where another one has its
// place in the chain.
func addLink(dir string, l handoff.Link) (bool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, recordError("remember the hand-over", err)
	}
	taken, err := addFile(dir, strconv.FormatInt(l.Seq, 10), l.MAC+"\n")
	if err != nil || taken {
		return false, err
	}
	seqs, err := chainSeqs(dir)
	for _, n := range seqs {
		if n <= l.Seq-keptLinks {
			_ = os.Remove(filepath.Join(dir, strconv.FormatInt(n, 10))) // one too many does no harm
		}
	}
	return err == nil, err
}

// addFile makes a file that is there whole from the first moment; it reports
// whether there was one already.
func addFile(dir, name, content string) (taken bool, err error) {
	const op = "remember the hand-over"
	tmp, err := os.CreateTemp(dir, ".pith-*") // its mode is 0600
	if err != nil {
		return false, recordError(op, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(content)
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Link(tmp.Name(), filepath.Join(dir, name))
	}
	if errors.Is(err, fs.ErrExist) {
		return true, nil
	}
	if err == nil {
		err = syncFolder(dir)
	}
	if err != nil {
		return false, recordError(op, err)
	}
	return false, nil
}

// syncFolder makes a new name in a folder last, where the system can.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// claimNonce takes a nonce for good. Errors: handoff.ErrUsed, KindStore.
func claimNonce(nonce string, expires time.Time) error {
	dir := handoffFolder("nonces")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return recordError("remember the hand-over", err)
	}
	until := ""
	if !expires.IsZero() {
		until = expires.UTC().Format(time.RFC3339) + "\n"
	}
	taken, err := addFile(dir, nonce, until)
	if err == nil && taken {
		err = handoff.ErrUsed
	}
	if err == nil {
		pruneNonces(dir, time.Now())
	}
	return err
}

// pruneNonces forgets those whose envelopes expired a while ago: they would be
// refused anyway, even by a clock that was set back a little.
func pruneNonces(dir string, now time.Time) {
	const while = 7 * 24 * time.Hour
	files, err := os.ReadDir(dir)
	if err != nil {
		return // more than need be are remembered
	}
	for _, f := range files {
		name := filepath.Join(dir, f.Name())
		content, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if until, err := time.Parse(time.RFC3339, strings.TrimSpace(string(content))); err == nil && until.Add(while).Before(now) {
			_ = os.Remove(name)
		}
	}
}
