package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// shortestSession is how much of a session's id names its file, in bytes.
const shortestSession = 6

// clientOf is the client of the table that calls itself by a name, "" for none.
func clientOf(name string) string {
	name = strings.ToLower(name)
	for _, x := range clients {
		if len(x.name) > 2 && strings.HasPrefix(name, strings.TrimSuffix(x.name, "-code")) {
			return x.name
		}
	}
	return ""
}

// sessionNamed finds the file of a session by its id, or by the beginning of
// it, among those of a folder's project.
func sessionNamed(client, folder, session string) (string, error) {
	fail := func(err error) error {
		return &pith.Error{Op: "find session " + session, Kind: pith.KindInput, Err: err, Hint: "name it by more of its id, or pass its file"}
	}
	if len(session) < shortestSession || strings.ContainsAny(session, `/\`) {
		return "", fail(errors.New("it is no session's id"))
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fail(err)
	}
	var fit []string
	for _, path := range sessionsOf(home, client, projectFolder(folder), func(name string) bool { return strings.Contains(name, session) }) {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		if strings.HasSuffix(name, session) { // the whole id
			return path, nil
		}
		fit = append(fit, path)
	}
	switch len(fit) {
	case 0:
		return "", fail(fmt.Errorf("no agent has its file for %s", projectFolder(folder)))
	case 1:
		return fit[0], nil
	}
	return "", fail(fmt.Errorf("%d files fit", len(fit)))
}

// sessionsOf lists the session files of a project, by their names: those of the
// folder and of the folders above it.
func sessionsOf(home, client, folder string, want func(name string) bool) (out []string) {
	has := func(name string) bool { return client == "" || client == name }
	above := foldersAbove(folder)
	for _, dir := range above {
		if has("claude-code") {
			out = append(out, claudeFiles(home, dir)...)
		}
		if has("gemini") {
			out = append(out, geminiFiles(home, dir)...)
		}
	}
	if has("opencode") {
		stored, _ := opencodeSessions(home, above...) // a database that cannot be read has none
		for i := range stored {
			out = append(out, stored[i].path)
		}
	}
	out = slices.DeleteFunc(out, func(path string) bool { return !want(filepath.Base(path)) })
	for _, x := range []struct {
		name, root string
		isOf       func(path, folder string) bool
	}{{"codex", codexSessions(home), isCodexOf}, {"pi", piSessions(home), isPiOf}} {
		if !has(x.name) {
			continue
		}
		for _, path := range newestFirst(x.root, func(name string) bool { return filepath.Ext(name) == ".jsonl" && want(name) }) {
			if slices.ContainsFunc(above, func(dir string) bool { return x.isOf(path, dir) }) {
				out = append(out, path)
			}
		}
	}
	return out
}

// foldersAbove is a folder and all above it.
func foldersAbove(folder string) (out []string) {
	for dir := folder; ; dir = filepath.Dir(dir) {
		out = append(out, dir)
		if dir == filepath.Dir(dir) {
			return out
		}
	}
}

// allowedSession resolves the path of a session file, and refuses what is none
// of the folder's project.
func allowedSession(path, folder string) (string, error) {
	refused := &pith.Error{
		Op: "use the session file " + path, Kind: pith.KindUsage, Err: fmt.Errorf("no agent has it for %s", projectFolder(folder)),
		Hint: "pass a file that an agent of this project keeps, or leave it out",
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", refused
	}
	resolved := projectFolder(path)
	name := filepath.Base(resolved)
	for _, known := range sessionsOf(home, "", projectFolder(folder), func(n string) bool { return n == name || n == filepath.Base(path) }) {
		// Its folder may lie behind a link. A file that is one itself leads to a
		// session that may be of another project.
		if filepath.Join(projectFolder(filepath.Dir(known)), filepath.Base(known)) == resolved {
			return resolved, nil
		}
	}
	return "", refused
}
