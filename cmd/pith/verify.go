package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
)

// verdict is what `pith verify` found.
type verdict struct {
	What       string           `json:"what"` // state | memory | block
	Checkpoint string           `json:"checkpoint"`
	OK         bool             `json:"ok"`
	Checked    []string         `json:"checked"`
	Unchecked  []string         `json:"unchecked"`
	Problems   []schema.Problem `json:"problems"`
	// Followed counts what was looked up in the transcript.
	Followed *schema.Checked `json:"followed,omitempty"`
}

func verifyCommand(c *console) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify FILE|-",
		Short: "Check a state or a block: schema, rules, secrets, and every source",
		Long: `Check a state (or its 8-field view, or a rendered block): its schema, the rules
that a schema cannot say, that no secret is in it, and, for a state, that every
source lies in the transcript and holds what the state says. The transcript is
--transcript, else the file that the state names, if it is there.

Exit code 5 when a check failed.`,
		Example: "  pith verify state.json --transcript session.jsonl\n  pith compact session.jsonl | pith verify -",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			v, err := c.verify(args[0], session)
			if err != nil {
				return err
			}
			return c.printVerdict(v, asJSON)
		},
	}
	cmd.Flags().StringVar(&session, "transcript", "", "the session that the state was made from")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

const verifiable = "pass a state (`pith compact --view state`), its 8-field view, or a block, as `pith compact` printed it"

// maxDocument bounds what is read as a state or a block.
const maxDocument = 64 << 20

func (c *console) verify(arg, session string) (*verdict, error) {
	in, err := c.open(arg)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	doc, err := io.ReadAll(io.LimitReader(in, maxDocument+1))
	if err != nil {
		return nil, readError(in.name, err)
	}
	if len(doc) > maxDocument {
		return nil, inFile(in.name, &pith.Error{Op: "verify", Kind: pith.KindInput, Err: errors.New("over 64 MiB: this is no state and no block")})
	}
	v := &verdict{Checked: []string{}, Unchecked: []string{}, Problems: []schema.Problem{}}
	switch trimmed := strings.TrimSpace(string(doc)); {
	case strings.HasPrefix(trimmed, "{"):
		err = c.verifyState(v, doc, session)
	case strings.HasPrefix(trimmed, "<pith-memory"):
		v.block(trimmed)
	case trimmed == "":
		err = &pith.Error{Op: "verify", Kind: pith.KindInput, Err: errors.New("it is empty"), Hint: verifiable}
	default:
		err = &pith.Error{Op: "verify", Kind: pith.KindInput, Err: errors.New("this is neither JSON nor a block"), Hint: verifiable}
	}
	if err != nil {
		return nil, inFile(in.name, err)
	}
	v.secrets(doc)
	v.OK = len(v.Problems) == 0
	return v, nil
}

func (v *verdict) secrets(doc []byte) {
	v.Checked = append(v.Checked, "secrets")
	for _, f := range redact.Dirty(doc) {
		v.Problems = append(v.Problems, schema.Problem{Rule: "V16", Path: fmt.Sprintf("byte %d", f.Start), Text: "a secret of rule " + f.Rule + " stands in it: remove it and revoke it"})
	}
}

func (c *console) verifyState(v *verdict, doc []byte, session string) error {
	if schema.IsCompact(doc) {
		return v.compactView(doc)
	}
	v.What = "state"
	s, err := schema.Unmarshal(doc)
	if err != nil {
		return err
	}
	v.Checkpoint = s.Checkpoint.ID
	v.Checked = append(v.Checked, "schema", "rules")
	v.Problems = append(v.Problems, schema.Validate(doc)...)
	v.Problems = append(v.Problems, schema.Check(s)...)
	return c.provenance(v, s, session)
}

func (v *verdict) compactView(doc []byte) error {
	v.What = "memory"
	v.Checked = append(v.Checked, "schema")
	v.Problems = append(v.Problems, schema.ValidateCompact(doc)...)
	m, err := schema.UnmarshalCompact(doc)
	if err != nil {
		return err
	}
	s, err := schema.FromCompact(m)
	if err != nil {
		return err
	}
	v.Checkpoint = s.Checkpoint.ID
	v.Checked = append(v.Checked, "rules")
	v.Problems = append(v.Problems, schema.Check(s)...)
	v.Unchecked = append(v.Unchecked, "provenance: verify the state itself (--view state)")
	return nil
}

// provenance follows every source of the state into its transcript.
func (c *console) provenance(v *verdict, s *pith.State, session string) error {
	explicit := session != ""
	if !explicit {
		session = s.Checkpoint.Transcript
	}
	if session == "" {
		v.Unchecked = append(v.Unchecked, "provenance: the state names no transcript; pass --transcript")
		return nil
	}
	info, err := statReadable(session)
	if errors.Is(err, fs.ErrNotExist) && !explicit {
		v.Unchecked = append(v.Unchecked, "provenance: "+session+" is not there; pass --transcript")
		return nil
	}
	if err == nil && !info.Mode().IsRegular() && !explicit { // a pipe can be read once, and may never end
		v.Unchecked = append(v.Unchecked, "provenance: "+session+" is no file any more; pass --transcript")
		return nil
	}
	in, err := c.open(session)
	if err != nil {
		return err
	}
	defer in.Close()
	messages, err := memory.MessagesOf(in, s)
	if err != nil {
		return inFile(in.name, err)
	}
	problems, followed := schema.CheckTranscript(s, messages)
	v.Checked = append(v.Checked, "provenance")
	v.Followed = &followed
	v.Problems = append(v.Problems, problems...)
	return nil
}

func (v *verdict) block(text string) {
	v.What = "block"
	v.Checked = append(v.Checked, "fence")
	header, _, err := restore.ParseBlock(text)
	if err != nil {
		v.Problems = append(v.Problems, schema.Problem{Rule: "fence", Text: err.Error()})
		return
	}
	v.Checkpoint = header.CheckpointID
	v.Unchecked = append(v.Unchecked, "provenance: a block carries none; verify the state (--view state)")
}

func (c *console) printVerdict(v *verdict, asJSON bool) error {
	if asJSON {
		if err := printJSON(c.out, v); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(c.out, "%s %s\n", v.What, or(v.Checkpoint, "(no checkpoint id)"))
		fmt.Fprintf(c.out, "checked: %s\n", strings.Join(v.Checked, ", "))
		if f := v.Followed; f != nil {
			fmt.Fprintf(c.out, "looked up in the transcript: %d blocks, %d quotes, %d paths, %d commands, %d outcomes, %d names\n",
				f.Blocks, f.Quotes, f.Paths, f.Commands, f.Outcomes, f.Identifiers)
		}
		for _, u := range v.Unchecked {
			fmt.Fprintln(c.out, c.paint(yellow, "not checked: "+u))
		}
		for _, p := range v.Problems {
			fmt.Fprintf(c.out, "%s %s: %s\n", c.paint(red, p.Rule), or(p.Path, "/"), p.Text)
		}
	}
	if v.OK {
		if !asJSON {
			fmt.Fprintln(c.out, c.paint(green, "ok"))
		}
		return nil
	}
	return &pith.Error{Op: "verify", Kind: pith.KindCheck, Err: fmt.Errorf("%d problems in the %s", len(v.Problems), v.What)}
}
