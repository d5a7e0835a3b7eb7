package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/trigger"
)

// Record is what is remembered of a session between two events: figures and
// references, nothing of what was said.
type Record struct {
	Version int    `json:"version"`
	Session string `json:"session"`
	// Cursor says how far the session file was read for the latest checkpoint.
	Cursor Cursor `json:"cursor"`
	// Followed says how it stood when it was looked at last.
	Followed Followed `json:"followed,omitzero"`
	// Trigger is what the policy remembers.
	Trigger trigger.State `json:"trigger"`
	// Replaced is set while the history's place is taken by pith's memory, and
	// names its checkpoint.
	Replaced string `json:"replaced,omitempty"`
	// Prepared names the checkpoint that was kept for the compaction under way.
	Prepared string `json:"prepared,omitempty"`
	// Owed names what the client's own summary lost and the model was not told
	// yet: items of the checkpoint OwedOf.
	Owed   []string `json:"owed,omitempty"`
	OwedOf string   `json:"owed_of,omitempty"`
	// Told names the checkpoint whose block was given last, Omitted the items
	// of it that the block had no room for.
	Told    string   `json:"told,omitempty"`
	Omitted []string `json:"omitted,omitempty"`
	// Warned is how large the context was when the model was told that it fills
	// up, 0 since it is small again. Units: tokens.
	Warned pith.Tokens `json:"warned,omitempty"`
	// Failures are the tools that failed alike, as the client's events say.
	Failures trigger.FailureRun `json:"failures,omitzero"`
	// KeptTurn is the turn of the latest checkpoint.
	KeptTurn int `json:"kept_turn,omitempty"`
	// Status is for the status line.
	Status Status `json:"status"`

	path string
	// before is the record as it was read, to write only what changed.
	before string
}

// Status is what a status line shows.
type Status struct {
	Used   pith.Tokens `json:"used,omitempty"`
	Window int         `json:"window,omitempty"`
	// Compactions counts those that were seen, Last is when the latest was, and
	// Before and After the context's size around it.
	Compactions int         `json:"compactions,omitempty"`
	Last        time.Time   `json:"last,omitzero"`
	Before      pith.Tokens `json:"before,omitempty"`
	After       pith.Tokens `json:"after,omitempty"`
	// Kept and Known count the items of the state that the model still has, and
	// all of them: 100 % where pith's memory took the place.
	Kept  int `json:"kept,omitempty"`
	Known int `json:"known,omitempty"`
	// By is pith or the client.
	By string `json:"by,omitempty"`
}

const recordVersion = 1

// record reads the record of a session; one that cannot be read is a new one.
func (h *Hooks) record(key string) *Record {
	sum := sha256.Sum256([]byte(key))
	r := &Record{path: filepath.Join(h.config.Dir, hex.EncodeToString(sum[:12])+".json")}
	data, err := readSmall(r.path)
	if err != nil || json.Unmarshal(data, r) != nil || r.Version != recordVersion || r.Session != key {
		*r = Record{path: r.path}
	}
	r.Version, r.Session, r.before = recordVersion, key, string(data)
	return r
}

// maxRecord is more than a record of ours can have. Units: bytes.
const maxRecord = 1 << 20

// readSmall reads a file, where it is one and no larger than ours are.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRecord {
		return nil, fmt.Errorf("%s is no record", path)
	}
	return os.ReadFile(path)
}

// save writes the record where it changed, whole or not at all.
func (r *Record) save() error {
	data, err := json.Marshal(r)
	if err != nil || string(data) == r.before || r.Session == "" {
		return err
	}
	return replaceFile(r.path, data)
}

// newPrefix begins the name of a file that is not written to its end.
const newPrefix = ".new-"

// replaceFile writes a file whole or not at all.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), newPrefix+"*") // its mode is 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
