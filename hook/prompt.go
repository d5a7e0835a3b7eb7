package hook

import (
	"errors"
	"io/fs"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/trigger"
)

// prompt answers what the user typed: "@compact" asks for a compaction, and
// what a summary lost is told with the first prompt after it.
func (t *turn) prompt() (Output, error) {
	text, err := t.owed()
	out := Output{Context: text}
	if !trigger.Asked(t.input.Prompt) {
		return out, err
	}
	k, keepErr := t.remember(pith.ReasonManual)
	if errors.Is(keepErr, fs.ErrNotExist) { // the session begins with these words
		out.Notice = "pith: there is nothing to compact yet"
		return out, err
	}
	if keepErr != nil {
		return out, keepErr
	}
	how := t.client.compacts()
	id := k.State.Checkpoint.ID
	where := "pith kept checkpoint " + id[:min(len(id), 12)]
	if k.Saved == nil {
		where = "pith could not keep a checkpoint (`pith doctor` says why)"
	}
	out.Notice = where + "; type " + how + " to compact now"
	if out.Context != "" {
		out.Context += "\n\n"
	}
	out.Context += "From pith: the user asks for a compaction with @compact. " + where + ". Only the user can start the compaction in this client, by typing " + how +
		": say so in one sentence, and do what else the message asks for."
	return out, err
}

// compacts is what a user types to compact.
func (c Client) compacts() string {
	if c == ClaudeCode {
		return "/pith:compact or /compact"
	}
	return "/compact"
}
