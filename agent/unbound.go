package agent

import (
	"context"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/meter"
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

// unbind takes the thinking out of the conversation where a request was refused
// because of it, and reports whether there was any. It is bound to the model,
// the system prompt and the tools as well, and any of them may be another one
// since it was signed. Refused once, it would be refused with each request.
func (a *Agent) unbind(ctx context.Context, f *compactor.Failure) bool {
	if f == nil || f.Kind != compactor.FailInvalid || !strings.Contains(f.Detail, "thinking") {
		return false
	}
	said := ownMessages(a.talk.messages)
	free, err := unbound(a.talk.format(), said)
	if err != nil || blocks(free) == blocks(said) {
		return false
	}
	return a.step(ctx, &Entry{Kind: EntryPruning}) == nil
}

// worthPruning is the share of the context that spent reasoning must have before
// it is taken out, which costs the provider's cache: a tenth.
const worthPruning = 10

// prune takes spent reasoning out, all of it at once.
func (a *Agent) prune(ctx context.Context) error {
	if a.talk.format() != pith.FormatAnthropic {
		return nil
	}
	spent := pith.Tokens(0)
	for i := range a.talk.messages {
		m := &a.talk.messages[i]
		for j := range m.Blocks {
			if m.Blocks[j].Kind == pith.KindThinking {
				spent += meter.EstimateBlock(&m.Blocks[j])
			}
		}
	}
	if spent*worthPruning < a.reading().Used {
		return nil
	}
	return a.step(ctx, &Entry{Kind: EntryPruning})
}

func (a *Agent) doPruning() error {
	free, err := unbound(a.talk.format(), ownMessages(a.talk.messages))
	if err != nil {
		return err
	}
	return a.talk.replace(a.block, a.inSystem, free)
}

func blocks(messages []pith.Message) int {
	n := 0
	for i := range messages {
		n += len(messages[i].Blocks)
	}
	return n
}
