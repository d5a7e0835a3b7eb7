package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/workspace"
)

// anyClient is the value of --latest without a name.
const anyClient = "any"

// sessionFile is the file that a command is to read: its argument, or the
// newest session of a client. A name behind --latest reaches it as the argument.
func (c *console) sessionFile(args []string, f *compactFlags) (string, error) {
	client := f.latest
	switch {
	case client == "" && len(args) == 0:
		return "", usage("pass a session's file, - for standard input, or --latest", "there is nothing to read")
	case client == "":
		return args[0], nil
	case client == anyClient && len(args) == 1:
		client = args[0]
	case len(args) == 1:
		return "", usage("leave one of them out", "%s and --latest both name a session", args[0])
	}
	if client == anyClient {
		client = ""
	}
	if client != "" && !slices.Contains(clientNames(), client) {
		return "", usage("", "--latest %q: want one of %s, or no name for any", client, strings.Join(clientNames(), ", "))
	}
	if f.session != "" && client != "" && client != "opencode" { // not the newest one, but that
		file, err := sessionNamed(client, "", f.session)
		f.session = ""
		return file, err
	}
	file, err := latestFile(client)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(c.err, "pith: the newest session is %s (%s, %s)\n", file.path, file.client, when(file.at))
	return file.path, nil
}

// compactAndSave compacts a session as what comes after its latest checkpoint,
// stores the state and prints the view.
func (c *console) compactAndSave(ctx context.Context, arg string, f *compactFlags) error {
	in, err := c.open(arg)
	if err != nil {
		return err
	}
	defer in.Close()
	again, err := twice(in)
	if err != nil {
		return err
	}
	return c.withStore(ctx, func(store pith.Store) error {
		m := memory.New(f.config(c.settings))
		s, r, err := c.compactChained(ctx, store, m, again, in.name, f)
		if err != nil {
			return err
		}
		in.bar.finish()
		if r, err = c.judged(ctx, m, s, r, again, in.name, f); err != nil {
			return err
		}
		if err := c.saveResult(ctx, store, m, r, f); err != nil {
			return err
		}
		if in.name == "" || s.IsBody() {
			if err := c.archive(ctx, store, r.State, again); err != nil {
				return err
			}
		}
		printed := *f
		printed.force = true // it was asked to be kept, so it is worth it
		out, err := printed.render(m, s, r)
		if err != nil {
			return err
		}
		return c.write(f.out, out)
	})
}

// twice makes what is read once readable again: a function that begins anew.
func twice(in *input) (func() (io.Reader, error), error) {
	if f, ok := in.Reader.(*os.File); ok {
		if _, err := f.Seek(0, io.SeekStart); err == nil {
			return func() (io.Reader, error) {
				_, err := f.Seek(0, io.SeekStart)
				return f, err
			}, nil
		}
	}
	if in.name != "" {
		if _, err := statReadable(in.name); err == nil && in.size > 0 {
			return func() (io.Reader, error) {
				f, _, err := openFile(in.name)
				return f, err
			}, nil
		}
	}
	all, err := io.ReadAll(in)
	if err != nil {
		return nil, readError(in.name, err)
	}
	return func() (io.Reader, error) { return bytes.NewReader(all), nil }, nil
}

// compactChained compacts a session on top of its latest checkpoint. Which that
// is, only the session says: it is read by itself first.
func (c *console) compactChained(ctx context.Context, store pith.Store, m *memory.Memory, again func() (io.Reader, error), name string, f *compactFlags) (*memory.Session, *memory.Result, error) {
	compact := func(previous *pith.State) (*memory.Session, *memory.Result, error) {
		r, err := again()
		if err != nil {
			return nil, nil, readError(name, err)
		}
		o := f.readOptions(name)
		o.Previous = previous
		s, err := m.Read(r, o)
		if err != nil {
			return nil, nil, inFile(name, err)
		}
		result, err := m.Compact(s, pith.ReasonManual)
		if err != nil {
			return nil, nil, inFile(name, err)
		}
		return s, result, nil
	}
	if f.parent != "" {
		previous, err := c.newest(ctx, store, f.parent)
		if err != nil {
			return nil, nil, err
		}
		s, r, err := compact(previous.State)
		if err == nil {
			c.warnSkipped(s)
		}
		return s, r, err
	}
	s, r, err := compact(nil)
	if err != nil {
		return nil, nil, err
	}
	c.warnSkipped(s)
	session := r.State.Checkpoint.SessionID
	previous, err := store.Latest(ctx, session)
	switch {
	case errors.Is(err, pith.ErrNotFound):
		return s, r, nil
	case err != nil:
		return nil, nil, inStore("read the latest checkpoint of session "+session, err)
	}
	if err := checkOwner(previous); err != nil {
		return nil, nil, err
	}
	return compact(previous.State)
}

// saveResult stores a compaction with what the disk is like now.
func (c *console) saveResult(ctx context.Context, store pith.Store, m *memory.Memory, r *memory.Result, f *compactFlags) error {
	project := workFolder(r.State, f.project)
	disk, err := workspace.Look(ctx, project, restore.Paths(r.State))
	if err != nil {
		return err
	}
	saved, err := m.Save(ctx, r, memory.SaveOptions{Store: store, Owner: owner(), Project: project, Disk: disk, Now: time.Now()})
	if err != nil {
		return putting(err)
	}
	id := short(r.State.Checkpoint.ID)
	if !saved {
		fmt.Fprintf(c.err, "pith: nothing is new since checkpoint %s, so nothing was stored\n", id)
		return nil
	}
	fmt.Fprintf(c.err, "pith: saved checkpoint %s of session %s\n", id, r.State.Checkpoint.SessionID)
	return nil
}

// workFolder is the project that a state belongs to on this machine.
func workFolder(s *pith.State, named string) string {
	if root := s.Checkpoint.Workspace.Root; named == "" && root != "" {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			return projectFolder(root)
		}
	}
	return projectFolder(named)
}
