package trigger

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// reading is one of a window that is filled to a size, as reported.
func reading(used pith.Tokens, window int) meter.Reading {
	r := meter.Reading{Used: used, Reported: used, Basis: meter.Reported, Window: window, WindowFrom: meter.FromConfig}
	if window > 0 {
		r.Fraction = float64(used) / float64(window)
	}
	return r
}

func TestRules(t *testing.T) {
	reserve := func(r meter.Reading, n pith.Tokens) meter.Reading {
		r.Reserve = n
		return r
	}
	for _, x := range []struct {
		name   string
		policy Policy
		in     Input
		action Action
		reason pith.Reason
		text   string
	}{
		{"nearly empty", Policy{}, Input{Reading: reading(1000, 200_000)}, None, "", "0.5 % of 200,000 (reported)"},
		{"just under 60", Policy{}, Input{Reading: reading(119_999, 200_000)}, None, "", ""},
		{"60", Policy{}, Input{Reading: reading(120_000, 200_000)}, Stage, pith.ReasonTokens60, "60.0 % of 200,000 (reported) >= 60 %"},
		{"71.2", Policy{}, Input{Reading: reading(142_400, 200_000)}, Compact, pith.ReasonTokens70, "71.2 % of 200,000 (reported) >= 70 %"},
		{"80", Policy{}, Input{Reading: reading(160_000, 200_000)}, Block, pith.ReasonTokens80, ">= 80 %: compact before any further tool runs"},
		{"cached tokens, threshold of 80", Policy{CompactAt: 0.8}, Input{Reading: reading(174_449, 200_000)}, Compact, pith.ReasonTokens70, "87.2 % of 200,000 (reported) >= 80 %"},
		{"over the window", Policy{}, Input{Reading: reading(300_000, 200_000)}, Block, pith.ReasonTokens80, "150.0 %"},
		{"own fractions", Policy{WarnAt: 0.1, CompactAt: 0.2, BlockAt: 0.3}, Input{Reading: reading(50_000, 200_000)}, Compact, pith.ReasonTokens70, "25.0 % of 200,000 (reported) >= 20 %"},
		{"fill rules off", Policy{WarnAt: -1, CompactAt: -1, BlockAt: -1}, Input{Reading: reading(190_000, 200_000)}, None, "", ""},
		{"block off", Policy{BlockAt: -1}, Input{Reading: reading(190_000, 200_000)}, Compact, pith.ReasonTokens70, ""},
		{"not a number", Policy{CompactAt: math.NaN()}, Input{Reading: reading(142_400, 200_000)}, Compact, pith.ReasonTokens70, ">= 70 %"},

		{"absolute", Policy{CompactTokens: 150_000}, Input{Reading: reading(152_000, 1_000_000)}, Compact, pith.ReasonTokens70, "152,000 tokens (reported) >= 150,000"},
		{"absolute off by default", Policy{}, Input{Reading: reading(152_000, 1_000_000)}, None, "", ""},
		{"unknown window, small", Policy{}, Input{Reading: reading(100_000, 0)}, None, "", "100,000 tokens (reported); window unknown"},
		{"unknown window, large", Policy{}, Input{Reading: reading(150_000, 0)}, Compact, pith.ReasonTokens70, "window unknown: only sizes, turns and events count"},
		{"unknown window, absolute off", Policy{CompactTokens: -1}, Input{Reading: reading(990_000, 0)}, None, "", ""},
		{"unknown window, turns", Policy{}, Input{Reading: reading(10_000, 0), Turn: 40}, Compact, pith.ReasonTurns, "window unknown"},

		{"output does not fit", Policy{}, Input{Reading: reserve(reading(5000, 8192), 4096)}, Compact, pith.ReasonTokens70, "5,000 (reported) + 4,096 in reserve for output and error > 8,192"},
		{"output just fits", Policy{}, Input{Reading: reserve(reading(4096, 8192), 4096)}, None, "", ""},

		{"turns, half full", Policy{}, Input{Reading: reading(100_000, 200_000), Turn: 40}, Compact, pith.ReasonTurns, "40 turns since the last compaction >= 40; 50.0 % of 200,000"},
		{"turns, nearly empty", Policy{StageTurns: -1}, Input{Reading: reading(99_000, 200_000), Turn: 400}, None, "", ""},
		{"turns off", Policy{Turns: -1, StageTurns: -1}, Input{Reading: reading(100_000, 200_000), Turn: 400}, None, "", ""},
		{"15 turns", Policy{}, Input{Reading: reading(1000, 200_000), Turn: 15}, Stage, pith.ReasonTurns, "15 turns since output was last staged >= 15"},
		{"14 turns", Policy{}, Input{Reading: reading(1000, 200_000), Turn: 14}, None, "", ""},

		{"three failures", Policy{}, Input{Reading: reading(1000, 200_000), FailureRun: 3, FailureClass: "go build: undefined"}, Compact, pith.ReasonErrorLoop, "3 failures of the same class in a row (go build: undefined) >= 3"},
		{"two failures", Policy{}, Input{Reading: reading(1000, 200_000), FailureRun: 2}, None, "", ""},
		{"failures off", Policy{Failures: -1}, Input{Reading: reading(1000, 200_000), FailureRun: 99}, None, "", ""},
		{"phase", Policy{}, Input{Reading: reading(70_000, 200_000), Phase: "research"}, Compact, pith.ReasonPhase, `the phase "research" ended; 35.0 %`},
		{"phase, nothing to gain", Policy{}, Input{Reading: reading(7000, 200_000), Phase: "research"}, None, "", ""},
		{"phase, always", Policy{PhaseFill: -1}, Input{Reading: reading(7000, 200_000), Phase: "research"}, Compact, pith.ReasonPhase, ""},
		{"delegation", Policy{}, Input{Reading: reading(7000, 200_000), Delegation: "tester"}, Compact, pith.ReasonDelegation, "delegated to tester"},
		{"resume", Policy{}, Input{Reading: reading(7000, 200_000), Resumed: true}, Compact, pith.ReasonResume, "resumed"},
		{"manual", Policy{CompactAt: -1}, Input{Reading: reading(10, 200_000), UserText: "please @compact now"}, Compact, pith.ReasonManual, "the user asked for it"},
		{"block before events", Policy{}, Input{Reading: reading(170_000, 200_000), FailureRun: 3}, Block, pith.ReasonTokens80, ""},
	} {
		d := x.policy.Decide(x.in)
		if d.Action != x.action || d.Reason != x.reason || !strings.Contains(d.Text, x.text) {
			t.Errorf("%s: %s %q %q, want %s %q with %q", x.name, d.Action, d.Reason, d.Text, x.action, x.reason, x.text)
		}
		if d.Text == "" {
			t.Errorf("%s: a decision without its numbers", x.name)
		}
	}
}

func TestAsked(t *testing.T) {
	for text, want := range map[string]bool{
		"@compact": true, "@compact-memory": true, "do it\n@compact\n": true, "please @compact.": true, "now @compact, then go on": true,
		"@compact-memory!": true, "(see) @compact)": true, "@compact?!": true,
		"": false, "compact": false, "me@compact": false, "me@compact.com": false, "@compact.com": false, "@compacted": false, "@compact-memories": false,
		"@compact-": false, "@compact/x": false, "the `@compact` command": false, "run ` @compact ` here": false, "```\n @compact \n```": false,
		"```\nx\n```\n@compact": true, "a ` tick\n@compact": true, "say \"@compact\"": false, "@compacted @compact": true, "@COMPACT": false,
	} {
		if got := Asked(text); got != want {
			t.Errorf("Asked(%q) = %t, want %t", text, got, want)
		}
	}
	Asked("`" + strings.Repeat(" @compact", 200_000)) // would take minutes if it were quadratic
}

// The system prompt and the tools alone are over the threshold: to compact two
// short messages changes nothing.
func TestIrreduciblePrefix(t *testing.T) {
	in := Input{Reading: reading(1960, 2000)}
	in.Reading.Parts = meter.Breakdown{System: 1700, Tools: 230, Messages: 30}
	var s State
	for turn := range 5 {
		in.Turn = turn + 1
		d := Policy{}.Next(&s, in)
		if d.Action != CannotReduce || d.Compacts() || d.Parts != in.Reading.Parts {
			t.Fatalf("turn %d: %+v", turn, d)
		}
		for _, want := range []string{"cannot reduce below the threshold of 1,400", "system 1,700", "tools 230", "messages 30"} {
			if !strings.Contains(d.Text, want) {
				t.Errorf("%q lacks %q", d.Text, want)
			}
		}
	}
	in.UserText = "@compact"
	if d := (Policy{}).Next(&s, in); d.Action != Compact {
		t.Errorf("a user who asks is not refused: %+v", d)
	}
}

func TestHysteresis(t *testing.T) {
	var p Policy
	var s State
	next := func(turn int, used pith.Tokens) Decision {
		return p.Next(&s, Input{Turn: turn, Reading: reading(used, 100_000)})
	}
	if d := next(1, 75_000); d.Action != Compact {
		t.Fatalf("%+v", d)
	}
	if d := next(1, 75_000); d.Action != Compact {
		t.Fatalf("a compaction that nobody made stays due: %+v", d)
	}
	s.Compacted(reading(73_000, 100_000))
	for _, used := range []pith.Tokens{73_000, 79_000, 82_999} {
		if d := next(2, used); d.Action != CannotReduce || !strings.Contains(d.Text, "took 75,000 to 73,000") {
			t.Errorf("%d after a compaction to 73000: %+v", used, d)
		}
	}
	if d := next(3, 83_000); d.Action != Block {
		t.Errorf("grown by a tenth of the window: %+v", d)
	}
	s.Compacted(reading(20_000, 100_000))
	if d := next(4, 20_500); d.Action != None {
		t.Errorf("after a good compaction: %+v", d)
	}
	if d := next(5, 71_000); d.Action != Compact {
		t.Errorf("full again after a good compaction: %+v", d)
	}
}

// After a compaction the first reading is an estimate without the client's
// fixed prompt; the first reported one says where the context really stands.
func TestProvisionalSize(t *testing.T) {
	var p Policy
	var s State
	p.Next(&s, Input{Turn: 1, Reading: reading(75_000, 100_000)})
	after := reading(4000, 100_000)
	after.Reported, after.Basis = 0, meter.Estimated
	s.Compacted(after)
	if d := p.Next(&s, Input{Turn: 2, Reading: reading(72_000, 100_000)}); d.Action != CannotReduce {
		t.Errorf("the fixed prompt fills the window: %+v", d)
	}
	if d := p.Next(&s, Input{Turn: 3, Reading: reading(82_001, 100_000)}); d.Action != Block {
		t.Errorf("%+v", d)
	}
}

func TestAFailureRunIsCompactedForOnce(t *testing.T) {
	p := Policy{Growth: -1}
	var s State
	want := map[int]bool{3: true, 6: true, 9: true}
	for run := 1; run <= 9; run++ {
		in := Input{Turn: run, Reading: reading(1000, 100_000), FailureRun: run}
		d := p.Next(&s, in)
		if d.Compacts() != want[run] {
			t.Errorf("run of %d: %+v", run, d)
		}
		if d.Compacts() {
			s.Compacted(reading(500, 100_000))
		}
	}
	p.Next(&s, Input{Turn: 10, Reading: reading(1000, 100_000)})
	if d := p.Next(&s, Input{Turn: 13, Reading: reading(1000, 100_000), FailureRun: 3}); d.Reason != pith.ReasonErrorLoop {
		t.Errorf("another run: %+v", d)
	}
}

func TestStagingIsSaidOnce(t *testing.T) {
	var p Policy
	var s State
	staged := []int{}
	for turn := 1; turn <= 30; turn++ {
		if d := p.Next(&s, Input{Turn: turn, Reading: reading(61_000, 100_000)}); d.Action == Stage {
			staged = append(staged, turn)
		}
	}
	if len(staged) != 2 || staged[0] != 1 || staged[1] != 16 {
		t.Errorf("staged at turns %v, want 1 and 16", staged)
	}
}

func TestStateSurvivesAProcess(t *testing.T) {
	var p Policy
	var s State
	p.Next(&s, Input{Turn: 7, Reading: reading(75_000, 100_000), FailureRun: 3})
	s.Compacted(reading(74_000, 100_000))
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again State
	if err := json.Unmarshal(b, &again); err != nil || again != s {
		t.Errorf("%+v, %v; want %+v", again, err, s)
	}
	b, err = json.Marshal(p.Next(&again, Input{Turn: 8, Reading: reading(75_000, 100_000)}))
	if err != nil || !strings.Contains(string(b), `"action":"cannot_reduce"`) {
		t.Errorf("%s, %v", b, err)
	}
}
