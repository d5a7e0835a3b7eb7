package measure

import (
	"strings"

	"github.com/pith-memory/pith"
)

// WasteWindow is how many calls after a cut are looked at.
const WasteWindow = 50

// forcedWithin is how many calls after a Read an edit of the same file may
// come and still be what the Read was for: Claude Code and opencode refuse to
// edit a file that was not read since the compaction.
const forcedWithin = 10

// Waster is a fold over a session that finds the calls which ask again what
// was answered before. A call counts where it only reads, where all that it
// asks (the same lines of a file, or the same command in the same directory)
// was seen, and where nothing since may have changed it: no edit of the file,
// for a command no write at all, no change of branch, no formatter or other
// command that writes files which it does not name. Tests and builds are no
// reads. A Read that the client demands before an edit is left out. Where the
// answer given now differs from the one before, that one did not hold any more,
// whatever the records show.
//
// This is a proxy: the calls are those that the agent made with what it really
// had, the client's own summary or all of the history. What it would have asked
// with the candidate in its place nobody knows. So an answer that the candidate
// holds counts as saved, though the agent might have asked all the same, and
// what it would have asked only because of the candidate shows nowhere.
type Waster struct {
	seen    seen
	open    map[string]openCall
	branch  string
	calls   int
	segment int
	// starts are the numbers of the calls from which windows count: the first,
	// and the first after the cut and after each compaction.
	starts []int
	cut    int
	found  []Repeat
	reads  []pendingRead
}

type openCall struct {
	use    pith.Block
	cwd    string
	number int
}

// pendingRead is a repeated Read that an edit may still excuse.
type pendingRead struct {
	path  string
	found int
}

// Repeat is a call that asked for what had been answered.
type Repeat struct {
	Tool, Text string
	Place      Place
	// Answer is what the call gave, without the client's own lines around it.
	Answer string
	// Seen are the places of the earlier answers that hold it.
	Seen []Place
	// call numbers the calls of the session; oldest and latest are those of Seen.
	call, latest int
	// segment and from are the contexts in which the call and the oldest answer stand.
	segment, from int
	forced        bool
}

// NewWaster returns a Waster that has read nothing.
func NewWaster() *Waster {
	return &Waster{seen: newSeen(), open: map[string]openCall{}, starts: []int{0}, cut: -1}
}

// Cut says that the session is cut here. Calls from here on are the continuation.
func (w *Waster) Cut() {
	if w.cut < 0 {
		w.cut = w.calls
		w.starts = append(w.starts, w.calls)
	}
}

// Done tells whether the window after the cut, and what may excuse its last
// calls, was read. More records only add to the control.
func (w *Waster) Done() bool { return w.cut >= 0 && w.calls >= w.cut+WasteWindow+forcedWithin }

// Record reads one record.
func (w *Waster) Record(r pith.Record) {
	if r.Boundary != nil {
		w.segment++
		w.starts = append(w.starts, w.calls)
	}
	m := r.Message
	if m == nil {
		return
	}
	if m.Branch != "" && w.branch != "" && m.Branch != w.branch {
		w.seen.forget(&deed{effect: anything})
	}
	if m.Branch != "" {
		w.branch = m.Branch
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch b.Kind {
		case pith.KindText:
			w.text(m, b)
		case pith.KindToolUse:
			w.open[b.ToolUseID] = openCall{*b, m.CWD, w.calls}
			if m.Agent == "" && !m.Nested {
				w.calls++
			}
		case pith.KindToolResult:
			if call, ok := w.open[b.ToolUseID]; ok {
				delete(w.open, b.ToolUseID)
				w.result(&call, b, m.Agent == "" && !m.Nested, Place{m.Index, i, m.Line})
			}
		}
	}
}

// text reads what a client or the user did between the calls.
func (w *Waster) text(m *pith.Message, b *pith.Block) {
	if m.Role != pith.RoleUser {
		return
	}
	if strings.Contains(b.Text, "<bash-input>") {
		w.seen.forget(&deed{effect: anything})
	}
	for rest := b.Text; ; {
		before, after, ok := strings.Cut(rest, " was modified, either by the user or by a linter")
		if !ok {
			return
		}
		w.seen.forget(&deed{effect: writes, files: []string{before[strings.LastIndexByte(before, ' ')+1:]}})
		rest = after
	}
}

// result reads a call with its result. Of calls that the model did not make
// itself, only what they wrote matters.
func (w *Waster) result(call *openCall, res *pith.Block, own bool, at Place) {
	d := callDeed(&call.use, call.cwd)
	w.seen.forget(&d)
	w.excuse(&d, call.number)
	if !own || d.effect != reads || len(d.asks) == 0 || res.Rejected || res.IsError || res.Running != "" {
		return
	}
	if res.Exit != nil && *res.Exit != 0 && !res.ExpectedNonZero {
		return
	}
	answer := answerOf(res.Text)
	if strings.Contains(head(res.Text), "Process running with session ID") {
		return // the rest of its answer comes later
	}
	now, unchanged := given(d.asks, answer), strings.HasPrefix(answer, unchangedNote)
	if unchanged {
		now = d.asks
	}
	if earlier := w.seen.find(now, answer); len(earlier) > 0 && (answer != "" || now[0].path == "") {
		w.repeated(call, earlier, answer, at, now)
	}
	if !cutShort(res.Text) && !unchanged {
		w.seen.learn(reached(d.asks, now), sight{text: answer, call: call.number, segment: w.segment, place: at})
	}
}

// unchangedNote is what Claude Code gives instead of a file that the context
// still holds.
const unchangedNote = "File unchanged since last read"

// given ends the ask for a part of a file where its answer ended.
func given(asks []ask, answer string) []ask {
	if len(asks) != 1 || asks[0].path == "" {
		return asks
	}
	a := asks[0]
	a.to = min(a.to, a.from+strings.Count(answer, "\n"))
	return []ask{a}
}

// reached goes on to the end of a file whose answer is shorter than was asked for.
func reached(asks, given []ask) []ask {
	if len(asks) == 1 && asks[0].path != "" && given[0].to < asks[0].to {
		return []ask{{path: asks[0].path, from: asks[0].from, to: endOfFile}}
	}
	return asks
}

func (w *Waster) repeated(call *openCall, earlier []sight, answer string, at Place, asks []ask) {
	r := Repeat{Tool: call.use.ToolName, Text: askText(&call.use), Place: at, Answer: answer, call: call.number, segment: w.segment, from: w.segment}
	for _, x := range earlier {
		r.Seen = append(r.Seen, x.place)
		r.latest, r.from = max(r.latest, x.call), min(r.from, x.segment)
	}
	if call.use.ToolName == "Read" || call.use.Arg("filePath") != "" {
		w.reads = append(w.reads, pendingRead{asks[0].path, len(w.found)})
	}
	w.found = append(w.found, r)
}

func askText(use *pith.Block) string {
	if c := commandLine(use); c != "" {
		return c
	}
	return strings.TrimSpace(pith.ToolUseText("", use.Args))
}

// excuse marks the Reads that an edit of the same file followed.
func (w *Waster) excuse(d *deed, number int) {
	kept := w.reads[:0]
	for _, p := range w.reads {
		if number > w.found[p.found].call+forcedWithin {
			continue
		}
		for _, f := range d.files {
			w.found[p.found].forced = w.found[p.found].forced || f == p.path
		}
		kept = append(kept, p)
	}
	w.reads = kept
}
