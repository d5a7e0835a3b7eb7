package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// TestRealClaudeMarketplace takes the plugin from the repository itself, with
// Claude Code's own commands: pith is found on the PATH.
func TestRealClaudeMarketplace(t *testing.T) {
	t.Parallel()
	for _, version := range claudeVersions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := &script{Summary: "<summary>Some work was done.</summary>"}
			r := newRig(t, s)
			r.Env = append(r.Env, smallWindow, "PATH="+filepath.Dir(pithPath(t))+string(os.PathListSeparator)+r.path())
			checkout := filepath.Join(r.Home, "checkout")
			for _, part := range []string{".claude-plugin", "install/claude-code/plugin"} {
				if err := os.CopyFS(filepath.Join(checkout, filepath.FromSlash(part)), os.DirFS(filepath.Join("..", filepath.FromSlash(part)))); err != nil {
					t.Fatal(err)
				}
			}
			for _, args := range [][]string{{"plugin", "marketplace", "add", checkout}, {"plugin", "install", "pith@pith"}} {
				if res := r.run("", append([]string{r.agent(version + "/claude")}, args...)...); res.Code != 0 {
					t.Fatalf("claude %s: %+v", strings.Join(args, " "), res)
				}
			}
			p := plant(r)
			s.then(p.turns(r, full)...)
			s.then(fill(20_000), providertest.Say("All is done."))
			r.valid(r.claude(version, "-p", p.Prompt))
			_, requests := behind(t, s.Main())
			if lost := p.missing(spoken(&requests[0])); len(lost) > 0 {
				t.Errorf("lost %q", lost)
			}
			if own := version == "current"; own != (s.Summaries() == 0) {
				t.Errorf("%d requests for a summary", s.Summaries())
			}
		})
	}
}

// path is the PATH of the rig's programs.
func (r *rig) path() string {
	for _, e := range r.environment() {
		if p, ok := strings.CutPrefix(e, "PATH="); ok {
			return p
		}
	}
	return ""
}
