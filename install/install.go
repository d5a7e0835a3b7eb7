// Package install sets pith up in coding agents, and takes it away again: the
// files that an agent gets and the few entries in its settings become changes
// that a person can look at first, and a receipt from which all is undone.
package install

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Config says what is installed and where.
type Config struct {
	// Pith is the program's absolute path, Version its version.
	Pith, Version string
	// Data is pith's own folder for data.
	Data string
	// Claude, Codex, OpenCode and Pi are the folders of the agents' settings.
	Claude, Codex, OpenCode, Pi string
}

// ClaudeCode is the first working installation.
func ClaudeCode(c Config) error {
	list, err := c.filled("claude-code")
	if err != nil {
		return err
	}
	market := filepath.Join(c.Data, "install", "claude-code")
	for _, p := range list {
		name := filepath.Join(market, filepath.FromSlash(p.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, p.data, 0o644); err != nil {
			return err
		}
	}
	settings := map[string]any{}
	file := filepath.Join(c.Claude, "settings.json")
	if data, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(data, &settings); err != nil {
			return err
		}
	}
	settings["extraKnownMarketplaces"] = map[string]any{"pith": map[string]any{"source": map[string]any{"source": "directory", "path": market}}}
	settings["enabledPlugins"] = map[string]any{"pith@pith": true}
	data, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Claude, 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
