package install_test

import (
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

func TestRealClaudeRuns(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"current", "classic"} {
		t.Run(version, func(t *testing.T) {
			s := &script{Turns: []providertest.Answer{providertest.Use("Bash", `{"command":"echo one; exit 3","description":"d"}`), providertest.Say("Done.")}}
			r := newRig(t, s)
			res := r.claude(version, "-p", "go")
			if res.Code != 0 || len(s.Main()) != 2 || len(r.Server.Problems()) > 0 {
				t.Fatalf("%+v\n%d requests\n%q", res, len(s.Main()), r.Server.Problems())
			}
		})
	}
}
