package meter_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

func row(id string, m pith.Message) *pith.Message {
	m.RowIDs = []string{id}
	return &m
}

func TestLiveCountsTextsOnly(t *testing.T) {
	live := new(meter.Live)
	want := pith.Tokens(0)
	for _, s := range []string{"Go on.", "Done.", lines(3)} {
		m := result(s)
		live.Add(&m)
		want += meter.Count(s)
		if got := live.Tokens(); got != want {
			t.Fatalf("%d tokens, want %d", got, want)
		}
	}
	side := result(lines(10))
	side.Agent = "sub"
	live.Add(&side)
	if got := live.Tokens(); got != want {
		t.Errorf("a sub-agent's message was counted: %d, want %d", got, want)
	}
}

func TestLiveOfASubAgentsOwnSession(t *testing.T) {
	side := func(s string) *pith.Message {
		m := result(s)
		m.Agent = "sub"
		return &m
	}
	live := new(meter.Live)
	live.Add(side("one"))
	live.Add(side("two"))
	if got, want := live.Tokens(), meter.Count("one")+meter.Count("two"); got != want {
		t.Errorf("a sub-agent's own session has %d tokens, want %d", got, want)
	}
	main := result("the main thread begins late")
	live.Add(&main)
	live.Add(side("three"))
	if got, want := live.Tokens(), meter.Count("the main thread begins late"); got != want {
		t.Errorf("%d tokens, want those of the main thread: %d", got, want)
	}
}

// The last answer came from another model and reports nothing: what the first
// one reported was counted with other tokens, for another window.
func TestLiveAfterAModelSwitch(t *testing.T) {
	live := new(meter.Live)
	m := text(pith.RoleAssistant, "ok")
	m.Usage, m.Model = &pith.Usage{Input: 60_000}, "claude-opus-4-7"
	live.Add(&m)
	if r := live.Reading(meter.ReadOptions{Model: "a-name-in-a-header"}); r.Reported != 60_000 {
		t.Errorf("%+v", r)
	}
	m = text(pith.RoleAssistant, "ok")
	m.Model = "qwen3-32b"
	live.Add(&m)
	if r := live.Reading(meter.ReadOptions{Window: 32_000}); r.Reported != 0 || r.Used > 100 {
		t.Errorf("%+v", r)
	}
}

func TestBoundaryKeepsPreservedRows(t *testing.T) {
	live := new(meter.Live)
	live.Add(row("a", text(pith.RoleUser, lines(40))))
	used := text(pith.RoleAssistant, "kept words")
	used.Usage = &pith.Usage{Input: 90_000}
	live.Add(row("b", used))
	live.Boundary(&pith.Boundary{PreservedRows: []string{"b", "gone"}})
	if got, want := live.Tokens(), meter.Count("kept words"); got != want {
		t.Errorf("%d tokens after the boundary, want %d", got, want)
	}
	if r := live.Reading(meter.ReadOptions{}); r.Reported != 0 || r.Basis != meter.Estimated {
		t.Errorf("usage from before the boundary counts: %+v", r)
	}
	live.Add(row("c", text(pith.RoleUser, "the summary")))
	if got, want := live.Tokens(), meter.Count("kept words")+meter.Count("the summary"); got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
	live.Boundary(&pith.Boundary{})
	if got := live.Tokens(); got != 0 {
		t.Errorf("%d tokens after a boundary that keeps nothing", got)
	}
}

func TestBoundaryWithReplacement(t *testing.T) {
	live := new(meter.Live)
	live.Add(row("a", text(pith.RoleUser, lines(40))))
	live.Boundary(&pith.Boundary{PreservedRows: []string{"a"}, Replacement: []pith.Message{text(pith.RoleUser, "short"), text(pith.RoleUser, "history")}})
	if got, want := live.Tokens(), meter.Count("short")+meter.Count("history"); got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}

func TestLiveReading(t *testing.T) {
	live := new(meter.Live)
	live.Add(row("a", text(pith.RoleUser, lines(40))))
	m := text(pith.RoleAssistant, "ok")
	m.Usage = &pith.Usage{Input: 900, Output: 100}
	m.Model = "claude-opus-4-5-20251101"
	live.Add(row("b", m))
	since := result(lines(20))
	live.Add(row("c", since))
	for range 2 { // a reading changes nothing
		r := live.Reading(meter.ReadOptions{})
		if want := meter.EstimateMessage(&since); r.Reported != 1000 || r.Since != want || r.Window != 200_000 || r.Basis != meter.ReportedPlus {
			t.Errorf("%+v, want 1000 and %d of 200000", r, want)
		}
	}
	if got, want := live.Tokens(), meter.Count(lines(40))+meter.Count("ok")+meter.Count(lines(20)); got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
	if r := live.Reading(meter.ReadOptions{Usage: &pith.Usage{Input: 7777}}); r.Used != 7777 {
		t.Errorf("passed usage: %+v", r)
	}
}

// However Live is asked in between, it ends with what a plain sum gives.
func TestLiveIsTheSumOfItsMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live := new(meter.Live)
		var alive []*pith.Message
		for i := range rapid.IntRange(0, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				live.Tokens()
			case 1:
				live.Reading(meter.ReadOptions{})
			case 2:
				b := &pith.Boundary{}
				kept := alive[:0:0]
				for _, m := range alive {
					if rapid.Bool().Draw(t, "keep") {
						kept = append(kept, m)
						b.PreservedRows = append(b.PreservedRows, m.RowIDs...)
					}
				}
				live.Boundary(b)
				alive = kept
			default:
				m := row(strconv.Itoa(i), text(pith.RoleAssistant, rapid.String().Draw(t, "text")))
				if rapid.Bool().Draw(t, "usage") {
					m.Usage = &pith.Usage{Input: 100}
				}
				live.Add(m)
				alive = append(alive, m)
			}
		}
		want := pith.Tokens(0)
		for _, m := range alive {
			want += meter.Count(m.Blocks[0].Text)
		}
		if got := live.Tokens(); got != want {
			t.Fatalf("%d tokens, want %d", got, want)
		}
	})
}

func TestLiveLetsTextGo(t *testing.T) {
	if testing.Short() {
		t.Skip("counts 40 MB")
	}
	live := new(meter.Live)
	for i := range 40 {
		m := text(pith.RoleUser, strings.Repeat("some words of a log "+strconv.Itoa(i)+"\n", 45_000))
		live.Add(&m)
	}
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	if mem.HeapAlloc > 24<<20 {
		t.Errorf("%d MB stay in memory for a session of 40 MB", mem.HeapAlloc>>20)
	}
	if live.Tokens() < 40*45_000*5 {
		t.Errorf("%d tokens", live.Tokens())
	}
}
