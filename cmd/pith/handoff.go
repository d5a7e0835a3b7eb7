package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/handoff"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/schema"
)

// handoffFlags are the flags of `pith handoff`.
type handoffFlags struct {
	state, session, format, out string
	to, from, task, risk        string
	criteria, tools, paths      []string
	expires, timeout            time.Duration
	budget                      int
}

const handoffLong = `Hand the work over to another agent: write an a2a-task.json with a bounded,
signed snapshot of the state.

FILE is a session, as for "pith compact"; --state takes a state that was made
before, --session the latest checkpoint of a stored session. Unresolved failures
are declared first. The task allows nothing but what --allow-tool and
--allow-path name. The key is that of "pith key new".

A snapshot that is over its budget leaves out, in this order: identifiers,
files that were inspected long ago, failures that later runs ended, finished
steps, key lines, URLs, ended attempts, finished todos. The goal, constraints, modified
files, unresolved failures and the next action always stay.`

func handoffCommand(c *console) *cobra.Command {
	var f handoffFlags
	cmd := &cobra.Command{
		Use:   "handoff [FILE|-] --to ROLE",
		Short: "Hand the work over to another agent, or accept what one hands over",
		Long:  handoffLong,
		Example: `  pith handoff session.jsonl --to tester --task "Run the race test" --criteria "exit code 0" -o a2a-task.json
  pith handoff --session latest --to reviewer --allow-tool read --allow-path internal/auth --expires 30m
  pith handoff accept a2a-task.json --as tester`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.handoff(cmd, args, &f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.to, "to", "", "the role that may accept it (needed)")
	fl.StringVar(&f.state, "state", "", "hand over the state in this file instead of a session")
	fl.StringVar(&f.session, "session", "", "hand over the latest checkpoint of this stored session (latest, or the beginning of an id)")
	fl.StringVar(&f.task, "task", "", "what to do (default: the state's next action)")
	fl.StringArrayVar(&f.criteria, "criteria", nil, "when it is done; may be repeated")
	fl.StringArrayVar(&f.tools, "allow-tool", nil, "a tool that the delegate may use; may be repeated")
	fl.StringArrayVar(&f.paths, "allow-path", nil, "a path that the delegate may work in; may be repeated")
	fl.StringVar(&f.from, "from", "main", "what the sender calls itself")
	fl.StringVar(&f.risk, "risk", "engineering", "risk tier: vibe, agentic or engineering")
	fl.DurationVar(&f.expires, "expires", time.Hour, "how long it can be accepted; 0 is for ever")
	fl.DurationVar(&f.timeout, "timeout", 0, "how long the delegate may take; 0 is no limit")
	fl.IntVar(&f.budget, "snapshot-budget", int(handoff.DefaultBudget), "tokens of the snapshot")
	fl.StringVarP(&f.out, "output", "o", "", "write to this file instead of standard output")
	formatFlag(cmd, &f.format)
	completeFlag(cmd, "risk", []string{"vibe", "agentic", "engineering"})
	cmd.AddCommand(acceptCommand(c))
	return cmd
}

func (f *handoffFlags) check(args []string) error {
	sources := len(args)
	for _, s := range []string{f.state, f.session} {
		if s != "" {
			sources++
		}
	}
	switch {
	case f.to == "":
		return usage("--to says which role may accept it", "--to is missing")
	case sources != 1:
		return usage("name one of FILE, --state and --session", "there are %d things to hand over", sources)
	case f.expires < 0 || f.timeout < 0:
		return usage("", "--expires and --timeout cannot be below 0")
	case f.budget < 1:
		return usage("", "--snapshot-budget is a number of tokens")
	}
	return checkFormat(f.format)
}

func (c *console) handoff(cmd *cobra.Command, args []string, f *handoffFlags) error {
	if err := f.check(args); err != nil {
		return err
	}
	ring, err := readKeys()
	if err != nil {
		return err
	}
	key, ok := ring.Current()
	if !ok {
		return errNoKey()
	}
	s, err := c.handedOver(cmd, args, f)
	if err != nil {
		return err
	}
	b, err := f.build(s, key)
	if err != nil {
		return err
	}
	c.sayDrops(b.Snapshot)
	return c.write(f.out, b.JSON)
}

// handedOver is the state that the flags mean.
func (c *console) handedOver(cmd *cobra.Command, args []string, f *handoffFlags) (*pith.State, error) {
	switch {
	case f.state != "":
		doc, name, err := c.readDocument(f.state)
		if err != nil {
			return nil, err
		}
		s, err := schema.Unmarshal(doc)
		if err != nil {
			return nil, inFile(name, err)
		}
		return s, nil
	case f.session != "":
		store, done, err := c.openStore(cmd.Context())
		if err != nil {
			return nil, err
		}
		defer done()
		saved, err := c.pick(cmd.Context(), store, f.session)
		if err != nil {
			return nil, err
		}
		return saved.State, nil
	}
	in, err := c.open(args[0])
	if err != nil {
		return nil, err
	}
	defer in.Close()
	read := compactFlags{through: -1, format: f.format}
	m := memory.New(c.settings.memory())
	session, err := m.Read(in, read.readOptions(in.name))
	if err != nil {
		return nil, inFile(in.name, err)
	}
	c.warnSkipped(session)
	r, err := m.Compact(session, pith.ReasonDelegation)
	if err != nil {
		return nil, inFile(in.name, err)
	}
	return r.State, nil
}

// readDocument reads a whole small file, or standard input.
func (c *console) readDocument(arg string) (doc []byte, name string, err error) {
	in, err := c.open(arg)
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	doc, err = io.ReadAll(io.LimitReader(in, maxDocument+1))
	if err != nil {
		return nil, in.name, readError(in.name, err)
	}
	if len(doc) > maxDocument {
		return nil, in.name, inFile(in.name, &pith.Error{Op: "read it", Kind: pith.KindInput, Err: errors.New("it is over 64 MiB")})
	}
	return doc, in.name, nil
}

// tries is how often a place in a chain is asked for while other processes
// take it.
const tries = 100

// build makes the task, behind the last one of its session for the same role.
func (f *handoffFlags) build(s *pith.State, key handoff.Key) (*handoff.Built, error) {
	dir := chainFolder("sent", s.Checkpoint.SessionID, f.to)
	for range tries {
		o := f.options(key)
		if _, err := rand.Read(o.Nonce[:]); err != nil {
			return nil, keyError("make a nonce", err)
		}
		var err error
		if o.Previous, err = lastLink(dir); err != nil {
			return nil, err
		}
		b, err := handoff.Build(s, o)
		if err != nil {
			return nil, err
		}
		if err := noSecrets(b); err != nil {
			return nil, err
		}
		won, err := addLink(dir, b.Task.Input.Envelope.Link())
		if err != nil {
			return nil, err
		}
		if won {
			return b, nil
		}
	}
	return nil, recordError("remember the hand-over", errors.New("other processes hand the same session over all the time"))
}

func (f *handoffFlags) options(key handoff.Key) handoff.Options {
	now := time.Now()
	r := redact.New()
	clean := func(list []string) (out []string) {
		for _, s := range list {
			out = append(out, r.Text(s))
		}
		return out
	}
	o := handoff.Options{
		Key: key, Now: now, Delegator: r.Text(f.from), Role: f.to, Description: r.Text(f.task), Criteria: clean(f.criteria),
		Tools: f.tools, Paths: f.paths, Risk: f.risk, Timeout: f.timeout, Budget: pith.Tokens(f.budget),
	}
	if f.expires > 0 {
		o.Expires = now.Add(f.expires)
	}
	return o
}

// noSecrets looks for secrets in what leaves: the state, and the task's words.
func noSecrets(b *handoff.Built) error {
	found := redact.Dirty(b.Snapshot.JSON)
	for _, text := range append([]string{b.Task.Description}, b.Task.Criteria...) {
		found = append(found, redact.Scan(text)...)
	}
	if len(found) == 0 {
		return nil
	}
	return &pith.Error{
		Op: "scan the hand-over for secrets", Kind: pith.KindCheck, Err: fmt.Errorf("rule %s matches", found[0].Rule),
		Hint: "nothing was written; `pith redact` takes secrets out of a text",
	}
}

// sayDrops says on standard error what the snapshot leaves out.
func (c *console) sayDrops(s *handoff.Snapshot) {
	if len(s.Drops) > 0 {
		var parts []string
		for _, d := range s.Drops {
			parts = append(parts, fmt.Sprintf("%d of %s", d.Count, d.What))
		}
		fmt.Fprintf(c.err, "pith: left out of the snapshot: %s\n", strings.Join(parts, ", "))
	}
	if s.Over > 0 {
		fmt.Fprintf(c.err, "pith: the snapshot has %d tokens, %d over its budget: the rest of it is never left out\n", s.Tokens, s.Over)
	}
}
