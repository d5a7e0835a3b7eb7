package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/workspace"
)

type restoreFlags struct {
	session, project      string
	asNew, resent, asJSON bool
	out                   string
}

// restored is what `pith restore --json` prints.
type restored struct {
	Checkpoint string            `json:"checkpoint"`
	Session    string            `json:"session_id"`
	Project    string            `json:"project"`
	Held       bool              `json:"next_action_held"`
	Findings   []restore.Finding `json:"findings"`
	Tokens     pith.Tokens       `json:"tokens"`
	Block      string            `json:"block"`
}

func restoreCommand(c *console) *cobra.Command {
	var f restoreFlags
	cmd := &cobra.Command{
		Use:   "restore [ID]",
		Short: "Print the block of a checkpoint, after a look at the disk",
		Long: `Print the block of a stored checkpoint, to put into the next session. Before that
its paths, branch and worktree are compared with the disk; what changed is told
on standard error and in the block, and a next action that depends on it is held
until it was looked into.

ID is a checkpoint or a session, or the beginning of either; without one it is
the latest of the current folder's project. What belongs to another project or
another account is refused.

Exit codes: 0 done, 2 usage, 5 refused, 6 store.`,
		Example: `  pith restore
  pith restore --session latest --new      # a new task: the old goal is offered, not gone on with
  pith restore 3fa9c1 --project ~/src/ledger -o block.txt`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			what, err := oneOf(args, f.session)
			if err != nil {
				return err
			}
			return c.withStore(cmd.Context(), func(store pith.Store) error {
				saved, err := c.pickIn(cmd.Context(), store, what, f.project)
				if err != nil {
					return err
				}
				return c.restore(cmd.Context(), saved, &f)
			})
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.session, "session", "", "a session, or the beginning of its id; latest is that of this project")
	fl.StringVar(&f.project, "project", "", "the project's folder (default: the current folder)")
	fl.BoolVar(&f.asNew, "new", false, "for a new task: its own request rules, and the old goal is only offered")
	fl.BoolVar(&f.resent, "with-resent", false, "write out the rules of system prompts and rules files too")
	fl.StringVarP(&f.out, "output", "o", "", "write to this file instead of standard output")
	fl.BoolVar(&f.asJSON, "json", false, "print the block and the findings as JSON")
	settingFlag(fl, "pattern")
	settingFlag(fl, "budget")
	settingFlag(fl, "window")
	return cmd
}

// oneOf is what an argument or a flag names, "latest" where neither does.
func oneOf(args []string, flag string) (string, error) {
	switch {
	case len(args) > 0 && flag != "":
		return "", usage("leave one of them out", "the argument and --session both name a checkpoint")
	case len(args) > 0:
		return args[0], nil
	}
	return or(flag, latest), nil
}

func (c *console) restore(ctx context.Context, saved *pith.Saved, f *restoreFlags) error {
	if err := checkOwner(saved); err != nil {
		return err
	}
	here := projectFolder(f.project)
	if err := checkProject(saved, here); err != nil {
		return err
	}
	root := or(saved.Project, here)
	now, err := workspace.Look(ctx, root, restore.Paths(saved.State))
	if err != nil {
		return err
	}
	state, findings := restore.Reconcile(saved.State, saved.Disk, now)
	set := c.settings.memory()
	block := restore.Render(state, restore.Options{
		Pattern: set.Pattern, Budget: set.Budget, Window: set.Window, Live: state.Metrics.TokensBefore,
		RenderResent: f.resent, Offer: f.asNew, Changes: findings,
	})
	if found := redact.Scan(block.Text); len(found) > 0 {
		return &pith.Error{Op: "restore", Kind: pith.KindCheck, Err: fmt.Errorf("a secret of rule %s stands in the block", found[0].Rule)}
	}
	held := false
	for i := range findings {
		held = held || findings[i].Holds
		if i < toldFindings {
			fmt.Fprintf(c.err, "pith: on disk: %s\n", findings[i].String())
		}
	}
	if more := len(findings) - toldFindings; more > 0 {
		fmt.Fprintf(c.err, "pith: on disk: and %d more; --json lists them\n", more)
	}
	if origin := saved.State.Checkpoint.Origin; origin != "live" {
		fmt.Fprintf(c.err, "pith: UNVERIFIED: the state is %s, and nobody here vouches for what it says\n", origin)
	}
	if held {
		fmt.Fprintln(c.err, "pith: the next action waits until that was looked into")
	}
	if !f.asJSON {
		return c.write(f.out, []byte(block.Text))
	}
	p := &saved.State.Checkpoint
	r := restored{Checkpoint: p.ID, Session: p.SessionID, Project: saved.Project, Held: held, Findings: findings, Tokens: block.Tokens, Block: block.Text}
	if r.Findings == nil {
		r.Findings = []restore.Finding{}
	}
	doc, err := jsonBytes(r)
	if err != nil {
		return err
	}
	return c.write(f.out, doc)
}

// toldFindings is how many changes are told on standard error.
const toldFindings = 20

// checkProject refuses a checkpoint of another project.
func checkProject(saved *pith.Saved, here string) error {
	if saved.Project == "" || inside(here, saved.Project) {
		return nil
	}
	return &pith.Error{
		Op: "restore checkpoint " + short(saved.State.Checkpoint.ID), Kind: pith.KindCheck,
		Err:  fmt.Errorf("it belongs to the project %s, and this is %s", saved.Project, here),
		Hint: "go to that folder or name it with --project; where the project moved, `pith export` and `pith import --project` take the state along, unverified",
	}
}
