package schema

import (
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"hash"

	"github.com/pith-memory/pith"
)

// Digest folds the messages of a session into transcript_sha256.
//
// It is the sha256 over 34 bytes for each block of text, tool use and tool
// result, in the order of the file: the role of its message ('s', 'u' or 'a'),
// its kind ('t' text, 'c' tool use, 'r' tool result) and its Block.Hash, which
// is the sha256 of its normalised, redacted text. Thinking, images and blocks
// that pith does not read are not part of it, nor is a client's replacement
// history, which repeats messages. The system parameter of an API body comes
// first, as the message SystemIndex.
//
// The zero value has read nothing.
type Digest struct {
	h     hash.Hash
	entry [2 + sha256.Size]byte
}

// Add reads the next message.
func (d *Digest) Add(m *pith.Message) {
	if d.h == nil {
		d.h = sha256.New()
	}
	entry := &d.entry
	entry[0] = roleByte(m.Role)
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch b.Kind {
		case pith.KindText:
			entry[1] = 't'
		case pith.KindToolUse:
			entry[1] = 'c'
		case pith.KindToolResult:
			entry[1] = 'r'
		default:
			continue
		}
		copy(entry[2:], b.Hash[:])
		d.h.Write(entry[:])
	}
}

// MarshalBinary gives the digest as it stands, so that it can be gone on with
// later: it holds nothing of the messages.
func (d *Digest) MarshalBinary() ([]byte, error) {
	if d.h == nil {
		d.h = sha256.New()
	}
	return d.h.(encoding.BinaryMarshaler).MarshalBinary()
}

// UnmarshalBinary goes on with a digest from where it stood.
func (d *Digest) UnmarshalBinary(data []byte) error {
	d.h = sha256.New()
	return d.h.(encoding.BinaryUnmarshaler).UnmarshalBinary(data)
}

// Sum is the digest so far, in hex. More messages can follow.
func (d *Digest) Sum() string {
	if d.h == nil {
		d.h = sha256.New()
	}
	return hex.EncodeToString(d.h.Sum(nil))
}

func roleByte(r pith.Role) byte {
	switch r {
	case pith.RoleSystem:
		return 's'
	case pith.RoleAssistant:
		return 'a'
	}
	return 'u'
}
