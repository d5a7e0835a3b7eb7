package memory

import (
	"errors"
	"io"

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
	Role  pith.Role         `json:"role,omitempty"`
	ID    string            `json:"id,omitempty"`
}

// maxGaugeCalls bounds the calls that a Gauge waits for.
const maxGaugeCalls = 256

// GoesOn tells whether a Gauge that has read a part of a file can go on behind
// it. Other formats are read from their beginning.
func (g *Gauge) GoesOn() bool { return g.Format == pith.FormatClaudeCode }

// Read takes in a session, or what came to it behind the part that was read.
func (g *Gauge) Read(r io.Reader) error {
	o := transcript.Options{Format: g.Format}
	if g.GoesOn() {
		o.Behind = &transcript.Behind{Header: transcript.Header{Agent: g.Agent, Model: g.Model}}
	}
	d, err := transcript.NewDecoder(r, o)
	if err != nil {
		return err
	}
	var live meter.Live
	if g.Reported > 0 {
		live.GoOn(0, g.Reported, g.UsageModel, nil)
	} else {
		live.GoOn(g.Since, 0, g.Model, nil)
	}
	fresh := g.Reported == 0 // what was counted before is not of this request
	for {
		rec, err := d.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if rec.Boundary != nil {
			live.Boundary(rec.Boundary)
			g.Reported, g.Since, g.Window, fresh = 0, 0, 0, true
		}
		if m := rec.Message; m != nil && m.Agent == "" && !m.Nested {
			if m.Role == pith.RoleAssistant && m.ID != "" && m.ID == g.ID { // the rest of a message says it again
				m.Usage = nil
			}
			live.Add(m)
			fresh = g.message(m) || fresh
		}
	}
	h := d.Header()
	g.Format, g.Model, g.Agent = h.Format, h.Model, h.Agent
	last := live.Reading(meter.ReadOptions{Model: g.Model})
	if fresh {
		g.Since = 0
	}
	g.Since += last.Since
	g.Reported = last.Reported
	return nil
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
