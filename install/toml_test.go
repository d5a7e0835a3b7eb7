package install

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTOML(t *testing.T) {
	const section = "# Put here by pith install; pith uninstall takes it out.\n[mcp_servers.pith]\ncommand = \"/p\"\nargs = [\"mcp\"]\n"
	entry := []Entry{{Path: []string{"mcp_servers", "pith"}, Value: json.RawMessage(`{"command":"/p","args":["mcp"]}`)}}
	for name, x := range map[string]struct{ before, after, err string }{
		"empty":             {"", section, ""},
		"a table":           {"a = 1\n[mcp_servers.x]\ncommand = \"y\"\n", "a = 1\n[mcp_servers.x]\ncommand = \"y\"\n\n" + section, ""},
		"no end of line":    {"a = 1 # why", "a = 1 # why\n\n" + section, ""},
		"CRLF":              {"a = 1\r\n", "a = 1\r\n\r\n" + strings.ReplaceAll(section, "\n", "\r\n"), ""},
		"mark":              {byteOrderMark + "a = 1\n", byteOrderMark + "a = 1\n\n" + section, ""},
		"dotted":            {"mcp_servers.x.command = 'y'\n", "mcp_servers.x.command = 'y'\n\n" + section, ""},
		"inline":            {"mcp_servers = { x = { command = \"}\" } } # mine\n", "mcp_servers = { x = { command = \"}\" }, pith = { command = \"/p\", args = [\"mcp\"] } } # mine\n", ""},
		"inline, empty":     {"mcp_servers = {}\na = 1\n", "mcp_servers = {pith = { command = \"/p\", args = [\"mcp\"] }}\na = 1\n", ""},
		"is there":          {"[mcp_servers.pith]\nargs = ['mcp']\ncommand = '/p'\n", "[mcp_servers.pith]\nargs = ['mcp']\ncommand = '/p'\n", ""},
		"another":           {"[mcp_servers.pith]\ncommand = 'mine'\n", "", "f: mcp_servers.pith is there already"},
		"a value":           {"mcp_servers = 3\n", "", "f: mcp_servers is no table"},
		"an array":          {"[[mcp_servers]]\na = 1\n", "", "f: mcp_servers is no table"},
		"no TOML":           {"a = 1\nb\n", "", "f:2:"},
		"JSON":              {"{\n}", "", "f:1:1: "},
		"twice":             {"a = 1\na = 2\n", "", "f:2:1: "},
		"NUL":               {"a = 1\x00", "", "f:1:6: "},
		"strings in inline": {"mcp_servers = { x = { command = '''{''' , args = [\"\\\"}\"] } }", "mcp_servers = { x = { command = '''{''' , args = [\"\\\"}\"] }, pith = { command = \"/p\", args = [\"mcp\"] } }", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := putTOML("f", []byte(x.before), entry)
			if x.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), x.err) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("the error is %v, want %s", err, x.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(got.data) != x.after {
				t.Fatalf("got\n%q\nwant\n%q", got.data, x.after)
			}
			again, err := putTOML("f", got.data, entry)
			if err != nil || string(again.data) != string(got.data) {
				t.Errorf("a second time: %v\n%q", err, again.data)
			}
			if len(got.entries) == 0 {
				return
			}
			out, err := takeTOML("f", append(got.data, "# more\n"...), got.entries, got.splices)
			if err != nil || string(out.data) != x.before+"# more\n" && !strings.Contains(x.before, "{") {
				t.Errorf("taken out: %v\n%q", err, out.data)
			}
		})
	}
}
