package extract

import (
	"slices"
	"testing"

	"github.com/pith-memory/pith"
)

func TestCurlWrites(t *testing.T) {
	for command, want := range map[string][]string{
		"curl -o a.json https://example.com/a":             {"/srv/shop/a.json"},
		"curl -fsSLo tools/b.tar.gz https://example.com/b": {"/srv/shop/tools/b.tar.gz"},
		"curl -so c.json https://example.com/c":            {"/srv/shop/c.json"},
		"curl --no-progress-meter d.json":                  nil,
		"curl -Xo e.json https://example.com/e":            nil, // a method called "o"
		"curl -s https://example.com/f":                    nil,
		"curl --proto https https://example.com/o":         nil,
	} {
		var got []string
		zero := 0
		f := newSession().user("Fetch it.").use("Bash", arg("command", command)).result("", func(b *pith.Block) { b.Exit = &zero }).facts(t)
		for i := range f.Files.Modified {
			got = append(got, f.Files.Modified[i].Path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
