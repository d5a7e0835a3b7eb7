// Package meter turns a conversation into how full the model's window is: what
// the provider reported for the last request, plus a count of what came since.
package meter

import (
	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter/internal/o200k"
)

// Tokenizer names the vocabulary that this package counts with.
const Tokenizer = "o200k_base"

// Count returns the exact number of o200k_base tokens of text. Special tokens
// are counted as the text that they are written with, as a provider reads user
// text. A byte that is not part of a UTF-8 character counts as itself.
func Count(text string) pith.Tokens { return pith.Tokens(o200k.Count(text)) }

// Counter counts tokens as Count does and remembers the words that it had to
// take apart, which makes it faster over a session. The zero Counter is ready;
// it is not safe for concurrent use.
type Counter struct {
	memory *o200k.Counter
}

// Count returns the exact number of o200k_base tokens of text.
func (c *Counter) Count(text string) pith.Tokens {
	if c.memory == nil {
		c.memory = new(o200k.Counter)
	}
	return pith.Tokens(c.memory.Count(text))
}
