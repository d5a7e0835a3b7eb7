package handoff

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/pith-memory/pith"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// keyOpening begins a key file: its kind and the version of its format.
const keyOpening = "pith-key-v1 "

// Key is a secret that a sender and its receivers share. It prints as its id.
type Key struct {
	secret [KeySize]byte
	id     string
}

var errKey = errors.New("want 32 random bytes")

// NewKey makes a key of KeySize random bytes. Errors: KindUsage for any other
// number of them, and where they are all the same.
func NewKey(secret []byte) (Key, error) {
	if len(secret) != KeySize || bytes.Count(secret, secret[:1]) == KeySize {
		return Key{}, &pith.Error{Op: "make a key", Kind: pith.KindUsage, Err: errKey}
	}
	sum := sha256.Sum256(secret)
	return Key{secret: [KeySize]byte(secret), id: hex.EncodeToString(sum[:8])}, nil
}

// ID names the key: the first 16 hex digits of the sha256 of its bytes.
func (k Key) ID() string { return k.id }

func (k Key) String() string { return "key " + k.id }

// GoString keeps the secret out of %#v.
func (k Key) GoString() string { return k.String() }

func (k Key) zero() bool { return k.id == "" }

// sum is the MAC of fields under the key: each is preceded by its length in
// decimal and a space, so that no two lists of fields read the same.
func (k Key) sum(domain string, fields ...[]byte) string {
	mac := hmac.New(sha256.New, k.secret[:])
	mac.Write([]byte(domain))
	for _, f := range fields {
		mac.Write(strconv.AppendInt(nil, int64(len(f)), 10))
		mac.Write([]byte{' '})
		mac.Write(f)
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// MarshalKey writes a key file: one line, "pith-key-v1 ", the 64 lower-case hex
// digits of the key, and a newline.
func MarshalKey(k Key) []byte {
	return []byte(keyOpening + hex.EncodeToString(k.secret[:]) + "\n")
}

// ParseKey reads a key file. Errors: KindInput, which never hold its content.
func ParseKey(file []byte) (Key, error) {
	bad := func(why string) (Key, error) {
		return Key{}, &pith.Error{
			Op: "read a key", Kind: pith.KindInput, Err: errors.New(why),
			Hint: "a key file is the one line that `pith key new` wrote",
		}
	}
	digits, ok := bytes.CutPrefix(file, []byte(keyOpening))
	if !ok {
		return bad(fmt.Sprintf("it does not begin with %q", keyOpening))
	}
	digits = bytes.TrimSuffix(digits, []byte("\n"))
	secret, err := hex.DecodeString(string(digits))
	if err != nil || len(secret) != KeySize || hex.EncodeToString(secret) != string(digits) {
		return bad("it does not hold 64 lower-case hex digits and nothing else")
	}
	k, err := NewKey(secret)
	if err != nil {
		return bad("its bytes are all the same")
	}
	return k, nil
}

// Keyring holds the key that signs, and those that only open: a key that was
// replaced opens what it signed until it is retired. The zero Keyring is empty.
type Keyring struct {
	current Key
	old     []Key
}

// NewKeyring returns a keyring; a zero current key is none that signs.
func NewKeyring(current Key, old ...Key) *Keyring {
	r := &Keyring{current: current}
	for _, k := range old {
		if _, known := r.Find(k.id); !known && !k.zero() {
			r.old = append(r.old, k)
		}
	}
	return r
}

// Current is the key that signs; it reports false where there is none.
func (r *Keyring) Current() (Key, bool) {
	if r == nil {
		return Key{}, false
	}
	return r.current, !r.current.zero()
}

// Old lists the ids of the keys that only open, in order.
func (r *Keyring) Old() []string {
	ids := make([]string, len(r.old))
	for i := range r.old {
		ids[i] = r.old[i].id
	}
	slices.Sort(ids)
	return ids
}

// Find fetches a key by its id.
func (r *Keyring) Find(id string) (Key, bool) {
	if r == nil || id == "" {
		return Key{}, false
	}
	if r.current.id == id {
		return r.current, true
	}
	for _, k := range r.old {
		if k.id == id {
			return k, true
		}
	}
	return Key{}, false
}

// Rotate makes next the key that signs; the one before it goes on opening.
func (r *Keyring) Rotate(next Key) *Keyring {
	return NewKeyring(next, append(slices.Clone(r.old), r.current)...)
}

// Retire takes an old key out: what it signed is refused from then on. The key
// that signs stays. It reports whether there was such a key.
func (r *Keyring) Retire(id string) (*Keyring, bool) {
	at := slices.IndexFunc(r.old, func(k Key) bool { return k.id == id })
	if at < 0 {
		return r, false
	}
	return NewKeyring(r.current, slices.Delete(slices.Clone(r.old), at, at+1)...), true
}
