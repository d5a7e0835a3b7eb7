package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"pgregory.net/rapid"
)

// show writes commands so that a table can be read: operator, words joined by
// "·", then what is special.
func show(cs []simpleCommand) string {
	var b strings.Builder
	for i, c := range cs {
		if i > 0 {
			b.WriteString(" ¦ ")
		}
		if c.Op != "" {
			b.WriteString(c.Op + " ")
		}
		b.WriteString(strings.Join(c.Argv, "·"))
		for _, w := range c.Writes {
			b.WriteString(" >" + w)
		}
		for _, r := range c.Reads {
			b.WriteString(" <" + r)
		}
		if c.Here != "" {
			fmt.Fprintf(&b, " here=%q", c.Here)
		}
		if c.Dir != "" {
			b.WriteString(" @" + c.Dir)
		}
		if c.Lost {
			b.WriteString(" lost")
		}
	}
	return b.String()
}

func TestParseShell(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"words", `go test ./... -run 'TestA|TestB'`, `go·test·./...·-run·TestA|TestB`},
		{"operators", `a && b || c; d & e | f`, `a ¦ && b ¦ || c ¦ ; d ¦ & e ¦ | f`},
		{"newlines", "a\n\nb # no c\nd", `a ¦ ; b ¦ ; d`},
		{"continued", "go test \\\n  ./x", `go·test·./x`},
		{"double quotes", `echo "a \"b\" \$c \n" d`, `echo·a "b" $c \n·d`},
		{"adjacent", `cat a'b c'"d e"f`, `cat·ab cd ef`},
		{"escaped space", `cat my\ file.txt`, `cat·my file.txt`},
		{"redirections", `a > x 2>&1 >>y 2> z <in &>both >|w`, `a >x >y >z >both >w <in`},
		{"descriptor is no word", `cmd 2>/dev/null arg2 >out`, `cmd·arg2 >/dev/null >out`},
		{"here document", "cat > f.go <<'EOF'\npackage x\n$(no)\nEOF\ngo vet", `cat >f.go here="package x\n$(no)\n" ¦ ; go·vet`},
		{"here document with tabs", "cat <<-END\n\tx\n\tEND\nls", `cat here="\tx\n" ¦ ; ls`},
		{"here document before a pipe", "cat <<EOF | tee f\nx\nEOF\n", `cat here="x\n" ¦ | tee·f`},
		{"two here documents", "a <<X; b <<Y\n1\nX\n2\nY\n", `a here="1\n" ¦ ; b here="2\n"`},
		{"here string", `grep x <<< "y z" f`, `grep·x·f`},
		{"substitution", `echo "$(git rev-parse HEAD)" done`, `$( git·rev-parse·HEAD ¦ echo·$(git rev-parse HEAD)·done`},
		{"commit message", "git commit -m \"$(cat <<'EOF'\nfix: it's (a) thing; rm -rf x\nEOF\n)\" && git push",
			"$( cat here=\"fix: it's (a) thing; rm -rf x\\n\" ¦ git·commit·-m·$(cat <<'EOF'\nfix: it's (a) thing; rm -rf x\nEOF\n) ¦ && git·push"},
		{"backticks", "echo `pwd` x", "$( pwd ¦ echo·`pwd`·x"},
		{"subshell directory", `(cd sub && make) && ls`, `cd·sub ¦ && make @sub ¦ && ls`},
		{"directory", `cd /srv/app; cd src/../lib && cat a`, `cd·/srv/app ¦ ; cd·src/../lib @/srv/app ¦ && cat·a @/srv/app/lib`},
		{"unknown directory", `cd "$D" && cat a; cd /x; cat b`, `cd·$D ¦ && cat·a lost ¦ ; cd·/x lost ¦ ; cat·b @/x`},
		{"loop", `for f in a.go b.go; do cat $f; done`, `for·f·in·a.go·b.go ¦ ; cat·$f`},
		{"if", `if [ -f x ]; then rm x; else touch x; fi`, `[·-f·x·] ¦ ; rm·x ¦ ; touch·x`},
		{"group", `{ echo a; echo b; } > out.txt`, `echo·a ¦ ; echo·b ¦ ; : >out.txt`},
		{"prefixes", `CGO_ENABLED=0 sudo -u root env A=b timeout -k 5 60 nice -n 5 go build`, `go·build`},
		{"xargs", `rg -l x | xargs -n 1 sed -i s/a/b/`, `rg·-l·x ¦ | sed·-i·s/a/b/`},
		{"command -v", `command -v go`, `command·-v·go`},
		{"assignment alone", `X=/tmp/a.txt; cat "$X"`, `X=/tmp/a.txt ¦ ; cat·$X`},
		{"array", `A=(x y z); ls`, `A=(x y z) ¦ ; ls`},
		{"script", `bash -lc 'cd /x && go test ./...'`, `cd·/x ¦ && go·test·./... @/x`},
		{"script here", "bash <<'EOF'\nrm a\nEOF", `rm·a`},
		{"arithmetic", `echo $((1 > 2)); (( a > b ))`, `echo·$((1 > 2))`},
		{"condition", `[[ a > b ]] && ls`, `[[·a·b·]] ¦ && ls`},
		{"windows", `type C:\src\a.c & del "C:\a b\c.go" && cat src\main.c .\x.c`, `type·C:\src\a.c ¦ & del·C:\a b\c.go ¦ && cat·src\main.c·.\x.c`},
		{"windows dot directory", `type C:\me\.config\x`, `type·C:\me\.config\x`},
		{"alias bypass", `\rm -f x`, `rm·-f·x`},
		{"process substitution", `diff <(sort a) b`, `$( sort·a ¦ diff·<(sort a)·b`},
		{"unclosed quote", `echo 'a b`, `echo·a b`},
		{"nothing", " ;; && \n", ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := show(parseShell(tt.line)); got != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.line, got, tt.want)
			}
		})
	}
}

func TestCommandSpan(t *testing.T) {
	line := "cd /x && if true; then CI=1 go test ./... > log 2>&1; fi\nbash -c 'make all'"
	var got []string
	for _, c := range parseShell(line) {
		got = append(got, line[c.Start:c.End])
	}
	want := []string{"cd /x", "true", "CI=1 go test ./... > log 2>&1", "make all"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("spans %q, want %q", got, want)
	}
}

func TestExpands(t *testing.T) {
	c := parseShell(`rm *.go "a*b" '$x' "$x" app/[slug]/page.tsx [a-c].c {a,b}.c f{1..3} {}`)[0]
	want := []bool{false, true, false, false, true, false, true, true, true, true}
	if fmt.Sprint(c.Expands) != fmt.Sprint(want) {
		t.Errorf("expands %v, want %v of %q", c.Expands, want, c.Argv)
	}
}

// Every byte string is read without a panic, spans lie in the line in bounds,
// and no command is without a word.
func TestParseShellAnything(t *testing.T) {
	piece := rapid.SampledFrom([]string{"'", "\"", "`", "$(", "(", ")", "<<E", "\n", "E\n", ">", "2>&1", "&", "|", ";", "\\", "a", " ",
		"bash -c ", "cd ", "${", "[", "{", "if ", "sudo ", "X=", "((", "#", "\xff", "<("})
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "line"), "")
		for _, c := range parseShell(line) {
			if len(c.Argv) == 0 || len(c.Argv) != len(c.Expands) || c.Start < 0 || c.End < c.Start || c.End > len(line) {
				t.Fatalf("%q: %+v", line, c)
			}
		}
	})
}

// Doubling a hostile line must not square the time: on these lines that would
// run into the timeout of the test.
func TestParseShellLinear(t *testing.T) {
	for _, unit := range []string{"$(", "`", "\"$(", "((", "<<E\n", "bash -c '", "a\\", "{", "[", "(", "$((", "<(", "a=("} {
		line := strings.Repeat(unit, 1<<20/len(unit))
		if out := parseShell(line); len(out) > len(line) {
			t.Errorf("%q repeated to 1 MiB gives %d commands", unit, len(out))
		}
	}
}

func TestShellCommand(t *testing.T) {
	for _, tt := range []struct{ tool, key, value, want string }{
		{"Bash", "command", `"ls -l"`, "ls -l"},
		{"exec_command", "cmd", `"go vet"`, "go vet"},
		{"shell", "command", `["bash","-lc","go test ./imp"]`, "go test ./imp"},
		{"shell", "command", `["cat","my file.txt"]`, "cat 'my file.txt'"},
		{"local_shell", "action", `{"type":"exec","command":["git","status"]}`, "git status"},
		{"run_in_terminal", "command", `"npm test"`, "npm test"},
		{"mcp__host__execute_bash", "command", `"pwd"`, "pwd"},
		{"str_replace_based_edit_tool", "command", `"view"`, ""},
		{"Read", "command", `"ls"`, ""},
		{"BashOutput", "bash_id", `"x"`, ""},
	} {
		if got := shellCommand(toolUse(tt.tool, tt.key, tt.value)); got != tt.want {
			t.Errorf("%s %s=%s: %q, want %q", tt.tool, tt.key, tt.value, got, tt.want)
		}
	}
}

// toolUse builds a tool use from keys and JSON values.
func toolUse(name string, keysAndValues ...string) *pith.Block {
	b := &pith.Block{Kind: pith.KindToolUse, ToolName: name, Origin: pith.Assistant}
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		v := keysAndValues[i+1]
		a := pith.Arg{Key: keysAndValues[i], Value: v}
		if strings.HasPrefix(v, `"`) && strings.HasSuffix(v, `"`) {
			a.Value, a.IsString = strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\\`, `\`).Replace(v[1:len(v)-1]), true
		}
		b.Args = append(b.Args, a)
	}
	b.Text = pith.ToolUseText(name, b.Args)
	return b
}

func TestResolvePath(t *testing.T) {
	for _, tt := range []struct{ dir, path, want string }{
		{"/srv/app", "a.go", "/srv/app/a.go"},
		{"/srv/app", "../b/./c.go", "/srv/b/c.go"},
		{"/srv/app/", "x//y.go", "/srv/app/x/y.go"},
		{"/srv/app", "/abs/a b.txt", "/abs/a b.txt"},
		{"/srv/app", "~/x", "~/x"},
		{"", "./a.go", "a.go"},
		{"", "../a.go", "../a.go"},
		{"", "../../a/../b", "../../b"},
		{"/", "etc/x", "/etc/x"},
		{"/srv", "../../../x", "/x"},
		{"/srv", "..", "/"},
		{`C:\src`, `lib\..\a.c`, `C:\src\a.c`},
		{`C:\src`, `..\..\..\a.c`, `C:\a.c`},
		{`C:/src`, `a.c`, `C:/src/a.c`},
		{`\\host\share`, `a.c`, `\\host\share\a.c`},
		{"/srv", "dir/", "/srv/dir"},
		{"/srv", ".github/x.yml", "/srv/.github/x.yml"},
	} {
		if got := resolvePath(tt.dir, tt.path); got != tt.want {
			t.Errorf("resolvePath(%q, %q) = %q, want %q", tt.dir, tt.path, got, tt.want)
		}
	}
}

func FuzzParseShell(f *testing.F) {
	for _, s := range []string{`a && b | c > d`, "cat <<'EOF' > f\nx\nEOF\n", `echo "$(git log)" 2>&1`, `bash -lc 'cd x; rm y'`, "type C:\\a\\b `x`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range parseShell(line) {
			if len(c.Argv) == 0 || len(c.Argv) != len(c.Expands) || c.Start < 0 || c.End < c.Start || c.End > len(line) {
				t.Fatalf("%q: %+v", line, c)
			}
		}
	})
}

// No line, however it is put together, breaks what reads its commands.
func TestShellCallAnything(t *testing.T) {
	word := rapid.SampledFrom([]string{"git", "mv", "cp", "rm", "sed", "-i", "-e", "perl", "-pi", "cat", "a.go", "b/", "--", "-C", "-c", "show", "HEAD:a.go",
		"checkout", "-b", "worktree", "add", "list", "switch", "status", "push", "origin", "tee", "dd", "of=x", "xargs", "for", "in", "$f", "cd", "..",
		"python3", "patch", "apply_patch", "curl", "-o", "npx", "uv", "run", "prettier", "--write", "Set-Content", "-Path", ";", "&&", "|", "\n", "<<E\n", "E\n", ">", "''"})
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOfN(word, 0, 14).Draw(t, "line"), " ")
		out := rapid.SampledFrom([]string{"", "a.go:1:x", " create mode 100644 x.go", "[main abc1234] x", "\tmodified:   a.go", " rename a => b", "diff --git a/x b/x"}).Draw(t, "out")
		p := newTape()
		p.run(line, rapid.IntRange(0, 1).Draw(t, "code"), out)
		p.run(line, 0, out)
		for _, f := range append(p.x.Facts().Files.Modified, p.x.Facts().Files.Inspected...) {
			if f.Path == "" || strings.ContainsAny(f.Path, "\n$") {
				t.Fatalf("%q: path %q", line, f.Path)
			}
		}
	})
}
