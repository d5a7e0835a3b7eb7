// Package merge turns what is known of a session into a State: the facts that
// code extracted, and where they and anything else disagree, who wins.
package merge

import (
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/extract"
)

// Session is what a State says of the session as a whole.
type Session struct {
	ID         string
	Format     pith.Format
	Model      string
	Agent      string
	Transcript string
	Trigger    pith.Reason
	// Time is that of the last message included, zero where none was recorded.
	Time time.Time
	// TranscriptSHA256 is the digest of the included blocks.
	TranscriptSHA256 string
	Skipped          int
	Security         pith.Security
	Metrics          pith.Metrics
	Pins             []pith.Pin
}

// State builds the state of a session from its facts alone. Its checkpoint has
// no id yet: that is a hash of everything else in it.
func State(f *extract.Facts, s Session) *pith.State {
	st := &pith.State{
		ContractType:  pith.ContractType,
		SchemaVersion: pith.SchemaVersion,
		Checkpoint:    checkpoint(f, s),
		Goal:          f.Goal,
		WorkType:      f.WorkType,
		Phase:         f.Phase,
		Constraints:   f.Constraints,
		Files:         f.Files,
		Decisions:     f.Decisions,
		Evidence:      f.Evidence,
		Failed:        f.Failed,
		Invariants:    f.Invariants,
		Next:          f.Next,
		Context:       f.Context,
		Identifiers:   f.Identifiers,
		Security:      s.Security,
		Metrics:       s.Metrics,
	}
	st.Context.Pins = s.Pins
	st.Files.Complete = true
	st.Security.Quarantined = f.Quarantined
	fillLists(st)
	st.EmptySlots = st.FindEmpty()
	st.Blocks = blockTable(st, f.Blocks)
	return st
}

func checkpoint(f *extract.Facts, s Session) pith.Checkpoint {
	c := pith.Checkpoint{
		SessionID:        s.ID,
		Trigger:          s.Trigger,
		FromMessage:      f.First,
		ThroughMessage:   f.Last,
		CompactedAtTurn:  f.Turns,
		TranscriptSHA256: s.TranscriptSHA256,
		ExtractorVersion: extract.Version,
		Origin:           "live",
		Format:           s.Format,
		Model:            s.Model,
		Transcript:       s.Transcript,
		Workspace:        f.Workspace,
		FactsOnly:        true,
		Skipped:          s.Skipped,
		Agent:            s.Agent,
	}
	if c.Model == "" {
		c.Model = f.Model
	}
	if !s.Time.IsZero() {
		t := s.Time.UTC()
		c.CreatedAt = &t
	}
	return c
}
