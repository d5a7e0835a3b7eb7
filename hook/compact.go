package hook

import (
	"fmt"

	"github.com/pith-memory/pith"
)

// sessionCompact gives the memory that takes the place of the history, and
// which of the last messages stay behind it. It says nothing where that would
// be no smaller: then the client compacts by itself.
func (t *turn) sessionCompact() (Output, error) {
	if t.input.Trigger == "precompute" {
		return Output{}, nil // no compaction takes place yet
	}
	t.await()
	why := pith.ReasonManual
	if t.input.Trigger == "auto" {
		why = "" // as full as the window is
	}
	k, err := t.checkpoint(why)
	if err != nil {
		return Output{}, err
	}
	block := k.Block.Tokens
	rows := t.input.Messages
	stay, kept := tail(rows, block, k.Reading.Window)
	before := k.State.Metrics.TokensBefore
	if n := rowTokens(rows); n > 0 {
		before = n
	}
	if after := block + kept; after >= before {
		return Output{}, nil
	}
	if t.record.Status.Used == 0 {
		t.record.Status.Used, t.record.Status.Window = k.Reading.Used, k.Reading.Window
	}
	t.record.Replaced, t.record.Prepared = k.State.Checkpoint.ID, ""
	t.took(ours)
	next := &k.State.Next
	return Output{
		Memory: k.Block.Text, Keep: stay, Answered: true, Waits: next.RequiresConfirmation || next.Kind == "ask_user",
		Notice: compacted(k, before, block+kept, len(stay)),
	}, nil
}

// compacted tells the person what took place.
func compacted(k *known, before, after pith.Tokens, stay int) string {
	id := k.State.Checkpoint.ID
	text := fmt.Sprintf("pith: compacted %s to %s tokens without a model call; %d of the last messages stay", short(before), short(after), stay)
	if k.Saved != nil {
		return text + ", checkpoint " + id[:min(len(id), 12)]
	}
	return text + "; the checkpoint could not be stored (`pith doctor` says why)"
}
