package install_test

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// TestRealClaudeCommands types pith's commands. The newer version answers them
// without a request to a model; the older one asks it to show what pith said.
func TestRealClaudeCommands(t *testing.T) {
	t.Parallel()
	for _, version := range claudeVersions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := &script{}
			r := newClaude(t, s)
			p := plant(r)
			s.then(p.turns(r, 30_000)[:3]...)
			s.then(providertest.Say("Done so far."))
			r.valid(r.claude(version, "-p", p.Prompt))
			ask := func(prompt string) string {
				n := len(s.Main())
				res := r.valid(r.claude(version, "--continue", "--permission-mode", "default", "-p", prompt))
				main := s.Main()
				if version == "current" {
					if len(main) != n {
						t.Errorf("%s asked a model", prompt)
					}
					return res.Out
				}
				if len(main) == n {
					t.Fatalf("%s said %q", prompt, res.Out)
				}
				return spoken(&main[len(main)-1])
			}
			if text := ask("/pith:state"); !strings.Contains(text, "sh check/alpha.sh") || !strings.Contains(text, "Unresolved failures") {
				t.Errorf("the state is\n%s", text)
			}
			pinned := "It's $(the) `rule`; call \"Ann\""
			if version == "classic" {
				s.then(quoted(r, "pin", "--session "+r.session(), pinned), providertest.Say("Pinned."))
			}
			if text := ask("/pith:pin " + pinned); !strings.Contains(text, "pinned as 1") {
				t.Errorf("pinned:\n%s", text)
			}
			if out := r.pith("show", "--view", "state").Out; !strings.Contains(out, `It's $(the) `+"`rule`"+`; call \"Ann\"`) {
				t.Errorf("the pin is not in the state:\n%s", out)
			}
			if version == "classic" {
				s.then(quoted(r, "recall", "--session "+r.session()+" --search", "cannot"), providertest.Say("There."))
			}
			if text := ask("/pith:recall cannot go on"); !strings.Contains(text, "check alpha: cannot go on") {
				t.Errorf("recalled:\n%s", text)
			}
			if text := ask("/pith:compact keep the port"); version == "classic" && (!strings.Contains(text, "keeps a checkpoint") || !strings.Contains(text, "/compact keep the port")) {
				t.Errorf("compact:\n%s", text)
			}
		})
	}
}

// quoted is a call of pith as a model writes it after a command's words.
func quoted(r *rig, command, flags, text string) providertest.Answer {
	return bash(pithPath(r.t) + " " + command + " " + flags + " '" + strings.ReplaceAll(text, "'", `'\''`) + "'")
}

// session is the one that was stored last.
func (r *rig) session() string {
	r.t.Helper()
	_, rest, _ := strings.Cut(r.pith("sessions", "--json").Out, `"session_id":`)
	return strings.Split(rest, `"`)[1]
}
