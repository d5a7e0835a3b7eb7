package pith

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Store keeps checkpoints: immutable, named by the hash of their content, in
// one chain for each session. Its contract is package store/storetest.
type Store interface {
	// Put keeps a checkpoint once it lies on the disk for good. Putting one
	// that is there already does nothing. Errors: *Conflict where its parent is
	// not the latest of the session; KindStore otherwise, with all that was
	// stored before as it was.
	Put(ctx context.Context, s *Saved) error
	// Get fetches a checkpoint by its whole id. Errors: ErrNotFound, *Damaged.
	Get(ctx context.Context, id string) (*Saved, error)
	// Latest fetches the newest checkpoint of a session that can be read; a
	// damaged one behind it costs itself alone. Errors: ErrNotFound.
	Latest(ctx context.Context, session string) (*Saved, error)
	// List describes the checkpoints of a session, or of all where it is "",
	// those that were saved last first. Damaged ones are among them.
	List(ctx context.Context, session string) ([]Entry, error)
}

// Forgetter is a store that can forget: every checkpoint, archived block and
// index entry of a session is removed from the disk for good.
type Forgetter interface {
	// Forget returns how many checkpoints there were. Errors: ErrNotFound.
	Forget(ctx context.Context, session string) (int, error)
}

// Saved is a checkpoint as a store keeps it: the state, and what was true on
// the machine that saved it. Only the state is part of the id.
type Saved struct {
	State *State
	// JSON is the state as it is written, on one line. A store keeps these
	// bytes; the id is the hash of their canonical form with an empty id.
	JSON []byte
	// SavedAt is a clock reading of the machine that saved it.
	SavedAt time.Time
	// Owner is the account that saved it; nobody else's is ever restored.
	Owner string
	// Project is the folder, on this machine, that the work belongs to.
	Project string
	// Disk is what the workspace looked like, nil where nobody looked.
	Disk *Disk
	// How says what made it where that was no compaction: edit, undo, pin, import.
	How string
}

// Entry describes a stored checkpoint without its state.
type Entry struct {
	ID        string    `json:"id"`
	SessionID string    `json:"session_id"`
	Seq       int       `json:"seq"`
	ParentID  string    `json:"parent_id,omitempty"`
	SavedAt   time.Time `json:"saved_at"`
	Owner     string    `json:"owner,omitempty"`
	Project   string    `json:"project,omitempty"`
	Format    Format    `json:"format"`
	// Goal is the first line of the goal, shortened.
	Goal    string `json:"goal,omitempty"`
	Through int    `json:"through_message"`
	Turn    int    `json:"turn"`
	How     string `json:"how,omitempty"`
	Bytes   int    `json:"bytes"`
	// Damaged says what is wrong with the record, "" where it can be read. Of a
	// damaged one the other fields hold what is still known.
	Damaged string `json:"damaged,omitempty"`
}

// Disk is what a workspace looked like at one moment.
type Disk struct {
	At time.Time `json:"at"`
	// Root is the folder that was looked at, absolute, its links resolved.
	Root string `json:"root"`
	// Branch is "" on a detached head and where there is no repository.
	Branch string `json:"branch,omitempty"`
	Head   string `json:"head,omitempty"`
	// Repository is the folder of the checkout; a worktree has one of its own.
	Repository string `json:"repository,omitempty"`
	// Why says why branch and head are not known where they are not.
	Why string `json:"why,omitempty"`
	// Worktrees are the other checkouts of the same repository in which any of
	// the files lie.
	Worktrees []Checkout `json:"worktrees,omitempty"`
	Files     []Stamp    `json:"files"`
}

// Checkout is a checkout of a repository beside the one at a disk's root.
type Checkout struct {
	Path string `json:"path"`
	// Branch is "" on a detached head.
	Branch string `json:"branch,omitempty"`
	Head   string `json:"head,omitempty"`
	// Why says why branch and head are not known where they are not.
	Why string `json:"why,omitempty"`
}

// Stamp is what a path was at one moment.
type Stamp struct {
	Path string `json:"path"`
	// Kind is file, folder, other, absent, or unknown where it could not be
	// looked at; it describes what a link leads to.
	Kind    string    `json:"kind"`
	Size    int64     `json:"size,omitempty"`
	SHA256  string    `json:"sha256,omitempty"`
	ModTime time.Time `json:"mod_time,omitzero"`
	// Target is the path with every symbolic link on the way resolved, where
	// that is another one.
	Target string `json:"target,omitempty"`
	// Why says why it is unknown.
	Why string `json:"why,omitempty"`
}

// Archive keeps the redacted blocks of conversations that no client keeps in a
// file of its own, so that they can be recalled.
type Archive interface {
	// PutBlocks adds blocks; those that are there already are kept as they are.
	PutBlocks(ctx context.Context, session string, blocks []ArchivedBlock) error
	// EachBlock calls f with the blocks of a session in their order, until f
	// returns an error.
	EachBlock(ctx context.Context, session string, f func(*ArchivedBlock) error) error
	// Prune removes the blocks that were put before a time, and counts them.
	Prune(ctx context.Context, before time.Time) (int, error)
}

// ArchivedBlock is one block of text, tool use or tool result.
type ArchivedBlock struct {
	Message, Block int
	Role           Role
	Kind           BlockKind
	Tool           string
	// Call is the same for a tool use and its result, "" where it is not known.
	Call   string
	Agent  string
	Origin Provenance
	Time   time.Time
	Text   string
	Hash   [32]byte
}

// Edit is what a person changed in a state. A later compaction takes the facts
// from the transcript again, and then applies it again.
type Edit struct {
	// Slot is the path of the list or the object, as in "active_constraints",
	// "files_modified_and_inspected/modified" or "current_goal".
	Slot string `json:"slot"`
	// Item names the item of a list: its id, path, text or name. It is "" for an object.
	Item string `json:"item,omitempty"`
	// Op is removed, changed or added.
	Op string `json:"op"`
	// Value is the item as the person left it, absent where it was removed.
	Value json.RawMessage `json:"value,omitempty"`
	// Through is the last message of the state that the person saw: what says
	// where the work stands holds until the work goes on.
	Through int `json:"through_message"`
}

// ErrNotFound is the error for what a store does not have.
var ErrNotFound = errors.New("not in the store")

// Conflict is the error for a checkpoint whose parent is not the latest of its
// session: somebody else compacted the session meanwhile.
type Conflict struct {
	Session string
	// Parent is what the refused one was made from, "" for none.
	Parent string
	// Existing is the checkpoint that has the place, New the one that was refused.
	Existing, New string
}

func (c *Conflict) Error() string {
	parent := "the session's beginning"
	if c.Parent != "" {
		parent = "checkpoint " + shortID(c.Parent)
	}
	return fmt.Sprintf("session %s went on from %s with checkpoint %s already; %s was not stored", c.Session, parent, shortID(c.Existing), shortID(c.New))
}

// Damaged is the error for a record that is there and cannot be read.
type Damaged struct {
	ID, Why string
}

func (d *Damaged) Error() string {
	return fmt.Sprintf("checkpoint %s is damaged: %s", shortID(d.ID), d.Why)
}

func shortID(id string) string { return id[:min(len(id), 12)] }
