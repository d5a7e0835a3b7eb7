package restore

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
)

// The block stands between an opening tag that names its checkpoint and a
// nonce, and a closing line with the same nonce. Nothing inside can close it:
// the tag is escaped in content, and the nonce does not occur there.
const (
	fenceName  = "pith-memory"
	fenceOpen  = "<" + fenceName + ` checkpoint="`
	fenceNonce = `" nonce="`
	fenceClose = "</" + fenceName + ">"
	idDigits   = 16
	nonceSize  = 16
)

// Header is what a block's opening line says.
type Header struct {
	// CheckpointID is the beginning of the id of the state that was rendered.
	CheckpointID string
	Nonce        string
}

// fence puts body between the lines of its fence.
func fence(id, body string) string {
	n := nonce(id, body)
	return fenceOpen + id[:min(len(id), idDigits)] + fenceNonce + n + "\">\n" + body + n + fenceClose + "\n"
}

// nonce derives the first of a row of values that body does not contain. A
// text that holds all of the row would have to know the hash of itself.
func nonce(id, body string) string {
	for i := 0; ; i++ {
		seed := "fence" + id
		if i > 0 {
			seed += "\x00" + strconv.Itoa(i)
		}
		sum := sha256.Sum256([]byte(seed))
		n := hex.EncodeToString(sum[:nonceSize/2])
		if !strings.Contains(body, n) {
			return n
		}
	}
}

// ParseBlock reads a rendered block and checks its fence: one opening and one
// closing, with one nonce that occurs nowhere else. Text around the block is
// an error. Errors: KindCheck.
func ParseBlock(text string) (Header, string, error) {
	bad := func(why string) (Header, string, error) {
		return Header{}, "", &pith.Error{Op: "read the block's fence", Kind: pith.KindCheck, Err: errors.New(why)}
	}
	text = strings.TrimSpace(text)
	h, rest, ok := parseOpening(text)
	if !ok {
		return bad("the text does not begin with a block's opening line")
	}
	body, ok := strings.CutSuffix(rest, h.Nonce+fenceClose)
	if !ok {
		return bad("the text does not end with the closing line that its nonce asks for")
	}
	if strings.Contains(body, h.Nonce) {
		return bad("the nonce occurs inside the block")
	}
	if strings.Contains(body, "<"+fenceName) || strings.Contains(body, "</"+fenceName) {
		return bad("the block holds another fence")
	}
	return h, body, nil
}

// BlockIn is the header of the first whole block inside a text, false where
// there is none.
func BlockIn(text string) (Header, bool) {
	start, _ := blockSpan(text)
	if start < 0 {
		return Header{}, false
	}
	h, _, ok := parseOpening(text[start:])
	return h, ok
}

// parseOpening reads the opening line and returns what follows it.
func parseOpening(text string) (h Header, rest string, ok bool) {
	line, rest, ok := strings.Cut(text, "\n")
	if !ok {
		return h, "", false
	}
	line, ok = strings.CutPrefix(line, fenceOpen)
	if !ok {
		return h, "", false
	}
	id, line, ok := strings.Cut(line, fenceNonce)
	if !ok || !isHex(id) || len(id) > idDigits {
		return h, "", false
	}
	n, ok := strings.CutSuffix(line, `">`)
	if !ok || len(n) != nonceSize || !isHex(n) {
		return h, "", false
	}
	return Header{CheckpointID: id, Nonce: n}, rest, true
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// blockSpan finds a whole block inside a text, -1 where there is none. A
// fence that was opened and never closed is no block.
func blockSpan(text string) (start, end int) {
	for from := 0; ; {
		i := strings.Index(text[from:], fenceOpen)
		if i < 0 {
			return -1, -1
		}
		start = from + i
		if h, rest, ok := parseOpening(text[start:]); ok {
			closing := h.Nonce + fenceClose
			if j := strings.Index(rest, closing); j >= 0 {
				return start, len(text) - len(rest) + j + len(closing)
			}
		}
		from = start + len(fenceOpen)
	}
}
