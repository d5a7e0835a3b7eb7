package memory

import (
	"errors"
	"io"
	"maps"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/transcript"
	"github.com/pith-memory/pith/trigger"
)

// Gauge is how a session file stands, piece by piece: what a policy must know,
// without the facts. It holds figures and the names of tools, nothing of what
// was said, and may be kept between two readings. The zero Gauge has read nothing.
type Gauge struct {
	Format pith.Format `json:"format,omitempty"`
	Model  string      `json:"model,omitempty"`
	Agent  string      `json:"agent,omitempty"`
	// Turns counts the model's requests.
	Turns int `json:"turns,omitempty"`
	// Reported is the context of the last request, of UsageModel and with the
	// window that the client recorded; Since is the estimate of what came after
	// it, of everything where nothing was reported.
	Reported   pith.Tokens `json:"reported,omitempty"`
	UsageModel string      `json:"usage_model,omitempty"`
	Window     int         `json:"window,omitempty"`
	Since      pith.Tokens `json:"since,omitempty"`
	// Failures are the tool executions at the end that failed alike.
	Failures trigger.FailureRun `json:"failures,omitzero"`
	// Calls are the tools of the calls that wait for their results.
	Calls map[string]string `json:"calls,omitempty"`
	// Compacted is set while nothing was said since the client compacted: it may
	// still be writing what it kept.
	Compacted bool      `json:"compacted,omitempty"`
	Role      pith.Role `json:"role,omitempty"`
	ID        string    `json:"id,omitempty"`
	// Rest is what a reading of a Codex rollout left, to go on with.
	Rest *transcript.CodexRest `json:"rest,omitempty"`
}

// maxGaugeCalls bounds the calls that a Gauge waits for.
const maxGaugeCalls = 256

// GoesOn tells whether a Gauge that has read a part of a file can go on behind
// it. Other formats are read from their beginning.
func (g *Gauge) GoesOn() bool {
	return !g.Compacted && (g.Format == pith.FormatClaudeCode || g.Format == pith.FormatCodex && g.Rest != nil)
}

// Read takes in a session, or what came to it behind the part that was read.
// It gives the Gauge to go on with and how much of the input that one has read:
// not always all, since what comes next may say more about the last rows.
// Errors: ErrReadWhole; those of the input.
func (g *Gauge) Read(r io.ReadSeeker) (next Gauge, n int64, err error) {
	before := g.clone()
	settled, end, err := g.read(r)
	if err != nil || end || settled == 0 {
		next = before
		if end {
			next = g.clone()
		}
		return next, settled, err
	}
	if _, err = r.Seek(0, io.SeekStart); err != nil {
		return before, 0, err
	}
	next = before.clone()
	if _, _, err = next.read(io.LimitReader(r, settled)); err != nil || !next.GoesOn() {
		return before, 0, err
	}
	return next, settled, nil
}

func (g *Gauge) clone() Gauge {
	c := *g
	c.Calls = maps.Clone(g.Calls)
	return c
}

// read takes in all of the input. It gives the place up to which nothing that
// follows changes what was read, and whether that is the end.
func (g *Gauge) read(r io.Reader) (settled int64, end bool, err error) {
	o := transcript.Options{Format: g.Format}
	if g.GoesOn() {
		o.Behind = &transcript.Behind{Header: transcript.Header{Agent: g.Agent, Model: g.Model}}
		if g.Rest != nil {
			o.Behind.Codex = *g.Rest
		}
	}
	d, err := transcript.NewDecoder(r, o)
	if err != nil {
		return 0, false, err
	}
	a := g.begin()
	for {
		rec, err := d.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, false, err
		}
		a.add(rec)
	}
	if d.Orphaned() {
		return 0, false, ErrReadWhole
	}
	a.end(d)
	if g.Format != pith.FormatCodex {
		return d.Offset(), true, nil
	}
	settled, end = d.Settled()
	return settled, end, nil
}

// gauging is a Gauge that reads.
type gauging struct {
	*Gauge
	live meter.Live
	// fresh is set where what was counted before is not of this request.
	fresh bool
}

func (g *Gauge) begin() *gauging {
	a := &gauging{Gauge: g}
	if g.Reported > 0 {
		a.live.GoOn(0, g.Reported, g.UsageModel, nil)
	}
	return a
}

// gauging fills the Gauge that is asked for; nil fills none.
func (o *ReadOptions) gauging() *gauging {
	if o.Gauge == nil {
		return nil
	}
	*o.Gauge = Gauge{}
	if o.Behind != nil {
		return nil
	}
	return o.Gauge.begin()
}

func (a *gauging) add(rec pith.Record) {
	if a == nil {
		return
	}
	if rec.Boundary != nil {
		a.live.Boundary(rec.Boundary)
		a.Reported, a.Since, a.Window, a.fresh = 0, 0, 0, true
		a.Compacted = true
	}
	if rec.Message == nil || rec.Message.Agent != "" || rec.Message.Nested {
		return
	}
	a.Compacted = false
	m := *rec.Message
	if m.Role == pith.RoleAssistant && m.ID != "" && m.ID == a.ID { // the rest of a message says it again
		m.Usage = nil
	}
	a.live.Add(&m)
	a.fresh = a.message(&m) || a.fresh
}

func (a *gauging) end(d *transcript.Decoder) {
	if a == nil {
		return
	}
	h := d.Header()
	a.Format, a.Model, a.Agent = h.Format, h.Model, h.Agent
	last := a.live.Reading(meter.ReadOptions{Model: a.Model})
	if a.fresh {
		a.Since = 0
	}
	a.Since += last.Since
	a.Reported = last.Reported
	if rest, _, _ := d.Rest(); rest.Items {
		a.Rest = &rest
	}
}

// message takes in a message. It reports whether the context's size came with it.
func (g *Gauge) message(m *pith.Message) (reported bool) {
	known := m.ID != "" && m.ID == g.ID // the rest of a message that was met before
	if m.Role == pith.RoleAssistant && !known && (g.Role != pith.RoleAssistant || m.ID != "" && m.Usage != nil) {
		g.Turns++
	}
	if g.Role = m.Role; m.Role == pith.RoleAssistant {
		g.ID = m.ID
	}
	for i := range m.Blocks {
		g.block(&m.Blocks[i])
	}
	if m.Usage.Context() == 0 {
		return false
	}
	g.UsageModel, g.Window = m.Model, m.Usage.Window
	return true
}

func (g *Gauge) block(b *pith.Block) {
	switch b.Kind {
	case pith.KindToolUse:
		if g.Calls == nil || len(g.Calls) >= maxGaugeCalls {
			g.Calls = map[string]string{}
		}
		name := b.ToolName
		if !isPlainName(name) {
			name = cleanLabel(name, longestTool)
		}
		g.Calls[b.ToolUseID] = name
	case pith.KindToolResult:
		tool := g.Calls[b.ToolUseID]
		delete(g.Calls, b.ToolUseID)
		if b.Rejected {
			return
		}
		exit := b.Exit
		if b.ExpectedNonZero {
			exit = nil
		}
		g.Failures.See(trigger.FailureClass(tool, exit, b.IsError))
	}
}

// Reading is how full the window is before the next request.
func (g *Gauge) Reading(window int) meter.Reading {
	o := meter.ReadOptions{Window: window, Model: g.Model, UsageModel: g.UsageModel}
	if g.Reported > 0 {
		o.Usage = &pith.Usage{Input: int(g.Reported), Window: g.Window}
	}
	r := meter.ReadSizes(meter.Breakdown{Messages: g.Since}, g.Since, o)
	r.Parts = meter.Breakdown{}
	return r
}
