package opencode_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/opencode"
	"github.com/pith-memory/pith/transcript"
)

// tables are those of opencode that matter here, with some of their columns.
const tables = `
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL, title text NOT NULL, version text NOT NULL, revert text, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
INSERT INTO session VALUES ('ses_a', 'p', NULL, '/work', 'First "quoted"', '1.18.33', NULL, 1000, 5000), ('ses_child', 'p', 'ses_a', '/work', 'A part', '1.18.33', NULL, 2000, 9000),
	('ses_b', 'p', NULL, '/other', 'Second', '1.18.33', '{"messageID":"msg_b2"}', 3000, 7000), ('ses_empty', 'p', NULL, '/work', 'None', '1.18.33', NULL, 1, 1);
INSERT INTO message VALUES ('msg_2', 'ses_a', 20, 20, '{"role":"assistant","modelID":"big","time":{"created":20}}'), ('msg_1', 'ses_a', 10, 10, '{"role":"user","time":{"created":10}}'),
	('msg_3', 'ses_a', 30, 30, '{"role":"user","time":{"created":30}}'), ('msg_b1', 'ses_b', 10, 10, '{"role":"user"}'), ('msg_b2', 'ses_b', 20, 20, '{"role":"user"}');
INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_a', 10, 10, '{"type":"text","text":"Do <it> & more"}'), ('prt_3', 'msg_2', 'ses_a', 20, 20, '{"type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"a.go"}}'),
	('prt_2', 'msg_2', 'ses_a', 21, 21, '{"type":"text","text":"I look."}'), ('prt_4', 'msg_3', 'ses_a', 30, 30, 'torn {'), ('prt_5', 'msg_3', 'ses_a', 30, 30, '{}'), ('prt_6', 'msg_3', 'ses_a', 31, 31, '{"type":"text","text":"Go on."}'),
	('prt_b1', 'msg_b1', 'ses_b', 10, 10, '{"type":"text","text":"Stays."}'), ('prt_b2', 'msg_b2', 'ses_b', 20, 20, '{"type":"text","text":"Taken back."}');
`

// newDatabase makes a database as opencode does, still open where live is set.
func newDatabase(t *testing.T, live bool) (path string, db *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "opencode.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // a second time where it is closed
	db.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA journal_mode = WAL", tables} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if !live {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return path, db
}

// texts are what the decoder reads of a session: "role: text" for each block.
func texts(t *testing.T, data []byte) (id string, out []string) {
	t.Helper()
	d, err := transcript.NewDecoder(strings.NewReader(string(data)), transcript.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	for {
		r, err := d.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Message == nil {
			continue
		}
		for i := range r.Message.Blocks {
			out = append(out, fmt.Sprintf("%s: %s", r.Message.Role, r.Message.Blocks[i].Text))
		}
	}
	return d.Header().SessionID, out
}

func TestExport(t *testing.T) {
	path, _ := newDatabase(t, false)
	for id, want := range map[string][]string{
		"ses_a":     {"user: Do <it> & more", "assistant: I look.", "assistant: bash\ncommand: ls", "user: a.go", "user: Go on."},
		"ses_b":     {"user: Stays."}, // what the user took back is not read
		"ses_empty": nil,
	} {
		data, updated, err := opencode.Export(t.Context(), path, id)
		if err != nil {
			t.Fatal(err)
		}
		got, said := texts(t, data)
		if got != id || !slices.Equal(said, want) {
			t.Errorf("%s is read as %s: %q, want %q\n%s", id, got, said, want, data)
		}
		if id == "ses_a" && updated.UnixMilli() != 5000 {
			t.Errorf("%s changed at %v", id, updated)
		}
	}
	_, _, err := opencode.Export(t.Context(), path, "ses_none")
	if e := (*pith.Error)(nil); !errors.As(err, &e) || e.Kind != pith.KindInput {
		t.Errorf("a session that is not there: %v", err)
	}
}

func TestSessions(t *testing.T) {
	path, _ := newDatabase(t, false)
	list, err := opencode.Sessions(t.Context(), path)
	if err != nil || len(list) != 4 {
		t.Fatalf("%v: %v", list, err)
	}
	if s := list[0]; s.ID != "ses_child" || s.Parent != "ses_a" || s.Folder != "/work" || s.Updated.UnixMilli() != 9000 {
		t.Errorf("the newest is %+v", s)
	}
	if list[1].ID != "ses_b" || list[1].Parent != "" {
		t.Errorf("the next is %+v", list[1])
	}
}

// TestReadsOnly holds that reading changes no byte of the database and leaves
// no file beside it, whether opencode works in it or not, and sees what was
// written last.
func TestReadsOnly(t *testing.T) {
	for name, live := range map[string]bool{"alone": false, "beside opencode": true} {
		t.Run(name, func(t *testing.T) {
			path, db := newDatabase(t, live)
			if live {
				tx, err := db.Begin()
				if err == nil {
					_, err = tx.Exec(`INSERT INTO session VALUES ('ses_open', 'p', NULL, '/work', 'Not written yet', '1', NULL, 1, 99999)`)
				}
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := tx.Commit(); err != nil { // opencode was not kept from writing
						t.Error(err)
					}
				}()
			}
			before := contents(t, path)
			list, err := opencode.Sessions(t.Context(), path)
			if err != nil || len(list) != 4 {
				t.Errorf("%v: %v", list, err)
			}
			if data, _, err := opencode.Export(t.Context(), path, "ses_a"); err != nil || !strings.Contains(string(data), "Do <it>") {
				t.Errorf("%v: %s", err, data)
			}
			if _, _, err := opencode.Export(t.Context(), path, "ses_none"); err == nil {
				t.Error("a session that is not there was read")
			}
			if after := contents(t, path); after != before {
				t.Error("the files are other than before")
			}
		})
	}
}

// contents are the files of a database's folder. The index that its users share
// holds their locks, and no data.
func contents(t *testing.T, path string) string {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name(), "-shm") {
			text = nil
		}
		fmt.Fprintf(&b, "%s %q\n", f.Name(), text)
	}
	return b.String()
}

func TestNoDatabase(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "text": "no database", "torn": "SQLite format 3\x00 and no more"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := opencode.IsDatabase(path); got != (name == "torn") {
			t.Errorf("%s is a database: %v", name, got)
		}
		_, err := opencode.Sessions(t.Context(), path)
		if e := (*pith.Error)(nil); !errors.As(err, &e) || e.Kind != pith.KindInput || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if path := filepath.Join(dir, "none"); opencode.IsDatabase(path) || opencode.IsDatabase(dir) {
		t.Error("what is not there is a database")
	} else if _, err := opencode.Sessions(t.Context(), path); err == nil {
		t.Error("what is not there has sessions")
	} else if _, err := os.Stat(path); err == nil {
		t.Error("reading made a database")
	}
}
