package trigger

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// strength orders the actions; what cannot help is as urgent as a compaction.
var strength = map[Action]int{None: 0, Stage: 1, CannotReduce: 2, Compact: 3, Block: 4}

func anyPolicy(t *rapid.T) Policy {
	fraction := rapid.Float64Range(-0.2, 1.2)
	return Policy{
		WarnAt: fraction.Draw(t, "warn"), CompactAt: fraction.Draw(t, "compact"), BlockAt: fraction.Draw(t, "block"),
		CompactTokens: pith.Tokens(rapid.IntRange(-1, 300_000).Draw(t, "tokens")),
		Turns:         rapid.IntRange(-1, 60).Draw(t, "turns"), MinFill: fraction.Draw(t, "minfill"),
		StageTurns: rapid.IntRange(-1, 30).Draw(t, "stage"), PhaseFill: fraction.Draw(t, "phase"),
		Failures: rapid.IntRange(-1, 5).Draw(t, "failures"), MinGain: rapid.Float64Range(0, 0.5).Draw(t, "gain"),
		Growth: rapid.Float64Range(0, 0.3).Draw(t, "growth"),
	}
}

// A fuller window never gets a weaker decision.
func TestMonotoneInFill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy(t)
		window := rapid.SampledFrom([]int{0, 8000, 200_000, 1_000_000}).Draw(t, "window")
		var s State
		if rapid.Bool().Draw(t, "compacted") {
			s.see(Input{Turn: 3, Reading: reading(90_000, window)})
			s.Compacted(reading(pith.Tokens(rapid.IntRange(1, 90_000).Draw(t, "after")), window))
		}
		in := Input{
			Turn:       rapid.IntRange(3, 100).Draw(t, "turn"),
			FailureRun: rapid.IntRange(0, 6).Draw(t, "run"),
			Phase:      rapid.SampledFrom([]string{"", "research"}).Draw(t, "ended"),
		}
		at := func(used int) Decision {
			state, x := s, in
			x.Reading = reading(pith.Tokens(used), window)
			x.Reading.Reserve = 4096
			return p.Next(&state, x)
		}
		less := rapid.IntRange(0, 300_000).Draw(t, "less")
		more := less + rapid.IntRange(0, 300_000).Draw(t, "more")
		if a, b := at(less), at(more); strength[a.Action] > strength[b.Action] {
			t.Fatalf("%d: %s (%s); %d: %s (%s)", less, a.Action, a.Text, more, b.Action, b.Text)
		}
	})
}

// A session that is compacted whenever the policy says so, well or badly, is
// never compacted twice without having grown in between.
func TestNeverLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy(t)
		window := rapid.SampledFrom([]int{0, 8000, 200_000}).Draw(t, "window")
		var s State
		used, compactions, grown := 1000, 0, 0
		sinceLast := 0
		for turn := 1; turn <= 200; turn++ {
			grow := 0
			if rapid.Bool().Draw(t, "grows") {
				grow = rapid.IntRange(0, 20_000).Draw(t, "by")
			}
			used += grow
			grown += grow
			sinceLast += grow
			d := p.Next(&s, Input{Turn: turn, Reading: reading(pith.Tokens(used), window), FailureRun: turn % 7, Phase: "x"})
			if !d.Compacts() {
				continue
			}
			if compactions > 0 && sinceLast == 0 {
				t.Fatalf("turn %d: compacted again at %d without any growth: %s", turn, used, d.Text)
			}
			compactions++
			sinceLast = 0
			// From a compaction that frees nothing to one that frees nearly all.
			used -= used * rapid.IntRange(0, 95).Draw(t, "freed") / 100
			s.Compacted(reading(pith.Tokens(used), window))
		}
	})
}

// A context that stays as it is is compacted at most once.
func TestAStillContextIsCompactedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy(t)
		window := rapid.SampledFrom([]int{0, 8000, 200_000}).Draw(t, "window")
		used := pith.Tokens(rapid.IntRange(1, 300_000).Draw(t, "used"))
		var s State
		compactions := 0
		for turn := 1; turn <= 100; turn++ {
			d := p.Next(&s, Input{Turn: turn, Reading: reading(used, window), FailureRun: turn, Phase: "x"})
			if d.Compacts() {
				compactions++
				s.Compacted(reading(used, window)) // freed nothing
			}
		}
		if compactions > 1 {
			t.Fatalf("%d compactions of a context that stayed at %d", compactions, used)
		}
	})
}

func TestDecideIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy(t)
		in := Input{Turn: rapid.Int().Draw(t, "turn"), FailureRun: rapid.Int().Draw(t, "run"), UserText: rapid.String().Draw(t, "text"),
			Reading: meter.Reading{Used: pith.Tokens(rapid.Int().Draw(t, "used")), Window: rapid.Int().Draw(t, "window"), Fraction: rapid.Float64().Draw(t, "f"), Reserve: pith.Tokens(rapid.Int().Draw(t, "reserve"))}}
		if a, b := p.Decide(in), p.Decide(in); a != b || a.Text == "" {
			t.Fatalf("%+v, then %+v", a, b)
		}
	})
}
