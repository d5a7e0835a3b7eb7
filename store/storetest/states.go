package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

// New makes a checkpoint of a session: the child of parent, or the first where
// that is nil. The goal makes it another one than its siblings. It passes
// schema.Check where the contract takes the session's id.
func New(t testing.TB, session string, parent *pith.Saved, goal string) *pith.Saved {
	t.Helper()
	c, err := newSaved(session, parent, goal)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Chain makes the first n checkpoints of a session.
func Chain(t testing.TB, session string, n int) []*pith.Saved {
	t.Helper()
	chain := make([]*pith.Saved, n)
	var parent *pith.Saved
	for i := range chain {
		chain[i] = New(t, session, parent, fmt.Sprintf("goal %d\nof %.40s", i, session))
		parent = chain[i]
	}
	return chain
}

func newSaved(session string, parent *pith.Saved, goal string) (*pith.Saved, error) {
	s, err := schema.FromCompact(pith.Compact{Task: goal, CurrentState: "It goes on.", NextSteps: []string{"Run the tests."}})
	if err != nil {
		return nil, err
	}
	p := &s.Checkpoint
	p.SessionID = session
	if parent != nil {
		before := parent.State.Checkpoint
		p.Seq, p.ParentID = before.Seq+1, &before.ID
	}
	p.CompactedAtTurn = 10 * (p.Seq + 1)
	root := "/work/project of <" + fmt.Sprintf("%.20q", session) + ">"
	at := time.Date(2026, 3, 4, 5, 6, p.Seq%60, 789000000, time.UTC).Add(time.Duration(p.Seq/60) * time.Minute)
	c := &pith.Saved{
		State: s, SavedAt: at, Owner: "dev", Project: root, How: []string{"", "edit"}[p.Seq%2],
		Disk: &pith.Disk{
			At: at, Root: root, Branch: "main", Head: strings.Repeat("a1", 20),
			Files: []pith.Stamp{{Path: root + "/a.go", Kind: "file", Size: 12, SHA256: strings.Repeat("0f", 32), ModTime: at}, {Path: "b & c", Kind: "absent"}},
		},
	}
	if p.Seq%3 == 2 {
		c.Disk = nil // nobody looked
	}
	if schema.ValidSessionID(session) {
		var problems []schema.Problem
		if c.JSON, problems = schema.Seal(s); len(problems) > 0 {
			return nil, errors.New(problems[0].String())
		}
	} else {
		// A store is safe with what the contract would not take.
		if p.ID, err = schema.ID(s); err != nil {
			return nil, err
		}
		if c.JSON, err = schema.Marshal(s, false); err != nil {
			return nil, err
		}
	}
	// What a store gives back was read: the same state, as reading makes it.
	c.State, err = schema.Unmarshal(c.JSON)
	return c, err
}

func parentOf(c *pith.Saved) string {
	if p := c.State.Checkpoint.ParentID; p != nil {
		return *p
	}
	return ""
}

func goalLine(c *pith.Saved) string {
	line, _, _ := strings.Cut(c.State.Goal.Text, "\n")
	return line
}
