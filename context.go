package pith

import (
	"encoding/json"
	"errors"
)

// Context holds what the ten slots have no home for.
type Context struct {
	Language      string        `json:"language,omitempty"` // BCP 47
	Todo          []Todo        `json:"todo"`
	PendingCalls  []PendingCall `json:"pending_calls"`
	OpenQuestions []Quote       `json:"open_questions"`
	// LastWords is the assistant's last text, shortened head-tail.
	LastWords *Quote `json:"last_words,omitempty"`
	Pins      []Pin  `json:"pins"`
	// Plan is the path of the plan that the user approved.
	Plan *Plan `json:"plan,omitempty"`
	// Environment is what the client says of its own limits (a read-only sandbox).
	Environment []Quote `json:"environment"`
	// URLs are those that were read.
	URLs []Quote `json:"urls"`
	// Summary is an earlier summary of the client's that stands in the live context.
	Summary *Source `json:"client_summary,omitempty"`
	// KeyLines are of the files that were read last.
	KeyLines []KeyLines `json:"key_lines,omitempty"`
	// Done are the finished steps that have evidence (a deploy that exited 0).
	Done []Quote `json:"done"`
	// Unverified are the assistant's claims that tests, a build or a linter
	// pass, which no run supports or the last run contradicts.
	Unverified []Quote `json:"unverified"`
}

// Todo is one entry of the latest list.
type Todo struct {
	Text   string `json:"text"`
	Status string `json:"status"` // pending | in_progress | completed | cancelled
	Source Source `json:"source"`
}

// PendingCall is a tool use without a result.
type PendingCall struct {
	Tool   string `json:"tool"`
	Text   string `json:"text"`
	Source Source `json:"source"`
}

// Quote is verbatim text with its source.
type Quote struct {
	Text       string     `json:"text"`
	Provenance Provenance `json:"provenance"`
	Source     Source     `json:"source"`
}

// Pin is text that a person said must stay.
type Pin struct {
	Text string `json:"text"`
	By   string `json:"by"`
}

// Plan is a plan file and whether the user approved it.
type Plan struct {
	Path     string `json:"path,omitempty"`
	Approved bool   `json:"approved"`
	Source   Source `json:"source"`
}

// KeyLines are the declarations of a file as it was last shown.
type KeyLines struct {
	Path   string   `json:"path"`
	Lines  []string `json:"lines"`
	Source Source   `json:"source"`
}

// Identifiers are ranked by how likely the next calls need them.
type Identifiers struct {
	Tests   []Identifier `json:"tests"`
	Symbols []Identifier `json:"symbols"`
	Commits []Identifier `json:"commits"` // SHAs; Note is the subject
	Refs    []Identifier `json:"refs"`    // issues, pull requests, ports, versions, branches
	Paths   []Identifier `json:"paths"`   // paths that were named but not read or written
}

var errIdentifier = errors.New("want [name, source] or [name, source, note]")

// Identifier is a name and where it was last seen, written ["name","12.0"] or
// ["name","12.0","note"].
type Identifier struct {
	Name   string
	Source Source
	Note   string
}

// MarshalJSON writes the array form.
func (i Identifier) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, len(i.Name)+len(i.Note)+40)
	b = append(appendJSON(append(b, '['), i.Name), ',', '"')
	b, _ = i.Source.AppendText(b)
	b = append(b, '"')
	if i.Note != "" {
		b = appendJSON(append(b, ','), i.Note)
	}
	return append(b, ']'), nil
}

// appendJSON writes a string; one that needs no escape is not looked at twice.
func appendJSON(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // strings are always written
			return append(dst, quoted...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// UnmarshalJSON reads the array form.
func (i *Identifier) UnmarshalJSON(b []byte) error {
	var a []string
	if err := json.Unmarshal(b, &a); err != nil {
		return err
	}
	if len(a) < 2 || len(a) > 3 {
		return &Error{Op: "read an identifier", Kind: KindInput, Err: errIdentifier}
	}
	s, err := ParseSource(a[1])
	if err != nil {
		return err
	}
	*i = Identifier{Name: a[0], Source: s}
	if len(a) == 3 {
		i.Note = a[2]
	}
	return nil
}
