package redact

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith/redact/gate"
)

// What the gate asks for. The lower end of the interval is of all samples.
const (
	wantRecall    = 0.99
	wantRecallLow = 0.985
	wantBlind     = 0.95
	wantFalse     = 0.005
)

// row is what became of the samples of one kind.
type row struct {
	found, untouched, entropy gate.Share
	example                   string
}

// table runs over samples and keeps a row for each kind, in their order.
type table struct {
	kinds []string
	rows  map[string]*row
	all   row
}

func (t *table) row(kind string) *row {
	if t.rows == nil {
		t.rows = map[string]*row{}
	}
	if t.rows[kind] == nil {
		t.rows[kind] = &row{}
		t.kinds = append(t.kinds, kind)
	}
	return t.rows[kind]
}

// measure redacts one sample. Normalising is not at issue, so what is compared
// is normalised.
func (t *table) measure(s gate.Sample) {
	for i := range s.Parts {
		s.Parts[i], _ = Normalise(s.Parts[i])
	}
	text := s.Text()
	got := New().Text(text)
	control := gate.HighEntropy(text, "?")
	found, chance := true, true
	for _, secret := range s.Secrets() {
		found = found && gate.Gone(got, secret)
		chance = chance && gate.Gone(control, secret)
	}
	if len(s.Parts) == 1 {
		found, chance = got != text, control != text
	}
	whole := gate.Whole(got, s.Parts)
	r := t.row(s.Kind)
	for _, r := range []*row{r, &t.all} {
		r.found.Add(found)
		r.entropy.Add(chance)
		r.untouched.Add(whole)
	}
	if r.example == "" && (found != (len(s.Parts) > 1) || !whole) {
		r.example = text + "\n=>\n" + got
	}
}

func tabled(samples []gate.Sample) *table {
	t := &table{}
	for _, s := range samples {
		s.Parts = slices.Clone(s.Parts)
		t.measure(s)
	}
	return t
}

// log prints a line for each kind that is not as it should be, or for all with -v.
func (t *table) log(tb testing.TB, what string) {
	for _, kind := range t.kinds {
		r := t.rows[kind]
		tb.Logf("%-22s %-10s %4d/%4d  untouched %4d/%4d  entropy alone %4d", kind, what, r.found.Hit, r.found.Of, r.untouched.Hit, r.untouched.Of, r.entropy.Hit)
		if r.example != "" && os.Getenv("PITH_GATE") != "" {
			tb.Logf("  %s", strings.ReplaceAll(r.example, "\n", "\n  "))
		}
	}
	low, high := t.all.found.Interval()
	tb.Logf("all: %s %d/%d = %.4f [%.4f, %.4f], untouched but for the secrets %d/%d, entropy alone %.4f", what,
		t.all.found.Hit, t.all.found.Of, t.all.found.Rate(), low, high, t.all.untouched.Hit, t.all.untouched.Of, t.all.entropy.Rate())
}

func TestGatePositives(t *testing.T) {
	m := tabled(gate.Positives())
	m.log(t, "found")
	if len(m.kinds) < 40 {
		t.Errorf("only %d kinds", len(m.kinds))
	}
	if low, _ := m.all.found.Interval(); m.all.found.Rate() < wantRecall || low < wantRecallLow {
		t.Errorf("recall %.4f", m.all.found.Rate())
	}
}

func TestGateBlind(t *testing.T) {
	m := tabled(gate.Blind())
	m.log(t, "found")
	if m.all.found.Rate() < wantBlind {
		t.Errorf("recall of what was written blind %.4f", m.all.found.Rate())
	}
}

func TestGateNegatives(t *testing.T) {
	m := tabled(gate.Negatives())
	m.log(t, "changed")
	if len(m.kinds) < 28 {
		t.Errorf("only %d kinds", len(m.kinds))
	}
	if m.all.found.Rate() > wantFalse {
		t.Errorf("false positives %.4f", m.all.found.Rate())
	}
}

func TestGateBeside(t *testing.T) {
	m := tabled(gate.Beside())
	m.log(t, "found")
	if m.all.found.Rate() < wantRecall {
		t.Errorf("recall beside what must stay %.4f", m.all.found.Rate())
	}
	if m.all.untouched.Hit != m.all.untouched.Of {
		t.Errorf("%d texts are damaged", m.all.untouched.Of-m.all.untouched.Hit)
	}
}
