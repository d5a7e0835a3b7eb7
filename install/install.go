// Package install sets pith up in coding agents, and takes it away again: the
// files that an agent gets and the few entries in its settings become changes
// that a person can look at first, and a receipt from which all is undone.
//
// Where a thing is found:
//
//	what each agent gets        claude.go, codex.go, opencode.go, pi.go, mcp.go, embed.go
//	what is to be done          plan.go (install), undo.go (uninstall), receipt.go, diff.go
//	settings, byte for byte     jsonc.go, edit.go, layout.go, takeout.go, toml.go
//	files, all or none          files.go, lock_unix.go
//	whether it works            doctor.go and those beside it
package install

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/pith-memory/pith"
)

// Agent names what pith is installed into.
type Agent string

// The agents. MCP is any client of the Model Context Protocol.
const (
	ClaudeCode Agent = "claude-code"
	Codex      Agent = "codex"
	OpenCode   Agent = "opencode"
	Pi         Agent = "pi"
	MCP        Agent = "mcp"
)

// Agents lists them, without MCP.
func Agents() []Agent { return []Agent{ClaudeCode, Codex, OpenCode, Pi} }

// Scope says for whom pith is installed.
type Scope string

// The scopes: all of a person's work, or one project.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Config says what is installed and where.
type Config struct {
	// Pith is the program's absolute path, Version its version.
	Pith, Version string
	// Data is pith's own folder for data.
	Data string
	// Claude, Codex, OpenCode and Pi are the folders of the agents' settings.
	Claude, Codex, OpenCode, Pi string
	// Project is the folder of the project, for that scope.
	Project string
}

// Options are what a person can choose.
type Options struct {
	Scope Scope
	// StatusLine puts pith's line into Claude Code, where there is none.
	StatusLine bool
	// NoMCP leaves the MCP server out of the settings.
	NoMCP bool
	// Trust writes down for Codex that its hooks of pith may run.
	Trust bool
	// File is the settings file of a client of MCP.
	File string
}

// wanted is what an agent is to have.
type wanted struct {
	// folder tells this installation from others of the same agent.
	folder   string
	files    []wantedFile
	settings []wantedSettings
	// later gives more settings, which follow from what the first became.
	later func(after map[string][]byte) ([]wantedSettings, error)
	next  []string
}

type wantedFile struct {
	place
	data []byte
	own  bool
}

type wantedSettings struct {
	path   string
	format string
	// within is the folder that a link must not lead out of, "" for any.
	within  string
	entries []Entry
}

// agents say what each is to have.
var agents = map[Agent]func(*Config, Options, *receipt) (*wanted, error){
	ClaudeCode: (*Config).claude,
	Codex:      (*Config).codex,
	OpenCode:   (*Config).openCode,
	Pi:         (*Config).pi,
	MCP:        (*Config).mcp,
}

// folder is where an agent's settings are, in a scope.
func (c *Config) folder(agent Agent, o Options) string {
	project := o.Scope == Project
	switch agent {
	case ClaudeCode:
		return pick(project, filepath.Join(c.Project, ".claude"), c.Claude)
	case Codex:
		return pick(project, filepath.Join(c.Project, ".codex"), c.Codex)
	case OpenCode:
		return pick(project, filepath.Join(c.Project, ".opencode"), c.OpenCode)
	case Pi:
		return pick(project, filepath.Join(c.Project, ".pi"), c.Pi)
	}
	return o.File
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// bounds is the folder that nothing may lead out of, "" for any.
func (c *Config) bounds(o Options) string {
	return pick(o.Scope == Project, c.Project, "")
}

// pluginPlace is the place of a file that is pith's whole, in the folder of an
// agent's settings.
func (c *Config) pluginPlace(agent Agent, o Options, name string) place {
	root := c.folder(agent, o)
	shown := filepath.Join(root, name)
	if o.Scope == Project {
		rel, _ := filepath.Rel(c.Project, shown) // it is below by how it is made
		return place{shown, c.Project, rel}
	}
	return place{shown, root, filepath.FromSlash(name)}
}

// value is a value of ours as JSON, its keys in order.
func value(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic("install: " + err.Error()) // only strings and lists are given
	}
	return data
}

func unknown(agent Agent) error {
	return &pith.Error{Kind: pith.KindUsage, Err: fmt.Errorf("unknown agent %q", agent), Hint: "agents: claude-code, codex, opencode, pi, and mcp for any client of MCP"}
}
