package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/store/sqlite"
)

// indexPath is where the search index lies: among what can be made again.
func indexPath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = filepath.Join(dataFolder(), "cache")
	}
	dir = filepath.Join(dir, "pith")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", &pith.Error{Op: "make the folder of the search index", Kind: pith.KindStore, Err: err}
	}
	return filepath.Join(dir, "search.db"), nil
}

// part is a file that holds a part of a session, with the numbers of its messages.
type part struct {
	name      string
	numbering memory.Numbering
}

// indexed is what a search looks through: a session in its parts, or what the
// archive has of it.
type indexed struct {
	session string
	parts   []part
	archive pith.Archive
}

// search lists the passages that hold all the words.
func (c *console) search(ctx context.Context, words string, f *recallFlags) error {
	what, done, err := c.searched(ctx, f)
	if err != nil {
		return err
	}
	defer done()
	hits, err := c.hits(ctx, what, words, sqlite.SearchOptions{Limit: f.limit})
	if err != nil {
		return err
	}
	if f.asJSON {
		return printJSON(c.out, hitsJSON(hits))
	}
	if len(hits) == 0 {
		fmt.Fprintln(c.err, "pith: no passage of the session has all these words")
	}
	for i := range hits {
		c.printHit(&hits[i], f)
	}
	return nil
}

// hits searches a session, indexing it first where it is not in the index as it is.
func (c *console) hits(ctx context.Context, what *indexed, words string, o sqlite.SearchOptions) (hits []sqlite.Hit, err error) {
	path, err := indexPath()
	if err != nil {
		return nil, err
	}
	index, err := sqlite.OpenIndex(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	if err := c.bringUp(ctx, index, what); err != nil {
		return nil, err
	}
	o.Session = what.session
	return index.Search(ctx, words, o)
}

// searched finds the session to search: a file, or one of the store.
func (c *console) searched(ctx context.Context, f *recallFlags) (*indexed, func(), error) {
	nothing := func() {}
	if f.transcript != "" && f.session == "" {
		what, err := c.fileToSearch(f)
		return what, nothing, err
	}
	known, done, err := c.remembered(ctx, memory.Reference{}, &recallFlags{session: or(f.session, latest)})
	if errors.Is(err, pith.ErrNotFound) && f.transcript != "" {
		what, err := c.fileToSearch(f)
		return what, nothing, err
	}
	if err != nil {
		return nil, nothing, err
	}
	return c.partsOf(known, f), done, nil
}

// fileToSearch is a session file that need not be in the store.
func (c *console) fileToSearch(f *recallFlags) (*indexed, error) {
	in, err := c.open(f.transcript)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	n := memory.Numbering{Session: f.session}
	var id string
	if n.Format, id, err = memory.Identity(in, n); err != nil {
		return nil, inFile(f.transcript, err)
	}
	name, err := filepath.Abs(f.transcript)
	if err != nil {
		name = f.transcript
	}
	if id == "" {
		id = "file:" + name
	}
	return &indexed{session: id, parts: []part{{name, n}}}, nil
}

// partsOf lists the files of a chain of checkpoints, the earliest messages
// first; where one is not there any more, what the archive has.
func (c *console) partsOf(k *knownState, f *recallFlags) *indexed {
	what := &indexed{session: k.State.Checkpoint.SessionID}
	from := -1
	for s := k.State; ; {
		if s.Checkpoint.FromMessage != from {
			from = s.Checkpoint.FromMessage
			in, err := c.openTranscript(k, s, f)
			if err == nil {
				_ = in.Close() // it was only looked at
				name := s.Checkpoint.Transcript
				if opened, ok := in.(*input); ok {
					name = opened.name
				}
				what.parts = append(what.parts, part{name, memory.NumberingOf(s)})
			}
		}
		if s.Checkpoint.ParentID == nil || k.parent == nil || from == 0 {
			break
		}
		saved, err := k.parent(*s.Checkpoint.ParentID)
		if err != nil {
			break
		}
		s = saved.State
	}
	slices.Reverse(what.parts)
	if len(what.parts) == 0 {
		what.archive = k.archive
	}
	return what
}

// fingerprint changes when one of the files does, and with the rules of redaction.
func (x *indexed) fingerprint() string {
	h := sha256.New()
	fmt.Fprintln(h, redact.Ruleset())
	for _, p := range x.parts {
		if info, err := statReadable(p.name); err == nil {
			fmt.Fprintln(h, p.name, p.numbering.FromMessage, info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// bringUp indexes a session that is not in the index as it is now.
func (c *console) bringUp(ctx context.Context, index *sqlite.Index, x *indexed) error {
	if len(x.parts) == 0 && x.archive == nil {
		return &pith.Error{
			Op: "search session " + x.session, Kind: pith.KindInput,
			Err: errors.New("its transcript is not where it was"), Hint: "the transcript moved: pass `--transcript FILE`",
		}
	}
	key := sqlite.SourceKey{Fingerprint: x.fingerprint()}
	if len(x.parts) > 0 {
		key.Path = x.parts[len(x.parts)-1].name
		fresh, err := index.Fresh(ctx, x.session, key.Fingerprint)
		if err != nil || fresh {
			return err
		}
	}
	return index.Add(ctx, x.session, key, func(add func(sqlite.Passage) error) error {
		if x.archive != nil {
			return memory.ArchivedPassages(ctx, x.archive, x.session, func(p *memory.Passage) error { return add(forIndex(p)) })
		}
		for i := range x.parts {
			before := -1
			if i+1 < len(x.parts) {
				before = x.parts[i+1].numbering.FromMessage
			}
			if err := c.feed(ctx, x.parts[i], before, add); err != nil {
				return err
			}
		}
		return nil
	})
}

// feed adds the passages of one file, up to the message before which the next
// part begins.
func (c *console) feed(ctx context.Context, p part, before int, add func(sqlite.Passage) error) error {
	in, err := c.open(p.name)
	if err != nil {
		return err
	}
	defer in.Close()
	next, err := memory.Passages(in, p.numbering)
	if err != nil {
		return inFile(p.name, err)
	}
	for {
		m, err := next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return inFile(p.name, err)
		case ctx.Err() != nil:
			return ctx.Err()
		case before >= 0 && m.Source.Message >= before:
			return nil
		case m.Source.Message == pith.SystemIndex && p.numbering.FromMessage > 0:
			continue // the system prompt is sent anew with every part
		}
		if err := add(forIndex(m)); err != nil {
			return err
		}
	}
}

func forIndex(p *memory.Passage) sqlite.Passage {
	return sqlite.Passage{
		Source: p.Source, Role: p.Role, Kind: p.Kind, Origin: p.Origin, Turn: p.Turn, Tool: p.Tool, Path: p.Path,
		Agent: p.Agent, Time: p.Time, Text: p.Text,
	}
}

func fromIndex(h *sqlite.Hit) *memory.Passage {
	return &memory.Passage{
		Ref: h.Source.BlockKey(), Source: h.Source, Role: h.Role, Kind: h.Kind, Origin: h.Origin, Turn: h.Turn,
		Tool: h.Tool, Path: h.Path, Agent: h.Agent, Time: h.Time, Text: h.Text,
	}
}

func hitsJSON(hits []sqlite.Hit) []passageOutput {
	out := make([]passageOutput, 0, len(hits))
	for i := range hits {
		o := passageJSON(fromIndex(&hits[i]))
		o.Ref, o.Session, o.Snippet = hits[i].Source.String(), hits[i].Session, hits[i].Snippet
		o.Score = hits[i].Score
		out = append(out, o)
	}
	return out
}

// printHit writes where a hit stands and the part of it that matched.
func (c *console) printHit(h *sqlite.Hit, f *recallFlags) {
	fmt.Fprintln(c.out, c.paint(bold, c.passageHead(fromIndex(h))))
	text := h.Text
	if !f.whole {
		text = c.marked(h.Snippet, h.Marks)
	}
	fmt.Fprintf(c.out, "%s\n\n", strings.TrimSuffix(text, "\n"))
}

// marked paints the words that matched.
func (c *console) marked(text string, marks [][2]int) string {
	var b strings.Builder
	at := 0
	for _, m := range marks {
		if m[0] < at || m[1] > len(text) {
			continue
		}
		b.WriteString(text[at:m[0]])
		b.WriteString(c.paint(green, text[m[0]:m[1]]))
		at = m[1]
	}
	b.WriteString(text[at:])
	return b.String()
}

// forgetIndexed removes a session from the search index, where there is one.
func forgetIndexed(ctx context.Context, session string) (err error) {
	path, err := indexPath()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	index, err := sqlite.OpenIndex(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	return index.Forget(ctx, session)
}
