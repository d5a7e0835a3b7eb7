package providertest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"sync"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// signingKey is no secret: the signatures only have to be this server's own.
const signingKey = "providertest"

// signatureHalf is the length of each of the two parts of a signature: one over
// the text, and one over the text and everything before it.
const signatureHalf = 44

// sign signs a text that is bound to what stands before it.
func sign(text, prefix string) string { return mac(text) + mac(text+"\x00"+prefix) }

func mac(text string) string {
	h := hmac.New(sha256.New, []byte(signingKey))
	h.Write([]byte(text)) // a hash never fails
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

func signed(text, signature string) bool {
	return len(signature) == 2*signatureHalf && signature[:signatureHalf] == mac(text)
}

func bound(text, prefix, signature string) bool { return signature == sign(text, prefix) }

// encrypted is the hidden content of a reasoning item.
func encrypted(id string) string { return "gAAAAAB" + mac(id) }

// chain extends a prefix by one value. How a value is written plays no part,
// and neither do cache marks: they say nothing to the model.
func chain(prefix string, value json.RawMessage) string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return mac(prefix + string(value))
	}
	plain, err := json.Marshal(unmarked(v))
	if err != nil {
		return mac(prefix + string(value))
	}
	return mac(prefix + string(plain))
}

func unmarked(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "cache_control")
		for key := range v {
			v[key] = unmarked(v[key])
		}
		if text, ok := v["content"].(string); ok {
			v["content"] = []any{map[string]any{"type": "text", "text": text}}
		}
	case []any:
		for i := range v {
			v[i] = unmarked(v[i])
		}
	}
	return v
}

// counter counts the tokens of texts and remembers them: a history comes again
// with each request.
type counter struct {
	mu    sync.Mutex
	known map[string]pith.Tokens
}

// perMessage is what a message costs beside its text, and perMedia what an
// image or a document costs. Units: tokens.
const (
	perMessage = 4
	perMedia   = 1500
)

func (c *counter) of(p parsed) pith.Tokens {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := pith.Tokens(perMessage*p.messages + perMedia*p.media)
	for _, text := range p.texts {
		total += c.count(text)
	}
	return total
}

func (c *counter) output(r *reply) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := c.count(r.Text) + c.count(r.Refusal) + c.count(r.Thinking)
	for i := range r.Calls {
		total += c.count(r.Calls[i].Name) + c.count(string(r.Calls[i].Input))
	}
	return int(total)
}

func (c *counter) count(text string) pith.Tokens {
	n, ok := c.known[text]
	if !ok {
		if c.known == nil {
			c.known = map[string]pith.Tokens{}
		}
		n = meter.Count(text)
		c.known[text] = n
	}
	return n
}
