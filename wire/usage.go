package wire

import (
	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// ReadUsage reads a provider's usage object, nil where it counts nothing.
// OpenAI counts cached tokens as input, Anthropic does not; pith.Usage does not.
func ReadUsage(usage []byte) *pith.Usage {
	c := jsonscan.New(usage)
	if c.Peek() != '{' {
		return nil
	}
	c.Object()
	var u pith.Usage
	cached, openAI := 0, false
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "input_tokens":
			u.Input, _ = c.Int()
		case "prompt_tokens":
			openAI = true
			u.Input, _ = c.Int()
		case "output_tokens", "completion_tokens":
			u.Output, _ = c.Int()
		case "cache_read_input_tokens":
			u.CacheRead, _ = c.Int()
		case "cache_creation_input_tokens":
			u.CacheWrite, _ = c.Int()
		case "cached_input_tokens":
			openAI = true
			cached, _ = c.Int()
		case "input_tokens_details", "prompt_tokens_details":
			openAI = true
			if d, ok := jsonscan.Find(c.Value(), "cached_tokens"); ok {
				cached, _ = d.Int()
			}
		default:
			c.Skip()
		}
	}
	if openAI {
		u.CacheRead = min(cached, u.Input)
		u.Input -= u.CacheRead
	}
	if u == (pith.Usage{}) {
		return nil
	}
	return &u
}
