package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/store/storetest"
)

// wantTold holds that an error is one line of KindStore that says some words,
// with a hint.
func wantTold(t *testing.T, err error, words string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error; want one that says %q", words)
	case pith.KindOf(err) != pith.KindStore || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n"):
		t.Errorf("the error is %q of kind %d, want one line with %q", err, pith.KindOf(err), words)
	case pith.HintOf(err) == "":
		t.Errorf("%q has no hint", err)
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such modes")
	}
	path := filepath.Join(t.TempDir(), "data", "pith", "a?b#c%20d.db")
	s := openAt(t, path)
	if err := s.Put(t.Context(), storetest.New(t, "s", nil, "goal")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"": 0o600, "-wal": 0o600, "-shm": 0o600} {
		info, err := os.Stat(path + name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v", name, info, err)
		}
	}
	for dir := filepath.Dir(path); filepath.Base(dir) != "001"; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	openAt(t, path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("an open file stayed open: %v, %v", info, err)
	}
}

func TestSettings(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "pith.db"))
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000", "foreign_keys": "1", "secure_delete": "1", "application_id": fmt.Sprint(storeMark),
	} {
		var got string
		if err := s.data.db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, want %s, %v", pragma, got, want, err)
		}
	}
}

func TestNewerSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pith.db")
	if err := openAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	behind(t, path, func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)`)
		return err
	})
	_, err := Open(t.Context(), path)
	wantTold(t, err, "update pith")
}

// TestOlderSchema holds that blocks from before calls were kept are still there.
func TestOlderSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pith.db")
	d, err := connect(t.Context(), path, "FULL", storeMark)
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, d.db, files, goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err == nil {
		_, err = p.UpTo(t.Context(), 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := sha256.Sum256([]byte("old"))
	packed, err := pack(nil, "old")
	if err == nil {
		_, err = d.db.Exec(`INSERT INTO texts (n, sha256, text) VALUES (1, ?, ?)`, text[:], packed)
	}
	if err == nil {
		_, err = d.db.Exec(`INSERT INTO blocks VALUES ('s', 0, 0, 'user', 0, '', '', 0, NULL, ?, 1, 5)`, text[:])
	}
	if err = errors.Join(err, d.close()); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path)
	if err := s.PutBlocks(t.Context(), "s", []pith.ArchivedBlock{{Message: 1, Text: "new", Call: "c"}}); err != nil {
		t.Fatal(err)
	}
	var got []string
	err = s.EachBlock(t.Context(), "s", func(b *pith.ArchivedBlock) error {
		got = append(got, b.Text+":"+b.Call)
		return nil
	})
	if err != nil || !slices.Equal(got, []string{"old:", "new:c"}) {
		t.Errorf("the archive holds %q, %v", got, err)
	}
}

// TestMigrationsAreCounted holds that the number in the code is that of the files.
func TestMigrationsAreCounted(t *testing.T) {
	files, err := migrations.ReadDir("migrations")
	if err != nil || len(files) != currentSchema {
		t.Errorf("%d migrations, want %d, %v", len(files), currentSchema, err)
	}
}

func TestNotAStore(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", other)
	if err == nil {
		_, err = db.Exec(`CREATE TABLE mine (x)`)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for path, words := range map[string]string{
		write("text", bytes.Repeat([]byte("this is a text\n"), 1000)): "not a database",
		write("folder/../short", []byte("SQLite format 2")):           "not a database",
		other: "something else",
		dir:   "cannot be opened",
		filepath.Join(write("file", nil), "pith.db"): "cannot be opened",
	} {
		before, _ := os.ReadFile(path)
		_, err := Open(t.Context(), path)
		wantTold(t, err, words)
		_, err = OpenIndex(t.Context(), path)
		wantTold(t, err, words)
		if after, _ := os.ReadFile(path); !bytes.Equal(after, before) {
			t.Errorf("%s was changed", path)
		}
	}
}

func TestReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "pith.db")
	s := openAt(t, path)
	c := storetest.New(t, "s", nil, "goal")
	if err := s.Put(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), filepath.Join(dir, "new.db"))
	wantTold(t, err, "cannot be opened")
	s, err = Open(t.Context(), path)
	if err == nil {
		err = s.Put(t.Context(), storetest.New(t, "s", c, "next"))
	}
	wantTold(t, err, path)
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := openAt(t, path).Latest(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	storetest.Same(t, got, c)
}

func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pith.db")
	first, second := openAt(t, path), openAt(t, path)
	if _, err := second.data.db.Exec(`PRAGMA busy_timeout = 50`); err != nil {
		t.Fatal(err)
	}
	c := storetest.New(t, "s", nil, "goal")
	err := first.data.write(t.Context(), func(*sql.Tx) error {
		wantTold(t, second.Put(t.Context(), c), "locked by another process")
		_, err := second.List(t.Context(), "") // reading goes on
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Put(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func TestDiskFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pith.db")
	s := openAt(t, path)
	var pages int
	if err := s.data.db.QueryRow(`PRAGMA page_count`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := s.data.db.Exec(fmt.Sprintf(`PRAGMA max_page_count = %d`, pages+12)); err != nil {
		t.Fatal(err)
	}
	var last *pith.Saved
	var err error
	for i := range 100 {
		c := storetest.New(t, "s", last, fmt.Sprint(i, strings.Repeat(" work", 800)))
		if err = s.Put(t.Context(), c); err != nil {
			break
		}
		last = c
	}
	wantTold(t, err, "disk is full")
	if last == nil {
		t.Fatal("nothing was stored before the disk was full")
	}
	for _, s := range []*Store{s, openAt(t, path)} {
		got, err := s.Latest(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		storetest.Same(t, got, last)
	}
	var sound string
	if err := s.data.db.QueryRow(`PRAGMA integrity_check`).Scan(&sound); err != nil || sound != "ok" {
		t.Errorf("the file is %q, %v", sound, err)
	}
}

// TestCorruptPages spoils one page after the other: whatever the store says, it
// says so, and most of what it holds can be read where the page was of a state.
func TestCorruptPages(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pith.db")
	s := openAt(t, path)
	var all []*pith.Saved
	for i := range 4 {
		session := fmt.Sprint("s", i)
		root := storetest.New(t, session, nil, strings.Repeat("root ", 4000))
		all = append(all, root, storetest.New(t, session, root, strings.Repeat("child ", 3000)))
	}
	for _, c := range all {
		if err := s.Put(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.data.truncateLog(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	inState, others := 0, 0
	for at := 0; at+page <= len(whole); at += page {
		spoiled := bytes.Clone(whole)
		for i := at; i < at+page; i++ {
			spoiled[i] ^= 0xa5
		}
		copied := filepath.Join(dir, fmt.Sprintf("page%d.db", at/page))
		if err := os.WriteFile(copied, spoiled, 0o600); err != nil {
			t.Fatal(err)
		}
		readable, told := survivors(t, copied, all)
		if readable == len(all)-1 && told == 1 {
			inState++
		} else {
			others++
		}
		os.Remove(copied)
	}
	if inState < 20 || inState < others {
		t.Errorf("%d pages cost one record, %d more or nothing", inState, others)
	}
}

// survivors counts what can be read of a store, and what it says is damaged.
func survivors(t *testing.T, path string, all []*pith.Saved) (readable, told int) {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		wantTold(t, err, "")
		return 0, 0
	}
	defer s.Close()
	for _, c := range all {
		got, err := s.Get(t.Context(), c.State.Checkpoint.ID)
		if err == nil {
			storetest.Same(t, got, c)
			readable++
		} else if pith.KindOf(err) != pith.KindStore {
			t.Errorf("%s: %v", path, err)
		}
	}
	entries, err := s.List(t.Context(), "")
	if err != nil {
		wantTold(t, err, "")
	}
	for _, e := range entries {
		if e.Damaged != "" {
			told++
		}
	}
	for _, session := range []string{"s0", "s1", "s2", "s3"} {
		last, err := s.Latest(t.Context(), session)
		if err != nil {
			continue
		}
		err = s.Put(t.Context(), storetest.New(t, session, last, "goes on"))
		if err != nil && pith.KindOf(err) != pith.KindStore {
			t.Errorf("%s: %v", path, err)
		}
	}
	return readable, told
}

const appendFile = "PITH_APPEND_FILE"

// TestAppendChild is the other process of TestProcesses.
func TestAppendChild(t *testing.T) {
	path := os.Getenv(appendFile)
	if path == "" {
		t.Skip("this is run by TestProcesses")
	}
	appendMany(t, path)
}

const (
	appenders  = 32
	appendEach = 1
)

// appendMany appends from many goroutines to one session.
func appendMany(t *testing.T, path string) {
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	errs := make(chan error, appenders)
	for i := range appenders {
		go func() { errs <- appendSome(t, s, i) }()
	}
	for range appenders {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func appendSome(t *testing.T, s *Store, i int) error {
	for n := 0; n < appendEach; {
		last, err := s.Latest(t.Context(), "shared")
		if err != nil && !errors.Is(err, pith.ErrNotFound) {
			return err
		}
		err = s.Put(t.Context(), storetest.New(t, "shared", last, fmt.Sprint(os.Getpid(), " ", i, " ", n)))
		var conflict *pith.Conflict
		switch {
		case err == nil:
			n++
		case !errors.As(err, &conflict):
			return err
		}
	}
	return nil
}

// TestProcesses lets processes make a file and append to it at the same time.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "pith.db")
	const processes = 3
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, processes)
	for range processes {
		go func() {
			cmd := exec.CommandContext(ctx, self, "-test.run=^TestAppendChild$")
			cmd.Env = append(os.Environ(), appendFile+"="+path)
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			ended <- err
		}()
	}
	for range processes {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	entries, err := openAt(t, path).List(t.Context(), "shared")
	if err != nil || len(entries) != processes*appenders*appendEach {
		t.Fatalf("%d checkpoints, want %d, %v", len(entries), processes*appenders*appendEach, err)
	}
	parents := map[string]bool{}
	for _, e := range entries {
		if e.Damaged != "" || parents[e.ParentID] {
			t.Errorf("%+v", e)
		}
		parents[e.ParentID] = true
	}
}

func TestUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pith.db")
	handles := []*Store{openAt(t, path), openAt(t, path)}
	soon := time.Now().Add(time.Minute)
	results := make(chan error, 32)
	for i := range cap(results) {
		go func() { results <- handles[i%2].Use(t.Context(), "once", soon) }()
	}
	won := 0
	for range cap(results) {
		switch err := <-results; {
		case err == nil:
			won++
		case !errors.Is(err, ErrUsed) || pith.KindOf(err) != pith.KindStore:
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("the nonce was taken %d times", won)
	}
	s := handles[0]
	for _, expires := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(-60 * 24 * time.Hour)} {
		if err := s.Use(t.Context(), expires.String(), expires); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	_ = s.Use(t.Context(), "another", soon)
	if err := s.data.db.QueryRow(`SELECT count(*) FROM nonces`).Scan(&n); err != nil || n != 3 {
		t.Errorf("%d nonces are kept, want 3: that of the day is, that of long ago is not; %v", n, err)
	}
}

// TestForgetLeavesNoTrace looks for the text of a session in the bytes of the files.
func TestForgetLeavesNoTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pith.db")
	s := openAt(t, path)
	const secret = "an unmistakable sentence of the forgotten"
	c := storetest.New(t, "forgotten", nil, secret)
	c.Project = "/forgotten/project"
	for _, c := range []*pith.Saved{c, storetest.New(t, "kept", nil, "a sentence that stays")} {
		if err := s.Put(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutBlocks(t.Context(), "forgotten", []pith.ArchivedBlock{{Text: "x", Tool: "forgotten-tool"}}); err != nil {
		t.Fatal(err)
	}
	there := func() (found []string) {
		for _, suffix := range []string{"", "-wal"} {
			b, err := os.ReadFile(path + suffix)
			if err != nil {
				t.Fatal(err)
			}
			for _, trace := range []string{secret, "/forgotten/project", "forgotten-tool", "a sentence that stays"} {
				if bytes.Contains(b, []byte(trace)) {
					found = append(found, trace)
				}
			}
		}
		return found
	}
	if found := there(); len(found) < 4 {
		t.Fatalf("before: %q", found)
	}
	if n, err := s.Forget(t.Context(), "forgotten"); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if found := there(); len(found) != 1 || found[0] != "a sentence that stays" {
		t.Errorf("after: %q", found)
	}
}

// TestCorruptIndex spoils one page after the other of an index: whatever it
// says, it says so, and that the file may be deleted.
func TestCorruptIndex(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "search.db")
	x, err := OpenIndex(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("needle number%d %s", i, strings.Repeat(fmt.Sprint("word", i*7, " "), 200)))
	}
	index(t, x, "s", texts...)
	if err := errors.Join(x.data.truncateLog(t.Context()), x.Close()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	told := 0
	for at := 0; at+page <= len(whole); at += page {
		spoiled := bytes.Clone(whole)
		for i := at; i < at+page; i++ {
			spoiled[i] ^= 0xa5
		}
		copied := filepath.Join(dir, fmt.Sprintf("page%d.db", at/page))
		if err := os.WriteFile(copied, spoiled, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := OpenIndex(t.Context(), copied)
		if err == nil {
			_, err = x.Search(t.Context(), "needle", SearchOptions{Limit: 100})
			err = errors.Join(err, x.Add(t.Context(), "s", SourceKey{}, feedOf(0, texts[1:]...)), x.Forget(t.Context(), "s"), x.Close())
		}
		if err == nil {
			continue
		}
		if told++; pith.KindOf(err) != pith.KindStore && !strings.Contains(err.Error(), "\n") || !strings.Contains(pith.HintOf(errorOf(err)), "delete "+copied) {
			t.Errorf("page %d: %v, hint %q", at/page, err, pith.HintOf(errorOf(err)))
		}
	}
	if told == 0 {
		t.Error("no page mattered")
	}
}

// errorOf gives the first pith.Error of an error.
func errorOf(err error) error {
	var e *pith.Error
	if errors.As(err, &e) {
		return e
	}
	return err
}
