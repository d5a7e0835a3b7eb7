package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/truncate"
)

type recallFlags struct {
	session, state, transcript   string
	search, whole, asJSON, plain bool
	calls                        bool
	limit                        int
}

func recallCommand(c *console) *cobra.Command {
	var f recallFlags
	cmd := &cobra.Command{
		Use:   "recall REF | recall --calls NAME | recall --search WORDS...",
		Short: "Give back what a block left out, by its reference or by words",
		Long: `Give back the original text of what a block dropped or shortened, redacted.

A reference is CHECKPOINT/KEY as a block says it, or KEY alone. KEY is a section
of the block (inspected), an item's id (ev-...), or a source (12.0, 12.0:48-78).
The text comes from the client's own session file, by place and hash; if that
file moved or was changed, recall says so.

With --calls, what every call that names a path or a command gave back, in order:
all that was shown of a file, or what a command said each time.

With --search, the passages of the session that have all the words are listed,
the best first. The first search of a session makes its index.`,
		Example: `  pith recall 9f3a51c0/inspected
  pith recall 12.0 --transcript session.jsonl
  pith recall failures --state state.json --transcript session.jsonl
  pith recall --calls internal/store/put.go           # all that was shown of it
  pith recall --search "connection refused" postgres`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.calls && f.search:
				return usage("say one of them", "--calls and --search look in different ways")
			case f.search:
				return c.search(cmd.Context(), strings.Join(args, " "), &f)
			case len(args) > 1 && !f.calls:
				return usage("--search looks for words", "recall takes one reference")
			}
			return c.recall(cmd.Context(), strings.Join(args, " "), &f)
		},
	}
	cmd.Flags().BoolVar(&f.search, "search", false, "look for words instead of a reference")
	cmd.Flags().BoolVar(&f.calls, "calls", false, "give back what the calls that name a path or a command returned")
	cmd.Flags().StringVar(&f.session, "session", "", "the session or checkpoint: latest, an id, or the beginning of one; with --transcript also one of several sessions in a file")
	cmd.Flags().StringVar(&f.state, "state", "", "the state that the block was made from (pith compact --view state)")
	cmd.Flags().StringVar(&f.transcript, "transcript", "", "the session file, where it is not where the state says")
	cmd.Flags().IntVar(&f.limit, "limit", 10, "how many passages a search lists")
	cmd.Flags().BoolVar(&f.whole, "all", false, "print long passages whole")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

// recall prints what a reference leads to.
func (c *console) recall(ctx context.Context, ref string, f *recallFlags) error {
	var r memory.Reference
	if !f.calls {
		var err error
		if r, err = memory.ParseReference(ref); err != nil {
			return err
		}
	}
	known, done, err := c.remembered(ctx, r, f)
	if err != nil {
		return err
	}
	defer done()
	_, err = pith.ParseSource(r.Key)
	f.plain = err == nil
	q := memory.RecallRequest{
		State: known.State, Ref: ref, Parent: known.parent, Archive: known.archive,
		Open: func(s *pith.State) (io.ReadCloser, error) { return c.openTranscript(known, s, f) },
	}
	got, none := []memory.Passage(nil), "the state holds nothing under "+r.Key
	if f.calls {
		none = "no call of the session names " + ref
		got, err = memory.RecallCalls(ctx, q, ref)
	} else {
		got, err = memory.Recall(ctx, q)
	}
	if err != nil {
		return err
	}
	if f.asJSON {
		return printJSON(c.out, passagesJSON(got))
	}
	if len(got) == 0 {
		fmt.Fprintf(c.err, "pith: %s\n", none)
	}
	for i := range got {
		c.printPassage(&got[i], f)
	}
	return nil
}

// known is a checkpoint with all that leads on from it.
type knownState struct {
	*pith.Saved
	parent  func(id string) (*pith.Saved, error)
	archive pith.Archive
}

// remembered finds the state that a reference is about: in a file, in the
// store, or made anew from the session. The function closes the store.
func (c *console) remembered(ctx context.Context, r memory.Reference, f *recallFlags) (*knownState, func(), error) {
	nothing := func() {}
	switch {
	case f.state != "":
		s, err := c.readState(f.state)
		return &knownState{Saved: &pith.Saved{State: s}}, nothing, err
	case f.transcript != "" && f.session == "" && r.Checkpoint == "":
		s, err := c.stateOf(r, f)
		return &knownState{Saved: &pith.Saved{State: s}}, nothing, err
	}
	store, done, err := c.openStore(ctx)
	if err != nil {
		return nil, nothing, err
	}
	what := f.session
	if what == "" {
		what = r.Checkpoint
	}
	saved, err := c.pick(ctx, store, what)
	if errors.Is(err, pith.ErrNotFound) && f.transcript != "" {
		done() // it was never stored, but can be made again
		s, err := c.stateOf(r, f)
		return &knownState{Saved: &pith.Saved{State: s}}, nothing, err
	}
	if err == nil && !mine(saved.Owner, owner()) {
		err = &pith.Error{Op: "recall", Kind: pith.KindStore, Err: fmt.Errorf("checkpoint %s belongs to %s", short(saved.State.Checkpoint.ID), saved.Owner)}
	}
	if err != nil {
		done()
		return nil, nothing, err
	}
	k := &knownState{Saved: saved, parent: func(id string) (*pith.Saved, error) { return store.Get(ctx, id) }}
	k.archive, _ = store.(pith.Archive) // not every store is one
	return k, done, nil
}

func (c *console) readState(name string) (*pith.State, error) {
	in, err := c.open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	doc, err := io.ReadAll(io.LimitReader(in, maxDocument))
	if err != nil {
		return nil, readError(in.name, err)
	}
	s, err := schema.Unmarshal(doc)
	if err != nil {
		return nil, inFile(in.name, err)
	}
	return s, nil
}

// stateOf is the state of a session that was not compacted before. A source
// needs none but the session's name.
func (c *console) stateOf(r memory.Reference, f *recallFlags) (*pith.State, error) {
	name := f.transcript
	if _, err := pith.ParseSource(r.Key); err == nil && r.Checkpoint == "" {
		return &pith.State{Checkpoint: pith.Checkpoint{Origin: "live", Transcript: name, SessionID: f.session}}, nil
	}
	in, err := c.open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	m := memory.New(c.settings.memory())
	s, err := m.Read(in, memory.ReadOptions{Name: name, Session: f.session})
	if err != nil {
		return nil, inFile(name, err)
	}
	result, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		return nil, inFile(name, err)
	}
	return result.State, nil
}

// openTranscript opens the session file of a checkpoint. --transcript stands
// for that of the checkpoint at hand, not for an earlier part's.
func (c *console) openTranscript(k *knownState, s *pith.State, f *recallFlags) (io.ReadCloser, error) {
	name := s.Checkpoint.Transcript
	if f.transcript != "" && (name == k.State.Checkpoint.Transcript || s == k.State) {
		return c.open(f.transcript)
	}
	if name == "" {
		return nil, errors.New("the checkpoint names no file")
	}
	if !filepath.IsAbs(name) && k.Project != "" {
		if _, err := statReadable(name); err != nil {
			name = filepath.Join(k.Project, name)
		}
	}
	info, err := statReadable(name)
	switch {
	case err != nil:
		return nil, cause(err)
	case !info.Mode().IsRegular(): // a pipe can be read once, and may never end
		return nil, errors.New("it is no file any more")
	}
	return c.open(name)
}

// longPassage is where a passage among many is shortened, in bytes.
const longPassage = 2_000

// printPassage writes where a passage stands, and its text.
func (c *console) printPassage(p *memory.Passage, f *recallFlags) {
	fmt.Fprintln(c.out, c.paint(bold, c.passageHead(p)))
	switch p.Status {
	case memory.StatusChanged:
		fmt.Fprintln(c.out, c.paint(yellow, "changed since the state was made; this is what stands there now:"))
	case memory.StatusState:
		fmt.Fprintln(c.out, c.paint(dim, "(no session holds it: the state's own words)"))
	}
	text := p.Text
	if !f.whole && !f.plain && len(text) > longPassage {
		text = shortened(p)
		fmt.Fprintln(c.out, c.paint(dim, fmt.Sprintf("(shortened: `pith recall %s` or --all gives all of it)", p.Ref)))
	}
	fmt.Fprintln(c.out, strings.TrimSuffix(text, "\n"))
	fmt.Fprintln(c.out)
}

// shortened is a long passage with the part that the item rests on.
func shortened(p *memory.Passage) string {
	if p.Source.End == 0 || p.Source.End > len(p.Text) {
		return truncate.Lines(p.Text, truncate.Options{}).Text
	}
	from, to := p.Source.Start, p.Source.End
	if i := strings.LastIndexByte(p.Text[:max(from-longPassage/4, 0)], '\n'); i >= 0 {
		from = i + 1
	} else if from < longPassage/4 {
		from = 0
	}
	if i := strings.IndexByte(p.Text[min(to+longPassage/4, len(p.Text)):], '\n'); i >= 0 {
		to = min(to+longPassage/4, len(p.Text)) + i
	}
	return truncate.Text(p.Text[from:to], 2*longPassage)
}

// passageHead is "12.0 tool_result of Bash, cmd/main.go, turn 4, 2026-01-02 15:04".
func (c *console) passageHead(p *memory.Passage) string {
	if p.Status == memory.StatusState {
		return p.Ref
	}
	head := p.Ref + " " + string(p.Role) + " " + p.Kind.String()
	if p.Tool != "" {
		head += " of " + p.Tool
	}
	if p.Path != "" {
		head += ", " + p.Path
	}
	if p.Agent != "" {
		head += ", sub-agent " + p.Agent
	}
	head += fmt.Sprintf(", turn %d", p.Turn)
	if !p.Time.IsZero() {
		head += ", " + p.Time.UTC().Format("2006-01-02 15:04:05Z")
	}
	return head
}

// passageOutput is a passage in JSON.
type passageOutput struct {
	Ref    string      `json:"ref"`
	Source pith.Source `json:"source"`
	Role   pith.Role   `json:"role,omitempty"`
	Kind   string      `json:"kind"`
	// Provenance is whose words they are.
	Provenance pith.Provenance `json:"provenance"`
	Tool       string          `json:"tool,omitempty"`
	Path       string          `json:"path,omitempty"`
	Agent      string          `json:"agent_id,omitempty"`
	Turn       int             `json:"turn"`
	Time       time.Time       `json:"time,omitzero"`
	Status     string          `json:"status,omitempty"`
	Items      []string        `json:"items,omitempty"`
	Session    string          `json:"session_id,omitempty"`
	Score      float64         `json:"score,omitempty"`
	Snippet    string          `json:"snippet,omitempty"`
	Text       string          `json:"text"`
}

func passageJSON(p *memory.Passage) passageOutput {
	return passageOutput{
		Ref: p.Ref, Source: p.Source, Role: p.Role, Kind: p.Kind.String(), Provenance: p.Origin, Tool: p.Tool, Path: p.Path,
		Agent: p.Agent, Turn: p.Turn, Time: p.Time, Status: p.Status, Items: p.Items, Text: p.Text,
	}
}

func passagesJSON(list []memory.Passage) []passageOutput {
	out := make([]passageOutput, 0, len(list))
	for i := range list {
		out = append(out, passageJSON(&list[i]))
	}
	return out
}
