package restore

import "github.com/pith-memory/pith"

// place is a block of a conversation.
type place struct{ message, block int }

// pairs tells which call each result answers, over a list of messages.
type pairs struct {
	// call maps a result to the call that it answers.
	call map[place]place
	// result maps a call to its result.
	result map[place]place
	// orphans are results without a call.
	orphans map[place]bool
	// unanswered are calls that the conversation went on without. A call that
	// waits for its result at the end is open and not among them.
	unanswered map[place]bool
}

// pair matches results and calls: by id, each result with the nearest call
// that is still open, because clients use ids again.
func pair(format pith.Format, messages []pith.Message) *pairs {
	p := &pairs{
		call: map[place]place{}, result: map[place]place{},
		orphans: map[place]bool{}, unanswered: map[place]bool{},
	}
	open := map[string][]place{}
	for i := range messages {
		for j := range messages[i].Blocks {
			b := &messages[i].Blocks[j]
			at := place{i, j}
			switch b.Kind {
			case pith.KindToolUse:
				open[b.ToolUseID] = append(open[b.ToolUseID], at)
			case pith.KindToolResult:
				calls := open[b.ToolUseID]
				if len(calls) == 0 {
					p.orphans[at] = true
					continue
				}
				call := calls[len(calls)-1]
				open[b.ToolUseID] = calls[:len(calls)-1]
				p.call[at], p.result[call] = call, at
			}
		}
	}
	end := waiting(format, messages)
	for _, calls := range open {
		for _, c := range calls {
			if c.message < end {
				p.unanswered[c] = true
			}
		}
	}
	return p
}

// waiting is the index of the assistant's message at the end of a conversation
// where a call of it is open, else the length. Once some results came in, the
// rest will not: a request with part of them is refused. In a responses body
// each call is an item, so the assistant's items at the end count together.
func waiting(format pith.Format, messages []pith.Message) int {
	i := len(messages)
	for i > 0 && messages[i-1].Role == pith.RoleAssistant {
		i--
		if format != pith.FormatOpenAIResponses {
			break
		}
	}
	open := map[string]int{}
	for k := i; k < len(messages); k++ {
		for j := range messages[k].Blocks {
			switch b := &messages[k].Blocks[j]; b.Kind {
			case pith.KindToolUse:
				open[b.ToolUseID]++
			case pith.KindToolResult:
				open[b.ToolUseID]--
			}
		}
	}
	for _, n := range open {
		if n > 0 {
			return i
		}
	}
	return len(messages)
}

func onlyResults(m *pith.Message) bool {
	for i := range m.Blocks {
		if m.Blocks[i].Kind != pith.KindToolResult {
			return false
		}
	}
	return len(m.Blocks) > 0 && m.Role == pith.RoleUser
}

// gather moves results that stand away from their calls to directly behind
// them, where providers want them: two calls in two messages may have been
// answered by a run of results. A message is moved only where all of it
// belongs to one call's message; what stays misplaced is dropped by mend.
func gather(format pith.Format, messages []pith.Message) []pith.Message {
	if format == pith.FormatOpenAIResponses {
		return messages // its results may stand anywhere after their calls
	}
	p := pair(format, messages)
	behind := make(map[int][]int)
	moved := make(map[int]bool)
	for i := range messages {
		home, ok := homeOf(p, messages, i)
		if ok && !adjacent(messages, home, i) {
			behind[home] = append(behind[home], i)
			moved[i] = true
		}
	}
	if len(moved) == 0 {
		return messages
	}
	out := make([]pith.Message, 0, len(messages))
	for i := range messages {
		if moved[i] {
			continue
		}
		out = append(out, messages[i])
		for _, k := range behind[i] {
			out = append(out, messages[k])
		}
	}
	return out
}

// homeOf is the message whose calls a message of results answers. Results
// without a call are not asked: they go anyway.
func homeOf(p *pairs, messages []pith.Message, i int) (home int, ok bool) {
	if !onlyResults(&messages[i]) {
		return 0, false
	}
	home = -1
	for j := range messages[i].Blocks {
		if p.orphans[place{i, j}] {
			continue
		}
		c, found := p.call[place{i, j}]
		if !found || home >= 0 && c.message != home {
			return 0, false
		}
		home = c.message
	}
	return home, home >= 0 && home < i
}

// adjacent tells whether only results stand between a call's message and the
// message of its result.
func adjacent(messages []pith.Message, call, result int) bool {
	for i := call + 1; i < result; i++ {
		if !onlyResults(&messages[i]) {
			return false
		}
	}
	return true
}

// cuts returns the indexes from which a tail may begin, in order: no pair is
// parted, and no message is parted from what only makes sense before it. The
// end of the conversation is one of them.
func cuts(format pith.Format, messages []pith.Message, from int) []int {
	p := pair(format, messages)
	// reach[i] is how far the pairs reach that begin before message i.
	reach := make([]int, len(messages)+1)
	for result, call := range p.call {
		reach[call.message] = max(reach[call.message], result.message)
	}
	var out []int
	far := -1
	for i := range messages {
		if i > 0 {
			far = max(far, reach[i-1])
		}
		if i < from || far >= i || onlyResults(&messages[i]) || messages[i].Role == pith.RoleSystem {
			continue
		}
		goesOn := i > 0 && messages[i].Role == pith.RoleAssistant && messages[i-1].Role == pith.RoleAssistant
		if goesOn && format == pith.FormatOpenAIResponses {
			continue // a reasoning item and the items it led to are one turn
		}
		out = append(out, i)
	}
	return append(out, len(messages))
}

// lastRequest is the index of the last message with words of the user, -1
// without one.
func lastRequest(messages []pith.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == pith.RoleUser && hasUserWords(&messages[i]) {
			return i
		}
	}
	return -1
}

func hasUserWords(m *pith.Message) bool {
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != pith.KindText || blank(b.Text) {
			continue
		}
		for _, v := range b.Voices() {
			if v.Origin == pith.UserExplicit && !blank(b.Text[v.Start:v.End]) {
				return true
			}
		}
	}
	return false
}
