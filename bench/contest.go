package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/trial"
)

// contest makes the candidates of one session. A runner answers for all of its
// set-ups at once, so its answers are kept until each of them was asked for.
type contest struct {
	peers    map[string]*peer
	answered map[string]map[measure.Cut]reply
	notes    map[noteKey]note
	versions map[string]string
}

type noteKey struct {
	cut measure.Cut
	of  string
}

// note is what the figures of package measure do not say.
type note struct {
	// checked is set where the messages are known, broken counts the calls and
	// results in them that were parted from one another.
	checked bool
	broken  int
	// shown of the history's bytes were given to the summarizing model.
	shown, history int
}

func newContest(peers map[string]*peer, versions map[string]string) *contest {
	return &contest{peers: peers, answered: map[string]map[measure.Cut]reply{}, notes: map[noteKey]note{}, versions: versions}
}

// candidates are those whose runner is there, in the order of setups.
func (c *contest) candidates() ([]trial.Candidate, error) {
	var out []trial.Candidate
	for _, s := range setups {
		if s.runner != "" {
			if c.peers[s.runner] != nil {
				out = append(out, trial.Candidate{Name: s.of, Make: c.peerMakes(s)})
			}
			continue
		}
		own, err := trial.ParseCandidate(s.of, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, c.withPairs(own))
	}
	return out, nil
}

// withPairs also looks at the messages that stay beside pith's or a client's text.
func (c *contest) withPairs(own trial.Candidate) trial.Candidate {
	inner := own.Make
	own.Make = func(ctx context.Context, at *trial.At) (trial.Given, error) {
		g, err := inner(ctx, at)
		if err == nil && g.Absent == "" && (own.Name == "pith" || own.Name == "client") {
			before := parted(exchangedLive(at), nil)
			c.notes[noteKey{at.Cut, own.Name}] = note{checked: true, broken: len(parted(exchanged(g.Tail), before))}
		}
		return g, err
	}
	return own
}

func (c *contest) peerMakes(s setup) func(context.Context, *trial.At) (trial.Given, error) {
	return func(ctx context.Context, at *trial.At) (trial.Given, error) {
		live := exchangedLive(at)
		r, err := c.ask(ctx, s.runner, at, live)
		if err != nil {
			return trial.Given{}, err
		}
		i := slices.IndexFunc(r.Results, func(o outcome) bool { return o.Of == s.of })
		if i < 0 {
			return trial.Given{}, fmt.Errorf("the runner %s knows no %q", s.runner, s.of)
		}
		o := r.Results[i]
		if o.Absent != "" {
			return trial.Given{Absent: o.Absent}, nil
		}
		c.notes[noteKey{at.Cut, s.of}] = note{
			checked: true, broken: len(parted(o.Messages, parted(live, nil))), shown: o.Shown, history: len(sent(live)),
		}
		return given(&o, live, at.Root), nil
	}
}

// ask gives a runner the live context and, as its model's answer, the summary
// that the client's own model wrote of it.
func (c *contest) ask(ctx context.Context, runner string, at *trial.At, live []message) (reply, error) {
	if r, ok := c.answered[runner][at.Cut]; ok {
		return r, nil
	}
	summary, err := trial.Client().Make(ctx, at)
	if err != nil {
		return reply{}, err
	}
	r, err := c.peers[runner].compact(request{Messages: live, Summary: summary.Text})
	if err != nil {
		return reply{}, err
	}
	for name, version := range r.Versions {
		c.versions[name] = version
	}
	c.answered[runner] = map[measure.Cut]reply{at.Cut: r}
	return r, nil
}

// given parts what a model wrote from the messages that were kept: only what it
// wrote can state what is not so.
func given(o *outcome, live []message, root string) trial.Given {
	if o.Shown == 0 {
		return trial.Given{Text: sent(o.Messages), Root: root, Verbatim: true}
	}
	g := trial.Given{Root: root}
	for i, m := range o.Messages {
		text := sent(o.Messages[i : i+1])
		if g.Text == "" && m.Role == string(pith.RoleUser) && !slices.ContainsFunc(live, func(l message) bool { return l.Text == m.Text }) {
			g.Text = text
			continue
		}
		g.Tail = append(g.Tail, pith.Message{Role: pith.Role(m.Role), Blocks: []pith.Block{{Text: text}}})
	}
	return g
}
