package install

import (
	"encoding/json"
	"errors"

	"github.com/tailscale/hujson"

	"github.com/pith-memory/pith"
)

var (
	errNoFile  = errors.New("no settings file is named")
	errNothing = errors.New("nothing of pith is there")
)

// Snippet is what most clients of MCP want in their settings.
func (c *Config) Snippet() string {
	data, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{"pith": c.server()}}, "", "  ")
	if err != nil {
		return ""
	}
	return string(data) + "\n"
}

// server is how a client starts the MCP server.
func (c *Config) server() json.RawMessage {
	return json.RawMessage(`{"command":` + string(quoted(c.Pith)) + `,"args":["mcp"]}`)
}

// mcp: the server in the settings file of any client.
func (c *Config) mcp(o Options, _ *receipt) (*wanted, error) {
	if o.File == "" {
		return nil, &pith.Error{Kind: pith.KindUsage, Err: errNoFile, Hint: "--file names the client's settings; without it the entry is only printed"}
	}
	s := wantedSettings{path: o.File, format: "json", entries: []Entry{{Path: []string{"mcpServers", "pith"}, Value: c.server()}}}
	return &wanted{folder: o.File, settings: []wantedSettings{s}, next: []string{"restart the client"}}, nil
}

// plainJSON is JSON without comments and trailing commas.
func plainJSON(data []byte) ([]byte, error) {
	text, _, err := plainText("", data)
	if err != nil {
		return nil, err
	}
	return hujson.Standardize([]byte(text))
}
