package install

import (
	"bytes"
	"encoding/json"
	"path/filepath"
)

// claude: a marketplace in pith's own folder, from which Claude Code loads the
// plugin in place, and the two settings that name it. A project's settings are
// the local ones, because paths of one machine do not belong into a repository.
func (c *Config) claude(o Options, old *receipt) (*wanted, error) {
	list, err := c.filled("claude-code")
	if err != nil {
		return nil, err
	}
	market := filepath.Join(c.Data, "install", "claude-code")
	w := &wanted{folder: c.folder(ClaudeCode, o)}
	for _, p := range list {
		if o.NoMCP && filepath.Base(p.name) == ".mcp.json" {
			continue
		}
		w.files = append(w.files, wantedFile{place{filepath.Join(market, filepath.FromSlash(p.name)), c.Data, filepath.Join("install", "claude-code", filepath.FromSlash(p.name))}, p.data, true})
	}
	file := filepath.Join(w.folder, pick(o.Scope == Project, "settings.local.json", "settings.json"))
	source := value(map[string]any{"source": map[string]string{"source": "directory", "path": market}})
	s := wantedSettings{path: file, format: "json", within: c.bounds(o), entries: []Entry{
		{Path: []string{"extraKnownMarketplaces", "pith"}, Value: source},
		{Path: []string{"enabledPlugins", "pith@pith"}, Value: json.RawMessage("true"), Over: []json.RawMessage{json.RawMessage("false")}},
	}}
	line := []string{"statusLine"}
	if o.StatusLine || had(old, line) {
		command := value(map[string]string{"type": "command", "command": shellWord(c.Pith) + " statusline"})
		s.entries = append(s.entries, Entry{Path: line, Value: command, Polite: true})
	}
	w.settings = append(w.settings, s)
	w.next = []string{"restart Claude Code; `/pith:state` then shows what pith knows of the session"}
	if o.Scope == Project {
		w.next[0] = "restart Claude Code (2.1.197 and older: twice, they load a new plugin during their first session); `/pith:state` then shows what pith knows of the session"
	} else {
		w.settings = append(w.settings, c.knownMarket(market))
	}
	if !o.StatusLine && !had(old, line) {
		w.next = append(w.next, "`pith install claude-code --statusline` also shows how full the context is; where you have a status line, add the output of `"+shellWord(c.Pith)+" statusline` to it")
	}
	return w, nil
}

// knownMarket is what Claude Code itself writes down of a marketplace that it
// found in the settings. 2.1.197 does so during its first session and loads the
// plugin in the next; of one that is written down already it has the hooks from
// the beginning. It is for all projects, so a project's installation leaves it.
func (c *Config) knownMarket(market string) wantedSettings {
	known := value(map[string]any{
		"source":          map[string]string{"source": "directory", "path": market},
		"installLocation": market,
		lastUpdated:       "1970-01-01T00:00:00.000Z", // never, by Claude Code
	})
	return wantedSettings{path: filepath.Join(c.Claude, "plugins", "known_marketplaces.json"), format: "json", entries: []Entry{
		{Path: []string{"pith"}, Value: known, Polite: true, Apart: lastUpdated},
	}}
}

// lastUpdated is what Claude Code renews when it reads a marketplace again.
const lastUpdated = "lastUpdated"

// lax is what becomes of settings that are JSON with additions: seen in Claude
// Code 2.1.197, which says nothing, and 2.1.332, which says so.
const lax = " has comments or trailing commas; Claude Code loads nothing of such a file, so nothing in it is in effect until they are taken out"

// strict tells whether settings are JSON as the standard has it.
func strict(data []byte) bool {
	return json.Valid(bytes.TrimPrefix(data, []byte(byteOrderMark)))
}

// had tells whether an installation put something at a path.
func had(old *receipt, path []string) bool {
	if old == nil {
		return false
	}
	for i := range old.Files {
		if old.Files[i].entry(path, 0) != nil {
			return true
		}
	}
	return false
}
