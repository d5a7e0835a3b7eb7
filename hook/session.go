package hook

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/restore"
)

// known is what pith knows of the session at this moment: its state, the block
// that restores it, and whether it is stored.
type known struct {
	*memory.Result
	// Saved is what the store has, nil where it could not be kept.
	Saved *pith.Saved
}

// checkpoint reads the session as far as it goes and keeps its state; without a
// reason, for the reason that its reading gives. Where the store cannot be had
// the state is there all the same, and t.lesser says why it was not kept.
// Errors: there is no state.
func (t *turn) checkpoint(why pith.Reason) (*known, error) {
	store, done, err := t.store()
	if err != nil {
		t.lesser = append(t.lesser, err)
		return t.unkept(why)
	}
	defer done()
	for again := false; ; again = true {
		k, err := t.keepIn(store, why)
		var conflict *pith.Conflict
		if again || !errors.As(err, &conflict) {
			return k, err
		}
		// Another hook of the session was faster: go on from what it kept.
	}
}

// keepIn is a checkpoint in a store. Errors: there is no state; *pith.Conflict.
func (t *turn) keepIn(store pith.Store, why pith.Reason) (*known, error) {
	previous, err := latest(t.patience(), store, t.input.key())
	if err != nil {
		t.lesser = append(t.lesser, fmt.Errorf("read the latest checkpoint: %w", err))
		return t.unkept(why)
	}
	if previous != nil && !t.mine(previous) {
		t.lesser = append(t.lesser, errForeign)
		return t.unkept(why)
	}
	if previous == nil {
		if previous, err = t.forked(store); err != nil {
			t.lesser, previous = append(t.lesser, err), nil
		}
	}
	r, err := t.compact(previous, why)
	if err == nil && previous != nil && r.another(previous) {
		t.lesser = append(t.lesser, errForeign)
		return t.unkept(why)
	}
	if err != nil {
		return nil, err
	}
	k := &known{Result: r.Result}
	t.waitAnew() // to read a long session took its time
	if k.Saved, err = t.save(store, r, previous); err == nil && r.cursor != nil {
		t.record.Cursor = *r.cursor
	}
	var conflict *pith.Conflict
	if errors.As(err, &conflict) {
		return k, err
	}
	if err == nil {
		err = t.keep(store, r.State)
	}
	if err != nil {
		t.lesser = append(t.lesser, err)
	}
	if k.Saved == nil {
		t.promiseNothing(k)
	}
	return k, nil
}

// unkept is the state of a session without a store.
func (t *turn) unkept(why pith.Reason) (*known, error) {
	r, err := t.compact(nil, why)
	if err != nil {
		return nil, err
	}
	k := &known{Result: r.Result}
	t.promiseNothing(k)
	return k, nil
}

// promiseNothing renders a block anew whose references lead nowhere.
func (t *turn) promiseNothing(k *known) {
	c := &t.hooks.config.Memory
	again := *k.Result
	again.Block = restore.Render(k.State, restore.Options{
		Pattern: c.Pattern, Budget: c.Budget, Window: k.Reading.Window, Live: k.State.Metrics.TokensBefore, RenderResent: c.RenderResent,
		Replaces: k.State.Metrics.TokensAfter, Unkept: true,
	})
	k.Result = &again
}

// latest is the newest checkpoint of a session, nil where it has none.
func latest(ctx context.Context, store pith.Store, session string) (*pith.Saved, error) {
	saved, err := patiently(ctx, func() (*pith.Saved, error) { return store.Latest(ctx, session) })
	if errors.Is(err, pith.ErrNotFound) {
		return nil, nil
	}
	return saved, err
}

// read is a session that was read, and the place behind it.
type read struct {
	*memory.Result
	memory *memory.Memory
	cursor *Cursor
}

// compact reads the session: what came since its latest checkpoint, where that
// is possible, and all of it otherwise.
func (t *turn) compact(previous *pith.Saved, why pith.Reason) (*read, error) {
	src, err := t.open()
	if err != nil {
		return nil, &pith.Error{Op: "read the session", Kind: pith.KindInput, Err: err}
	}
	defer src.close()
	out := &read{memory: memory.New(t.hooks.config.Memory)}
	o := memory.ReadOptions{Name: src.path, ID: t.input.key()}
	if previous != nil {
		o.Previous = previous.State
	}
	s, err := t.readBehind(out.memory, src, o)
	if err != nil {
		o.Gauge = new(memory.Gauge)
		s, err = out.memory.Read(src.from(0), o)
	}
	if pith.KindOf(err) == pith.KindDeclined { // the file is shorter than it was: it is another one now
		o.Previous = nil
		s, err = out.memory.Read(src.from(0), o)
	}
	if err != nil {
		return nil, err
	}
	if o.Gauge != nil {
		t.follows(src, o.Gauge)
	}
	if why == "" {
		why = reasonOf(s.Reading(t.hooks.config.Memory.Window))
	}
	if out.Result, err = out.memory.Compact(s, why); err == nil {
		out.cursor = src.cursor(out.State.Checkpoint.ID, s)
	}
	return out, err
}

// readBehind reads what came to the file since the checkpoint. Errors: all of
// it must be read.
func (t *turn) readBehind(m *memory.Memory, src *source, o memory.ReadOptions) (*memory.Session, error) {
	c := &t.record.Cursor
	if o.Previous == nil || !src.holds(c.Path, c.Print, c.Offset) || o.Previous.Checkpoint.Transcript != src.path {
		return nil, memory.ErrReadWhole
	}
	o.Behind, o.Format = &c.Mark, o.Previous.Checkpoint.Format
	return m.Read(src.from(c.Offset), o)
}

// reasonOf is why a client compacts by itself: the window is that full.
func reasonOf(r meter.Reading) pith.Reason {
	switch {
	case r.Fraction >= 0.8:
		return pith.ReasonTokens80
	case r.Fraction >= 0.6 && r.Fraction < 0.7:
		return pith.ReasonTokens60
	}
	return pith.ReasonTokens70
}

// save keeps a state with what the disk is like now.
func (t *turn) save(store pith.Store, r *read, previous *pith.Saved) (*pith.Saved, error) {
	if r.Unchanged && previous != nil {
		return previous, nil
	}
	project := t.folder(r.State)
	var disk *pith.Disk
	if project != "" { // else nobody knows where to look
		var err error
		if disk, err = t.hooks.config.Look(t.ctx, project, restore.Paths(r.State)); err != nil {
			return nil, fmt.Errorf("look at the workspace: %w", err)
		}
	}
	ctx := t.patience()
	o := memory.SaveOptions{Store: store, Owner: t.hooks.config.Owner, Project: project, Disk: disk, Now: t.hooks.config.Now()}
	if _, err := patiently(ctx, func() (bool, error) { return r.memory.Save(ctx, r.Result, o) }); err != nil {
		return nil, fmt.Errorf("save the state: %w", err)
	}
	return &pith.Saved{State: r.State, JSON: r.JSON, SavedAt: o.Now, Owner: o.Owner, Project: project, Disk: disk}, nil
}

// transcript is the file of the conversation, "" where it has none. Claude Code
// names the main session's for a sub-agent too, which has one beside it.
func (t *turn) transcript() string {
	path, agent := t.input.TranscriptPath, t.input.AgentID
	name := "agent-" + agent + ".jsonl"
	if agent != "" && t.input.AgentTranscript != "" {
		return t.input.AgentTranscript
	}
	if agent == "" || path == "" || t.client != ClaudeCode || filepath.Base(path) == name {
		return path
	}
	if filepath.Base(name) != name || !filepath.IsLocal(name) {
		return ""
	}
	return filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents", name)
}

// storePatience is how long a hook waits for a store that somebody else holds,
// over all that it asks of it before it reads the session, and again after.
const storePatience = 2 * time.Second

// patience is the time that is left for the store.
func (t *turn) patience() context.Context {
	if t.waits == nil {
		t.waits, t.forget = context.WithTimeout(t.ctx, storePatience)
	}
	return t.waits
}

// waitAnew begins the time that is left for the store again.
func (t *turn) waitAnew() {
	if t.forget != nil {
		t.forget()
	}
	t.waits, t.forget = nil, nil
}

// store opens the store with little patience.
func (t *turn) store() (pith.Store, func(), error) {
	type opened struct {
		store pith.Store
		done  func()
	}
	ctx := t.patience()
	o, err := patiently(ctx, func() (opened, error) {
		store, done, err := t.hooks.config.Open(ctx)
		return opened{store, done}, err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("open the store: %w", err)
	}
	return o.store, o.done, nil
}

// patiently does what may wait for a lock longer than its context says: then it
// is left to itself.
func patiently[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("a fault in pith: %v", p)
			}
			done <- r
		}()
		r.value, r.err = do()
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("somebody else holds it: %w", ctx.Err())
	}
}
