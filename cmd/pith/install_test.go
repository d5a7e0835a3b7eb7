package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-memory/pith/install"
)

// TestChangedInBetween: a client that writes its settings between the plan and
// the deed costs a second plan, not the installation, and only one.
func TestChangedInBetween(t *testing.T) {
	for name, lost := range map[string]int{"once": 1, "again and again": 3} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "mcp.json")
			config := &install.Config{Pith: "/opt/pith", Version: "1", Data: filepath.Join(dir, "data")}
			options := install.Options{Scope: install.User, File: file}
			plans := 0
			work := func() (*install.Plan, error) {
				plan, err := config.Install(install.MCP, options)
				if plans++; plans <= lost {
					if err := os.WriteFile(file, bytes.Repeat([]byte("{}\n"), 1)[:2+plans%2], 0o600); err != nil {
						t.Fatal(err)
					}
				}
				return plan, err
			}
			c := &console{out: &bytes.Buffer{}, err: &bytes.Buffer{}}
			err := c.carryOut(work, &installFlags{Options: options, yes: true}, "install")
			data, _ := os.ReadFile(file)
			there := bytes.Contains(data, []byte("/opt/pith"))
			if lost == 1 && (err != nil || !there || plans != 2) {
				t.Errorf("%v after %d plans: %s", err, plans, data)
			}
			if lost > 1 && (!errors.Is(err, install.ErrChanged) || there || plans != 2) {
				t.Errorf("%v after %d plans: %s", err, plans, data)
			}
		})
	}
}
