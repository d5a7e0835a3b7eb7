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
			r.fromMarket(version)
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

// fromMarket has Claude Code take the plugin from a copy of the repository.
func (r *rig) fromMarket(version string) {
	r.t.Helper()
	checkout := filepath.Join(r.Home, "checkout")
	for _, part := range []string{".claude-plugin", "install/claude-code/plugin"} {
		if err := os.CopyFS(filepath.Join(checkout, filepath.FromSlash(part)), os.DirFS(filepath.Join("..", filepath.FromSlash(part)))); err != nil {
			r.t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"plugin", "marketplace", "add", checkout}, {"plugin", "install", "pith@pith"}} {
		if res := r.run("", append([]string{r.agent(version + "/claude")}, args...)...); res.Code != 0 {
			r.t.Fatalf("claude %s: %+v", strings.Join(args, " "), res)
		}
	}
}

// TestRealClaudeMarketplaceAlone has the plugin where there is no pith: every hook
// ends with 127, of which the model is told nothing and a person one line.
func TestRealClaudeMarketplaceAlone(t *testing.T) {
	t.Parallel()
	for _, version := range claudeVersions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := &script{Summary: "<summary>Some work was done.</summary>"}
			r := newRig(t, s)
			r.Env = append(r.Env, smallWindow)
			r.fromMarket(version)
			turns := plant(r).turns(r, full)
			s.then(append(turns[len(turns)-6:], fill(20_000), providertest.Say("All is done."))...)
			res := r.valid(r.claude(version, "-p", "Keep port 8123."))
			if strings.TrimSpace(res.Out) != "All is done." || strings.Count(res.Err, "pith: not found") > 1 || s.Summaries() != 1 {
				t.Errorf("%d requests for a summary: %+v", s.Summaries(), res)
			}
			for _, q := range s.Main() {
				if text := spoken(&q); strings.Contains(text, "pith: not found") || strings.Contains(text, "pith hook") {
					t.Errorf("request %d tells of hooks that failed:\n%s", q.N, text)
				}
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
