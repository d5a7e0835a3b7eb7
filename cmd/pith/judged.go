package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/merge"
)

// modelFlags are the flags of the model that drafts.
func modelFlags(fl *pflag.FlagSet, required *bool) {
	for _, name := range []string{"model", "model-url", "model-key-file", "model-max-tokens", "model-window", "model-timeout", "message-cap", "focus"} {
		settingFlag(fl, name)
	}
	fl.BoolVar(required, "require-model", false, "fail (exit 7) where the model's draft cannot be used, instead of going on with the facts")
}

// source is a session that is read again and again: for the facts, for the
// model, and for the check of what the model said.
type source func() (io.Reader, error)

func (s source) seeker(name string) (io.ReadSeeker, error) {
	r, err := s()
	if err != nil {
		return nil, readError(name, err)
	}
	if seeker, ok := r.(io.ReadSeeker); ok {
		return seeker, nil
	}
	return nil, readError(name, errors.New("it can be read once only"))
}

// judged has the model draft what code cannot extract, and adds to a result
// what of the draft the session holds. Where no draft is earned the result is
// the one that it was, and standard error says why. Errors: KindModel where
// the model had to answer.
func (c *console) judged(ctx context.Context, m *memory.Memory, s *memory.Session, r *memory.Result, again source, name string, f *compactFlags) (*memory.Result, error) {
	if f.model == nil || r.Unchanged && !r.State.Checkpoint.FactsOnly {
		c.observe(ctx, memory.FiguresOf(r, nil, nil, 0))
		return r, nil
	}
	from, err := again.seeker(name)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	d, report := m.Draft(ctx, s, r, from, memory.DraftOptions{
		Model: f.model, Focus: c.settings.value("focus"),
		Compactor: compactor.Options{MaxTokens: pith.Tokens(c.settings.count("model-max-tokens")), MessageCap: c.settings.count("message-cap")},
	})
	took := time.Since(begin)
	why := report.Err
	var verdict merge.Verdict
	out := r
	if d != nil {
		if from, err = again.seeker(name); err != nil {
			return nil, err
		}
		if out, verdict, why = m.Judge(s, r, d, from); why == nil && verdict.Kept == 0 {
			why = errors.New("nothing of it is in the session")
		}
	}
	figures := memory.FiguresOf(out, &report, &verdict, took)
	f.figures = &figures
	c.observe(ctx, figures)
	if why == nil {
		fmt.Fprintf(c.err, "pith: %s\n", figuresLine(&figures))
		return out, nil
	}
	return out, c.unused(why, &figures, f.requireModel)
}

// unused says in one line that there is no draft, and why.
func (c *console) unused(why error, figures *memory.Figures, required bool) error {
	reason := strings.TrimPrefix(why.Error(), "ask "+figures.Provider+"/"+figures.Model+": ")
	reason = strings.Join(strings.Fields(reason), " ")
	if required {
		return &pith.Error{
			Op: "use the model's draft", Kind: pith.KindModel, Err: errors.New(reason),
			Hint: "without --require-model the state is made of the facts alone",
		}
	}
	spent := ""
	if figures.Output > 0 || figures.Cost > 0 {
		spent = " (" + spentOn(figures) + ")"
	}
	fmt.Fprintf(c.err, "pith: note: the model's draft was not used: %s; the state is facts only%s\n", reason, spent)
	return nil
}

// figuresLine tells what a draft took and what is left of it.
func figuresLine(f *memory.Figures) string {
	line := fmt.Sprintf("%s/%s: %s; %d of %d claims kept", f.Provider, f.Model, spentOn(f), f.Kept, f.Kept+f.Dropped)
	var dropped []string
	for _, k := range f.DroppedBy {
		dropped = append(dropped, fmt.Sprintf("%s %d", k.Kind, k.Count))
	}
	if len(dropped) > 0 {
		line += ", dropped: " + strings.Join(dropped, ", ")
	}
	return line
}

// spentOn tells what the calls took: how many, tokens, money, time.
func spentOn(f *memory.Figures) string {
	calls := "1 call"
	if f.Calls != 1 {
		calls = fmt.Sprintf("%d calls", f.Calls)
	}
	if f.Retries > 0 {
		calls += fmt.Sprintf(" (%d to mend an answer)", f.Retries)
	}
	in := fmt.Sprintf("%d tokens in", f.Input+f.CacheRead+f.CacheWrite)
	if f.CacheRead > 0 {
		in += fmt.Sprintf(" (%d from the cache)", f.CacheRead)
	}
	cost := "price unknown"
	if f.Priced {
		cost = fmt.Sprintf("$%.4f", f.Cost)
	}
	return fmt.Sprintf("%s, %s, %d out, %s, %.1f s", calls, in, f.Output, cost, f.Latency.Seconds())
}
