package hook

import (
	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/restore"
)

// charsPerToken is how many characters of a session a token has, cautiously.
const charsPerToken = 3

// rowTokens estimates the size of messages that are only outlined.
func rowTokens(rows []Outline) pith.Tokens {
	n := 0
	for i := range rows {
		n += rows[i].Chars
	}
	return pith.Tokens(n / charsPerToken)
}

// tail chooses which of the last messages stay behind a block of that size, and
// says how large they are: an unbroken end of the conversation that begins with
// a round, in which every call has its result and every result its call. The
// last exchange stays whole, even where it is longer than a tail is to be. A
// memory of pith's own is never among them: the new one stands for it.
func tail(rows []Outline, block pith.Tokens, window int) (stay []string, size pith.Tokens) {
	limit := restore.KeepTokens(rowTokens(rows), block, window)
	begin := len(rows)
	var open pairs
	more := false // the exchange has more than the assistant's last words
	for i := len(rows) - 1; i >= 0 && !rows[i].Pith; i-- {
		open.add(&rows[i])
		more = more || rows[i].Role != "assistant" || len(rows[i].Calls) > 0
		if !more || !open.whole() || !beginsRound(rows, i) {
			continue
		}
		n := rowTokens(rows[i:])
		if begin < len(rows) && n > limit {
			break
		}
		begin, size = i, n
	}
	for i := begin; i < len(rows); i++ {
		if rows[i].Handle == "" { // it cannot be asked back, and nothing may be missing
			return nil, 0
		}
		stay = append(stay, rows[i].Handle)
	}
	return stay, size
}

// beginsRound tells whether a tail may begin with this message: with a user's
// words, or with the first part of an answer.
func beginsRound(rows []Outline, i int) bool {
	if rows[i].Role != "assistant" {
		return len(rows[i].Results) == 0
	}
	return i == 0 || rows[i-1].Role != "assistant"
}

// pairs are the calls and results of messages that are read from the last to
// the first.
type pairs struct{ calls, results map[string]bool }

func (p *pairs) add(row *Outline) {
	if p.calls == nil {
		p.calls, p.results = map[string]bool{}, map[string]bool{}
	}
	for _, id := range row.Calls {
		p.calls[id] = true
	}
	for _, id := range row.Results {
		p.results[id] = true
	}
}

// whole tells whether every call has its result and every result its call.
func (p *pairs) whole() bool {
	if len(p.calls) != len(p.results) {
		return false
	}
	for id := range p.calls {
		if !p.results[id] {
			return false
		}
	}
	return true
}
