package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/merge"
)

// largeSession is a session of about n bytes, with results as tools print them.
func largeSession(n int) []*pith.Message {
	var all []*pith.Message
	size := 0
	add := func(m *pith.Message) {
		m.Index = len(all)
		all = append(all, m)
		size += len(m.Blocks[0].Text)
	}
	for i := 0; size < n; i++ {
		add(assistant(fmt.Sprintf("Step %d: I look at module%d and why the refresh of the token store fails there.", i, i%97)))
		add(call("Bash", fmt.Sprintf("go test -run TestModule%d -count=%d ./internal/module%d", i, i%7, i%97)))
		var out strings.Builder
		for k := range 60 {
			fmt.Fprintf(&out, "internal/module%d/file%d.go:%d: cannot use value of type Store%d as Clock in call to refreshToken(ctx, %d)\n", i%97, k, k*i, k, i+k)
		}
		add(result(out.String()))
	}
	return all
}

// largeDraft has as many statements as a long session's, with claims of every kind.
func largeDraft() *compactor.Draft {
	d := &compactor.Draft{
		Task:         "Fix the refresh of the token store in all modules.",
		CurrentState: "The clock is injected into 41 modules. The refresh of module12 still fails in file7.go. Tests were run with -count=5.",
	}
	for i := range 20 {
		d.KeyDecisions = append(d.KeyDecisions, compactor.Decision{Decision: fmt.Sprintf("Inject a Clock into Store%d of internal/module%d/file%d.go", i, i, i), Reason: "the refresh of the token depends on the time"})
		d.EliminatedApproaches = append(d.EliminatedApproaches, compactor.Eliminated{Approach: fmt.Sprintf("A longer sleep in refreshToken of module%d", i), Reason: "it hides the failure"})
		d.NextSteps = append(d.NextSteps, fmt.Sprintf("Run `go test -run TestModule%d ./internal/module%d` again", i, i))
		d.OpenQuestions = append(d.OpenQuestions, fmt.Sprintf("Why does Store%d need %d calls?", i, i*3))
	}
	return d
}

func BenchmarkClaims(b *testing.B) {
	all := largeSession(4 << 20)
	d := largeDraft()
	size := 0
	for _, m := range all {
		size += len(m.Blocks[0].Text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		c := merge.NewClaims(d)
		for _, m := range all {
			c.Message(m)
		}
	}
}
