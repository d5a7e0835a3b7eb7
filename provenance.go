package pith

import (
	"fmt"
	"strconv"
	"strings"
)

// Provenance says whose words an item holds. It is computed from the type of
// the block, never from wording; an item that joins several origins takes the
// lowest, and no step raises one.
type Provenance uint8

// Origins in falling order of trust.
const (
	System Provenance = iota
	PolicyFile
	UserExplicit
	Assistant
	ToolOutput
	Harness
	PeerAgent
	UnverifiedImport
)

var provenanceNames = [...]string{
	"SYSTEM", "POLICY_FILE", "USER_EXPLICIT", "ASSISTANT",
	"TOOL_OUTPUT", "HARNESS", "PEER_AGENT", "UNVERIFIED_IMPORT",
}

func (p Provenance) String() string {
	if int(p) < len(provenanceNames) {
		return provenanceNames[p]
	}
	return "UNVERIFIED_IMPORT"
}

// MarshalText writes the label of contracts/schemas.
func (p Provenance) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// AppendText writes the same without an allocation.
func (p Provenance) AppendText(b []byte) ([]byte, error) { return append(b, p.String()...), nil }

// UnmarshalText reads a label of contracts/schemas.
func (p *Provenance) UnmarshalText(b []byte) error {
	for i, n := range provenanceNames {
		if n == string(b) {
			*p = Provenance(i)
			return nil
		}
	}
	return fmt.Errorf("unknown provenance %q", b)
}

// Lowest returns the less trusted of two origins.
func Lowest(a, b Provenance) Provenance { return max(a, b) }

// Source points at the block, or at a part of it, that supports an item.
// It is written "12.0" (message.block) or "12.0:48-78" (bytes of the block's
// normalised, redacted text); "s.0" is the system parameter of an API body.
type Source struct {
	Message, Block int
	// Start and End are 0 where the source is the whole block.
	Start, End int
}

// BlockKey is the source without its span: the key in State.Blocks.
func (s Source) BlockKey() string {
	if s.Message == SystemIndex {
		return "s." + strconv.Itoa(s.Block)
	}
	return strconv.Itoa(s.Message) + "." + strconv.Itoa(s.Block)
}

func (s Source) String() string {
	b, _ := s.AppendText(make([]byte, 0, 24))
	return string(b)
}

// MarshalText writes the short form.
func (s Source) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// AppendText writes the short form behind b.
func (s Source) AppendText(b []byte) ([]byte, error) {
	if s.Message == SystemIndex {
		b = append(b, 's')
	} else {
		b = strconv.AppendInt(b, int64(s.Message), 10)
	}
	b = append(b, '.')
	b = strconv.AppendInt(b, int64(s.Block), 10)
	if s.End == 0 {
		return b, nil
	}
	b = append(b, ':')
	b = strconv.AppendInt(b, int64(s.Start), 10)
	b = append(b, '-')
	return strconv.AppendInt(b, int64(s.End), 10), nil
}

// UnmarshalText reads the short form.
func (s *Source) UnmarshalText(b []byte) (err error) {
	*s, err = ParseSource(string(b))
	return err
}

// ParseSource reads the short form of a source.
func ParseSource(text string) (Source, error) {
	s, ok := parseSource(text)
	if !ok {
		return Source{}, fmt.Errorf("source %q is not message.block or message.block:start-end", text)
	}
	return s, nil
}

func parseSource(text string) (s Source, ok bool) {
	key, span, hasSpan := strings.Cut(text, ":")
	m, b, ok := strings.Cut(key, ".")
	if !ok {
		return Source{}, false
	}
	var err1, err2 error
	if m == "s" {
		s.Message = SystemIndex
	} else {
		s.Message, err1 = strconv.Atoi(m)
	}
	s.Block, err2 = strconv.Atoi(b)
	if err1 != nil || err2 != nil || s.Message < SystemIndex || s.Block < 0 {
		return Source{}, false
	}
	if !hasSpan {
		return s, true
	}
	from, to, ok := strings.Cut(span, "-")
	s.Start, err1 = strconv.Atoi(from)
	s.End, err2 = strconv.Atoi(to)
	if !ok || err1 != nil || err2 != nil || s.Start < 0 || s.End <= s.Start {
		return Source{}, false
	}
	return s, true
}

// Before orders sources by where they stand in the session.
func (s Source) Before(t Source) bool {
	if s.Message != t.Message {
		return s.Message < t.Message
	}
	if s.Block != t.Block {
		return s.Block < t.Block
	}
	return s.Start < t.Start
}
