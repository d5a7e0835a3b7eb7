package trial

import (
	"context"
	"slices"
	"strconv"

	"github.com/pith-memory/pith"
)

// Raw is the whole live context: what an agent holds that does not compact.
func Raw() Candidate {
	return Candidate{Name: "raw", Make: func(_ context.Context, at *At) (Given, error) {
		return verbatim(at.Live, at.Root), nil
	}}
}

// KeepLast is the last n messages of the live context, fewer where a call
// would be parted from its result, and more where that leaves none.
func KeepLast(n int) Candidate {
	return Candidate{Name: "keep-last:" + strconv.Itoa(n), Make: func(_ context.Context, at *At) (g Given, err error) {
		g.Micros, err = at.timed(func() error {
			g = verbatim(at.Live[lastFrom(at.Live, n):], at.Root)
			return nil
		})
		return g, err
	}}
}

func lastFrom(live []*pith.Message, n int) int {
	safe := safeCuts(live)
	from := max(0, len(live)-n)
	for i := from; i < len(live); i++ {
		if safe[i] {
			return i
		}
	}
	for from > 0 && !safe[from] {
		from--
	}
	return from
}

// OmittedOutput is what Mask puts in the place of an output.
const OmittedOutput = "[old output omitted]"

// Mask is the live context with the outputs of tools omitted that are older
// than the last n turns of the model.
func Mask(n int) Candidate {
	return Candidate{Name: "mask:" + strconv.Itoa(n), Make: func(_ context.Context, at *At) (g Given, err error) {
		g.Micros, err = at.timed(func() error {
			g = verbatim(masked(at.Live, n), at.Root)
			return nil
		})
		return g, err
	}}
}

func masked(live []*pith.Message, n int) []*pith.Message {
	from := len(live)
	for turns := 0; from > 0 && turns < n; {
		from--
		if live[from].Role == pith.RoleAssistant {
			turns++
		}
	}
	out := slices.Clone(live)
	for i := range from {
		if !slices.ContainsFunc(out[i].Blocks, isResult) {
			continue
		}
		m := *out[i]
		m.Blocks = slices.Clone(m.Blocks)
		for k := range m.Blocks {
			if isResult(m.Blocks[k]) {
				m.Blocks[k].Text = OmittedOutput
			}
		}
		out[i] = &m
	}
	return out
}

func isResult(b pith.Block) bool { return b.Kind == pith.KindToolResult }

// verbatim is a context of messages as they are: all of it stands for the
// history, and nothing stays beside it.
func verbatim(messages []*pith.Message, root string) Given {
	list := make([]pith.Message, len(messages))
	for i, m := range messages {
		list[i] = *m
	}
	return Given{Text: messagesText(list), Root: root, Verbatim: true}
}

// Client is what the client itself went on with at a compaction of its own:
// its summary, and the messages that it kept beside it.
func Client() Candidate {
	return Candidate{Name: "client", Recorded: true, Make: func(_ context.Context, at *At) (Given, error) {
		if at.cut.boundary == 0 {
			return Given{Absent: "the client made no summary here"}, nil
		}
		g := at.session.clientSummary(at)
		if g.Text == "" && len(g.Tail) == 0 {
			g.Absent = "the client's summary is not in the file"
		}
		return g, nil
	}}
}

// clientSummary reads what a compaction left. The summary is in the words of
// the harness; a history that holds none, as Codex writes it, is the summary
// as a whole. The client's system messages are its fixed prompt.
func (s *session) clientSummary(at *At) Given {
	b := s.records[at.cut.record].Boundary
	g := Given{Root: at.Root}
	for _, m := range preserved(at.Live, b) {
		g.Tail = append(g.Tail, *m)
	}
	var replaced []pith.Message
	for i := range b.Replacement {
		if b.Replacement[i].Role != pith.RoleSystem {
			replaced = append(replaced, b.Replacement[i])
		}
	}
	if len(replaced) > 0 {
		g.Text, replaced = takeSummary(replaced)
		if g.Text == "" {
			g.Text, g.Verbatim, replaced = messagesText(replaced), true, nil
		}
		g.Tail = append(g.Tail, replaced...)
		return g
	}
	var after []pith.Message
	for i := at.cut.record + 1; i < len(s.records); i++ {
		r := &s.records[i]
		if r.Boundary != nil || s.main(r.Message) && (r.Message.Role == pith.RoleAssistant || speaks(r.Message)) {
			break
		}
		if s.main(r.Message) && r.Message.Role == pith.RoleUser {
			after = append(after, *r.Message)
		}
	}
	text, rest := takeSummary(after)
	g.Text, g.Tail = text, append(g.Tail, rest...)
	return g
}

// takeSummary parts the first text of the harness from the other messages.
func takeSummary(messages []pith.Message) (string, []pith.Message) {
	for i := range messages {
		for _, b := range messages[i].Blocks {
			if b.Kind == pith.KindText && b.Origin == pith.Harness && b.Text != "" {
				return messagesText(messages[i : i+1]), slices.Delete(slices.Clone(messages), i, i+1)
			}
		}
	}
	return "", messages
}
