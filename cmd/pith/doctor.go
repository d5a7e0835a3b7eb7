package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/hook"
	"github.com/pith-memory/pith/install"
)

// recent is how long a problem of a hook is worth a warning.
const recent = 7 * 24 * time.Hour

func doctorCommand(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [AGENT]",
		Short: "Check that pith works in the coding agents it is installed in",
		Long: `Check that pith works: its settings, its store, and in each agent that it is installed
in (or the one that is named) the files, the entries in the settings, for Codex
whether it may run the hooks, and that a session which is made up for it comes back
compacted. It shows what went wrong in hooks lately, and the last compactions.

It changes nothing: what it has to write lies in a folder beside the store that it
removes again.

Exit codes: 0 all is well, or there are only warnings; 2 usage; 5 something is wrong.`,
		Example: "  pith doctor\n  pith doctor claude-code --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			agent := install.Agent("")
			if len(args) > 0 {
				agent = install.Agent(args[0])
				if !slices.Contains(append(install.Agents(), install.MCP), agent) {
					return usage("agents: claude-code, codex, opencode, pi, mcp", "unknown agent %q", args[0])
				}
			}
			return c.doctor(cmd.Context(), agent, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) doctor(ctx context.Context, agent install.Agent, asJSON bool) error {
	checks := c.examine(ctx, agent)
	wrong := 0
	for _, x := range checks {
		if x.Level == install.Wrong {
			wrong++
		}
	}
	if asJSON {
		if err := printJSON(c.out, map[string]any{"checks": checks, "wrong": wrong}); err != nil {
			return err
		}
	} else {
		c.printChecks(checks)
	}
	if wrong == 0 {
		return nil
	}
	return &pith.Error{Kind: pith.KindCheck, Err: fmt.Errorf("%s wrong", counted(wrong, "thing"))}
}

func (c *console) printChecks(checks []install.Check) {
	colours := map[install.Level]string{install.OK: green, install.Warning: yellow, install.Wrong: red}
	for _, x := range checks {
		name := x.Name
		if x.Agent != "" {
			name = string(x.Agent) + " " + name
		}
		fmt.Fprintf(c.out, "%s %-22s %s\n", c.paint(colours[x.Level], fmt.Sprintf("%-7s", x.Level)), name, x.Text)
		if x.Do != "" {
			fmt.Fprintf(c.out, "%7s %-22s -> %s\n", "", "", x.Do)
		}
	}
}

// examine is every check, in the order in which things depend on one another.
func (c *console) examine(ctx context.Context, agent install.Agent) []install.Check {
	config := c.agentFolders()
	var checks []install.Check
	self, err := ownPath()
	if err != nil {
		checks = append(checks, install.Check{Name: "program", Level: install.Warning, Text: err.Error(), Do: pith.HintOf(err)})
		if self, err = os.Executable(); err != nil {
			return checks
		}
	} else {
		checks = append(checks, install.Check{Name: "program", Level: install.OK, Text: fmt.Sprintf("pith %s (%s)", config.Version, self)})
	}
	config.Pith = self
	checks = append(checks, install.Check{Name: "configuration", Level: install.OK, Text: c.settings.File})
	stored, list := c.checkStore(ctx)
	checks = append(checks, stored...)
	folder, err := c.besideStore()
	if err != nil {
		return append(checks, install.Check{Name: "round trip", Level: install.Wrong, Text: err.Error(), Do: "see that you may write there, and that the disk is not full"})
	}
	defer func() { _ = os.RemoveAll(folder) }() // what cannot be removed stays
	checks = append(checks, c.checkTrip(ctx, self, folder))
	installed := config.Examine(ctx, agent, folder)
	if len(installed) == 0 {
		installed = append(installed, install.Check{Name: "agents", Level: install.Warning, Text: "pith is installed in no agent", Do: "pith install"})
	}
	checks = append(checks, installed...)
	return append(append(checks, checkProblems(agent)...), lastCompactions(list)...)
}

// checkStore opens the store, if there is one, and reads it.
func (c *console) checkStore(ctx context.Context) ([]install.Check, []pith.Entry) {
	path := c.settings.value("store-path")
	fails := func(err error) ([]install.Check, []pith.Entry) {
		return []install.Check{{Name: "store", Level: install.Wrong, Text: err.Error(), Do: "`pith config` shows which store is used; move a broken one away and pith begins a new one"}}, nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return []install.Check{{Name: "store", Level: install.OK, Text: path + " (none yet)"}}, nil
	}
	store, done, err := c.openStore(ctx)
	if err != nil {
		return fails(err)
	}
	defer done()
	list, err := store.List(ctx, "")
	if err != nil {
		return fails(err)
	}
	return []install.Check{{Name: "store", Level: install.OK, Text: fmt.Sprintf("%s (%s)", path, counted(len(list), "checkpoint"))}}, list
}

// besideStore is a new folder on the disk that the store is on.
func (c *console) besideStore() (string, error) {
	dir := filepath.Dir(c.settings.value("store-path"))
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return os.MkdirTemp(dir, ".pith-doctor-")
}

// checkTrip has this program compact a made-up session and looks into the store
// that it leaves.
func (c *console) checkTrip(ctx context.Context, self, folder string) install.Check {
	const do = "the message says what is wrong; `pith config` shows every setting"
	trip, err := install.RoundTrip(ctx, self, install.ClaudeCode, folder)
	if err == nil {
		err = c.readTrip(ctx, trip.Store)
	}
	if err != nil {
		return install.Check{Name: "round trip", Level: install.Wrong, Text: err.Error(), Do: do}
	}
	return install.Check{Name: "round trip", Level: install.OK, Text: fmt.Sprintf("compacted, stored and read back; the hook took %d ms", trip.Took.Milliseconds())}
}

func (c *console) readTrip(ctx context.Context, path string) error {
	store, err := storeKinds[c.settings.value("store")](ctx, path)
	if err != nil {
		return fmt.Errorf("open what was stored: %w", err)
	}
	if closer, ok := store.(interface{ Close() error }); ok {
		defer func() { _ = closer.Close() }() // it was only read
	}
	list, err := store.List(ctx, "")
	if err == nil && len(list) == 0 {
		err = errors.New("nothing was stored")
	}
	return err
}

// checkProblems shows what went wrong in hooks lately.
func checkProblems(agent install.Agent) []install.Check {
	list, err := hook.Problems(hookFolder())
	if err != nil {
		return []install.Check{{Name: "hooks", Level: install.Warning, Text: err.Error()}}
	}
	var checks []install.Check
	for _, p := range slices.Backward(list) {
		if agent != "" && string(p.Client) != string(agent) || time.Since(p.At) > recent {
			continue
		}
		if len(checks) == 5 {
			break
		}
		checks = append(checks, install.Check{
			Agent: install.Agent(p.Client), Name: "hook " + string(p.Event), Level: install.Warning,
			Text: p.At.Local().Format("2006-01-02 15:04") + " " + p.Error,
		})
	}
	if len(checks) == 0 {
		return []install.Check{{Name: "hooks", Level: install.OK, Text: "no problem noted in the last 7 days"}}
	}
	return checks
}

// lastCompactions shows the latest checkpoint of each of the latest sessions.
func lastCompactions(list []pith.Entry) (checks []install.Check) {
	slices.SortFunc(list, func(a, b pith.Entry) int { return b.SavedAt.Compare(a.SavedAt) })
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(e pith.Entry) bool {
		again := seen[e.SessionID]
		seen[e.SessionID] = true
		return again
	})
	for _, e := range list[:min(3, len(list))] {
		checks = append(checks, install.Check{Name: "last checkpoint", Level: install.OK, Text: fmt.Sprintf("%s of session %s", e.SavedAt.Local().Format("2006-01-02 15:04"), e.SessionID)})
	}
	return checks
}
