package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// planSlot follows a plan: the file it was written to, and whether the user
// approved it.
type planSlot struct {
	path     string
	approved bool
	at       pith.Source
	// fresh is set while the plan was written or shown and no request followed.
	fresh bool
}

func (p *planSlot) call(c *Call) {
	if c.Use.ToolName == "ExitPlanMode" || c.Use.ToolName == "exit_plan_mode" {
		p.exit(c)
		return
	}
	if !c.OK() || c.Command != "" {
		return
	}
	name := strings.ToLower(c.Use.ToolName)
	path := c.Use.Arg("file_path", "path", "filePath", "filename")
	if !strings.Contains(name, "write") && !strings.Contains(name, "create") || !isPlanPath(path) {
		return
	}
	p.path, p.approved, p.at, p.fresh = path, false, c.At, true
}

// isPlanPath: a document with "plan" in its name or in its folder's.
func isPlanPath(path string) bool {
	lower := strings.ToLower(path)
	if !strings.HasSuffix(lower, ".md") && !strings.HasSuffix(lower, ".txt") {
		return false
	}
	parts := strings.FieldsFunc(lower, func(r rune) bool { return r == '/' || r == '\\' })
	for _, s := range parts[max(0, len(parts)-2):] {
		if strings.Contains(s, "plan") && !strings.Contains(s, "explan") && !strings.Contains(s, "plane") {
			return true
		}
	}
	return false
}

// exit reads the user's answer to a plan that was shown: the client's own
// sentence says whether it was approved, and where it was saved.
func (p *planSlot) exit(c *Call) {
	if c.Result.IsError || c.Result.Rejected {
		p.approved = false
		return
	}
	p.approved, p.at, p.fresh = true, c.ResultAt, false
	const saved = "Your plan has been saved to: "
	if i := strings.Index(c.Result.Text, saved); i >= 0 {
		line, _, _ := strings.Cut(c.Result.Text[i+len(saved):], "\n")
		p.path = strings.TrimSpace(line)
	}
}

// user reads a reply to a fresh plan: "Plan approved, go."
func (p *planSlot) user(s *Said) {
	t := s.trimmed()
	if p.path == "" || p.approved || t.text == "" {
		return
	}
	lower := strings.ToLower(t.text)
	reply := len(t.text) <= maxReply && !strings.HasSuffix(lower, "?")
	if reply && (p.fresh && agrees(lower, true) || approvesPlan(lower)) {
		p.approved, p.at = true, t.at
	}
	p.fresh = false
}

// approvesPlan tells whether a reply names the plan and says yes to it.
func approvesPlan(lower string) bool {
	if !hasPhrase(lower, "plan") {
		return false
	}
	for _, p := range [...]string{"approved", "looks good", "lgtm", "implement"} {
		if hasPhrase(lower, p) {
			return true
		}
	}
	return false
}

func (p *planSlot) plan() *pith.Plan {
	if p.path == "" && !p.approved {
		return nil
	}
	return &pith.Plan{Path: p.path, Approved: p.approved, Source: p.at}
}
