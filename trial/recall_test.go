package trial

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	for call, want := range map[string][]string{
		"file_path: /srv/app/a.go\noffset: 60\nlimit: 30": {"/srv/app/a.go"},
		"nl -ba internal/x.go | sed -n '1,220p'":          {"internal/x.go", "nl -ba internal/x.go | sed -n '1,220p'"},
		"git status --short":                              {"git status --short"},
		"cd /srv/app && git status":                       {"/srv/app", "cd /srv/app && git status"},
		"":                                                {""},
	} {
		if got := names(call); !slices.Equal(got, want) {
			t.Errorf("%q names %q, want %q", call, got, want)
		}
	}
}
