package main

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pith": main, "sqlite": sqliteMain})
}

// sqliteMain runs the SQL of standard input in a database: sqlite FILE <SQL.
func sqliteMain() {
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = runSQL(os.Args[1], string(text))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runSQL(path, text string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	_, err = db.Exec(text)
	return errors.Join(err, db.Close())
}

// TestScripts runs the real program as a user would: testdata/script holds a
// script for each thing that a user does.
func TestScripts(t *testing.T) {
	sessions, err := filepath.Abs(filepath.Join("..", "..", "testdata", "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(scripts) < 6 {
		t.Fatalf("only %d scripts (%v)", len(scripts), err)
	}
	servers := newModelServers()
	t.Cleanup(func() {
		servers.close()
		if err := servers.leaks(); err != nil && flag.Lookup("test.run").Value.String() == "" {
			t.Error(err)
		}
	})
	testscript.Run(t, testscript.Params{
		Dir:  filepath.Join("testdata", "script"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exitcode": exitsWith},
		Setup: func(e *testscript.Env) error {
			e.Setenv("SESSIONS", sessions)
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "data"))
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			e.Setenv("SERVER", servers.keyed.URL)
			e.Setenv("LOCALSERVER", servers.open.URL)
			e.Setenv("MODELKEY", modelKey)
			// A process that the race detector watches sleeps for a second at its end.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			for name, text := range map[string]string{
				"key.txt":   modelKey + "\n",
				"named.env": "# keys\nOPENAI_API_KEY=" + modelKey + "\nexport ANTHROPIC_API_KEY=\"" + modelKey + "\"\n",
			} {
				if err := os.WriteFile(filepath.Join(e.WorkDir, name), []byte(text), 0o600); err != nil {
					return err
				}
			}
			return os.MkdirAll(filepath.Join(e.WorkDir, "config", "pith"), 0o700)
		},
	})
}

// exitsWith runs a program that must end with an exit code: exitcode 5 pith ...
func exitsWith(ts *testscript.TestScript, negated bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || negated || len(args) < 2 {
		ts.Fatalf("usage: exitcode CODE PROGRAM [ARG...]")
	}
	got := 0
	var exited *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exited) {
		got = exited.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
