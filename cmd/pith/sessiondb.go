package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/opencode"
	"github.com/pith-memory/pith/transcript"
)

// A session in opencode's database is named as a file in a folder would be:
// opencode.db/ses_123.

// readable is an opened session: a file, or what a database holds.
type readable interface {
	io.ReadSeekCloser
	Stat() (fs.FileInfo, error)
}

// stored is a session of a database, read into memory, as a file.
type stored struct {
	*bytes.Reader
	name    string
	updated time.Time
}

func (*stored) Close() error                 { return nil }
func (s *stored) Stat() (fs.FileInfo, error) { return s, nil }
func (s *stored) Name() string               { return s.name }
func (*stored) Mode() fs.FileMode            { return 0o400 }
func (s *stored) ModTime() time.Time         { return s.updated }
func (*stored) IsDir() bool                  { return false }
func (*stored) Sys() any                     { return nil }

// openReadable opens a file, or a session of a database.
func openReadable(name string) (readable, error) {
	f, err := os.Open(name)
	if err == nil {
		return f, nil
	}
	if db := filepath.Dir(name); opencode.IsDatabase(db) {
		data, updated, err := opencode.Export(context.Background(), db, filepath.Base(name))
		if err != nil {
			return nil, err
		}
		return &stored{bytes.NewReader(data), filepath.Base(name), updated}, nil
	}
	return nil, err
}

// openSession is openReadable for what is a file for certain: a pipe can be read
// once, and may never end.
func openSession(name string) (io.ReadCloser, error) {
	info, err := statReadable(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	if err != nil {
		return nil, err
	}
	return openReadable(name)
}

// statReadable is what is known of a file or a session before it is opened.
func statReadable(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err == nil || !opencode.IsDatabase(filepath.Dir(name)) {
		return info, err
	}
	f, err := openReadable(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return f.Stat()
}

// inDatabase names the session that is meant where a command's file is a
// database, with what is left of --session. Of several, one must be chosen.
func inDatabase(file, session string) (name, rest string, err error) {
	if !opencode.IsDatabase(file) {
		return file, session, nil
	}
	list, err := opencode.Sessions(context.Background(), file)
	if err != nil {
		return "", "", err
	}
	several := &transcript.SeveralSessions{Wanted: session}
	for i := range list {
		s := &list[i]
		info := transcript.SessionInfo{Number: i + 1, ID: s.ID, Task: s.Title}
		if session == "" && len(list) == 1 || session != "" && (session == info.ID || session == fmt.Sprint(info.Number)) {
			return filepath.Join(file, s.ID), "", nil
		}
		several.Sessions = append(several.Sessions, info)
	}
	if len(list) == 0 {
		return "", "", openError(file, errors.New("it holds no sessions"))
	}
	return "", "", &pith.Error{Op: "read " + file, Kind: pith.KindInput, Err: several, Hint: "choose one with --session ID, or by its number"}
}

// opencodeDatabase is where opencode keeps its sessions.
func opencodeDatabase(home string) string {
	data := filepath.Join(envFolder("XDG_DATA_HOME", filepath.Join(home, ".local", "share")), "opencode")
	name := or(os.Getenv("OPENCODE_DB"), "opencode.db")
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(data, name)
}

// opencodeSessions are those of some folders, the newest first. Those of
// sub-agents are left out.
func opencodeSessions(home string, folders ...string) (out []found, err error) {
	db := opencodeDatabase(home)
	if !opencode.IsDatabase(db) {
		return nil, nil
	}
	list, err := opencode.Sessions(context.Background(), db)
	for i := range list {
		if s := &list[i]; s.Parent == "" && slices.ContainsFunc(folders, func(dir string) bool { return isFolder(s.Folder, dir) }) {
			out = append(out, found{"opencode", filepath.Join(db, s.ID), s.Updated})
		}
	}
	return out, err
}
