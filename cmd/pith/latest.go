package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-memory/pith"
)

// found is a session file of an installed client, or a session in its database.
type found struct {
	client, path string
	at           time.Time
}

// clients are those whose sessions can be found, each with how its files for a
// folder are listed; opencode has a database.
var clients = []struct {
	name string
	list func(home, folder string) []string
}{
	{"claude-code", claudeFiles}, {"codex", codexFiles}, {"pi", piFiles}, {"gemini", geminiFiles}, {"opencode", nil},
}

func clientNames() []string {
	var names []string
	for _, x := range clients {
		names = append(names, x.name)
	}
	return names
}

// latestFile finds the newest session of a client, "" for any, in the current
// folder, or else in the nearest folder above that has one.
func latestFile(client string) (*found, error) { return latestFileIn(client, "") }

// latestFileIn is latestFile for another folder than the current one.
func latestFileIn(client, folder string) (*found, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, &pith.Error{Op: "find the latest session", Kind: pith.KindInput, Err: err}
	}
	here := projectFolder(folder)
	for folder = here; ; folder = filepath.Dir(folder) {
		f, err := newestIn(home, folder, client)
		if err != nil {
			return nil, err
		}
		if f != nil && belongs(here, folder) {
			return f, nil
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	return nil, &pith.Error{
		Op: "find the latest session", Kind: pith.KindInput, Err: fmt.Errorf("%s has none for %s", or(client, "no installed agent"), here),
		Hint: "run it in the folder that the agent worked in, or pass the session's file",
	}
}

// newestIn is the newest session of a folder. A database that cannot be read
// has none where any client's is wanted.
func newestIn(home, folder, client string) (*found, error) {
	var best *found
	if client == "" || client == "opencode" {
		stored, err := opencodeSessions(home, folder)
		if err != nil && client != "" {
			return nil, err
		}
		if len(stored) > 0 {
			best = &stored[0]
		}
	}
	for _, x := range clients {
		if x.list == nil || client != "" && client != x.name {
			continue
		}
		for _, path := range x.list(home, folder) {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && (best == nil || info.ModTime().After(best.at)) {
				best = &found{x.name, path, info.ModTime()}
			}
		}
	}
	return best, nil
}

// claudeFiles are in a folder that is named after the project's, everything
// but letters and digits written as "-". Those of sub-agents are left out.
func claudeFiles(home, folder string) []string {
	root := or(os.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(home, ".claude"))
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, folder)
	return slices.DeleteFunc(filesIn(filepath.Join(root, "projects", name), ".jsonl"), func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), "agent-")
	})
}

// codexFiles lie by date; the first row of each names its folder.
func codexFiles(home, folder string) []string {
	return firstOf(newestFirst(codexSessions(home), func(name string) bool {
		return strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, ".jsonl")
	}), func(path string) bool { return isCodexOf(path, folder) })
}

func codexSessions(home string) string {
	return filepath.Join(or(os.Getenv("CODEX_HOME"), filepath.Join(home, ".codex")), "sessions")
}

func piSessions(home string) string {
	return filepath.Join(or(os.Getenv("PI_CODING_AGENT_DIR"), filepath.Join(home, ".pi", "agent")), "sessions")
}

// isCodexOf tells whether a file is a session of Codex in a folder, and no sub-agent's.
func isCodexOf(path, folder string) bool {
	var row struct {
		Payload struct {
			CWD       string          `json:"cwd"`
			Source    json.RawMessage `json:"source"`
			AgentRole string          `json:"agent_role"`
		} `json:"payload"`
	}
	return firstRow(path, &row) && isFolder(row.Payload.CWD, folder) && row.Payload.AgentRole == "" && !strings.HasPrefix(string(row.Payload.Source), "{")
}

// piFiles lie in a folder for each project; the first row names it.
func piFiles(home, folder string) []string {
	return firstOf(newestFirst(piSessions(home), func(name string) bool {
		return strings.HasSuffix(name, ".jsonl")
	}), func(path string) bool { return isPiOf(path, folder) })
}

// isPiOf tells whether a file is a session of pi in a folder.
func isPiOf(path, folder string) bool {
	var row struct {
		CWD string `json:"cwd"`
	}
	return firstRow(path, &row) && isFolder(row.CWD, folder)
}

// geminiFiles are in a folder that is named after the hash of the project's,
// or that holds the project's name in a file.
func geminiFiles(home, folder string) []string {
	root := filepath.Join(home, ".gemini", "tmp")
	sum := sha256.Sum256([]byte(folder))
	list := chats(filepath.Join(root, hex.EncodeToString(sum[:])))
	dirs, err := os.ReadDir(root)
	if err != nil {
		return list
	}
	for _, d := range dirs {
		named, err := os.ReadFile(filepath.Join(root, d.Name(), ".project_root"))
		if err == nil && isFolder(strings.TrimSpace(string(named)), folder) {
			list = append(list, chats(filepath.Join(root, d.Name()))...)
		}
	}
	return list
}

func chats(dir string) []string {
	dir = filepath.Join(dir, "chats")
	return append(filesIn(dir, ".json"), filesIn(dir, ".jsonl")...)
}

// isFolder tells whether a client means this folder by a name.
func isFolder(name, folder string) bool {
	return name != "" && (name == folder || projectFolder(name) == folder)
}

// filesIn lists the files of a folder by the end of their names; none where
// there is no such folder.
func filesIn(dir, ext string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ext {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// newestFirst lists the files below a folder, those that changed last first.
func newestFirst(root string, want func(name string) bool) []string {
	var list []found
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir // what cannot be read holds no session that can
		}
		if d.IsDir() || !want(d.Name()) {
			return nil
		}
		if info, err := d.Info(); err == nil {
			list = append(list, found{path: path, at: info.ModTime()})
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	slices.SortStableFunc(list, func(a, b found) int { return b.at.Compare(a.at) })
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].path
	}
	return out
}

// firstOf is the first path that fits, as a list.
func firstOf(paths []string, fits func(string) bool) []string {
	if i := slices.IndexFunc(paths, fits); i >= 0 {
		return paths[i : i+1]
	}
	return nil
}

// maxFirstRow bounds the row that says where a session belongs.
const maxFirstRow = 4 << 20

func firstRow(path string, row any) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxFirstRow)
	return lines.Scan() && json.Unmarshal(lines.Bytes(), row) == nil
}
