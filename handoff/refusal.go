package handoff

import (
	"errors"
	"fmt"

	"github.com/pith-memory/pith"
)

// Reason says in one word why a hand-over was refused, for programs.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	// RefusedShape: not the document that the contract describes.
	RefusedShape Reason = "shape"
	// RefusedAlg: signed by another algorithm than HMAC-SHA256.
	RefusedAlg Reason = "alg"
	// RefusedKey: signed by a key that is not in the keyring.
	RefusedKey Reason = "key"
	// RefusedMAC: the envelope is not what the key's holder signed.
	RefusedMAC Reason = "mac"
	// RefusedTask: the task around the envelope is not what was signed.
	RefusedTask Reason = "task"
	// RefusedHash: payload_sha256 is that of another payload.
	RefusedHash Reason = "payload_hash"
	// RefusedAudience: it is meant for somebody else.
	RefusedAudience Reason = "audience"
	// RefusedEarly: made later than the receiver's clock says it is.
	RefusedEarly Reason = "not_yet_valid"
	// RefusedExpired: its time is over.
	RefusedExpired Reason = "expired"
	// RefusedChain: older than what was accepted of the session, or no
	// successor of it.
	RefusedChain Reason = "chain"
	// RefusedReplay: it was accepted before.
	RefusedReplay Reason = "replay"
	// RefusedPayload: what was signed is no valid state.
	RefusedPayload Reason = "payload"
	// RefusedSession: the envelope names another session than the state.
	RefusedSession Reason = "session"
)

var hints = map[Reason]string{
	RefusedShape:    "pass an a2a-task.json as `pith handoff` writes it",
	RefusedAlg:      "only HMAC-SHA256 is accepted; let the sender make it again with `pith handoff`",
	RefusedKey:      "the sender's key must lie in the receiver's folder of keys; `pith key list` shows which do",
	RefusedMAC:      "it was changed after it was signed; ask the sender for a new one",
	RefusedTask:     "it was changed after it was signed; ask the sender for a new one",
	RefusedHash:     "ask the sender for a new one",
	RefusedAudience: "accept it under the role that it was made for, or have it made for this one (--to)",
	RefusedEarly:    "compare the clocks of the two machines",
	RefusedExpired:  "ask the sender for a new one, with a longer --expires where need be",
	RefusedChain:    "a later hand-over of this session was accepted already; ask the sender for a new one",
	RefusedReplay:   "each hand-over is accepted once; ask the sender for a new one",
	RefusedPayload:  "let the sender check its state with `pith verify`",
	RefusedSession:  "ask the sender for a new one",
}

// Refusal is the cause of an error of KindCheck of this package.
type Refusal struct {
	Reason Reason
	// Text says in one line what is wrong. It holds nothing of the state.
	Text string
}

func (r *Refusal) Error() string { return r.Text + " (" + string(r.Reason) + ")" }

func refuse(why Reason, format string, args ...any) error {
	return &pith.Error{
		Op: "accept the hand-over", Kind: pith.KindCheck,
		Err: &Refusal{Reason: why, Text: fmt.Sprintf(format, args...)}, Hint: hints[why],
	}
}

// ReasonOf is why err refuses a hand-over, "" where it is another error.
func ReasonOf(err error) Reason {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Reason
	}
	return ""
}

func usage(op, format string, args ...any) error {
	return &pith.Error{Op: op, Kind: pith.KindUsage, Err: fmt.Errorf(format, args...)}
}
