package extract

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

func TestAfterEscape(t *testing.T) {
	for _, tt := range []struct{ text, token, want string }{
		{`"a line\nNewName(x)"`, "nNewName", "NewName"},
		{`"a line\nsrc/app.go"`, "nsrc", "src"},
		{`<p>\u003eReviewed</p>`, "u003e", "Reviewed"},
		{`\usepackage`, "usepackage", "usepackage"},
		{`C:\work\newThing.go`, "newThing", "newThing"},
		{`"C:\\work\\newThing.go"`, "newThing", "newThing"},
		{`see:\nThing`, "nThing", "Thing"},
		{`nothing`, "nothing", "nothing"},
	} {
		i := strings.Index(tt.text, tt.token)
		if got := tt.text[afterEscape(tt.text, i):]; !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestWordsThatNobodyCoined(t *testing.T) {
	for _, w := range []string{"_see_", "_all_", "CLIs", "URLs", "msg_0132wCh7afsC3pJUB2QBKCoV", "toolu_016Znf", "toolu_abc123", "current_date", "approval_policy", "file_path", "aB3xQ9zT1mK8vW2rLp"} {
		if isCoined(w) {
			t.Errorf("%s counts as a symbol", w)
		}
	}
	for _, w := range []string{"__init__", "_helper", "parseURLs", "MAX_RETRIES", "load_v2_Config", "base64Encode", "call_args", "msg_count", "sha256_Sum", "x_2d", "toHTTP2ServerConn1x4Retry"} {
		if !isCoined(w) {
			t.Errorf("%s counts as none", w)
		}
	}
}

// A slash in a sentence, a substitution or an address is no path.
func TestSlashesThatMakeNoPath(t *testing.T) {
	p := newTape()
	p.run("git commit -F - <<'EOF'\nKeep the token/password out, send application/x-thing\nsee %s/info/refs in client.go/types.go\nEOF\n", 0, "")
	p.run("sed s/alpha/beta/ notes.txt && go test -run TestA/sub_case ./inner/pkg && git log topic/branches:lib", 0, "ok")
	p.call("Grep", []pith.Arg{{Key: "pattern", Value: `"encoding/json"`, IsString: true}}, pith.Block{Text: "x"})
	got := namesOf(p.x.Facts().Identifiers.Paths)
	for _, bad := range []string{"token", "application", "info", "client", "alpha", "TestA"} {
		if strings.Contains(got, bad) {
			t.Errorf("%s is among the paths: %s", bad, got)
		}
	}
	for _, want := range []string{"./inner/pkg", "topic/branches", "encoding/json"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing: %s", want, got)
		}
	}
}
