package restore

import (
	"testing"

	"github.com/pith-memory/pith"
	"pgregory.net/rapid"
)

// What the tests outside the package need of those inside it.

// Planted is what was put into a history.
type Planted = planted

// Formats are those that a request body may have.
var Formats = formats

// Histories is histories.
func Histories(t *testing.T, few int) { histories(t, few) }

// History draws a history with meaning, and a way to let it go on.
func History(t *rapid.T, format pith.Format) (body []byte, p *Planted, more func() []any) {
	r := &randomSession{t: t, format: format, planted: &planted{Exits: map[string]Runs{}, commands: map[string]string{}}}
	body = r.history()
	return body, r.planted, func() []any {
		r.out = nil
		r.turn()
		r.turn()
		return r.out
	}
}

// Cut draws where to cut.
func Cut(t *rapid.T) ApplyOptions { return randomOptions(t) }

// Applied runs Apply and holds the result against the invariants.
func Applied(t *rapid.T, body []byte, block string, o ApplyOptions) (Result, error) {
	t.Logf("%+v\n%s", o, body)
	r, _, err := applied(t, body, block, o)
	return r, err
}
