package install

import (
	"os"
	"os/exec"
	"slices"
)

// Standing is what is known of an agent on this machine.
type Standing struct {
	Agent Agent `json:"agent"`
	// Program is the agent's own, "" where it is not found.
	Program string `json:"program,omitempty"`
	// Folder has its settings; Settled is set where there is one.
	Folder  string `json:"folder"`
	Settled bool   `json:"settings_found"`
	// Installed are the places where pith is.
	Installed []Installed `json:"installed"`
}

// Installed is one installation of pith.
type Installed struct {
	Scope   Scope  `json:"scope"`
	Folder  string `json:"folder"`
	Version string `json:"pith_version"`
}

// programs are the agents' commands.
var programs = map[Agent]string{ClaudeCode: "claude", Codex: "codex", OpenCode: "opencode", Pi: "pi"}

// Survey tells which agents there are and where pith is installed.
func (c *Config) Survey() []Standing {
	receipts := c.allReceipts()
	var list []Standing
	for _, agent := range append(Agents(), MCP) {
		s := Standing{Agent: agent, Folder: c.folder(agent, Options{Scope: User}), Installed: []Installed{}}
		if name := programs[agent]; name != "" {
			s.Program, _ = exec.LookPath(name) // "" where it is not there
		}
		if info, err := os.Stat(s.Folder); err == nil && s.Folder != "" {
			s.Settled = info.IsDir()
		}
		for _, r := range receipts {
			if r.Agent == agent {
				s.Installed = append(s.Installed, Installed{r.Scope, r.Folder, r.Release})
			}
		}
		slices.SortFunc(s.Installed, func(a, b Installed) int { return slices.Compare([]string{a.Folder}, []string{b.Folder}) })
		if agent != MCP || len(s.Installed) > 0 {
			list = append(list, s)
		}
	}
	return list
}
