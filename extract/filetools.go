package extract

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// pathKeys are the names under which tools take the path of one file.
var pathKeys = []string{
	"file_path", "path", "filePath", "filename", "file_name", "fileName", "filepath", "target_file", "targetFile",
	"notebook_path", "absolute_path", "abs_path", "AbsolutePath", "TargetFile", "relative_path", "file",
}

// toolCall reads the touches of a tool that is no shell.
func (s *fileSlot) toolCall(c *Call) {
	if !c.OK() || saysFailed(c.Result.Text) {
		s.failedTool(c)
		return
	}
	if patch := patchArg(&c.Use); patch != "" {
		for _, t := range patchTouches(patch) {
			t.dir, t.via = c.Dir, "apply_patch"
			s.add(c, t)
		}
		return
	}
	if c.Use.Arg("owner") != "" && c.Use.Arg("repo") != "" {
		return // a file on a server
	}
	s.toolVerbCall(c, callVerb(c))
}

// callVerb is what a call does to the file that it names.
func callVerb(c *Call) string {
	if v := editorVerb(c); v != "" {
		return v
	}
	return toolVerb(c.Use.ToolName)
}

func (s *fileSlot) toolVerbCall(c *Call, verb string) {
	add := func(path string, op touchOp) {
		s.add(c, touch{path: path, dir: c.Dir, op: op, via: c.Use.ToolName})
	}
	path := c.Use.Arg(pathKeys...)
	switch verb {
	case "read":
		if showsDirectory(c.Result.Text) {
			return
		}
		add(path, opRead)
		for _, p := range pathList(&c.Use) {
			add(p, opRead)
		}
	case "write":
		op := opCreate
		if r := c.Result.Text; strings.Contains(r, "updated") || strings.Contains(r, "verwr") {
			op = opEdit
		}
		add(path, op)
	case "edit":
		add(path, opEdit)
		for _, p := range pathList(&c.Use) {
			add(p, opEdit)
		}
	case "delete":
		add(path, opDelete)
		for _, p := range pathList(&c.Use) {
			add(p, opDelete)
		}
	case "move", "copy":
		from := c.Use.Arg("source", "source_path", "old_path", "oldPath", "from", "src", "path", "file_path")
		to := c.Use.Arg("destination", "destination_path", "new_path", "newPath", "to", "dest", "dst", "target")
		if verb == "copy" {
			add(to, opCreate)
		} else if from != "" {
			s.add(c, touch{path: to, dir: c.Dir, op: opRename, via: c.Use.ToolName, from: from})
		}
	case "search":
		s.searchTool(c, path)
	}
}

// failedTool reads what a failed call tells of a file: that it is not what the
// agent takes it for.
func (s *fileSlot) failedTool(c *Call) {
	r := c.Result.Text
	if len(r) > 2000 {
		return
	}
	for _, w := range [...]string{"modified since", "changed since", "unexpectedly modified", "file has changed"} {
		if strings.Contains(r, w) {
			s.add(c, touch{path: c.Use.Arg(pathKeys...), dir: c.Dir, op: opChange})
			return
		}
	}
}

// searchTool reads a search that printed matched lines.
func (s *fileSlot) searchTool(c *Call, path string) {
	mode := c.Use.Arg("output_mode")
	if mode != "" && mode != "content" {
		return
	}
	if mode == "content" && looksLikeFile(path) && !strings.HasPrefix(c.Result.Text, "No matches") {
		s.add(c, touch{path: path, dir: c.Dir, op: opRead, via: c.Use.ToolName})
	}
	s.matchedLines(c, c.Dir, c.Use.ToolName)
}

// editorVerb reads the command of an editor tool that has several.
func editorVerb(c *Call) string {
	switch c.Use.Arg("command") {
	case "view":
		return "read"
	case "create":
		return "write"
	case "str_replace", "insert", "undo_edit", "replace", "append":
		return "edit"
	case "delete":
		return "delete"
	case "rename", "move":
		return "move"
	}
	return ""
}

// toolVerb tells by a tool's name what it does to the file that it is given:
// read, write, edit, delete, move, copy, search, or nothing. A verb that changes
// rules over one that reads, and that over one that looks for something.
func toolVerb(name string) string {
	verb, rank, file, part := "", 0, false, false
	set := func(v string, r int) {
		if r > rank {
			verb, rank = v, r
		}
	}
	for _, w := range nameWords(name) {
		switch w {
		case "directory", "directories", "dir", "folder", "web", "url", "browser", "issue", "pull", "pr", "comment",
			"todo", "todos", "plan", "task", "resource", "message", "page", "memory", "agent":
			return ""
		case "list", "ls", "glob", "find", "tree":
			set("list", 1)
		case "grep", "search", "ripgrep":
			set("search", 1)
		case "file", "files", "image", "notebook":
			file = true
		case "line", "lines", "symbol", "content", "text", "block", "cell", "string":
			part = true
		case "get":
			set("get", 2)
		case "read", "view", "open", "cat", "show", "readfile", "goto", "scroll":
			set("read", 3)
		case "write", "create", "save", "overwrite", "writefile":
			set("write", 4)
		case "edit", "multiedit", "update", "patch", "replace", "append", "insert", "modify", "apply", "str":
			set("edit", 4)
		case "delete", "remove", "rm", "unlink":
			set("delete", 4)
		case "move", "rename", "mv":
			set("move", 4)
		case "copy", "cp":
			set("copy", 4)
		}
	}
	switch {
	case verb == "get" && file:
		return "read"
	case verb == "delete" && part:
		return "edit"
	case verb == "get", verb == "list":
		return ""
	}
	return verb
}

// nameWords splits a tool's name at _, -, and inner capitals.
func nameWords(name string) []string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	var words []string
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case !isLetter(c) && !isDigit(c):
			cut(i)
			start = i + 1
		case i > start && c >= 'A' && c <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z':
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return words
}

// patchArg is the patch that a tool use carries, in the format of apply_patch
// or as a unified diff.
func patchArg(b *pith.Block) string {
	named := strings.Contains(toolName(b.ToolName), "patch")
	for i := range b.Args {
		v := b.Args[i].Value
		if strings.HasPrefix(v, "*** ") && hasPatchLine(v) || named && (hasPatchLine(v) || strings.Contains(v, "\n+++ ")) {
			return v
		}
	}
	return ""
}

// pathList reads an argument that holds several paths: strings, or objects with
// a path of their own.
func pathList(b *pith.Block) []string {
	raw := ""
	for i := range b.Args {
		switch a := &b.Args[i]; a.Key {
		case "paths", "file_paths", "files", "filePaths", "edits", "include":
			if !a.IsString {
				raw = a.Value
			}
		}
	}
	if raw == "" || len(raw) > 1<<20 {
		return nil
	}
	var paths []string
	if json.Unmarshal([]byte(raw), &paths) == nil {
		return slices.DeleteFunc(paths, func(p string) bool { return strings.ContainsAny(p, "*?{") })
	}
	var objects []struct {
		Path     string `json:"path"`
		FilePath string `json:"file_path"`
	}
	paths = nil
	if json.Unmarshal([]byte(raw), &objects) == nil {
		for _, o := range objects {
			if p := o.Path + o.FilePath; p != "" {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// saysFailed tells from a short result that the tool did nothing, for the
// formats that mark no errors.
func saysFailed(r string) bool {
	r = strings.TrimLeft(r, " \n\t[({\"")
	if len(r) > 600 {
		return false
	}
	for _, w := range [...]string{
		"error:", "error ", "failed", "failure", "fatal:", "<tool_use_error>", "file not found", "no such file", "cannot ",
		"could not ", "unable to ", "permission denied", "access denied", "exception", "traceback", "apply_patch verification failed",
		"exec_command failed", "invalid ", "eisdir", "enoent", "file does not exist", "path does not exist", "text not found",
		"no match", "old_string not found", "string to replace not found",
	} {
		if len(r) >= len(w) && strings.EqualFold(r[:len(w)], w) {
			return true
		}
	}
	return false
}

// showsDirectory tells a listing from the content of a file.
func showsDirectory(r string) bool {
	head := r[:min(len(r), 300)]
	return strings.Contains(head, "files and directories up to") || strings.Contains(head, "is a directory") ||
		strings.Contains(head, "<type>directory</type>")
}
