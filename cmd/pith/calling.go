package main

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// callTail is how much of a session file's end is searched for a call that
	// was made just now, callFiles in how many files. Units of callTail: bytes.
	callTail  = 1 << 20
	callFiles = 5
)

// callingSession is the session of Claude Code whose file has the call of a tool
// with this id at its end: an MCP server outlives /clear, and keeps the id of the
// session before it. It is "" where none has it.
func callingSession(folder, call string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	type recent struct {
		path string
		at   int64
	}
	var files []recent
	for _, dir := range foldersAbove(projectFolder(folder)) {
		for _, path := range claudeFiles(home, dir) {
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
				files = append(files, recent{path, info.ModTime().UnixNano()})
			}
		}
	}
	slices.SortFunc(files, func(a, b recent) int { return cmp.Compare(b.at, a.at) })
	id := []byte(`"` + call + `"`)
	for i := range files[:min(len(files), callFiles)] {
		if endHas(files[i].path, id) {
			return strings.TrimSuffix(filepath.Base(files[i].path), ".jsonl")
		}
	}
	return ""
}

// endHas tells whether the end of a file has some bytes.
func endHas(path string, what []byte) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	end, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-callTail), callTail))
	return err == nil && bytes.Contains(end, what)
}
