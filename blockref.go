package pith

import (
	"fmt"
	"strings"
)

// BlockRef describes a block that a source points into. A state holds one for
// each such block, so it is written short: "user tool_result 9f3a51c07be2d844".
type BlockRef struct {
	Role Role
	// Type is text, tool_use, tool_result, policy_file, summary, import, or a
	// kind of block that has no text to quote.
	Type string
	// Hash is HashHex of the redacted, normalised text.
	Hash string
}

// AppendText appends the short form.
func (r BlockRef) AppendText(b []byte) ([]byte, error) {
	b = append(b, r.Role...)
	b = append(append(b, ' '), r.Type...)
	return append(append(b, ' '), r.Hash...), nil
}

// MarshalText writes the short form.
func (r BlockRef) MarshalText() ([]byte, error) { return r.AppendText(nil) }

// UnmarshalText reads the short form.
func (r *BlockRef) UnmarshalText(b []byte) error {
	role, rest, ok := strings.Cut(string(b), " ")
	kind, hash, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 || strings.Contains(hash, " ") {
		return fmt.Errorf("block %q is not role, type and hash", b)
	}
	*r = BlockRef{Role: Role(role), Type: kind, Hash: hash}
	return nil
}
