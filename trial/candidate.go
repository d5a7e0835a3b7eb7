package trial

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/meter"
)

// Candidate is a way to stand for the history before a cut. Programs may add
// their own.
type Candidate struct {
	// Name is how reports name it.
	Name string
	// Make gives what an agent would be given in the place of the history. It
	// must not change what it is shown.
	Make func(ctx context.Context, at *At) (Given, error)
	// Recorded is set where it was made before anything was planted in the
	// session: it cannot hold that, and is absent from a planted session.
	Recorded bool
}

// At is a cut as a candidate sees it.
type At struct {
	Cut measure.Cut
	// Live are the messages of the context that the client held there,
	// unredacted.
	Live []*pith.Message
	// Root is the folder that the session began in.
	Root string
	// Previous is what this candidate gave in the round before, nil outside a
	// chain and in its first round.
	Previous *Given

	options *Options
	session *session
	cut     *cut
}

// Given is what an agent would be given in the place of a history.
type Given struct {
	// Text stands for the history, Tail are messages that stay beside it.
	Text string
	Tail []pith.Message
	// State is the working state that Text was made from, nil for none.
	State *pith.State
	// Root is the folder that the paths of Text are relative to, "" for none.
	Root string
	// Verbatim is set where Text is messages as they were: nothing is stated in
	// it that could be untrue.
	Verbatim bool
	// Absent says why there is nothing here.
	Absent string
	// Micros is how long it took to make, 0 unknown. Units: microseconds.
	Micros int64

	text, tail pith.Tokens
}

// Held is what of it is judged: all that the agent would read.
func (g *Given) Held() measure.Held {
	text := g.Text
	if len(g.Tail) > 0 {
		text += "\n" + messagesText(g.Tail)
	}
	return measure.Held{Text: text, State: g.State, Root: g.Root}
}

// alone is the part of it that stands for the history.
func (g *Given) alone() measure.Held {
	return measure.Held{Text: g.Text, State: g.State, Root: g.Root}
}

func (g *Given) size() pith.Tokens { return g.text + g.tail }

// count takes the sizes of text and tail.
func (g *Given) count(counter *meter.Counter) {
	g.text, g.tail = counter.Count(g.Text), 0
	for i := range g.Tail {
		g.tail += textTokens(counter, &g.Tail[i])
	}
}

// ParseCandidate reads how a candidate is named: pith, client, raw,
// keep-last:N, mask:N, or file:PATH, whose text read gives.
func ParseCandidate(spec string, read func(path string) (string, error)) (Candidate, error) {
	kind, value, _ := strings.Cut(spec, ":")
	switch kind {
	case "keep-last", "mask":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return Candidate{}, fmt.Errorf("%q: %s wants a number from 1, as %s:10", spec, kind, kind)
		}
		if kind == "mask" {
			return Mask(n), nil
		}
		return KeepLast(n), nil
	case "file":
		if value == "" {
			return Candidate{}, fmt.Errorf("%q: file wants a path, as file:summary.md", spec)
		}
		text, err := read(value)
		if err != nil {
			return Candidate{}, err
		}
		return Text(spec, text), nil
	}
	if value == "" && spec == kind {
		switch kind {
		case "pith":
			return Pith(), nil
		case "client":
			return Client(), nil
		case "raw":
			return Raw(), nil
		}
	}
	return Candidate{}, fmt.Errorf("%q is no candidate: want pith, client, raw, keep-last:N, mask:N or file:PATH", spec)
}

// Text is any text that claims to stand for the history, the same at every cut.
func Text(name, text string) Candidate {
	return Candidate{Name: name, Recorded: true, Make: func(context.Context, *At) (Given, error) { return Given{Text: text}, nil }}
}

// make asks a candidate what it gives.
func (c *Candidate) make(ctx context.Context, at *At) (Given, error) {
	if c.Recorded && at.session.plan != nil {
		return Given{Absent: "it was made before needles were planted in the session"}, nil
	}
	g, err := c.Make(ctx, at)
	if err != nil {
		err = fmt.Errorf("%s at %s: %w", c.Name, at.cut.name(), err)
	}
	return g, err
}

// timed makes something and takes the time.
func (at *At) timed(f func() error) (int64, error) {
	if at.options.Clock == nil {
		return 0, f()
	}
	start := at.options.Clock()
	err := f()
	return at.options.Clock().Sub(start).Microseconds(), err
}

// messagesText is all that messages say.
func messagesText(messages []pith.Message) string {
	var b strings.Builder
	for i := range messages {
		for k := range messages[i].Blocks {
			b.WriteString(blockText(&messages[i].Blocks[k]))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func blockText(b *pith.Block) string {
	if b.Kind == pith.KindToolUse && b.Text == "" {
		return pith.ToolUseText(b.ToolName, b.Args)
	}
	return b.Text
}

// textTokens is the size of what a message says, without what a provider's
// prompt format adds: as the size of the live context is counted.
func textTokens(counter *meter.Counter, m *pith.Message) pith.Tokens {
	n := pith.Tokens(0)
	for i := range m.Blocks {
		n += counter.Count(blockText(&m.Blocks[i]))
	}
	return n
}
