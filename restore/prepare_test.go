package restore

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"pgregory.net/rapid"
)

// A draft gives the same block as a render of the state under each id that it
// is given, whatever the budget made it leave out before.
func TestDraftFollowsTheID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &pith.State{Goal: pith.Goal{Text: "Mend the parser."}}
		for range rapid.IntRange(0, 60).Draw(t, "messages") {
			text := rapid.SampledFrom([]string{"then go on", strings.Repeat("and look at every case of it, ", 12), "x"}).Draw(t, "text")
			s.Goal.Amendments = append(s.Goal.Amendments, pith.Amendment{Text: text})
		}
		o := Options{Budget: pith.Tokens(rapid.IntRange(100, 700).Draw(t, "budget"))}
		draft := Prepare(s, o)
		for _, id := range []string{"", strings.Repeat("0f", 32), "", strings.Repeat("a7", 32)} {
			s.Checkpoint.ID = id
			if got, want := draft.Block(), Render(s, o); !reflect.DeepEqual(got, want) {
				t.Fatalf("under the id %q the draft gives\n%s\nand a render\n%s", id, got.Text, want.Text)
			}
		}
	})
}
