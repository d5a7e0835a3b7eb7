package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// did is one call of a session written by hand.
type did struct {
	tool, args string // args: "key=value" lines, or the command of a shell
	code       int
	out        string
	rejected   bool
}

func sh(command string, code int, out string) did {
	return did{tool: "Bash", args: command, code: code, out: out}
}

func tool(name, args, out string) did { return did{tool: name, args: args, out: out} }

func play(t *testing.T, calls ...did) *Facts {
	t.Helper()
	p := newTape()
	for _, c := range calls {
		var args []pith.Arg
		if c.tool == "Bash" {
			args = []pith.Arg{text("command", c.args)}
		} else {
			for _, l := range strings.Split(c.args, "¦") {
				k, v, _ := strings.Cut(l, "=")
				a := text(k, v)
				a.IsString = !strings.HasPrefix(v, "[")
				args = append(args, a)
			}
		}
		r := pith.Block{Text: c.out, IsError: c.code != 0, Rejected: c.rejected}
		if c.tool == "Bash" {
			r.Exit = &c.code
		}
		p.call(c.tool, args, r)
	}
	return p.x.Facts()
}

// list writes files in a readable form, relative to the root.
func list(files []pith.File) string {
	var out []string
	for _, f := range files {
		s := string(f.Op) + " " + strings.TrimPrefix(f.Path, "/srv/shop/")
		if f.RenamedFrom != "" {
			s += " from " + strings.TrimPrefix(f.RenamedFrom, "/srv/shop/")
		}
		if f.Stale {
			s += " stale"
		}
		if f.Outside {
			s += " outside"
		}
		if f.Via == "git" {
			s += " git"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestFileTools(t *testing.T) {
	for _, tt := range []struct {
		name, modified, inspected string
		calls                     []did
	}{
		{"read and edit", "edited a.go", "inspected a.go, inspected b.go", []did{
			tool("Read", "file_path=/srv/shop/a.go", "1 x"), tool("Read", "file_path=/srv/shop/b.go", "1 x"), tool("Edit", "file_path=/srv/shop/a.go", "ok")}},
		{"created stays created", "created a.go", "", []did{
			tool("Write", "file_path=a.go", "File created successfully at: a.go"), tool("Edit", "file_path=a.go", "ok")}},
		{"overwritten", "edited a.go", "inspected a.go", []did{
			tool("read_file", "path=a.go", "x"), tool("write_file", "path=a.go¦content=y", "ok")}},
		{"created and deleted", "deleted a.go", "", []did{
			tool("create_file", "path=a.go", "ok"), tool("delete_file", "path=a.go", "ok")}},
		{"moved", "renamed b.go from a.go, deleted a.go", "inspected a.go stale", []did{
			tool("read_file", "path=a.go", "x"), tool("move_file", "source=a.go¦destination=b.go", "ok")}},
		{"editor with commands", "edited a.py", "inspected b.py", []did{
			tool("str_replace_editor", "command=view¦path=/srv/shop/b.py", "1 x"), tool("str_replace_based_edit_tool", "command=str_replace¦path=a.py", "ok"),
			tool("str_replace_editor", "command=view¦path=/srv/shop/src", "Here's the files and directories up to 2 levels deep in /srv/shop/src")}},
		{"patch", "edited imp/new.go, created c.go, deleted d.go, renamed f.go from e.go, deleted e.go", "", []did{
			tool("apply_patch", "input=*** Begin Patch\n*** Update File: imp/new.go\n@@\n-a\n+b\n*** Add File: c.go\n+x\n*** Delete File: d.go\n*** Update File: e.go\n*** Move to: f.go\n*** End Patch", "Success.")}},
		{"patch without a frame", "edited imp/read.go", "", []did{tool("apply_patch", "input=*** Update File: imp/read.go", "Success. Updated imp/read.go")}},
		{"notebook and several edits", "edited m.go, edited n.ipynb", "", []did{
			tool("NotebookEdit", "notebook_path=/srv/shop/n.ipynb", "ok"), tool("MultiEdit", "file_path=m.go", "ok")}},
		{"several files", "", "inspected a.go, inspected b.go", []did{tool("read_files", `paths=["a.go","b.go"]`, "x")}},
		{"names with spaces", "", "inspected docs/Release Notes (draft).md", []did{tool("read_file", "path=docs/Release Notes (draft).md", "x")}},
		{"failed and refused", "", "", []did{
			{tool: "Edit", args: "file_path=a.go", code: 1, out: "String to replace not found"}, {tool: "Write", args: "file_path=b.go", rejected: true, out: "The user doesn't want to"},
			tool("edit_file", "path=c.go", "Error: text not found"), {tool: "Read", args: "file_path=d.go", code: 1, out: "File does not exist."}}},
		{"names of other clients", "edited a.go, edited b.go, created c.go, edited d.go, edited e.go", "inspected f.go", []did{
			tool("search_replace", "file_path=a.go", "ok"), tool("replace_in_file", "path=b.go", "ok"), tool("write_to_file", "TargetFile=c.go", "ok"),
			tool("delete_lines", "relative_path=d.go", "ok"), tool("fs_write", "command=str_replace¦path=e.go", "ok"), tool("mcp__fs__get_file_contents", "path=f.go", "x")}},
		{"names of gemini, opencode and pi", "edited web/a.conf, edited b.go, created c.go, edited d.go, edited e.go", "inspected f.go", []did{
			tool("run_shell_command", "command=cd web && sed -i s/a/b/ a.conf", ""), tool("replace", "file_path=b.go¦old_string=x¦new_string=y", "ok"),
			tool("write_file", "file_path=c.go¦content=x", "ok"), tool("edit", "path=d.go", "ok"), tool("edit", "filePath=e.go", "ok"),
			tool("read", "filePath=f.go", "x"), tool("read", "filePath=lib", "<path>lib</path>\n<type>directory</type>")}},
		{"no files", "", "", []did{
			tool("list_dir", "path=src", "a\nb"), tool("Glob", "pattern=**/*.go¦path=src", "a.go"), tool("web_fetch", "path=https://x.y/a.go", "x"),
			tool("create_or_update_file", "owner=o¦repo=r¦path=a.go", "ok"), tool("Read", "file_path=/dev/null", ""), tool("TodoWrite", "todos=x", "ok")}},
		{"search", "", "inspected x/b.go, inspected a.go", []did{
			tool("Grep", "pattern=foo¦path=/srv/shop/a.go¦output_mode=content", "12:foo"), tool("Grep", "pattern=foo¦output_mode=content", "x/b.go:3:foo\nx/b.go:9:foo"),
			tool("Grep", "pattern=foo¦output_mode=files_with_matches", "Found 1 file\nc.go")}},
		{"changed since it was read", "", "inspected a.go stale", []did{
			tool("Read", "file_path=a.go", "x"), {tool: "Edit", args: "file_path=a.go", code: 1, out: "File has been modified since read, either by the user or by a linter."}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := play(t, tt.calls...)
			// What one call touched stands in the order of the patch.
			if got := list(f.Files.Modified); !sameItems(got, tt.modified) {
				t.Errorf("modified %q, want %q", got, tt.modified)
			}
			if got := list(f.Files.Inspected); !sameItems(got, tt.inspected) {
				t.Errorf("inspected %q, want %q", got, tt.inspected)
			}
		})
	}
}

// sameItems compares two lists whatever their order.
func sameItems(a, b string) bool {
	count := map[string]int{}
	for _, s := range strings.Split(a, ", ") {
		count[s]++
	}
	for _, s := range strings.Split(b, ", ") {
		count[s]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestShellFiles(t *testing.T) {
	for _, tt := range []struct{ name, command, modified, inspected string }{
		{"readers", `cat a.go && sed -n '1,20p' b.go; head -n 5 c.md | grep x; nl -ba d.go`, "", "inspected a.go, inspected b.go, inspected c.md, inspected d.go"},
		{"grep of a file", `grep -n -A 3 'func main' main.go`, "", "inspected main.go"},
		{"listings", `ls src/a.go; find . -name '*.go'; grep -rl foo src/x.go; rg --files a.go; stat a.go; git log -- a.go`, "", ""},
		{"hidden output", `cat a.go > b.go; cat c.go >/dev/null; x=$(cat d.go)`, "created b.go", ""},
		{"loop", `for f in a.go b.go; do echo "== $f"; sed -n 1,9p "$f"; done`, "", "inspected a.go, inspected b.go"},
		{"variable", `F=src/a.go; cat $F`, "", "inspected src/a.go"},
		{"globs and variables", `cat src/*.go "$HOME/x.go" $(ls x.go)`, "", ""},
		{"here document", "cat > cmd/x.go <<'EOF'\npackage x // > y.go\nEOF", "created cmd/x.go", ""},
		{"append", `echo x >> log.txt; echo y | tee -a notes.md`, "edited log.txt, edited notes.md", ""},
		{"in place", `sed -i '' -e 's/a/b/' a.go; sed -i.bak 's/x/y/' b.go; perl -0pi -e 's/a/b/' c.go`, "edited a.go, edited b.go, edited c.go", ""},
		{"in a directory", `cd sub && sed -i s/a/b/ x.go && cd .. && rm y.go`, "edited sub/x.go, deleted y.go", ""},
		{"elsewhere", `cd /tmp && cat > x.py <<< 1; (cd "$D"; rm z.go)`, "created /tmp/x.py outside", ""},
		{"mv and cp", `mv a.go b.go; cp c.go d.go; cp e.go dir/; ln -s f.go g.go`, "renamed b.go from a.go, deleted a.go, created d.go, created dir/e.go, created g.go", ""},
		{"git", `git mv a.go b.go && git rm c.go && git checkout -- d.go && git restore e.go && git add f.go`, "renamed b.go from a.go, deleted a.go, deleted c.go, edited d.go git, edited e.go git", ""},
		{"git reads", `git show HEAD:lib/a.go; git blame b.go; git diff -- c.go; git diff --stat -- d.go`, "", "inspected lib/a.go git, inspected b.go git, inspected c.go git"},
		{"formatters", `gofmt -w a.go; npx prettier --write b.ts; black --check c.py; ruff format d.py; gofmt -l e.go`, "edited a.go, edited b.ts, edited d.py", ""},
		{"patch in a shell", "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch\nEOF", "created a.go", ""},
		{"unified diff", "git apply <<'EOF'\n--- a/x.go\n+++ b/x.go\n@@\n-a\n+b\n--- /dev/null\n+++ b/y.go\nEOF", "edited x.go, created y.go", ""},
		{"python", "python3 - <<'EOF'\nfrom pathlib import Path\np = Path('a/b.py')\ns = p.read_text()\np.write_text(s.replace('c.py', 'd.py'))\nopen(\"e.txt\", 'w').write('x')\nopen('f.txt').read()\nEOF", "edited a/b.py, edited e.txt", ""},
		{"node", `node -e "const fs=require('fs'); fs.writeFileSync('a.json', x); console.log(fs.readFileSync('b.json','utf8'))"`, "edited a.json", "inspected b.json"},
		{"wrapped", `bash -lc 'sudo env A=1 tee etc/x.conf < in.txt'`, "created etc/x.conf", ""},
		{"downloads", `curl -sL https://x.y/z.json -o data/z.json; dd if=/dev/zero of=disk.img`, "created data/z.json, created disk.img", ""},
		{"windows", `type C:\src\a.c & del "C:\a b\c.go"`, `deleted C:\a b\c.go outside`, `inspected C:\src\a.c outside`},
		{"powershell", `Get-Content -Path src\a.cs -TotalCount 5; Set-Content -Path out.txt -Value "x.txt"; Remove-Item old.txt`, "created out.txt, deleted old.txt", `inspected src\a.cs`},
		{"no paths", `cd x; echo "see a.go"; git commit -m "fix b.go"; kubectl apply -f - ; sleep 5; mkdir -p dir.d`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := play(t, sh(tt.command, 0, ""))
			if got := list(f.Files.Modified); !sameItems(got, tt.modified) {
				t.Errorf("%s\nmodified %q\nwant     %q", tt.command, got, tt.modified)
			}
			if got := list(f.Files.Inspected); !sameItems(got, tt.inspected) {
				t.Errorf("%s\ninspected %q\nwant      %q", tt.command, got, tt.inspected)
			}
		})
	}
}

func TestFailedLines(t *testing.T) {
	for _, tt := range []struct{ name, command, out, modified, inspected string }{
		{"write before the failure", "sed -i s/a/b/ a.go && go test ./...", "FAIL", "edited a.go", ""},
		{"redirection of the failure", "go test ./... > out.log 2>&1", "", "created out.log", ""},
		{"failed read", "cat nofile.go", "cat: nofile.go: No such file or directory", "", ""},
		{"one of two read", "cat nofile.go a.go", "cat: nofile.go: No such file or directory\npackage a\nvar x int", "", "inspected a.go"},
		{"read before the failure", "cat a.go; false", "package a", "", "inspected a.go"},
		{"failed write", "sed -i s/a/b/ nofile.go", "sed: can't read nofile.go: No such file or directory", "", ""},
		{"never run", "rm a.go; ls", "<tool_use_error>Sibling tool call errored</tool_use_error>", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newTape()
			r := pith.Block{Text: tt.out, IsError: true}
			if !strings.HasPrefix(tt.out, "<") {
				one := 1
				r.Exit = &one
			}
			p.call("Bash", []pith.Arg{text("command", tt.command)}, r)
			f := p.x.Facts()
			if got := list(f.Files.Modified); !sameItems(got, tt.modified) {
				t.Errorf("modified %q, want %q", got, tt.modified)
			}
			if got := list(f.Files.Inspected); !sameItems(got, tt.inspected) {
				t.Errorf("inspected %q, want %q", got, tt.inspected)
			}
		})
	}
}

func TestGitOutput(t *testing.T) {
	for _, tt := range []struct {
		name, modified, inspected string
		calls                     []did
	}{
		{"commit", "created new.go git, renamed lib/b.go from lib/a.go git, deleted lib/a.go git, deleted old.go git", "", []did{
			sh("git commit -m x", 0, "[main abc1234] x\n 3 files changed\n create mode 100644 new.go\n rename lib/{a.go => b.go} (90%)\n delete mode 100644 old.go")}},
		{"status before any work", "", "", []did{sh("git status --short", 0, " M theirs.go\n?? note.md")}},
		{"status of a repository that the agent only reads", "created /tmp/note.md outside", "", []did{
			sh("echo x > /tmp/note.md", 0, ""), sh("git -C /srv/other status --short", 0, " M theirs.go"), sh("git status --short", 0, " M theirs.go")}},
		{"status after a script", "edited x.go, created gen.go git", "", []did{
			sh("git status", 0, "Changes not staged for commit:\n\tmodified:   theirs.go\n"), sh("sed -i s/a/b/ x.go && make gen", 0, ""),
			sh("git status", 0, "On branch main\nChanges not staged for commit:\n\tmodified:   theirs.go\n\tmodified:   x.go\n\nUntracked files:\n\tgen.go\n")}},
		{"pull changes what was read", "", "inspected a.go stale, inspected b.go", []did{
			tool("Read", "file_path=a.go", "x"), tool("Read", "file_path=b.go", "x"), sh("git pull", 0, "Updating 1111111..2222222\n a.go | 4 ++--\n c.go | 1 +\n create mode 100644 d.go")}},
		{"read again", "", "inspected a.go", []did{
			tool("Read", "file_path=a.go", "x"), sh("git pull", 0, " a.go | 4 ++--"), tool("Read", "file_path=a.go", "y")}},
		{"branch switched", "", "inspected a.go stale", []did{
			tool("Read", "file_path=a.go", "x"), sh("git checkout main", 0, "Switched to branch 'main'")}},
		{"branch made", "", "inspected a.go", []did{
			tool("Read", "file_path=a.go", "x"), sh("git checkout -b fix", 0, "Switched to a new branch 'fix'")}},
		{"shell edit after reading", "edited a.go stale", "inspected a.go stale", []did{tool("Read", "file_path=a.go", "x"), sh("sed -i s/a/b/ a.go", 0, "")}},
		{"own edit after reading", "edited a.go", "inspected a.go", []did{tool("Read", "file_path=a.go", "x"), tool("Edit", "file_path=a.go", "ok")}},
		{"diff headers", "", "inspected lib/x.go git", []did{
			sh("git show abc1234", 0, "commit abc1234\n\ndiff --git a/lib/x.go b/lib/x.go\n--- a/lib/x.go\n+++ b/lib/x.go\n")}},
		{"others' commits", "", "", []did{
			sh("git show --stat abc1234", 0, "commit abc1234\n lib/x.go | 4 ++--\n create mode 100644 y.go\n"), sh("git log --stat -2", 0, " z.go | 1 +")}},
		{"printed matches", "", "inspected src/a.go", []did{sh("rg -n foo src", 0, "src/a.go:12:foo\nsrc/a.go:15:foo\nhttp://x:80:z\n12:30:01 b.go")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := play(t, tt.calls...)
			if got := list(f.Files.Modified); !sameItems(got, tt.modified) {
				t.Errorf("modified %q, want %q", got, tt.modified)
			}
			if got := list(f.Files.Inspected); !sameItems(got, tt.inspected) {
				t.Errorf("inspected %q, want %q", got, tt.inspected)
			}
		})
	}
}

func TestFileSources(t *testing.T) {
	f := play(t, tool("Read", "file_path=src/../a.go", "x"), sh("git commit -m x", 0, "[main abc1234] x\n create mode 100644 b.go"))
	a, b := f.Files.Inspected[0], f.Files.Modified[0]
	if a.Path != "/srv/shop/a.go" || a.AsUsed != "src/../a.go" || a.Via != "Read" || a.Source.String() != "0.0" {
		t.Errorf("read: %+v", a)
	}
	if b.Path != "/srv/shop/b.go" || b.AsUsed != "b.go" || b.Source.String() != "3.0" {
		t.Errorf("printed by git: %+v: its source is the result that names it", b)
	}
}

func TestDirectoryMoved(t *testing.T) {
	f := play(t, tool("Write", "file_path=/srv/shop/old/a.go", "ok"), sh("git mv old new", 0, ""))
	if got, want := list(f.Files.Modified), "renamed new/a.go from old/a.go, deleted old/a.go"; !sameItems(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if f.Files.Modified[0].AsUsed != "new" && f.Files.Modified[1].AsUsed != "new" {
		t.Errorf("the new name does not say how it was used: %+v", f.Files.Modified)
	}
}

func TestReusedCallIDs(t *testing.T) {
	p := newTape()
	for i, path := range []string{"cfg/dev.toml", "cfg/stage.toml", "cfg/prod.toml"} {
		b := toolUse("read_file", "path", `"`+path+`"`)
		b.ToolUseID = "call_0"
		p.message(pith.RoleAssistant, *b)
		p.message(pith.RoleUser, pith.Block{Kind: pith.KindToolResult, ToolUseID: "call_0", Text: fmt.Sprint("timeout = ", i)})
	}
	if got := list(p.x.Facts().Files.Inspected); got != "inspected cfg/prod.toml, inspected cfg/stage.toml, inspected cfg/dev.toml" {
		t.Errorf("%q", got)
	}
}

func TestSubagentFile(t *testing.T) {
	x := New()
	x.Message(&pith.Message{Index: 0, Role: pith.RoleUser, CWD: "/srv/shop", Blocks: []pith.Block{{Kind: pith.KindText, Text: "Add pagination.", Origin: pith.UserExplicit}}})
	b := toolUse("read_file", "path", `"api/orders.go"`)
	b.ToolUseID = "t1"
	x.Message(&pith.Message{Index: 1, Role: pith.RoleAssistant, CWD: "/srv/shop", Agent: "ag1", Blocks: []pith.Block{*b}})
	x.Message(&pith.Message{Index: 2, Role: pith.RoleUser, CWD: "/srv/shop", Agent: "ag1", Blocks: []pith.Block{{Kind: pith.KindToolResult, ToolUseID: "t1", Text: "package api"}}})
	b = toolUse("read_file", "path", `"api/lost.go"`)
	b.ToolUseID = "t2"
	x.Message(&pith.Message{Index: 3, Role: pith.RoleAssistant, CWD: "/srv/shop", Agent: "ag1", Blocks: []pith.Block{*b}})
	got := x.Facts().Files.Inspected
	if len(got) != 2 || got[0].Agent != "ag1" || got[0].Path != "/srv/shop/api/lost.go" {
		t.Fatalf("a sub-agent's read without a result: %+v", got)
	}
	if got = got[1:]; got[0].Agent != "ag1" || got[0].Path != "/srv/shop/api/orders.go" {
		t.Errorf("%+v", got)
	}
}
