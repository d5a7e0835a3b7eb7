package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/store/file"
	"github.com/pith-memory/pith/store/sqlite"
)

// storeKinds are the stores that can be chosen, each with how it is opened.
var storeKinds = map[string]func(ctx context.Context, path string) (pith.Store, error){
	"file":   func(_ context.Context, path string) (pith.Store, error) { return file.Open(path) },
	"sqlite": func(ctx context.Context, path string) (pith.Store, error) { return sqlite.Open(ctx, path) },
}

func wantStore(v string) error {
	if v != "sqlite" && v != "file" {
		return errors.New("want sqlite or file")
	}
	return nil
}

func wantAny(string) error { return nil }

// defaultStorePath is where a store of a kind lies if nobody says otherwise:
// in the folder that the system has for the data of programs.
func defaultStorePath(kind string) string {
	name := "pith.db"
	if kind == "file" {
		name = "checkpoints"
	}
	return filepath.Join(dataFolder(), "pith", name)
}

func dataFolder() string {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "."
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support")
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return dir
		}
		return filepath.Join(home, "AppData", "Local")
	}
	return filepath.Join(home, ".local", "share")
}

// openStore opens the store that the settings name, making it where there is
// none yet. The function closes it. Errors: KindStore.
func (c *console) openStore(ctx context.Context) (pith.Store, func(), error) {
	kind, path := c.settings.value("store"), c.settings.value("store-path")
	open := storeKinds[kind]
	if open == nil {
		return nil, nil, storeError("open the store", fmt.Errorf("this build has no store of kind %s", kind))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, storeError("open the store "+path, cause(err))
	}
	store, err := open(ctx, path)
	if err != nil {
		if pith.KindOf(err) == pith.KindUnexpected {
			err = storeError("open the store "+path, err)
		}
		return nil, nil, err
	}
	return store, func() {
		if closer, ok := store.(io.Closer); ok {
			if err := closer.Close(); err != nil {
				fmt.Fprintf(c.err, "pith: the store did not close: %v\n", err)
			}
		}
	}, nil
}

func storeError(op string, err error) error {
	return &pith.Error{Op: op, Kind: pith.KindStore, Err: err, Hint: "`pith config` shows which store is used; --store and --store-path name another"}
}

// owner is the account that this process runs as.
func owner() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "uid " + strconv.Itoa(os.Getuid())
}

// homeFolder is the user's, as checkpoints would name it, "" where there is none.
func homeFolder() string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return projectFolder(home)
}

// projectFolder is a folder as checkpoints name it: absolute, its links
// resolved. "" is the current folder.
func projectFolder(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if resolved, err := filepath.EvalSymlinks(abs); err == nil {
		return resolved
	}
	return abs
}
