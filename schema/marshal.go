package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/pith-memory/pith"
)

// Marshal writes a state: the fields in the order of the structs, nothing
// escaped that need not be, lists never null, and a newline at the end. With
// indent it is for people to read, else it is one line. The same state gives
// the same bytes.
func Marshal(s *pith.State, indent bool) ([]byte, error) {
	b, err := encode(s, indent, true)
	if err != nil {
		return nil, &pith.Error{Op: "write a state", Kind: pith.KindUnexpected, Err: err}
	}
	return append(b, '\n'), nil
}

// encode is how every document of this package is written. With lenient, what
// is not UTF-8 becomes U+FFFD; else it is an error.
func encode(v any, indent, lenient bool) ([]byte, error) {
	opts := []json.Options{
		json.Deterministic(true),
		jsonv1.OmitEmptyWithLegacySemantics(true),
		jsontext.AllowInvalidUTF8(lenient),
	}
	if indent {
		opts = append(opts, jsontext.WithIndent("  "))
	}
	out := bytes.NewBuffer(make([]byte, 0, firstBuffer))
	if err := json.MarshalWrite(out, v, opts...); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// firstBuffer holds most documents, with the room to put them into canonical form.
const firstBuffer = 48 << 10

// Canonical writes a state in the form of RFC 8785, which any program can
// reproduce: members sorted, no white space.
func Canonical(s *pith.State) ([]byte, error) {
	b, err := encode(s, false, true)
	if err != nil {
		return nil, &pith.Error{Op: "write a state", Kind: pith.KindUnexpected, Err: err}
	}
	v := jsontext.Value(b)
	if err := v.Canonicalize(); err != nil {
		return nil, &pith.Error{Op: "bring a state into canonical form", Kind: pith.KindUnexpected, Err: err}
	}
	return v, nil
}

// ID is what a state's checkpoint is called: the sha256, in hex, of the
// canonical state with an empty id.
func ID(s *pith.State) (string, error) {
	nameless := *s
	nameless.Checkpoint.ID = ""
	b, err := Canonical(&nameless)
	if err != nil {
		return "", err
	}
	return sha256Hex(b), nil
}

func sha256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
