package install

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// openCode: a plugin file, and the MCP server in the settings.
func (c *Config) openCode(o Options, _ *receipt) (*wanted, error) {
	w, err := c.plugin(OpenCode, o, "plugin")
	if err != nil || o.NoMCP {
		return w, err
	}
	folder := pick(o.Scope == Project, c.Project, w.folder)
	file := filepath.Join(folder, "opencode.json")
	if other := filepath.Join(folder, "opencode.jsonc"); !isThere(file) && isThere(other) {
		file = other
	}
	server := json.RawMessage(`{"type":"local","command":[` + string(quoted(c.Pith)) + `,"mcp"],"enabled":true}`)
	w.settings = append(w.settings, wantedSettings{path: file, format: "json", within: c.bounds(o), entries: []Entry{{Path: []string{"mcp", "pith"}, Value: server}}})
	return w, nil
}

// plugin is what an agent gets that loads whatever lies in a folder.
func (c *Config) plugin(agent Agent, o Options, folder string) (*wanted, error) {
	list, err := c.filled(string(agent))
	if err != nil {
		return nil, err
	}
	w := &wanted{folder: c.folder(agent, o), next: []string{"restart " + string(agent)}}
	for _, p := range list {
		w.files = append(w.files, wantedFile{c.pluginPlace(agent, o, folder+"/"+p.name), p.data, false})
	}
	return w, nil
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
