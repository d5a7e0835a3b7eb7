package providertest

import (
	"encoding/json"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
)

// DraftOf is a good answer to a request for a compaction: a draft in the words
// of the history that the request holds, so that each of its statements is
// found there. The history is the one in the last message or, where there is
// none in it, the conversation itself.
func DraftOf(r *Request) string {
	asked, done := spoken(r)
	if len(asked) == 0 {
		asked = []string{"Go on."}
	}
	d := compactor.Draft{Task: asked[0], CurrentState: asked[len(asked)-1], WorkType: "feature", NextSteps: asked[len(asked)-1:]}
	if len(done) > 0 {
		d.CurrentState = done[len(done)-1]
	}
	for _, text := range asked {
		for _, line := range strings.Split(text, "\n") {
			if decision, reason, ok := strings.Cut(line, ", because "); ok {
				d.KeyDecisions = append(d.KeyDecisions, compactor.Decision{Decision: decision, Reason: reason})
			}
		}
	}
	out, err := json.Marshal(d)
	if err != nil {
		return "{}" // a struct of texts is always JSON
	}
	return string(out)
}

// longestQuote is how much of a text a draft repeats. Units: bytes.
const longestQuote = 400

// spoken is what the user and the assistant said, in order.
func spoken(r *Request) (asked, done []string) {
	add := func(user bool, text string) {
		text = beginning(strings.TrimSpace(text), longestQuote)
		switch {
		case text == "" || strings.HasPrefix(text, "<pith-memory"):
		case user:
			asked = append(asked, text)
		default:
			done = append(done, text)
		}
	}
	history := historyIn(r.LastText())
	for _, e := range history {
		if e.Kind == "text" && (e.From == "user" || e.From == "assistant") {
			add(e.From == "user", e.Text)
		}
	}
	if len(history) > 0 {
		return asked, done
	}
	messages := r.Conversation.Messages
	for i := range messages[:max(0, len(messages)-1)] {
		for j := range messages[i].Blocks {
			if b := &messages[i].Blocks[j]; b.Kind == pith.KindText && messages[i].Role != pith.RoleSystem {
				add(messages[i].Role == pith.RoleUser, b.Text)
			}
		}
	}
	return asked, done
}

// entry is one text of the history in a compaction's prompt.
type entry struct {
	From string `json:"from"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// historyIn reads the history out of a prompt, nil where it has none.
func historyIn(prompt string) []entry {
	at := strings.Index(prompt, `{"part":`)
	if at < 0 {
		return nil
	}
	var document struct {
		History []entry `json:"history"`
	}
	if json.NewDecoder(strings.NewReader(prompt[at:])).Decode(&document) != nil {
		return nil
	}
	return document.History
}
