package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// callTail is how much of a session file's end is searched for a call that
	// was made just now, callFiles in how many files. Units of callTail: bytes.
	callTail  = 1 << 20
	callFiles = 8
	// callWait is how long Claude Code may take to write down a call that it
	// makes, callLook how often its files are looked at meanwhile.
	callWait = 2 * time.Second
	callLook = 50 * time.Millisecond
)

// callingSession is the session of Claude Code whose files have the call of a
// tool with this id at their end: an MCP server outlives /clear, and keeps the id
// of the session before it. It is "" where none has it.
func callingSession(ctx context.Context, folder, call string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	look := time.NewTicker(callLook)
	defer look.Stop()
	id := []byte(`"` + call + `"`)
	for {
		for _, f := range liveFiles(home, projectFolder(folder)) {
			if endHas(f.path, id) {
				return f.session
			}
		}
		select {
		case <-ctx.Done():
			return ""
		case <-look.C:
		}
	}
}

// liveFile is a file that a session of Claude Code writes.
type liveFile struct {
	path, session string
	at            time.Time
}

// liveFiles are the files of a project's sessions, and of their sub-agents, that
// were written last.
func liveFiles(home, folder string) []liveFile {
	var files []liveFile
	add := func(path, session string) {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, liveFile{path, session, info.ModTime()})
		}
	}
	for _, dir := range foldersAbove(folder) {
		for _, path := range claudeFiles(home, dir) {
			own := strings.TrimSuffix(path, ".jsonl")
			add(path, filepath.Base(own))
			for _, agent := range filesIn(filepath.Join(own, "subagents"), ".jsonl") {
				add(agent, filepath.Base(own))
			}
		}
	}
	slices.SortFunc(files, func(a, b liveFile) int { return b.at.Compare(a.at) })
	return files[:min(len(files), callFiles)]
}

// endHas tells whether the end of a file has some bytes.
func endHas(path string, what []byte) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return false
	}
	end, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-callTail), callTail))
	return err == nil && bytes.Contains(end, what)
}
