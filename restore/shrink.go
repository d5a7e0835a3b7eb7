package restore

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/truncate"
)

// shrink shortens the results and the user's texts that are longer than size
// allows: their first lines and, longer, their last ones stay, where the
// verdict is. A result of the provider's own tool is signed and stays whole.
func (p *plan) shrink(messages []pith.Message, size step) {
	for i := range messages {
		if messages[i].Role != pith.RoleUser {
			continue
		}
		for j := range messages[i].Blocks {
			b := &messages[i].Blocks[j]
			limit := size.result
			if b.Kind == pith.KindText {
				limit = size.text
			}
			if limit == 0 || b.Kind != pith.KindText && b.Kind != pith.KindToolResult {
				continue
			}
			if n := p.scale.count(b.Text); n > limit {
				messages[i] = p.edit.setText(messages[i], j, shorten(b.Text, n, limit))
			}
		}
	}
}

// shorten cuts a text of n tokens down to about limit: whole lines where there
// are many, among them those of the middle that hold a verdict.
func shorten(text string, n, limit pith.Tokens) string {
	size := len(text) * int(limit) / int(n)
	if lines := (strings.Count(text, "\n") + 1) * int(limit) / int(n); lines >= fewLines {
		head := lines / 4
		r := truncate.Lines(text, truncate.Options{Head: head, Tail: lines - head - fewLines/2})
		if len(r.Text) <= size {
			return r.Text
		}
	}
	return truncate.Text(text, size)
}

// fewLines is how many lines must fit before whole lines are worth keeping.
const fewLines = 12
