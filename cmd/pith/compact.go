package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/wire"
)

// compactFlags are the flags of `pith compact`.
type compactFlags struct {
	view, format, out       string
	through, boundary       int
	pins                    []string
	explain, asJSON, pretty bool
	force, resent           bool
	session                 string
	save                    bool
	latest, parent, project string
	// model is what drafts, nil for none; figures are what it took.
	model        compactor.Model
	requireModel bool
	figures      *memory.Figures
}

const compactLong = `Turn a session into a small, checked working state. Code extracts the facts; a
model is asked only where --model (or PITH_MODEL) names one.

FILE is a session of Claude Code, Codex, pi, Gemini CLI or opencode (what
"opencode export" writes, or opencode.db with --session), a run of SWE-agent, mini-swe-agent, OpenHands or
tau-bench, or an API request body (Anthropic messages, OpenAI chat, OpenAI
responses); the format is detected from the content. Of a file with several
sessions --session names one. The file is only ever read.

Views:
  block     the text to put into the next session (default)
  state     the ten-slot working state, as JSON
  memory    the same as the 8-field compact memory, as JSON
  messages  the API body to send next: head, memory, and a safe tail

With --save the state is also stored, as what comes after the latest checkpoint
of the session (or after --parent): what people edited and pinned stays, and
` + "`pith restore`" + ` gives it back. Without it nothing is kept.

With --model a model adds what code cannot extract: why something was decided,
what was ruled out, where the work stands. It gets the session redacted and is
asked in parts where its window is small. Every path, number, id, command and
quote in its answer must be in the session, or it is dropped; rules come from
the user's own words alone. Where no answer can be used the state has the facts
alone, one line on standard error says why, and the exit code is 0, or 7 with
--require-model. The key is in ANTHROPIC_API_KEY or OPENAI_API_KEY, or in a file
(--model-key-file). openai/ is the responses API; with --model-url it is chat
completions, as local servers speak it, and a key is not needed.

Exit codes: 0 done, 1 unexpected, 2 usage, 3 unreadable input, 4 declined
(nothing to gain; --force overrides), 5 failed check, 6 store, 7 no draft of the
model (only with --require-model).`

func compactCommand(c *console) *cobra.Command {
	var f compactFlags
	cmd := &cobra.Command{
		Use:   "compact FILE|- | --latest [CLIENT]",
		Short: "Turn a session into a working state and a block to restore",
		Long:  compactLong,
		Example: `  pith compact session.jsonl
  pith compact session.jsonl --view state -o state.json
  pith compact session.jsonl --boundary 1 --explain   # what the client held before its first compaction
  pith compact body.json --view messages --pattern message
  pith compact session.jsonl --save                   # keep it; pith restore gives it back
  pith compact --latest codex --save                  # the newest session of Codex in this folder
  pith compact - --pin "never push to main" < session.jsonl
  pith compact session.jsonl --model anthropic/claude-haiku-4-5,openai/gpt-5-mini   # the second where the first fails
  pith compact session.jsonl --model openai/qwen3:8b --model-url http://localhost:11434/v1`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := c.sessionFile(args, &f)
			if err == nil {
				file, f.session, err = inDatabase(file, f.session)
			}
			if err != nil {
				return err
			}
			return c.compact(cmd.Context(), file, &f)
		},
	}
	f.addTo(cmd)
	return cmd
}

func (f *compactFlags) addTo(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.view, "view", "block", "what to print: block, state, memory or messages")
	settingFlag(fl, "pattern")
	fl.IntVar(&f.through, "through", -1, "index of the last message to read, from 0")
	fl.Lookup("through").DefValue = "the last"
	fl.IntVar(&f.boundary, "boundary", 0, "stop just before the client's own N-th compaction")
	settingFlag(fl, "budget")
	settingFlag(fl, "window")
	modelFlags(fl, &f.requireModel)
	settingFlag(fl, "figures")
	fl.StringArrayVar(&f.pins, "pin", nil, "a text that must stay, word for word; may be repeated")
	formatFlag(cmd, &f.format)
	sessionFlag(cmd, &f.session)
	fl.BoolVar(&f.explain, "explain", false, "say what is kept, what is dropped and why, and write nothing else")
	fl.StringVarP(&f.out, "output", "o", "", "write to this file instead of standard output")
	fl.BoolVar(&f.asJSON, "json", false, "print the block or the explanation as JSON")
	fl.BoolVar(&f.pretty, "pretty", false, "indent the JSON of the state and of the memory")
	fl.BoolVar(&f.force, "force", false, "go on where there is nothing to gain")
	fl.BoolVar(&f.resent, "with-resent", false, "write out the rules of system prompts and rules files, for a target that will not send them itself")
	fl.BoolVar(&f.save, "save", false, "store the state, as the newest checkpoint of the session")
	settingFlag(fl, "keep-days")
	fl.StringVar(&f.parent, "parent", "", "with --save: the session or checkpoint that this one goes on from (default: the latest of the session)")
	fl.StringVar(&f.project, "project", "", "with --save: the folder that the work belongs to (default: the session's own, if it is here, else the current folder)")
	fl.StringVar(&f.latest, "latest", "", "take the newest session in this folder, of any installed agent or of: "+strings.Join(clientNames(), ", "))
	fl.Lookup("latest").NoOptDefVal = anyClient
	completeFlag(cmd, "latest", clientNames())
	completeFlag(cmd, "view", views)
	completeFlag(cmd, "pattern", []string{"system", "message"})
}

func completeFlag(cmd *cobra.Command, flag string, values []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // fails for a flag that is not there
}

var views = []string{"block", "state", "memory", "messages"}

func formatNames() []string {
	return []string{
		string(pith.FormatClaudeCode), string(pith.FormatCodex), string(pith.FormatAnthropic),
		string(pith.FormatOpenAIChat), string(pith.FormatOpenAIResponses),
		string(pith.FormatPi), string(pith.FormatGemini), string(pith.FormatOpencode),
		string(pith.FormatSWEAgent), string(pith.FormatMiniSWEAgent), string(pith.FormatOpenHands), string(pith.FormatTauBench),
	}
}

func formatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "", "read the input as this format instead of detecting it: "+strings.Join(formatNames(), ", "))
	completeFlag(cmd, "format", formatNames())
}

// sessionFlag selects one session of a file that holds several.
func sessionFlag(cmd *cobra.Command, session *string) {
	cmd.Flags().StringVar(session, "session", "", "of a file with several sessions, the one of this id, task, or number from 1; with --latest CLIENT, the session of this id")
}

func checkFormat(format string) error {
	if format != "" && !slices.Contains(formatNames(), format) {
		return usage("", "--format %q: want one of %s", format, strings.Join(formatNames(), ", "))
	}
	return nil
}

func (f *compactFlags) check() error {
	switch {
	case !slices.Contains(views, f.view):
		return usage("", "--view %q: want one of %s", f.view, strings.Join(views, ", "))
	case f.boundary < 0:
		return usage("", "--boundary counts the client's compactions from 1")
	case f.through < -1:
		return usage("", "--through counts messages from 0")
	case f.through >= 0 && f.boundary > 0:
		return usage("", "--through and --boundary both name the cut: use one")
	case f.explain && f.save:
		return usage("leave one of them out", "--explain writes nothing, so --save cannot store anything")
	case !f.save && (f.parent != "" || f.project != ""):
		return usage("add --save", "--parent and --project are about the checkpoint that is stored")
	case f.explain && f.out != "":
		return usage("leave one of them out", "--explain writes no file, so --output cannot name one")
	}
	for _, p := range f.pins {
		if strings.TrimSpace(p) == "" {
			return usage("", "--pin: the text is empty")
		}
	}
	return checkFormat(f.format)
}

// readOptions are the flags that say what part of the session is read.
func (f *compactFlags) readOptions(name string) memory.ReadOptions {
	o := memory.ReadOptions{Format: pith.Format(f.format), Session: f.session, Boundary: f.boundary, KeepLive: f.view == "messages"}
	if name != "" {
		if abs, err := filepath.Abs(name); err == nil {
			o.Name = abs
		}
	}
	if f.through >= 0 {
		o.Through = &f.through
	}
	return o
}

func (f *compactFlags) config(s *settings) memory.Config {
	c := s.memory()
	c.RenderResent, c.Explain = f.resent, f.explain
	r := redact.New()
	for _, p := range f.pins {
		c.Pins = append(c.Pins, pith.Pin{Text: r.Text(p), By: "user"})
	}
	return c
}

func (c *console) compact(ctx context.Context, arg string, f *compactFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	var err error
	if f.model, err = c.draftModel(); err != nil {
		return err
	}
	if f.save {
		return c.compactAndSave(ctx, arg, f)
	}
	in, err := c.open(arg)
	if err != nil {
		return err
	}
	defer in.Close()
	reader, again := io.Reader(in), source(nil)
	if f.model != nil {
		if again, err = twice(in); err == nil {
			reader, err = again()
		}
		if err != nil {
			return err
		}
	}
	m := memory.New(f.config(c.settings))
	s, err := m.Read(reader, f.readOptions(in.name))
	if err != nil {
		return inFile(in.name, err)
	}
	c.warnSkipped(s)
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		return inFile(in.name, err)
	}
	in.bar.finish()
	if err := f.beforeAsking(r); err != nil {
		return err
	}
	if r, err = c.judged(ctx, m, s, r, again, in.name, f); err != nil {
		return err
	}
	if f.explain {
		return c.explain(r, f)
	}
	out, err := f.render(m, s, r)
	if err != nil {
		return err
	}
	return c.write(f.out, out)
}

// beforeAsking declines before a model costs anything.
func (f *compactFlags) beforeAsking(r *memory.Result) error {
	if f.model == nil || f.view != "block" || f.explain {
		return nil
	}
	return worthwhile(r, f.force)
}

// render makes the bytes of the view that was asked for.
func (f *compactFlags) render(m *memory.Memory, s *memory.Session, r *memory.Result) ([]byte, error) {
	switch f.view {
	case "state":
		if f.pretty {
			return schema.Marshal(r.State, true)
		}
		return r.JSON, nil
	case "memory":
		compact, err := schema.ToCompact(r.State)
		if err != nil {
			return nil, err
		}
		return schema.MarshalCompact(compact, f.pretty)
	case "messages":
		return f.messages(m, s, r)
	}
	if err := worthwhile(r, f.force); err != nil {
		return nil, err
	}
	if f.asJSON {
		return blockJSON(r, f.figures)
	}
	return []byte(r.Block.Text), nil
}

func (f *compactFlags) messages(m *memory.Memory, s *memory.Session, r *memory.Result) ([]byte, error) {
	result, err := m.Apply(s.Conversation(), r, restore.ApplyOptions{Force: f.force})
	if err != nil {
		return nil, err
	}
	body, err := wire.Encode(result.Conversation)
	if err != nil {
		return nil, err
	}
	// What leaves as a file or through a pipe holds no secret, the kept tail
	// included; a program that sends it on uses the library, which leaves the
	// caller's own bytes alone.
	body = redact.New().JSON(body)
	return append(body, '\n'), nil
}

// worthwhile declines a block that is no smaller than what it stands for.
func worthwhile(r *memory.Result, force bool) error {
	before, after := r.State.Metrics.TokensBefore, r.Block.Tokens
	if force || after < before {
		return nil
	}
	return &pith.Error{
		Op: "compact", Kind: pith.KindDeclined,
		Err:  fmt.Errorf("nothing to gain: the block has %d tokens, the conversation %d", after, before),
		Hint: "--force prints the block all the same; --view state is always given",
	}
}

// inFile adds the file's name to an error about its content.
func inFile(name string, err error) error {
	return fmt.Errorf("%s: %w", or(name, stdinName), err)
}

// warnSkipped says on standard error which rows could not be read.
func (c *console) warnSkipped(s *memory.Session) {
	if s.SkippedN == 0 {
		return
	}
	var where []string
	for i, x := range s.Skipped {
		if i == 5 {
			where = append(where, "...")
			break
		}
		where = append(where, fmt.Sprintf("line %d (%s)", x.Line, x.Reason))
	}
	fmt.Fprintf(c.err, "pith: skipped %d damaged rows: %s\n", s.SkippedN, strings.Join(where, ", "))
}
