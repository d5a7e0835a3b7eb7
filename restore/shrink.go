package restore

import (
	"strings"
	"unicode/utf8"

	"github.com/pith-memory/pith"
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
				shorter := headTail(b.Text, len(b.Text)*int(limit)/int(n))
				messages[i] = p.edit.setText(messages[i], j, shorter)
			}
		}
	}
}

// headTail keeps about limit bytes of a text, a third of them from its
// beginning, and says how many characters are missing. It cuts between lines
// where there is one near, and never inside a character.
func headTail(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head := lineCut(text, limit/3, -1)
	tail := lineCut(text, len(text)-limit*2/3, 1)
	if tail <= head {
		return text
	}
	left := utf8.RuneCountInString(text[head:tail])
	return strings.TrimRight(text[:head], "\n") + "\n[… " + itoa(left) + " characters left out …]\n" + strings.TrimLeft(text[tail:], "\n")
}

// lineCut moves at to the next line end in a direction, within a tenth of the
// text, else to the next character.
func lineCut(text string, at, step int) int {
	reach := len(text) / 10
	for i := at; i > 0 && i < len(text) && (i-at)*step <= min(reach, 400); i += step {
		if text[i-1] == '\n' {
			return i
		}
	}
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at += step
	}
	return max(0, min(at, len(text)))
}
