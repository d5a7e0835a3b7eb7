package measure

import "github.com/pith-memory/pith"

// Held is what a candidate gives an agent in the place of a history.
type Held struct {
	// Text is what the agent would read.
	Text string
	// State is the working state that the text was made from, nil where there is none.
	State *pith.State
	// Root is the directory that relative paths in the text are relative to, "" unknown.
	Root string
}
