package restore

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pith-memory/pith"
)

// noOutput stands in a result that says nothing: its id must stay, and empty
// content is refused by some providers.
const noOutput = "(no output)"

// mend makes a list of kept messages one that a provider takes: whole pairs
// only, no empty text, each call's id once, one image at most.
func mend(e *editor, messages []pith.Message) []pith.Message {
	drop := broken(e.format, messages)
	newest := newestImage(messages)
	names := callNames(messages)
	out := make([]pith.Message, 0, len(messages))
	for i := range messages {
		m := e.whole(messages[i])
		gone := make(map[int]bool)
		repaired := !bytes.Equal(m.Raw, messages[i].Raw)
		for j := range m.Blocks {
			b := &m.Blocks[j]
			isResult := b.Kind == pith.KindToolResult && m.Role == pith.RoleUser
			switch {
			case drop[place{i, j}], repaired && b.Kind == pith.KindThinking: // what is signed stays as it is, or goes
				gone[j] = true
			case b.Kind == pith.KindText && blank(b.Text):
				gone[j] = true
			case isResult && blank(b.Text) && b.MediaBytes == 0 && b.MediaType == "":
				m = e.setText(m, j, noOutput)
			case isResult && b.MediaBytes > 0 && i < newest:
				m = e.replaceImages(m, j, names[b.ToolUseID])
			}
		}
		leadsNowhere(e.format, &m, gone)
		m = e.remove(m, gone)
		if m.Role == pith.RoleUser {
			m = e.resultsFirst(m)
		}
		if len(m.Blocks) > 0 {
			out = append(out, m)
		}
	}
	return unique(e, led(e.format, answered(e.format, out)))
}

// leadsNowhere drops the thinking at the end of an assistant's message, where
// what it led to is gone: a message must not end with it.
func leadsNowhere(format pith.Format, m *pith.Message, gone map[int]bool) {
	if format == pith.FormatOpenAIResponses || m.Role != pith.RoleAssistant {
		return
	}
	for j := len(m.Blocks) - 1; j >= 0; j-- {
		switch {
		case gone[j]:
		case m.Blocks[j].Kind == pith.KindThinking:
			gone[j] = true
		default:
			return
		}
	}
}

// led drops the reasoning items of a responses body whose outcome is gone:
// the API refuses one that is not followed by what it led to.
func led(format pith.Format, messages []pith.Message) []pith.Message {
	if format != pith.FormatOpenAIResponses {
		return messages
	}
	follows := false
	out := make([]pith.Message, 0, len(messages))
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if m.Role == pith.RoleAssistant && len(m.Blocks) == 1 && m.Blocks[0].Kind == pith.KindThinking {
			if !follows {
				continue
			}
		} else {
			follows = m.Role == pith.RoleAssistant
		}
		out = append(out, m)
	}
	slices.Reverse(out)
	return out
}

// broken are the blocks that have lost, or never had, their other half.
func broken(format pith.Format, messages []pith.Message) map[place]bool {
	p := pair(format, messages)
	drop := p.orphans
	for at := range p.unanswered {
		drop[at] = true
	}
	if format == pith.FormatOpenAIResponses {
		return drop
	}
	for result, call := range p.call {
		if result.message != call.message && !adjacent(messages, call.message, result.message) {
			drop[result], drop[call] = true, true
		}
	}
	return drop
}

// newestImage is the index of the last message with an image; images before it go.
func newestImage(messages []pith.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		for j := range messages[i].Blocks {
			if messages[i].Blocks[j].MediaBytes > 0 {
				return i
			}
		}
	}
	return -1
}

func callNames(messages []pith.Message) map[string]string {
	names := map[string]string{}
	for i := range messages {
		for j := range messages[i].Blocks {
			if b := &messages[i].Blocks[j]; b.Kind == pith.KindToolUse {
				names[b.ToolUseID] = b.ToolName
			}
		}
	}
	return names
}

// unique gives a second call of the same id, and its result, an id of their
// own: strict providers refuse a request in which one id is used again. Calls
// that the provider ran stay as it wrote them, and so do calls that wait for
// their result, which the client will send under the id that it knows.
func unique(e *editor, messages []pith.Message) []pith.Message {
	p := pair(e.format, messages)
	end := waiting(e.format, messages)
	used, waits := map[string]bool{}, func(at place) bool {
		_, answered := p.result[at]
		return at.message >= end && !answered
	}
	calls := callPlaces(messages)
	for _, at := range calls {
		if waits(at) {
			used[messages[at.message].Blocks[at.block].ToolUseID] = true
		}
	}
	for _, at := range calls {
		id := messages[at.message].Blocks[at.block].ToolUseID
		r, answered := p.result[at]
		if waits(at) || !used[id] || answered && r.message == at.message {
			used[id] = true
			continue
		}
		fresh := id
		for n := 2; used[fresh]; n++ {
			fresh = fmt.Sprintf("%s_%d", id, n)
		}
		used[fresh] = true
		messages[at.message] = e.setID(messages[at.message], at.block, fresh)
		if answered {
			messages[r.message] = e.setID(messages[r.message], r.block, fresh)
		}
	}
	return messages
}

// callPlaces are the calls with an id, in order.
func callPlaces(messages []pith.Message) []place {
	var out []place
	for i := range messages {
		for j := range messages[i].Blocks {
			if b := &messages[i].Blocks[j]; b.Kind == pith.KindToolUse && b.ToolUseID != "" {
				out = append(out, place{i, j})
			}
		}
	}
	return out
}
