package hook

import (
	"fmt"
	"strconv"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// Whose memory a compaction left: Status.By.
const (
	ours      = "pith"
	theClient = "client"
)

// oneCompaction is how far apart the events of one compaction may come: a
// client sends them with nothing but hooks in between.
const oneCompaction = 30 * time.Second

// noReading stands for the size of a context that nobody has counted yet.
var noReading meter.Reading

// took takes in that the context was compacted. Clients tell of one compaction
// with several events, in different orders.
func (t *turn) took(by string) {
	s := &t.record.Status
	now := t.hooks.config.Now().UTC()
	if !s.Last.IsZero() && now.Sub(s.Last).Abs() < oneCompaction {
		return
	}
	s.Compactions++
	s.Last, s.By = now, by
	s.Before, s.After = s.Used, 0
	s.Kept, s.Known = 0, 0
	if by == ours {
		s.Kept, s.Known = 1, 1 // all of it
	}
	t.record.Warned = 0
	t.record.Trigger.Compacted(noReading)
}

// untook takes back that pith's memory took the place: the client did not take it.
func (t *turn) untook() {
	s := &t.record.Status
	if t.record.Replaced != "" && t.hooks.config.Now().Sub(s.Last).Abs() < oneCompaction {
		s.Compactions--
		s.Last, s.Used = time.Time{}, s.Before
	}
	t.record.Replaced = ""
}

// measured takes in how full the context is.
func (t *turn) measured(g *gauge) {
	s := &t.record.Status
	if g.Reading.Used == 0 {
		return
	}
	s.Used = g.Reading.Used
	if g.Reading.Window > 0 {
		s.Window = g.Reading.Window
	}
	if s.Compactions > 0 && s.After == 0 && s.Used < s.Before {
		s.After = s.Used
	}
}

// window is the size of the client's context window, 0 unknown.
func (t *turn) window() int {
	if w := t.hooks.config.Memory.Window; w > 0 {
		return w
	}
	return t.record.Status.Window
}

// Status is what is known of a session, the zero Status where it is nothing.
func (h *Hooks) Status(session string) Status { return h.record(session).Status }

// Line is the status in a few words, "" where nothing is known:
// "pith 62 % of 200k · compacted 14:02, 8.1x · kept 100 %".
func (s *Status) Line(in *time.Location) string {
	text := ""
	switch {
	case s.Used > 0 && s.Window > 0:
		text = fmt.Sprintf("%.0f %% of %s", 100*float64(s.Used)/float64(s.Window), short(pith.Tokens(s.Window)))
	case s.Used > 0:
		text = short(s.Used) + " tokens"
	}
	if s.Compactions > 0 && !s.Last.IsZero() {
		if text != "" {
			text += " · "
		}
		text += "compacted " + s.Last.In(in).Format("15:04")
		if s.After > 0 && s.Before > s.After {
			text += fmt.Sprintf(", %.1fx", float64(s.Before)/float64(s.After))
		}
		if s.Known > 0 {
			text += fmt.Sprintf(" · kept %d %%", 100*s.Kept/s.Known)
		}
	}
	if text == "" {
		return ""
	}
	return "pith " + text
}

// short writes a number of tokens in thousands: 200k, 1M.
func short(n pith.Tokens) string {
	switch {
	case n >= 1_000_000 && n%100_000 == 0:
		return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) + "M"
	case n >= 1_000:
		return strconv.Itoa(int(n+500)/1_000) + "k"
	}
	return strconv.Itoa(int(n))
}
