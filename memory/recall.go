package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
)

// RecallRequest asks for what a block left out.
type RecallRequest struct {
	State *pith.State
	// Ref is CHECKPOINT/KEY or KEY, as ParseReference reads it.
	Ref string
	// Open opens the transcript of a checkpoint; it may be opened twice.
	Open func(s *pith.State) (io.ReadCloser, error)
	// Parent fetches an earlier checkpoint, for what was said before the
	// messages that the state was made from; nil where there is no store.
	Parent func(id string) (*pith.Saved, error)
	// Archive has the blocks of sessions that no client keeps, nil for none.
	Archive pith.Archive
}

// Recall gives back the original texts that a reference leads to, redacted, in
// the order of the items; a block that several items rest on comes once. A
// source with a span gives that span alone. Errors: KindUsage for what is no
// reference; KindInput where the transcript is not there or is another one.
func Recall(ctx context.Context, q RecallRequest) ([]Passage, error) {
	ref, err := ParseReference(q.Ref)
	if err != nil {
		return nil, err
	}
	s, err := q.checkpoint(ref.Checkpoint)
	if err != nil {
		return nil, err
	}
	wanted, err := targets(s, ref.Key)
	if err != nil {
		return nil, err
	}
	found := map[string]*Passage{}
	for at, of, rest := s, wantedBlocks(wanted), []pith.Source(nil); len(of) > 0; of = rest {
		of, rest = split(of, at.Checkpoint.FromMessage)
		if at.Checkpoint.ParentID == nil || q.Parent == nil {
			of, rest = append(of, rest...), nil
		}
		if err := q.fetch(ctx, at, of, found); err != nil {
			return nil, err
		}
		if len(rest) > 0 {
			if at, err = q.parent(at); err != nil {
				return nil, err
			}
		}
	}
	return assemble(s, wanted, found), nil
}

// checkpoint finds the state that a reference names: the one at hand, or one
// that it came from.
func (q *RecallRequest) checkpoint(prefix string) (*pith.State, error) {
	s := q.State
	for !strings.HasPrefix(s.Checkpoint.ID, prefix) {
		if s.Checkpoint.ParentID == nil || q.Parent == nil {
			return nil, &pith.Error{
				Op: "find checkpoint " + prefix, Kind: pith.KindUsage,
				Err:  fmt.Errorf("it is neither checkpoint %s nor one that this came from", short(q.State.Checkpoint.ID)),
				Hint: "pass the state that the block was made from, or the session's id",
			}
		}
		next, err := q.parent(s)
		if err != nil {
			return nil, err
		}
		s = next
	}
	return s, nil
}

func (q *RecallRequest) parent(s *pith.State) (*pith.State, error) {
	saved, err := q.Parent(*s.Checkpoint.ParentID)
	if err != nil {
		return nil, fmt.Errorf("fetch the checkpoint before %s: %w", short(s.Checkpoint.ID), err)
	}
	return saved.State, nil
}

// wantedBlocks lists the blocks of all targets, each once, in their order in
// the session.
func wantedBlocks(all []target) []pith.Source {
	var out []pith.Source
	for i := range all {
		for _, at := range all[i].sources {
			out = append(out, pith.Source{Message: at.Message, Block: at.Block})
		}
	}
	slices.SortFunc(out, func(a, b pith.Source) int {
		switch {
		case a.Before(b):
			return -1
		case b.Before(a):
			return 1
		}
		return 0
	})
	return slices.Compact(out)
}

// split parts sources into those at hand and those of an earlier part of the
// session. The system prompt is sent anew with every part.
func split(of []pith.Source, from int) (here, earlier []pith.Source) {
	for _, at := range of {
		if at.Message >= from || at.Message == pith.SystemIndex {
			here = append(here, at)
		} else {
			earlier = append(earlier, at)
		}
	}
	return here, earlier
}

// fetch looks blocks up in the client's own file and, where they are not there
// as they were, in the archive.
func (q *RecallRequest) fetch(ctx context.Context, s *pith.State, of []pith.Source, found map[string]*Passage) error {
	if len(of) == 0 || s.Checkpoint.Origin != "live" { // no session of ours lies behind it
		return nil
	}
	got, err := q.fromFile(ctx, s, of)
	if q.Archive != nil && (err != nil || !agree(s, got)) {
		archived, archiveErr := q.fromArchive(ctx, s, of)
		if archiveErr != nil {
			return archiveErr
		}
		if len(archived) == len(of) {
			got, err = archived, nil
		}
	}
	if err != nil {
		return err
	}
	for i := range got {
		compare(s, &got[i])
		found[got[i].Ref] = &got[i]
	}
	return nil
}

// fromFile looks blocks up in the transcript of a checkpoint.
func (q *RecallRequest) fromFile(ctx context.Context, s *pith.State, of []pith.Source) ([]Passage, error) {
	if q.Open == nil {
		return nil, gone(s, errors.New("nobody opened it"))
	}
	in, err := q.Open(s)
	if err != nil {
		return nil, gone(s, err)
	}
	got, _, err := lookUp(ctx, in, s, of, false)
	if err != nil {
		return nil, another(s, err)
	}
	if !agree(s, got) {
		// The markers of secrets are numbered over the whole session.
		if in, err = q.Open(s); err != nil {
			return nil, gone(s, err)
		}
		var same bool
		if got, same, err = lookUp(ctx, in, s, of, true); err != nil {
			return nil, another(s, err)
		}
		if !same && !agree(s, got) {
			return nil, another(s, errors.New("its texts are not those that the state was made from"))
		}
	}
	if len(got) < len(of) {
		return nil, another(s, fmt.Errorf("%d of %d blocks are not in it", len(of)-len(got), len(of)))
	}
	return got, nil
}

// lookUp reads a transcript as far as the last of the blocks. Where whole is
// set all of it is redacted, and it is said whether this is the session that
// the state was made from; otherwise only the wanted blocks are redacted,
// which is several times faster.
func lookUp(ctx context.Context, in io.ReadCloser, s *pith.State, of []pith.Source, whole bool) (got []Passage, same bool, err error) {
	defer func() { err = errors.Join(err, in.Close()) }()
	w, err := newWalk(in, NumberingOf(s))
	if err != nil {
		return nil, false, err
	}
	if whole {
		w.redactor = redact.New()
	}
	known := anchors{blocks: s.Blocks, from: s.Checkpoint.FromMessage, through: s.Checkpoint.ThroughMessage}
	for n := 0; len(of) > 0; n++ {
		m, err := w.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && n%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return nil, false, err
		}
		if whole {
			known.message(m)
		}
		for len(of) > 0 && of[0].Message <= m.Index {
			if at := of[0]; at.Message == m.Index && at.Block < len(m.Blocks) {
				if !whole {
					w.redactAlone(m, at.Block)
				}
				p := w.passage(m, at.Block)
				p.hash = m.Blocks[at.Block].Hash
				got = append(got, p)
			}
			of = of[1:]
		}
	}
	return got, known.same(), nil
}

// redactAlone redacts one block as if it were the first of its session.
func (w *walk) redactAlone(m *pith.Message, i int) {
	one := pith.Message{Role: m.Role, Blocks: m.Blocks[i : i+1 : i+1]}
	redact.New().Message(&one)
}

// compare says whether a passage is what the state was made from.
func compare(s *pith.State, p *Passage) {
	ref, known := s.Blocks[p.Ref]
	switch {
	case !known:
		p.Status = StatusUnchecked
	case ref.Hash == pith.HashHex(p.hash):
		p.Status = StatusOK
	default:
		p.Status = StatusChanged
	}
}

// agree tells whether none of the passages is another text than the state has.
func agree(s *pith.State, got []Passage) bool {
	for i := range got {
		if compare(s, &got[i]); got[i].Status == StatusChanged {
			return false
		}
	}
	return true
}

const moved = "the transcript moved: pass `--transcript FILE`"

func gone(s *pith.State, err error) error {
	return &pith.Error{
		Op: "open the transcript of checkpoint " + short(s.Checkpoint.ID), Kind: pith.KindInput,
		Err: fmt.Errorf("%s is not where it was: %w", place(s), err), Hint: moved,
	}
}

func another(s *pith.State, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &pith.Error{
		Op: "recall from the transcript of checkpoint " + short(s.Checkpoint.ID), Kind: pith.KindInput,
		Err: fmt.Errorf("this is not the session that it was made from (%s), or it was changed: %w", place(s), err), Hint: moved,
	}
}

func place(s *pith.State) string {
	if s.Checkpoint.Transcript == "" {
		return "the transcript"
	}
	return s.Checkpoint.Transcript
}

// assemble lists the passages in the order of what was asked for.
func assemble(s *pith.State, wanted []target, found map[string]*Passage) []Passage {
	var out []Passage
	at := map[string]int{}
	for i := range wanted {
		t := &wanted[i]
		met := false
		for _, source := range t.sources {
			p, ok := found[source.BlockKey()]
			if !ok {
				continue
			}
			met = true
			n, listed := at[p.Ref]
			if !listed {
				n = len(out)
				at[p.Ref] = n
				out = append(out, *p)
				out[n].Source = source
				if t.text == "" {
					out[n].narrow()
				}
			}
			if t.text != "" && !slices.Contains(out[n].Items, t.text) {
				out[n].Items = append(out[n].Items, t.text)
			}
		}
		if !met && t.text != "" {
			out = append(out, Passage{Ref: short(s.Checkpoint.ID), Origin: pith.UnverifiedImport, Text: t.text, Status: StatusState})
		}
	}
	return out
}

// narrow leaves of a passage the span that was asked for.
func (p *Passage) narrow() {
	from, to := p.Source.Start, p.Source.End
	if to == 0 || p.Text == "" {
		return
	}
	p.Ref = p.Source.String()
	to = min(to, len(p.Text))
	p.Text = p.Text[min(from, to):to]
}
