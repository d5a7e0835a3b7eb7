package install

import (
	"encoding/json"
	"path/filepath"
	"slices"
)

// codex: its hooks, behind those that are there, because Codex knows hooks that
// a person agreed to by their place; the MCP server; and, where it is asked for,
// the agreement itself.
func (c *Config) codex(o Options, old *receipt) (*wanted, error) {
	list, err := c.filled("codex")
	if err != nil {
		return nil, err
	}
	w := &wanted{folder: c.folder(Codex, o)}
	hooks := wantedSettings{path: filepath.Join(w.folder, "hooks.json"), format: "json", within: c.bounds(o)}
	for _, p := range list {
		entries, err := entriesOf(p.data)
		if err != nil {
			return nil, err
		}
		hooks.entries = append(hooks.entries, entries...)
	}
	w.settings = append(w.settings, hooks)
	config := wantedSettings{path: filepath.Join(w.folder, "config.toml"), format: "toml", within: c.bounds(o)}
	if !o.NoMCP {
		config.entries = append(config.entries, Entry{Path: []string{"mcp_servers", "pith"}, Value: c.server()})
	}
	trust := o.Trust || hadBelow(old, "hooks", "state")
	w.later = func(after map[string][]byte) ([]wantedSettings, error) {
		if !trust {
			return []wantedSettings{config}, nil
		}
		agreed, err := codexAgreement(w.folder, after[hooks.path], hooks.entries)
		if o.Scope == Project { // Codex looks for it in its user's settings alone
			return []wantedSettings{config, {path: filepath.Join(c.Codex, "config.toml"), format: "toml", entries: agreed}}, err
		}
		config.entries = append(config.entries, agreed...)
		return []wantedSettings{config}, err
	}
	w.next = []string{"restart Codex"}
	if !trust {
		w.next = []string{
			"start codex once in a terminal: it shows the hooks of pith and asks whether they may run; until you agree it does not run them, and `codex exec` passes them over in silence",
			"`pith install codex --trust` writes that agreement down without the question",
		}
	}
	if o.Scope == Project {
		w.next = append(w.next, "Codex reads a project's settings where you trust the project")
	}
	return w, nil
}

// codexAgreement are the entries that say that pith's hooks may run.
func codexAgreement(folder string, hooks []byte, ours []Entry) ([]Entry, error) {
	plain, err := plainJSON(hooks)
	if err != nil {
		return nil, err
	}
	own := commandsOf(ours)
	list, err := codexTrust(filepath.Join(folder, "hooks.json"), plain, func(command string) bool { return slices.Contains(own, command) })
	var entries []Entry
	for _, t := range list {
		entries = append(entries, Entry{Path: []string{"hooks", "state", t.Key}, Value: value(map[string]string{"trusted_hash": t.Hash}), Polite: true})
	}
	return entries, err
}

// commandsOf are the commands of groups of hooks.
func commandsOf(entries []Entry) (list []string) {
	for _, e := range entries {
		var g codexGroup
		if json.Unmarshal(e.Value, &g) != nil {
			continue
		}
		for _, h := range g.Hooks {
			list = append(list, h.Command)
		}
	}
	return list
}

// hadBelow tells whether an installation put something below two names.
func hadBelow(old *receipt, outer, inner string) bool {
	if old == nil {
		return false
	}
	for _, f := range old.Files {
		for _, e := range f.Entries {
			if len(e.Path) > 2 && e.Path[0] == outer && e.Path[1] == inner {
				return true
			}
		}
	}
	return false
}
