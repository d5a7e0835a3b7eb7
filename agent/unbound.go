package agent

import (
	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/wire"
)

// unbound is kept messages without what their provider bound to the history that
// went before them. Anthropic signs thinking together with everything that it
// followed, and refuses it behind anything else: once the history was replaced,
// each later request would be refused. The agent's requests ask for no thinking
// that has to come back.
func unbound(f pith.Format, messages []pith.Message) ([]pith.Message, error) {
	if f != pith.FormatAnthropic {
		return messages, nil
	}
	out := make([]pith.Message, 0, len(messages))
	for _, m := range messages {
		free, err := wire.RemoveBlocks(f, m, func(i int) bool { return m.Blocks[i].Kind == pith.KindThinking })
		if err != nil {
			return nil, err
		}
		if len(free.Blocks) > 0 {
			out = append(out, free)
		}
	}
	return out, nil
}
