package handoff

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pith-memory/pith/schema"
)

const maxAudience = 200

// check holds the form of every field, so that there is one way to write each,
// and returns the payload's bytes.
func (e *Envelope) check() ([]byte, error) {
	bad := func(what string) ([]byte, error) { return nil, refuse(RefusedShape, "%s", what) }
	switch {
	case e.Version != envelopeVersion:
		return nil, refuse(RefusedShape, "envelope_version is %d, this pith reads %d", e.Version, envelopeVersion)
	case e.PayloadType != StateType && e.PayloadType != memoryType:
		return bad("payload_type is unknown")
	case !schema.ValidSessionID(e.SessionID):
		return bad("session_id is no session id")
	case e.Seq < 0:
		return bad("seq is below 0")
	case (e.Seq == 0) != (e.ParentMAC == nil):
		return bad("parent_mac is null for seq 0, and for no other")
	case e.ParentMAC != nil && !isHex(*e.ParentMAC, 64):
		return bad("parent_mac is no MAC")
	case e.Audience == "" || utf8.RuneCountInString(e.Audience) > maxAudience || strings.ContainsRune(e.Audience, '\n'):
		return bad("audience is not one line of 1 to 200 characters")
	case !isHex(e.Nonce, 32):
		return bad("nonce is not 32 lower-case hex digits")
	case e.CreatedAt == "" || len(e.CreatedAt) > 40:
		return bad("created_at is no time")
	case e.ExpiresAt != nil && (*e.ExpiresAt == "" || len(*e.ExpiresAt) > 40):
		return bad("expires_at is no time")
	case !isHex(e.KeyID, 16), !isHex(e.MAC, 64), !isHex(e.PayloadSHA256, 64):
		return bad("key_id, mac or payload_sha256 is not lower-case hex of its length")
	case len(e.Payload) > maxPayload:
		return bad("the payload is too large")
	}
	payload, err := base64.StdEncoding.Strict().DecodeString(e.Payload)
	if err != nil || base64.StdEncoding.EncodeToString(payload) != e.Payload {
		return bad("the payload is not canonical base64")
	}
	return payload, nil
}

func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for i := range len(s) {
		if b := s[i]; (b < '0' || b > '9') && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}

// decodeCause says where a document is wrong, without its content.
func decodeCause(err error) string {
	var semantic *json.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		return "it has a member that the contract does not know"
	case errors.As(err, &semantic):
		return "a member is of another kind than the contract wants"
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return "a member stands in it twice"
	}
	return "it is no JSON object"
}
