package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCodexTrust holds the hashes against those that Codex 0.171.0 itself gave
// for this file (`hooks/list` of its app server).
func TestCodexTrust(t *testing.T) {
	const file = `{"description":"mine","hooks":{
"PreCompact":[{"matcher":"auto","hooks":[{"type":"command","command":"a","timeout":0}]},{"hooks":[{"type":"command","command":"/usr/bin/true","timeout":15}]}],
"SessionStart":[{"matcher":"startup|resume|clear|compact","hooks":[{"type":"prompt"},{"type":"command","command":"/usr/bin/true \"x\" <a> & ü","timeout":20,"additionalContextLimit":0,"statusMessage":"pith"}]}],
"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"b","additionalContextLimit":2500}]}],
"UserPromptSubmit":[{"matcher":"x","hooks":[{"type":"command","command":"other"},{"type":"command","command":"b","async":true}]}],
"SessionEnd":[{"hooks":[{"type":"command","command":"/usr/bin/true"}]},{"hooks":[{"type":"command","command":"b","timeout":99}]}],
"PostCompact":[{"hooks":[{"type":"command","command":"b","additionalContextLimit":9}]}],
"SubagentStart":[{"matcher":"","hooks":[{"type":"command","command":"b","additionalContextLimit":2500}]}]}}`
	want := map[string]string{
		"/h/hooks.json:pre_compact:0:0":        "9999b6f32e347c17aa2c6305f8860ab849bb07565b3db3b3139b9bbfe2a3da48",
		"/h/hooks.json:pre_compact:1:0":        "ccef6858edc63a0abdb2f9a624f66ed5b6b0feade441c43697117e6442f2e339",
		"/h/hooks.json:session_start:0:1":      "d343ef1d406aad87ed0f4a23628704176fd483645ef53e551347492d981a165f",
		"/h/hooks.json:stop:0:0":               "db8b8e42afff7f0f9731d384f9b239620c81b8628f6d461dfbf26fe2f6ee7a90",
		"/h/hooks.json:user_prompt_submit:0:1": "57830cfca1014a3a532ad73e45f1ac81bd21a88059e13675bfb28f1389783fea",
		"/h/hooks.json:session_end:0:0":        "a8434bb65bf9ef350fcb4c7ee81d1e30baecc1f8d7355f3a456437adbadfe6ba",
		"/h/hooks.json:session_end:1:0":        "a710376cd632fd4765ceb37250acbdb78cd4a232e0296b5b3c157f04a3eb628a",
		"/h/hooks.json:post_compact:0:0":       "41cb1142dadd141b76668599313178b6d24e4bc8b465c57636bf5cf996295f9f",
		"/h/hooks.json:subagent_start:0:0":     "9199c182c13941faef40a2c388cb5ed8424e908f4d9580ebdc2653b63bdc1869",
	}
	got, err := codexTrust("/h/hooks.json", []byte(file), func(command string) bool { return command != "other" })
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range got {
		if e.Hash != "sha256:"+want[e.Key] {
			t.Errorf("%s: %s", e.Key, e.Hash)
		}
		delete(want, e.Key)
	}
	if len(want) > 0 {
		t.Errorf("no entry for %v", want)
	}
	if _, err := codexTrust("/h/hooks.json", []byte(`{"hooks":[]}`), nil); err == nil || !strings.Contains(err.Error(), "/h/hooks.json") {
		t.Errorf("a file of another shape: %v", err)
	}
}

// TestCodexTrustOfProject: the agreement to a project's hooks goes into the
// user's settings, beside that to the user's own, and out again.
func TestCodexTrustOfProject(t *testing.T) {
	for _, order := range [][]Scope{{User, Project}, {Project, User}} {
		c := newMachine(t)
		config := filepath.Join(c.Codex, "config.toml")
		writeFile(t, config, "# mine\nmodel = \"x\"\n")
		must(t, os.MkdirAll(c.Project, 0o755))
		before := snapshot(t, filepath.Dir(c.Codex))
		for _, scope := range []Scope{User, Project} {
			install(t, c, Codex, Options{Scope: scope, Trust: true})
		}
		data, err := os.ReadFile(config)
		must(t, err)
		for _, dir := range []string{c.Codex, filepath.Join(c.Project, ".codex")} {
			if n := strings.Count(string(data), `"`+filepath.Join(dir, "hooks.json")+`:`); n != 9 {
				t.Errorf("%d hooks of %s are agreed to, want 9:\n%s", n, dir, data)
			}
		}
		for _, scope := range order {
			uninstall(t, c, Codex, Options{Scope: scope})
		}
		wantSame(t, before, snapshot(t, filepath.Dir(c.Codex)))
	}
}
