package main

import (
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/transcript"
	"github.com/pith-memory/pith/trigger"
)

// inspection is what `pith inspect` finds out about a session.
type inspection struct {
	File        string           `json:"file"`
	Format      pith.Format      `json:"format"`
	Session     string           `json:"session_id"`
	Model       string           `json:"model"`
	Window      int              `json:"window"`
	WindowFrom  string           `json:"window_from"`
	Messages    int              `json:"messages"`
	Turns       []turnFill       `json:"turns"`
	Fills       []share          `json:"what_fills_the_window"`
	Parts       *meter.Breakdown `json:"parts,omitempty"` // of a request body
	Triggers    []firing         `json:"triggers"`
	Compactions []compaction     `json:"compactions"`
	Skipped     int              `json:"skipped_rows"`
	UnknownRows map[string]int   `json:"passed_over_rows"`
}

// turnFill is how full the window was after one model request.
type turnFill struct {
	Turn     int         `json:"turn"`
	Message  int         `json:"message"`
	Time     *time.Time  `json:"time"`
	Used     pith.Tokens `json:"used"`
	Basis    string      `json:"basis"`
	Content  pith.Tokens `json:"content"`
	Fraction float64     `json:"fraction"`
}

// share is how much of the live content is of one kind.
type share struct {
	What   string      `json:"what"`
	Tokens pith.Tokens `json:"tokens"`
	Blocks int         `json:"blocks"`
}

// firing is a place where a trigger would act.
type firing struct {
	Turn    int         `json:"turn"`
	Message int         `json:"message"`
	Action  string      `json:"action"`
	Reason  pith.Reason `json:"reason"`
	Text    string      `json:"text"`
}

// compaction is a place where the client compacted by itself.
type compaction struct {
	N       int         `json:"n"`
	Turn    int         `json:"turn"`
	Message int         `json:"message"`
	Line    int         `json:"line"`
	Trigger string      `json:"trigger"`
	Before  pith.Tokens `json:"before"`
}

func inspectCommand(c *console) *cobra.Command {
	var asJSON bool
	var format, session string
	cmd := &cobra.Command{
		Use:   "inspect FILE|-",
		Short: "Show how full the window was, what fills it, and where each trigger would fire",
		Long: `Show how full a session's context window was turn by turn, what fills it, where
each trigger would fire, and where the client compacted by itself. On a terminal
the fill is drawn as a chart. Of a file with several sessions the list of them is
shown; --session names one.`,
		Example: "  pith inspect session.jsonl\n  pith inspect --window 200000 --json session.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			file, session, err := inDatabase(args[0], session)
			if several := (*transcript.SeveralSessions)(nil); session == "" && errors.As(err, &several) {
				return c.printFileSessions(args[0], several.Sessions, asJSON)
			}
			if err != nil {
				return err
			}
			in, err := c.open(file)
			if err != nil {
				return err
			}
			defer in.Close()
			i, s, err := inspect(in, memory.ReadOptions{Format: pith.Format(format), Session: session}, c.settings)
			if several := (*transcript.SeveralSessions)(nil); session == "" && errors.As(err, &several) {
				return c.printFileSessions(in.name, several.Sessions, asJSON)
			}
			if err != nil {
				return inFile(in.name, err)
			}
			in.Close()
			c.warnSkipped(s)
			if asJSON {
				return printJSON(c.out, i)
			}
			return c.printInspection(i)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	formatFlag(cmd, &format)
	sessionFlag(cmd, &session)
	settingFlag(cmd.Flags(), "window")
	return cmd
}

// observer follows a session record by record.
type observer struct {
	i      *inspection
	memory *memory.Memory
	window int
	policy trigger.Policy
	state  trigger.State
	fills  map[string]*share
	tools  map[string]string // names of tools, by the id of their call
	// role and id are those of the message before.
	role   pith.Role
	id     string
	turn   int
	failed trigger.FailureRun
	// text is what the user said since the last turn.
	text string
}

func inspect(in *input, read memory.ReadOptions, set *settings) (*inspection, *memory.Session, error) {
	o := &observer{
		i:      &inspection{File: in.name, Turns: []turnFill{}, Fills: []share{}, Triggers: []firing{}, Compactions: []compaction{}},
		memory: memory.New(set.memory()), window: set.count("window"), policy: set.policy(),
		fills: map[string]*share{}, tools: map[string]string{},
	}
	read.Each = func(s *memory.Session, r pith.Record, _ int64) { o.record(s, r) }
	s, err := o.memory.Read(in, read)
	if err != nil {
		return nil, nil, err
	}
	if s.IsBody() {
		o.body(s)
	}
	reading := s.Reading(o.window)
	i := o.i
	i.Format, i.Session, i.Model = s.Header.Format, s.Header.SessionID, s.Model()
	i.Window, i.WindowFrom, i.Messages = reading.Window, reading.WindowFrom, s.Messages
	i.Skipped, i.UnknownRows = s.SkippedN, s.Unknown
	for _, f := range o.fills {
		i.Fills = append(i.Fills, *f)
	}
	sort.Slice(i.Fills, func(a, b int) bool {
		x, y := i.Fills[a], i.Fills[b]
		if x.Tokens != y.Tokens {
			return x.Tokens > y.Tokens
		}
		return x.What < y.What
	})
	return i, s, nil
}

func (o *observer) record(s *memory.Session, r pith.Record) {
	switch {
	case r.Boundary != nil:
		o.i.Compactions = append(o.i.Compactions, compaction{
			N: r.Boundary.N, Turn: o.turn, Message: s.LastMessage(), Line: r.Boundary.Line,
			Trigger: r.Boundary.Trigger, Before: r.Boundary.Before,
		})
		clear(o.fills)
		o.state.Compacted(s.Reading(o.window))
	case r.Message != nil && r.Message.Agent == "" && !r.Message.Nested:
		o.message(s, r.Message)
	}
}

func (o *observer) message(s *memory.Session, m *pith.Message) {
	newTurn := m.Role == pith.RoleAssistant && (o.role != pith.RoleAssistant || m.ID != o.id && m.Usage != nil)
	o.role, o.id = m.Role, m.ID
	if newTurn {
		o.turn++
	}
	for i := range m.Blocks {
		o.count(&m.Blocks[i])
		o.result(&m.Blocks[i])
		if m.Blocks[i].Kind == pith.KindText && m.Blocks[i].Origin == pith.UserExplicit {
			o.text = m.Blocks[i].Text
		}
	}
	if !newTurn || s.IsBody() {
		return
	}
	reading := s.Reading(o.window)
	fill := turnFill{Turn: o.turn, Message: m.Index, Used: reading.Used, Basis: reading.Basis, Content: s.Live(), Fraction: reading.Fraction}
	if !m.Time.IsZero() {
		t := m.Time
		fill.Time = &t
	}
	o.i.Turns = append(o.i.Turns, fill)
	o.decide(reading, m.Index)
}

// body reads a request body as a whole: it is one request, with a system
// prompt and tools that count too.
func (o *observer) body(s *memory.Session) {
	c := s.Conversation()
	reading, d := o.memory.Observe(&c, nil)
	o.i.Parts = &reading.Parts
	o.i.Turns = []turnFill{{
		Turn: max(o.turn, 1), Message: s.LastMessage(), Used: reading.Used, Basis: reading.Basis, Content: s.Live(), Fraction: reading.Fraction,
	}}
	if d.Action != trigger.None {
		o.i.Triggers = []firing{{Turn: max(o.turn, 1), Message: s.LastMessage(), Action: d.Action.String(), Reason: d.Reason, Text: d.Text}}
	}
}

// decide asks the policy after every turn, and notes what it would do anew.
func (o *observer) decide(reading meter.Reading, message int) {
	d := o.policy.Next(&o.state, trigger.Input{Reading: reading, Turn: o.turn, FailureRun: o.failed.N, UserText: o.text})
	o.text = ""
	if d.Action == trigger.None {
		return
	}
	if n := len(o.i.Triggers); n > 0 && o.i.Triggers[n-1].Reason == d.Reason && o.i.Triggers[n-1].Action == d.Action.String() {
		return
	}
	o.i.Triggers = append(o.i.Triggers, firing{Turn: o.turn, Message: message, Action: d.Action.String(), Reason: d.Reason, Text: d.Text})
}

// count adds a block to what fills the window.
func (o *observer) count(b *pith.Block) {
	what := "other"
	switch b.Kind {
	case pith.KindText:
		what = map[pith.Provenance]string{
			pith.UserExplicit: "user text", pith.Assistant: "assistant text", pith.System: "system prompt",
		}[b.Origin]
		if what == "" {
			what = "harness text"
		}
	case pith.KindThinking:
		what = "thinking"
	case pith.KindToolUse:
		what = "calls of " + b.ToolName
		o.tools[b.ToolUseID] = b.ToolName
	case pith.KindToolResult:
		what = "results of " + o.tools[b.ToolUseID]
	case pith.KindImage:
		what = "images"
	}
	f := o.fills[what]
	if f == nil {
		f = &share{What: what}
		o.fills[what] = f
	}
	f.Tokens += meter.EstimateBlock(b)
	f.Blocks++
}

// result takes in how a tool execution ended.
func (o *observer) result(b *pith.Block) {
	if b.Kind != pith.KindToolResult {
		return
	}
	exit := b.Exit
	if b.ExpectedNonZero {
		exit = nil
	}
	o.failed.See(trigger.FailureClass(o.tools[b.ToolUseID], exit, b.IsError))
}

func (c *console) printInspection(i *inspection) error {
	fmt.Fprintf(c.out, "%s  %s, session %s, model %s\n", c.paint(bold, or(i.File, stdinName)), i.Format, or(i.Session, "(none)"), or(i.Model, "(unknown)"))
	window := "unknown (set --window)"
	if i.Window > 0 {
		from := i.WindowFrom
		switch from {
		case meter.FromCatwalk:
			from = "the table of models"
		case meter.FromFamily:
			from = "the version before it in the table of models"
		}
		window = fmt.Sprintf("%s tokens (from %s)", thousands(i.Window), from)
	}
	fmt.Fprintf(c.out, "window   %s\n", window)
	fmt.Fprintf(c.out, "content  %d messages, %d turns, %d compactions by the client, %d damaged rows\n", i.Messages, len(i.Turns), len(i.Compactions), i.Skipped)
	if p := i.Parts; p != nil {
		fmt.Fprintf(c.out, "request  system %s, tools %s, messages %s tokens\n", thousands(int(p.System)), thousands(int(p.Tools)), thousands(int(p.Messages)))
	}
	if c.people {
		c.chart(i)
	} else {
		fmt.Fprintln(c.out, "\nturn  message  used  basis  fraction")
		for _, t := range i.Turns {
			fmt.Fprintf(c.out, "%d  %d  %d  %s  %.3f\n", t.Turn, t.Message, t.Used, t.Basis, t.Fraction)
		}
	}
	fmt.Fprintln(c.out, "\n"+c.paint(bold, "What fills the window now"))
	c.printShares(i.Fills)
	if len(i.Triggers) > 0 {
		fmt.Fprintln(c.out, "\n"+c.paint(bold, "Where triggers would fire"))
		for _, t := range i.Triggers {
			fmt.Fprintf(c.out, "  turn %-5d %-8s %-16s %s\n", t.Turn, t.Action, t.Reason, t.Text)
		}
	}
	if len(i.Compactions) > 0 {
		fmt.Fprintln(c.out, "\n"+c.paint(bold, "Where the client compacted"))
		for _, x := range i.Compactions {
			fmt.Fprintf(c.out, "  turn %-5d after message %-6d line %-6d %-7s %s tokens before\n", x.Turn, x.Message, x.Line, or(x.Trigger, "?"), thousands(int(x.Before)))
		}
	}
	return nil
}

func or(v, instead string) string {
	if v == "" {
		return instead
	}
	return v
}
