package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/store/file"
	"github.com/pith-memory/pith/store/storetest"
)

func TestInside(t *testing.T) {
	for _, c := range []struct {
		dir, project string
		want         bool
	}{
		{"/a/b", "/a/b", true}, {"/a/b/c", "/a/b", true}, {"/a/bc", "/a/b", false}, {"/a", "/a/b", false}, {"/a", "/", true}, {"/a", "", false},
	} {
		if got := inside(filepath.FromSlash(c.dir), filepath.FromSlash(c.project)); got != c.want {
			t.Errorf("inside(%q, %q) = %v", c.dir, c.project, got)
		}
	}
}

// A session in the home folder is not that of every project below it.
func TestBelongs(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	home = homeFolder()
	work := filepath.Join(home, "work")
	for _, c := range []struct {
		here, project string
		want          bool
	}{
		{home, home, true}, {work, home, false}, {work, work, true}, {filepath.Join(work, "deep"), work, true}, {work, "", false},
		{work, filepath.Dir(home), true}, {work, top(home), false}, {top(home), top(home), true}, {home + "-more", home, false},
	} {
		if got := belongs(c.here, c.project); got != c.want {
			t.Errorf("belongs(%q, %q) = %v", c.here, c.project, got)
		}
	}
}

// top is the first folder of the disk that a folder is on.
func top(dir string) string {
	for dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

func TestMatching(t *testing.T) {
	entries := []pith.Entry{
		{ID: "aaaa1", SessionID: "one"}, {ID: "aaaa2", SessionID: "one"}, {ID: "bbbb1", SessionID: "one-more"}, {ID: "cccc1", SessionID: "bbbb"},
	}
	for _, c := range []struct {
		what                  string
		sessions, checkpoints []string
	}{
		{"one", []string{"one"}, nil},
		{"on", []string{"one", "one-more"}, nil},
		{"aaaa", nil, []string{"aaaa1", "aaaa2"}},
		{"aaaa2", nil, []string{"aaaa2"}},
		{"bbbb", []string{"bbbb"}, nil},
		{"aa", nil, nil}, // too short for a checkpoint
		{"?", nil, nil},
	} {
		sessions, checkpoints := matching(entries, c.what)
		if !slices.Equal(sessions, c.sessions) || !slices.Equal(checkpoints, c.checkpoints) {
			t.Errorf("%q fits %v and %v, want %v and %v", c.what, sessions, checkpoints, c.sessions, c.checkpoints)
		}
	}
}

// The latest is that of the innermost project that the folder lies in, and
// nobody else's.
func TestPickLatest(t *testing.T) {
	ctx := context.Background()
	store, err := file.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	put := func(session, project, owner string) string {
		s := storetest.New(t, session, nil, "the goal of "+session)
		s.Project, s.Owner = project, owner
		if err := store.Put(ctx, s); err != nil {
			t.Fatal(err)
		}
		return s.State.Checkpoint.ID
	}
	outer := put("outer", root, owner())
	inner := put("inner", filepath.Join(root, "inner"), owner())
	put("theirs", filepath.Join(root, "inner"), "somebody else")
	put("beside", filepath.Join(root, "in"), owner())
	for _, c := range []struct{ folder, want string }{
		{root, outer}, {filepath.Join(root, "inner"), inner}, {filepath.Join(root, "inner", "deep"), inner}, {filepath.Join(root, "x"), outer},
	} {
		entries, err := store.List(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		got, err := pickLatest(ctx, store, entries, c.folder)
		if err != nil || got.State.Checkpoint.ID != c.want {
			t.Errorf("%s: %v, want %s", c.folder, err, short(c.want))
		}
	}
	_, err = (&console{}).pickIn(ctx, store, latest, filepath.Dir(root))
	if pith.KindOf(err) != pith.KindStore || pith.HintOf(err) == "" {
		t.Errorf("outside of every project: %v", err)
	}
	if _, err = (&console{}).pick(ctx, store, "nobody"); !errors.Is(err, pith.ErrNotFound) {
		t.Errorf("an unknown id: %v", err)
	}
	theirs, err := (&console{}).pick(ctx, store, "theirs")
	if err != nil {
		t.Fatal(err)
	}
	if err := checkOwner(theirs); pith.KindOf(err) != pith.KindCheck || !strings.Contains(pith.HintOf(err), "pith export") {
		t.Errorf("another account's: %v", err)
	}
}
