package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// receipt is what is remembered of an installation, to take it back. It holds
// what pith wrote and hashes of what was there, and nothing else of what people
// have in their settings.
type receipt struct {
	Version int    `json:"version"`
	Agent   Agent  `json:"agent"`
	Scope   Scope  `json:"scope"`
	Folder  string `json:"folder"`
	Pith    string `json:"pith"`
	Release string `json:"pith_version"`
	// Files in the order in which they were changed.
	Files []record `json:"files"`
	// Folders that were made, outermost first.
	Folders []string `json:"folders,omitempty"`
}

// record is what was done to one file.
type record struct {
	place
	// Format is json or toml for settings, "" for a file that is pith's whole.
	Format string `json:"format,omitempty"`
	// Own is set for files in pith's own folder, which nobody else changes.
	Own bool `json:"own,omitempty"`
	// Made is set where there was no file before.
	Made bool `json:"made,omitempty"`
	// Before and After are hashes of the file; After is "" where the file was
	// changed by others in between, so that entries are taken out one by one.
	Before  string   `json:"before,omitempty"`
	After   string   `json:"after,omitempty"`
	Entries []Entry  `json:"entries,omitempty"`
	Splices []splice `json:"splices,omitempty"`
}

const receiptVersion = 1

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func (c *Config) receipts() string { return filepath.Join(c.Data, "install", "receipts") }

// receiptPlace is where the receipt of an installation into a folder lies.
func (c *Config) receiptPlace(agent Agent, folder string) place {
	name := string(agent) + "-" + hashOf([]byte(folder))[:12] + ".json"
	return place{filepath.Join(c.receipts(), name), c.receipts(), name}
}

// loadReceipt reads a receipt, nil where there is none.
func loadReceipt(p place) (*receipt, content, error) {
	now, err := p.read()
	if err != nil || !now.there {
		return nil, now, err
	}
	r := &receipt{}
	if err := json.Unmarshal(now.data, r); err != nil || r.Version != receiptVersion {
		if err == nil {
			err = errors.New("another version of pith wrote it")
		}
		return nil, now, &pith.Error{Op: "read the receipt " + p.Shown, Kind: pith.KindInput, Err: err, Hint: "nothing was changed; remove it and run this again"}
	}
	return r, now, nil
}

// allReceipts lists what is installed. A receipt that cannot be read is passed over.
func (c *Config) allReceipts() []*receipt {
	list, _ := c.readReceipts("")
	return list
}

// readReceipts lists what is installed, and those receipts of an agent, "" for
// all, that cannot be read.
func (c *Config) readReceipts(agent Agent) (list []*receipt, unreadable []Check) {
	entries, err := os.ReadDir(c.receipts())
	if err != nil {
		return nil, nil
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		r, _, err := loadReceipt(place{filepath.Join(c.receipts(), e.Name()), c.receipts(), e.Name()})
		switch of := ofName(e.Name()); {
		case err != nil && (agent == "" || agent == of):
			unreadable = append(unreadable, Check{of, "receipt", Wrong, err.Error(), "remove it, then pith install " + string(of)})
		case err == nil && r != nil:
			list = append(list, r)
		}
	}
	return list, unreadable
}

// ofName is the agent that a receipt's name says.
func ofName(name string) Agent {
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		return Agent(name[:at])
	}
	return ""
}

// of finds the record of a file, nil where there is none.
func (r *receipt) of(p place) *record {
	if r == nil {
		return nil
	}
	for i := range r.Files {
		if r.Files[i].path() == p.path() {
			return &r.Files[i]
		}
	}
	return nil
}

// entry finds what was put into a settings file at a path, nil for nothing.
func (r *record) entry(path []string, nth int) *Entry {
	if r == nil {
		return nil
	}
	for i := range r.Entries {
		if slices.Equal(r.Entries[i].Path, path) {
			if nth == 0 {
				return &r.Entries[i]
			}
			nth--
		}
	}
	return nil
}

// change is the receipt as a change of its file.
func (r *receipt) change(p place, before content) (change, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return change{}, err
	}
	return change{place: p, before: before, after: content{there: true, data: append(data, '\n'), mode: 0o600}, hidden: true}, nil
}

// ownFolders are pith's own folders that an installation needs, outermost first.
func (c *Config) ownFolders(r *receipt) (list []string) {
	dirs := []string{c.receipts()}
	for i := range r.Files {
		if f := &r.Files[i]; f.Own {
			dirs = append(dirs, filepath.Dir(f.path()))
		}
	}
	for _, dir := range dirs {
		for ; within(dir, c.Data); dir = filepath.Dir(dir) {
			list = append(list, dir)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// missing are the folders that do not exist yet on the way to one, outermost first.
func missing(dir string) (list []string) {
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		list = append([]string{at}, list...)
	}
	return list
}
