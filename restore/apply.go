package restore

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

// ApplyOptions say how much of the end of a conversation stays word for word,
// and what the result has to fit into.
type ApplyOptions struct {
	Pattern Pattern
	// KeepTokens bounds the tail; 0 means 20,000, or a quarter of the window
	// where that is less, and what makes block and tail together a fifth of the
	// messages, but at least 2,000. The last exchange stays even where it is longer.
	KeepTokens pith.Tokens
	// KeepMessages bounds the tail as well; 0 means no bound.
	KeepMessages int
	// Window is the model's context window, 0 unknown.
	Window int
	// MaxTokens is the output that the next request reserves; 0 is the
	// conversation's own.
	MaxTokens pith.Tokens
	// Force accepts a result that is not smaller than what came in.
	Force bool
	// Count counts tokens; nil means meter.Count.
	Count func(string) pith.Tokens
}

// Result is a conversation to send, and what became of the one that came in.
type Result struct {
	Conversation  pith.Conversation
	Before, After pith.Tokens
	// Cut is the index, in the conversation that came in, of the first message
	// of the tail.
	Cut int
	// Removed counts the messages that are not in the result as they came.
	Removed int
}

const defaultKeep = 20_000

// Apply turns a conversation into the one to send: its system messages and the
// client's first reminders, the block, and a tail that begins at a safe place:
// whole pairs, parallel calls together, the last request of the user verbatim.
// It is smaller than what came in and fits the window.
//
// Errors: KindDeclined, naming both sizes, where that cannot be had. On every
// error the conversation in the result is the one that came in, which is never
// changed.
func Apply(c pith.Conversation, block string, o ApplyOptions) (Result, error) {
	p := newPlan(c, block, &o)
	unchanged := Result{Conversation: c, Before: p.before.Total(), After: p.before.Total()}
	switch {
	case blank(block):
		return unchanged, p.declined("there is no block to restore")
	case hasNative(c.Messages):
		return unchanged, p.declined("the history holds a compaction of the provider's own, which only the provider can read")
	}
	out, cut, ok := p.run()
	if p.edit.err != nil {
		return unchanged, &pith.Error{Op: "apply the block", Kind: pith.KindUnexpected, Err: p.edit.err}
	}
	if !ok {
		unchanged.After = p.best
		return unchanged, p.declined(p.why())
	}
	after := p.scale.breakdown(&out).Total()
	return Result{Conversation: out, Before: p.before.Total(), After: after, Cut: cut, Removed: removed(c.Messages, out.Messages)}, nil
}

// plan is one attempt to make a conversation smaller.
type plan struct {
	options *ApplyOptions
	edit    *editor
	scale   scale
	block   string
	before  meter.Breakdown
	// blockSize is the size of the block.
	blockSize pith.Tokens
	// limit is the largest input, 0 where the window is unknown.
	limit pith.Tokens
	// in is the conversation without earlier blocks; messages is its list
	// without what nobody waits for at the end, results behind their calls.
	in       pith.Conversation
	messages []pith.Message
	head     head
	// length is how many messages came in.
	length int
	// best is the smallest size that was reached.
	best pith.Tokens
}

func newPlan(c pith.Conversation, block string, o *ApplyOptions) *plan {
	p := &plan{options: o, edit: &editor{format: c.Format}, scale: newScale(o.Count), block: block, length: len(c.Messages)}
	p.before = p.scale.breakdown(&c)
	p.best, p.blockSize = p.before.Total(), p.scale.count(block)
	maxTokens := o.MaxTokens
	if maxTokens == 0 {
		maxTokens = c.MaxTokens
	}
	p.limit = limit(o.Window, maxTokens)
	p.in = withoutBlocks(p.edit, c)
	p.messages = gather(c.Format, answered(c.Format, p.in.Messages))
	p.head = readHead(p.edit, p.messages)
	return p
}

// answered leaves out the assistant's last words where no call of theirs is
// open: a request ends with the user or with a result, and what was said last
// stands in the block.
func answered(format pith.Format, messages []pith.Message) []pith.Message {
	n := len(messages)
	if waiting(format, messages) < n {
		return messages
	}
	for n > 0 && messages[n-1].Role != pith.RoleUser {
		n--
	}
	return messages[:n]
}

// step says how long a result and a text of the user may be, 0 without bound.
// Units: tokens.
type step struct{ result, text pith.Tokens }

// leastKeep is the tail that a short conversation keeps all the same.
const leastKeep = 2_000

// steps are tried in turn where a tail does not fit: results give way first,
// and what a user pasted only when nothing else is left.
var steps = []step{
	{}, {result: 4_000}, {result: 2_000}, {result: 1_000}, {result: 500}, {result: 250}, {result: 120}, {result: 60},
	{60, 4_000}, {60, 2_000}, {60, 1_000}, {60, 500}, {60, 250}, {60, 120},
}

// run tries the longest tail within the budget, then the last exchange alone.
func (p *plan) run() (out pith.Conversation, cut int, ok bool) {
	all := cuts(p.in.Format, p.messages, p.head.from)
	least := p.lastExchange(all)
	for _, cut := range []int{p.chosen(all, least), least} {
		for _, size := range steps {
			for _, h := range []head{p.head, p.head.systems()} {
				out, kept := p.build(h, cut, least, size)
				if p.accept(&out) {
					return out, kept, true
				}
				if len(h.messages) == len(h.systems().messages) {
					break
				}
			}
		}
	}
	return pith.Conversation{}, 0, false
}

func (p *plan) accept(out *pith.Conversation) bool {
	after := p.scale.breakdown(out).Total()
	p.best = min(p.best, after)
	if p.edit.err != nil || len(out.Messages) == 0 || p.limit > 0 && after > p.limit {
		return false
	}
	return after < p.before.Total() || p.options.Force
}

// lastExchange is the latest cut that keeps what the model has not answered:
// the last results with their calls, or the user's last message.
func (p *plan) lastExchange(cuts []int) int {
	for i := len(cuts) - 1; i >= 0; i-- {
		if cuts[i] < len(p.messages) {
			return cuts[i]
		}
	}
	return len(p.messages)
}

// longResult is the share of the tail's budget that one older result may take;
// leastResult is what every result keeps, so that how it ended is still said.
// Units: the latter tokens.
const (
	longResult  = 4
	leastResult = 60
)

// olderResult is how long an older result of the tail may be.
func (p *plan) olderResult() pith.Tokens { return max(leastResult, p.keepTokens()/longResult) }

// chosen is the earliest cut whose tail is within the budget, long results
// counted as shortened.
func (p *plan) chosen(cuts []int, least int) int {
	keep := p.keepTokens()
	if p.limit > 0 {
		fixed := p.before.System + p.before.Tools + p.blockSize + p.scale.messages(p.head.messages)
		keep = min(keep, p.limit-fixed)
	}
	total := pith.Tokens(0)
	best, next := least, len(cuts)-1
	for i := len(p.messages) - 1; i >= 0; i-- {
		total += p.tailCost(&p.messages[i], i < least)
		for next >= 0 && cuts[next] > i {
			next--
		}
		if i < least && (total > keep || p.options.KeepMessages > 0 && len(p.messages)-i > p.options.KeepMessages) {
			break
		}
		if next >= 0 && cuts[next] == i && i < least && total+p.scale.messages(p.carried(i)) <= keep {
			best = i
		}
	}
	return best
}

func (p *plan) keepTokens() pith.Tokens {
	if p.options.KeepTokens > 0 {
		return p.options.KeepTokens
	}
	return KeepTokens(p.before.Messages, p.blockSize, p.options.Window)
}

// KeepTokens is how large the tail is to be that stays word for word behind a
// block of that size, where nobody says otherwise. messages is what they both
// stand for; window is 0 where it is unknown.
func KeepTokens(messages, block pith.Tokens, window int) pith.Tokens {
	// Block and tail together are to be a fifth of the messages they stand for.
	keep := min(defaultKeep, max(messages/worthwhile-block, leastKeep))
	if w := pith.Tokens(window); w > 0 {
		keep = min(keep, w/4)
	}
	return keep
}

func (p *plan) tailCost(m *pith.Message, older bool) pith.Tokens {
	n := p.scale.message(m)
	if !older || !onlyResults(m) {
		return n
	}
	return min(n, pith.Tokens(len(m.Blocks))*p.olderResult())
}

// build puts a request together: head, memory, a request of the user's where
// the tail lacks one, and the tail. kept is the index of the tail's first
// message in the conversation that came in.
func (p *plan) build(h head, cut, least int, size step) (out pith.Conversation, kept int) {
	tail := append([]pith.Message(nil), p.messages[cut:]...)
	p.shrink(tail[:least-cut], step{result: p.olderResult()})
	p.shrink(tail, size)
	tail = mend(p.edit, tail)
	kept = p.length
	if len(tail) > 0 {
		kept = tail[0].Index
	}
	out = p.in
	carried := p.carried(cut)
	p.shrink(carried, step{text: size.text})
	out.Messages = append([]pith.Message(nil), h.messages...)
	pattern := p.options.Pattern
	if pattern == PatternSystem && firstSpeaker(out.Messages, carried, tail) != pith.RoleUser {
		pattern = PatternMessage // nobody but the block can speak first
	}
	if pattern == PatternSystem {
		out = p.edit.appendSystem(out, p.block)
	} else {
		out.Messages = append(out.Messages, p.edit.userText(p.block))
	}
	out.Messages = append(append(out.Messages, carried...), tail...)
	return out, kept
}

// carried is the request of the user that the cut would lose: the last one of
// all, and in pattern system also the one that a tail of the assistant's
// answers, since a conversation begins with the user. A block in a user
// message that has it word for word is enough.
func (p *plan) carried(cut int) []pith.Message {
	i := lastRequest(p.messages)
	inSystem := p.options.Pattern == PatternSystem
	answerFirst := cut < len(p.messages) && p.messages[cut].Role == pith.RoleAssistant && firstSpeaker(p.head.messages) != pith.RoleUser
	if i >= cut && inSystem && answerFirst {
		i = lastRequest(p.messages[:cut])
	}
	if i < 0 || i >= cut {
		return nil
	}
	m, ok := p.edit.rewrite(p.edit.whole(p.messages[i]), func(b *pith.Block) (string, bool) {
		return b.Text, b.Kind == pith.KindImage || b.Kind == pith.KindText && !blank(b.Text)
	})
	if !ok || !inSystem && p.inBlock(&m) {
		return nil
	}
	return []pith.Message{m}
}

func (p *plan) inBlock(m *pith.Message) bool {
	for i := range m.Blocks {
		if m.Blocks[i].Kind != pith.KindText || !strings.Contains(p.block, strings.TrimSpace(m.Blocks[i].Text)) {
			return false
		}
	}
	return true
}

func firstSpeaker(lists ...[]pith.Message) pith.Role {
	for _, l := range lists {
		for i := range l {
			if l[i].Role != pith.RoleSystem {
				return l[i].Role
			}
		}
	}
	return ""
}

func (p *plan) why() string {
	b := p.before
	text := fmt.Sprintf("cannot reduce below %d tokens from %d (system %d, tools %d, messages %d)", p.best, b.Total(), b.System, b.Tools, b.Messages)
	if p.limit > 0 {
		text += fmt.Sprintf("; the window of %d leaves %d for the input", p.options.Window, p.limit)
	}
	return text
}

func (p *plan) declined(why string) error {
	return &pith.Error{Op: "apply the block", Kind: pith.KindDeclined, Err: errors.New(why), Hint: "nothing was changed; the state can still be written"}
}

// hasNative tells whether a provider compacted this conversation itself: its
// block is signed or encrypted, so what it stands for would be lost with it.
func hasNative(messages []pith.Message) bool {
	for i := range messages {
		for j := range messages[i].Blocks {
			if messages[i].Blocks[j].Kind == pith.KindOpaque && bytes.Contains(messages[i].Raw, []byte(`"compaction"`)) {
				return true
			}
		}
	}
	return false
}

// removed counts the messages that came in and are not among those to send.
func removed(in, out []pith.Message) int {
	kept := make(map[int]bool, len(out))
	for i := range out {
		kept[out[i].Index] = true
	}
	n := 0
	for i := range in {
		if !kept[in[i].Index] {
			n++
		}
	}
	return n
}
