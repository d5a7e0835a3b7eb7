// Package handoff gives a part of the work to another agent: it turns a state
// into a signed, bounded snapshot inside an a2a-task.json, and such a file into
// a state that the receiver may rely on as far as it can rely on another agent.
//
// Whose key signed it is all that is believed. What the sender calls itself
// gives no trust, its labels only ever go down, and what a delegate may do is
// listed in the task, never read out of a text, and never more than the
// receiver itself allows.
package handoff

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

// What an envelope says of itself: contracts/schemas/checkpoint-envelope.json.
const (
	envelopeVersion = 1
	algorithm       = "HMAC-SHA256"
	// StateType is the type of the payloads that are made and opened.
	StateType  = "application/vnd.compact-working-state+json"
	memoryType = "application/vnd.compact-memory+json"
	// envelopeDomain and taskDomain keep the two signatures apart.
	envelopeDomain = "CWSv1"
	taskDomain     = "A2ATv1"
)

// The largest documents that are read.
const (
	maxPayload  = 12_000_000 // characters of base64
	maxEnvelope = maxPayload + 16<<10
)

// Envelope is a signed payload. The MAC is over the exact bytes of the payload
// and of the fields beside it, as they are written.
type Envelope struct {
	Version       int     `json:"envelope_version"`
	PayloadType   string  `json:"payload_type"`
	Payload       string  `json:"payload"`
	PayloadSHA256 string  `json:"payload_sha256"`
	SessionID     string  `json:"session_id"`
	Seq           int64   `json:"seq"`
	ParentMAC     *string `json:"parent_mac"`
	Audience      string  `json:"audience"`
	Nonce         string  `json:"nonce"`
	CreatedAt     string  `json:"created_at"`
	ExpiresAt     *string `json:"expires_at"`
	Alg           string  `json:"alg"`
	KeyID         string  `json:"key_id"`
	MAC           string  `json:"mac"`
}

// Link is a place in the chain of the envelopes of one session for one
// audience. The zero Link stands before the first.
type Link struct {
	Seq int64
	MAC string
}

// Header is what an envelope says beside its payload.
type Header struct {
	SessionID string
	// Previous is the envelope of the session that went to the audience before.
	Previous Link
	// Audience is "self" or the role that may open it.
	Audience string
	// Nonce is 16 random bytes, never used twice.
	Nonce [16]byte
	// Created is the time of sealing; behind Expires it is refused, a zero
	// Expires is never.
	Created, Expires time.Time
}

// Seal signs a payload, the bytes of a state as schema.Seal writes them.
// Errors: KindUsage for a header that the contract does not allow.
func Seal(k Key, payload []byte, h Header) (*Envelope, error) {
	const op = "seal the envelope"
	switch {
	case k.zero():
		return nil, &pith.Error{Op: op, Kind: pith.KindUsage, Err: errors.New("there is no key"), Hint: "`pith key new` makes one"}
	case h.Nonce == [16]byte{}:
		return nil, usage(op, "the nonce is not random")
	case !h.Expires.IsZero() && !h.Expires.After(h.Created):
		return nil, usage(op, "it would expire before it is made")
	}
	sum := sha256.Sum256(payload)
	e := &Envelope{
		Version: envelopeVersion, PayloadType: StateType,
		Payload: base64.StdEncoding.EncodeToString(payload), PayloadSHA256: hex.EncodeToString(sum[:]),
		SessionID: h.SessionID, Audience: h.Audience, Nonce: hex.EncodeToString(h.Nonce[:]),
		CreatedAt: h.Created.UTC().Format(time.RFC3339Nano), Alg: algorithm, KeyID: k.id,
	}
	if h.Previous.MAC != "" {
		e.Seq, e.ParentMAC = h.Previous.Seq+1, &h.Previous.MAC
	}
	if !h.Expires.IsZero() {
		at := h.Expires.UTC().Format(time.RFC3339Nano)
		e.ExpiresAt = &at
	}
	e.MAC = e.sign(k, payload)
	if _, err := e.check(); err != nil {
		return nil, usage(op, "%w", errors.Unwrap(err))
	}
	return e, nil
}

// sign is the MAC over the payload and the fields beside it.
func (e *Envelope) sign(k Key, payload []byte) string {
	return k.sum(envelopeDomain,
		[]byte(e.PayloadType), []byte(e.KeyID), []byte(e.SessionID), strconv.AppendInt(nil, e.Seq, 10), []byte(deref(e.ParentMAC)),
		[]byte(e.Audience), []byte(e.Nonce), []byte(e.CreatedAt), []byte(deref(e.ExpiresAt)), payload)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Link is the envelope's place in its chain.
func (e *Envelope) Link() Link { return Link{Seq: e.Seq, MAC: e.MAC} }

// Marshal writes an envelope on one line.
func (e *Envelope) Marshal() ([]byte, error) { return marshal(e, "write the envelope") }

func marshal(v any, op string) ([]byte, error) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, &pith.Error{Op: op, Kind: pith.KindUsage, Err: err}
	}
	return append(b, '\n'), nil
}

// Expect is what a receiver knows and demands.
type Expect struct {
	Keys *Keyring
	// Audience is who the receiver is.
	Audience string
	// Now is a clock reading; Skew is how far the sender's clock may be ahead
	// of it, two minutes where it is 0.
	Now  time.Time
	Skew time.Duration
	// Last finds the last envelope that was accepted of a session; nil and the
	// zero Link mean none.
	Last func(session string) (Link, error)
	// Claim takes a nonce, at once and for good; expires is zero where it must
	// be remembered for ever. It returns ErrUsed for one that was taken before.
	Claim func(nonce string, expires time.Time) error
}

const defaultSkew = 2 * time.Minute

// ErrUsed is what Expect.Claim returns for a nonce that was used.
var ErrUsed = errors.New("the nonce was used before")

// Opened is an envelope that passed every check.
type Opened struct {
	Envelope *Envelope
	State    *pith.State
	Expires  time.Time // zero where it never does
}

// Open reads an envelope and believes nothing of it that its MAC does not
// cover. Errors: KindCheck with a Refusal; KindUsage where x lacks what the
// checks need; whatever Last and Claim return.
func Open(doc []byte, x Expect) (*Opened, error) {
	e := new(Envelope)
	if err := decode(doc, e, maxEnvelope); err != nil {
		return nil, err
	}
	o := &opening{envelope: e, expect: &x}
	if err := o.authentic(); err != nil {
		return nil, err
	}
	if err := o.valid(); err != nil {
		return nil, err
	}
	return o.claim()
}

// decode reads a document strictly: no member twice, none that is unknown,
// nothing behind it.
func decode(doc []byte, v any, limit int) error {
	if len(doc) > limit {
		return refuse(RefusedShape, "%d bytes are more than it may have (%d)", len(doc), limit)
	}
	if err := json.Unmarshal(bytes.TrimSpace(doc), v, json.RejectUnknownMembers(true)); err != nil {
		return refuse(RefusedShape, "it is not what the contract describes: %s", decodeCause(err))
	}
	return nil
}

// opening is an envelope on its way through the checks.
type opening struct {
	envelope *Envelope
	expect   *Expect
	key      Key
	payload  []byte
	created  time.Time
	expires  time.Time
}

// authentic checks the form, the algorithm, the key and the MAC.
func (o *opening) authentic() (err error) {
	e := o.envelope
	if e.Alg != algorithm {
		return refuse(RefusedAlg, "it is signed with %.40q", e.Alg)
	}
	if o.payload, err = e.check(); err != nil {
		return err
	}
	k, known := o.expect.Keys.Find(e.KeyID)
	if !known {
		return refuse(RefusedKey, "it is signed with the key %.16q, which is not at hand", e.KeyID)
	}
	o.key = k
	if !hmac.Equal([]byte(e.sign(k, o.payload)), []byte(e.MAC)) {
		return refuse(RefusedMAC, "the signature does not fit the envelope")
	}
	return nil
}

// valid checks what the sender signed against what the receiver demands.
func (o *opening) valid() error {
	e, x := o.envelope, o.expect
	if sum := sha256.Sum256(o.payload); hex.EncodeToString(sum[:]) != e.PayloadSHA256 {
		return refuse(RefusedHash, "payload_sha256 is not the hash of the payload")
	}
	if x.Audience == "" || e.Audience != x.Audience {
		return refuse(RefusedAudience, "it is meant for %.200q, not for %.200q", e.Audience, x.Audience)
	}
	if err := o.times(); err != nil {
		return err
	}
	if x.Last == nil {
		return nil
	}
	last, err := x.Last(e.SessionID)
	switch {
	case err != nil:
		return err
	case last.MAC == "":
		return nil
	case e.Link() == last:
		return refuse(RefusedReplay, "it was accepted before")
	case e.Seq <= last.Seq:
		return refuse(RefusedChain, "it is number %d of its session; number %d was accepted already", e.Seq, last.Seq)
	case e.Seq == last.Seq+1 && deref(e.ParentMAC) != last.MAC:
		return refuse(RefusedChain, "number %d of its session does not name the number %d that was accepted", e.Seq, last.Seq)
	}
	return nil
}

func (o *opening) times() (err error) {
	e, skew := o.envelope, o.expect.Skew
	if skew == 0 {
		skew = defaultSkew
	}
	if o.created, err = time.Parse(time.RFC3339, e.CreatedAt); err != nil {
		return refuse(RefusedShape, "created_at is no time")
	}
	if o.created.After(o.expect.Now.Add(skew)) {
		return refuse(RefusedEarly, "it was made at %s, and here it is %s", e.CreatedAt, o.expect.Now.UTC().Format(time.RFC3339))
	}
	if e.ExpiresAt == nil {
		return nil
	}
	if o.expires, err = time.Parse(time.RFC3339, *e.ExpiresAt); err != nil {
		return refuse(RefusedShape, "expires_at is no time")
	}
	if !o.expect.Now.Before(o.expires) {
		return refuse(RefusedExpired, "it expired at %s", *e.ExpiresAt)
	}
	return nil
}

// claim takes the nonce, and reads the state.
func (o *opening) claim() (*Opened, error) {
	e := o.envelope
	if o.expect.Claim == nil {
		return nil, usage("accept the hand-over", "without a record of used nonces it could be accepted twice")
	}
	if err := o.expect.Claim(e.Nonce, o.expires); errors.Is(err, ErrUsed) {
		return nil, refuse(RefusedReplay, "it was accepted before")
	} else if err != nil {
		return nil, err
	}
	if e.PayloadType != StateType {
		return nil, refuse(RefusedPayload, "it holds a document of another type than a state")
	}
	s, err := schema.Unmarshal(o.payload)
	if err != nil {
		return nil, refuse(RefusedPayload, "what it holds cannot be read: %s", err)
	}
	problems := schema.Check(s)
	if len(problems) == 0 {
		doc, err := schema.Marshal(s, false)
		if err != nil {
			return nil, err
		}
		problems = schema.Validate(doc)
	}
	if len(problems) > 0 {
		return nil, refuse(RefusedPayload, "the state in it is not valid: %s", problems[0])
	}
	if s.Checkpoint.SessionID != e.SessionID {
		return nil, refuse(RefusedSession, "the envelope and the state in it name two sessions")
	}
	return &Opened{Envelope: e, State: s, Expires: o.expires}, nil
}
