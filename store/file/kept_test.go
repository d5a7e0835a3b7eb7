package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/store/storetest"
)

func mustPut(t *testing.T, s *Store, c ...*pith.Saved) {
	t.Helper()
	for _, c := range c {
		if err := s.Put(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// TestForm holds what people find when they look at the files.
func TestForm(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "store")
	s := reopened(t, dir)
	chain := storetest.Chain(t, "my-session", 2)
	mustPut(t, s, chain...)
	if got, want := files(t, dir), []string{"my-session/00000000.json", "my-session/00000001.json"}; !slices.Equal(got, want) {
		t.Fatalf("files %v, want %v", got, want)
	}
	b, err := os.ReadFile(s.path("my-session", "00000001.json"))
	if err != nil {
		t.Fatal(err)
	}
	head := "{\n  \"format_version\": 1,\n  \"id\": \"" + chain[1].State.Checkpoint.ID + "\",\n  \"saved_at\": \"2026-03-04T05:06:01.789Z\",\n  \"owner\": \"dev\",\n  \"project\": \"/work/project of <"
	if !strings.HasPrefix(string(b), head) {
		t.Errorf("the file begins\n%.300s\nwant\n%s", b, head)
	}
	for _, want := range []string{"\n  \"how\": \"edit\",\n  \"disk\": {\n", "\n  \"state\": {\n    \"contract_type\": \"compact-working-state\",\n", "  }\n}\n"} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("the file lacks %q", want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]fs.FileMode{dir: 0o700, s.path("my-session"): 0o700, s.path("my-session", "00000001.json"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", path, info.Mode().Perm(), want, err)
		}
	}
}

func TestFolderName(t *testing.T) {
	for session, want := range map[string]string{
		"5d1f2c3e-0a1b-4c2d-8e3f-000000000000": "5d1f2c3e-0a1b-4c2d-8e3f-000000000000",
		"a.b_c-d":                              "a.b_c-d",
		"Upper":                                "upper~*", "con": "con~*", "lpt1.txt": "lpt1-txt~*", "com10": "com10", "../x": "x~*",
		"trail.": "trail~*", "会话": "session~*", ".": "session~*", "": "session~*", strings.Repeat("x", 101): strings.Repeat("x", 40) + "~*",
	} {
		got := folderName(session)
		if shown, ok := strings.CutSuffix(want, "*"); ok && (!strings.HasPrefix(got, shown) || len(got) != len(shown)+markedHash) || !ok && got != want {
			t.Errorf("the folder of %.40q is %q, want %q", session, got, want)
		}
	}
	seen := map[string]string{}
	for _, session := range storetest.Sessions {
		name := folderName(session)
		if other, ok := seen[strings.ToLower(name)]; ok {
			t.Errorf("%.40q and %.40q share the folder %s", session, other, name)
		}
		seen[strings.ToLower(name)] = session
		if !isFolderName(name) || strings.ContainsAny(name, `/\:*?"<>| `) || len(name) > 100 || name != strings.ToLower(name) {
			t.Errorf("the folder of %.40q is %q", session, name)
		}
	}
	for _, name := range []string{".git", "x~y", "Upper", "con", "~0123456789abcdef0123456789abcdef"} {
		if isFolderName(name) {
			t.Errorf("%q passes for the folder of a session", name)
		}
	}
}

func age(t *testing.T, path string, by time.Duration) {
	t.Helper()
	if err := os.Chtimes(path, time.Now().Add(-by), time.Now().Add(-by)); err != nil {
		t.Fatal(err)
	}
}

// deadPID is the number of a process that has ended.
const deadPID = 1<<30 + 7

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	s := reopened(t, dir)
	mustPut(t, s, storetest.Chain(t, "s", 1)...)
	mine, dead := fmt.Sprint(os.Getpid()), fmt.Sprint(deadPID)
	for name, old := range map[string]time.Duration{
		"s/.tmp-" + mine + "-new": 0, "s/.tmp-" + mine + "-old": 2 * time.Hour, "s/.tmp-" + dead + "-new": time.Second,
		"s/.tmp-" + dead + "-old": 2 * time.Minute, "s/.tmp-": 2 * time.Minute, "s/.other": 2 * time.Hour, "s/notes.txt": 2 * time.Hour,
		"other/.tmp-" + dead + "-old~": 2 * time.Minute, ".forgotten-" + dead + "-old/x": 0,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		age(t, path, old)
	}
	age(t, filepath.Join(dir, ".forgotten-"+dead+"-old"), 2*time.Minute)
	reopened(t, dir)
	want := []string{"s/.other", "s/.tmp-" + dead + "-new", "s/.tmp-" + mine + "-new", "s/00000000.json", "s/notes.txt"}
	slices.Sort(want)
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("left is %v, want %v", got, want)
	}
	if _, err := os.Stat(filepath.Join(dir, ".forgotten-"+dead+"-old")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a half forgotten session is left: %v", err)
	}
}

func TestStaleLock(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		old  time.Duration
		gone bool
	}{
		"dead":           {fmt.Sprintln(deadPID), 0, true},
		"alive":          {fmt.Sprintln(os.Getpid()), time.Minute, false},
		"alive, old":     {fmt.Sprintln(os.Getpid()), 2 * time.Hour, true},
		"just made":      {"", 0, false},
		"elsewhere":      {fmt.Sprintln(deadPID, "another-machine"), time.Minute, false},
		"elsewhere, old": {fmt.Sprintln(deadPID, "another-machine"), 2 * time.Hour, true},
		"here":           {fmt.Sprintln(deadPID, hostname()), 0, true},
		"never written":  {"", time.Minute, true},
		"something else": {"x y z", time.Minute, true},
	} {
		s := reopened(t, t.TempDir())
		mustPut(t, s, storetest.Chain(t, "s", 1)...)
		path := s.path("s", lockName)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		age(t, path, c.old)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		unlock, err := s.lock(ctx, "s")
		cancel()
		if c.gone != (err == nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err == nil {
			unlock()
			if got := files(t, s.dir); !slices.Equal(got, []string{"s/00000000.json"}) {
				t.Errorf("%s: left is %v", name, got)
			}
		}
	}
}

// older is a checkpoint as a pith of schema version 2.1.0 wrote it.
func older(t *testing.T, session string) *pith.Saved {
	t.Helper()
	c := storetest.New(t, session, nil, "an old goal")
	c.JSON = bytes.Replace(c.JSON, []byte(`"schema_version":"`+pith.SchemaVersion+`"`), []byte(`"schema_version":"2.1.0"`), 1)
	id, err := schema.DocumentID(c.JSON)
	if err != nil {
		t.Fatal(err)
	}
	c.JSON = bytes.Replace(c.JSON, []byte(c.State.Checkpoint.ID), []byte(id), 1)
	c.State.Checkpoint.ID = id
	return c
}

// TestOlder holds that a session that an older pith began goes on, whichever
// of its two ids the next checkpoint names.
func TestOlder(t *testing.T) {
	s := reopened(t, t.TempDir())
	for _, migrated := range []bool{true, false} {
		old := older(t, fmt.Sprint("older-", migrated))
		session := old.State.Checkpoint.SessionID
		at := s.path(folderName(session))
		if err := os.Mkdir(at, 0o700); err != nil {
			t.Fatal(err)
		}
		b, err := encode(old)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, recordName(0)), b, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := s.Latest(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		if id, err := schema.ID(got.State); err != nil || id != got.State.Checkpoint.ID || id == old.State.Checkpoint.ID || got.State.SchemaVersion != pith.SchemaVersion {
			t.Errorf("it was not migrated: %+v, %v", got.State.Checkpoint, err)
		}
		for _, id := range []string{old.State.Checkpoint.ID, got.State.Checkpoint.ID} {
			again, err := s.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			storetest.Same(t, again, got)
		}
		if l, err := s.List(t.Context(), session); err != nil || len(l) != 1 || l[0].Damaged != "" || l[0].ID != old.State.Checkpoint.ID {
			t.Errorf("listed as %+v, %v", l, err)
		}
		parent := old
		if migrated {
			parent = got
		}
		next := storetest.New(t, session, parent, "next")
		mustPut(t, s, next, next)
		if last, err := s.Latest(t.Context(), session); err != nil {
			t.Error(err)
		} else {
			storetest.Same(t, last, next)
		}
	}
}

func TestNewerFormat(t *testing.T) {
	s := reopened(t, t.TempDir())
	chain := storetest.Chain(t, "s", 2)
	mustPut(t, s, chain[0])
	if err := os.WriteFile(s.path("s", recordName(0)), []byte(`{"format_version": 2, "id": "`+chain[0].State.Checkpoint.ID+`", "other": {}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, getErr := s.Get(t.Context(), chain[0].State.Checkpoint.ID)
	_, latestErr := s.Latest(t.Context(), "s")
	for _, err := range []error{getErr, latestErr, s.Put(t.Context(), chain[1]), s.Put(t.Context(), storetest.New(t, "s", nil, "rival"))} {
		if !errors.Is(err, errNewer) || pith.KindOf(err) != pith.KindStore || !strings.HasSuffix(err.Error(), "written by a newer pith: update pith") {
			t.Errorf("got %v", err)
		}
	}
}

// TestMisplaced holds that a record that was copied elsewhere is not taken for
// one of that session or of that place.
func TestMisplaced(t *testing.T) {
	s := reopened(t, t.TempDir())
	chain := storetest.Chain(t, "s", 2)
	mustPut(t, s, chain...)
	mustPut(t, s, storetest.New(t, "other", nil, "goal"))
	b, err := os.ReadFile(s.path("s", recordName(1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{s.path("other", recordName(1)), s.path("s", recordName(2))} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for session, want := range map[string]int{"s": 1, "other": 0} {
		c, err := s.Latest(t.Context(), session)
		if err != nil || c.State.Checkpoint.Seq != want || c.State.Checkpoint.SessionID != session {
			t.Errorf("the latest of %s is %+v, %v", session, c, err)
		}
		l, err := s.List(t.Context(), session)
		if err != nil || len(l) != want+2 {
			t.Errorf("%d entries of %s, %v", len(l), session, err)
		}
		damaged := 0
		for _, e := range l {
			if e.Damaged != "" {
				damaged++
			}
		}
		if damaged != 1 {
			t.Errorf("%d of %s are damaged: %+v", damaged, session, l)
		}
	}
}

// TestMovedAside holds that a damaged record is still there, as it was, when
// the session has gone on from the one before it.
func TestMovedAside(t *testing.T) {
	for _, sys := range []system{realSystem(), withoutLinks()} {
		s, err := open(t.TempDir(), sys)
		if err != nil {
			t.Fatal(err)
		}
		chain := storetest.Chain(t, "s", 2)
		mustPut(t, s, chain...)
		if err := os.WriteFile(s.path("s", recordName(1)), []byte("what is left"), 0o600); err != nil {
			t.Fatal(err)
		}
		mustPut(t, s, storetest.New(t, "s", chain[0], "another way on"))
		aside, err := filepath.Glob(s.path("s", recordName(1)+".damaged-*"))
		if err != nil || len(aside) != 1 {
			t.Fatalf("moved aside: %v, %v", aside, err)
		}
		if b, err := os.ReadFile(aside[0]); err != nil || string(b) != "what is left" {
			t.Errorf("moved aside: %q, %v", b, err)
		}
		if n, err := s.Forget(t.Context(), "s"); err != nil || n != 2 {
			t.Errorf("forgot %d, %v", n, err)
		}
		if left := files(t, s.dir); len(left) != 0 {
			t.Errorf("left is %v", left)
		}
	}
}

// TestTornAnywhere cuts a record at every byte and flips bits in it: it is
// whole or it is damaged, and nothing panics.
func TestTornAnywhere(t *testing.T) {
	c := storetest.New(t, "s", nil, "goal")
	whole, err := encode(c)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, b []byte) {
		t.Helper()
		var wrong *damage
		if _, got, err := decode(b); err == nil {
			if !bytes.Equal(got.JSON, c.JSON) {
				t.Errorf("%s: another state was read", what)
			}
		} else if !errors.As(err, &wrong) && !errors.Is(err, errNewer) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range len(whole) - 1 {
		check(fmt.Sprint("cut at ", i), whole[:i])
		if i < len(whole)-2 && describe(whole[:i], 0).Damaged == "" {
			t.Errorf("a list shows what was cut at %d as whole", i)
		}
	}
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 1 << (i % 8)
		check(fmt.Sprint("flipped at ", i), b)
		describe(b, 0)
	}
}

func FuzzDecode(f *testing.F) {
	c := storetest.New(f, "s", nil, "goal")
	whole, err := encode(c)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"format_version": 1, "state": null}`))
	f.Add([]byte(`{"format_version": 1, "id": "", "state": {"schema_version": "9.0.0"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var wrong *damage
		_, got, err := decode(b)
		if err != nil && !errors.As(err, &wrong) && !errors.Is(err, errNewer) {
			t.Errorf("an error without a kind: %v", err)
		}
		if e := describe(b, 0); err == nil && e.Damaged != "" && got.State.Checkpoint.Seq == 0 {
			t.Errorf("what can be read is listed as damaged: %s", e.Damaged)
		}
	})
}

func TestClearErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := Open(dir); pith.KindOf(err) != pith.KindStore || pith.HintOf(err) == "" {
			t.Errorf("open %s: %v, hint %q", dir, err, pith.HintOf(err))
		}
	}
	for hint, fault := range map[string]error{
		"make room": syscall.ENOSPC, "can be written": syscall.EROFS, "permissions": syscall.EACCES, "fault": syscall.EIO,
	} {
		f := &faulty{err: fault, only: "create"}
		s, err := open(t.TempDir(), f.system())
		if err != nil {
			t.Fatal(err)
		}
		f.at, f.lasting = 1, true
		err = s.Put(t.Context(), storetest.New(t, "s", nil, "goal"))
		if pith.KindOf(err) != pith.KindStore || !strings.Contains(pith.HintOf(err), hint) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, hint %q", fault, err, pith.HintOf(err))
		}
	}
}

// TestTextsOnce holds that a text that occurs again is kept once, and that one
// that was damaged costs its blocks alone and can be put again.
func TestTextsOnce(t *testing.T) {
	s := reopened(t, t.TempDir())
	var blocks []pith.ArchivedBlock
	for i := range 30 {
		blocks = append(blocks, pith.ArchivedBlock{Message: i, Kind: pith.KindText, Text: strings.Repeat(fmt.Sprint("line ", i%3, "\n"), 1000)})
	}
	if err := s.PutBlocks(t.Context(), "s", blocks); err != nil {
		t.Fatal(err)
	}
	texts, err := filepath.Glob(s.path("s", blocksFolder, "*"+textSuffix))
	if err != nil || len(texts) != 3 {
		t.Fatalf("%d texts, %v", len(texts), err)
	}
	if info, err := os.Stat(texts[0]); err != nil || info.Size() > 200 {
		t.Errorf("7,000 bytes became %d, %v", info.Size(), err)
	}
	if err := os.WriteFile(texts[0], []byte("spoiled"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := 0
	err = s.EachBlock(t.Context(), "s", func(*pith.ArchivedBlock) error { n++; return nil })
	if n != 20 || pith.KindOf(err) != pith.KindStore {
		t.Errorf("%d of 20 whole blocks, %v", n, err)
	}
	blocks[0].Message, blocks[1].Message, blocks[2].Message = 100, 101, 102
	if err := s.PutBlocks(t.Context(), "s", blocks[:3]); err != nil {
		t.Fatal(err)
	}
	n = 0
	if err := s.EachBlock(t.Context(), "s", func(*pith.ArchivedBlock) error { n++; return nil }); err != nil || n != 33 {
		t.Errorf("%d of 33 blocks, %v", n, err)
	}
}
