package hook

import "github.com/pith-memory/pith"

// sessionCompact gives the memory that takes the place of the history.
func (t *turn) sessionCompact() (Output, error) {
	k, err := t.checkpoint(pith.ReasonManual)
	if err != nil {
		return Output{}, err
	}
	t.record.Replaced = k.State.Checkpoint.ID
	return Output{Memory: k.Block.Text, Answered: true}, nil
}
