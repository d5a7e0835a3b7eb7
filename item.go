package pith

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// ItemID is the id of an item: its kind and ten hex digits over what it says
// and where it was said. It stays the same however often a session is compacted.
// One message may say the same in two blocks: calls run side by side.
func ItemID(kind string, at Source, text string) string {
	h := sha256.New()
	if at.Block > 0 {
		text += "\x00" + strconv.Itoa(at.Block)
	}
	h.Write([]byte(kind + "\x00" + strconv.Itoa(at.Message) + "\x00" + strconv.Itoa(at.Start) + "\x00" + text))
	var sum [sha256.Size]byte
	return kind + "-" + hex.EncodeToString(h.Sum(sum[:0])[:5])
}

// The kinds of item, the prefixes of their ids.
const (
	IDConstraint = "co"
	IDDecision   = "de"
	IDEvidence   = "ev"
	IDFailed     = "fa"
	IDInvariant  = "in"
	IDDrafted    = "ex"
)
