package compactor

import (
	"errors"
	"io"

	"github.com/pith-memory/pith"
)

// packed is an entry with its JSON and what that takes.
type packed struct {
	entry
	json []byte
	size
	// message is the place of its message in the stream, from 0.
	message int
}

// part is a stretch of the history that one request asks about.
type part struct {
	n       int
	head    head
	entries []packed
	output  pith.Tokens
	// last is set where the history ends with this part.
	last bool
	// final is set where no further part may follow: the newest texts are the
	// ones to keep, and what has no room beside them is not read.
	final bool
	// omitted counts the texts of the history before this part that no part had
	// room for.
	omitted int
}

// pack encodes and measures an entry.
func (r *runner) pack(e entry, message int) packed {
	j := encode(e)
	p := packed{entry: e, json: j, size: measure(&r.counter, string(j)), message: message}
	p.tokens++ // the comma
	p.bytes++
	return p
}

// pull reads the next message of the history into pending. It returns false
// at the end.
func (r *runner) pull() (bool, error) {
	if r.ended || r.in.Next == nil {
		r.ended = true
		return false, nil
	}
	m, err := r.in.Next()
	if errors.Is(err, io.EOF) {
		r.ended = true
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.entries = r.reader.read(r.entries[:0], m)
	if len(r.entries) == 0 {
		r.report.Skipped++
		return true, nil
	}
	for _, e := range r.entries {
		r.pending = append(r.pending, r.pack(e, len(r.shown)))
	}
	r.shown = append(r.shown, false)
	return true, nil
}

// nextPart fills a part from the history. It is nil at the end of it.
func (r *runner) nextPart(n int, memory *Draft) (*part, error) {
	p := &part{n: n, output: r.budget.outputFor(), final: r.options.MaxCalls-r.report.Calls <= 2}
	chained := r.budget.room(p.output)
	p.head = r.head(n, memory, chained)
	most := size{r.budget.room(min(p.output, leastOutput)), r.budget.roomBytes()}
	less := size{chained, most.bytes}
	for _, limit := range []*size{&most, &less} {
		limit.tokens -= p.head.tokens
		limit.bytes -= p.head.bytes
	}
	if less.tokens < leastRoom || less.bytes < frameBytes {
		return nil, *problemf(ProblemNoRoom, "a window of %d tokens and a body of %d bytes have no room for a history beside the instruction and %d tokens of answer",
			r.budget.window, r.options.MaxBody, p.output)
	}
	var used size
	at := 0 // entries of pending that are in the part
	for {
		for at < len(r.pending) {
			if err := r.ctx.Err(); err != nil {
				return nil, err
			}
			e := r.narrow(r.pending[at], less)
			r.pending[at] = e
			used.add(e.size)
			at++
			if used.tokens <= most.tokens && used.bytes <= most.bytes {
				continue
			}
			if !p.final {
				return r.cut(p, at, used, less), nil
			}
			at, used = r.forget(p, at, used, less)
		}
		if more, err := r.pull(); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	if at == 0 {
		return nil, nil
	}
	p.entries, r.pending = r.pending, nil
	p.last = true
	p.output = r.budget.output
	return p, nil
}

// cut ends a part before the entries that are over its room, which the next
// part begins with.
func (r *runner) cut(p *part, at int, used, room size) *part {
	for at > 1 && (used.tokens > room.tokens || used.bytes > room.bytes) {
		at--
		used.tokens -= r.pending[at].tokens
		used.bytes -= r.pending[at].bytes
	}
	p.entries = r.pending[:at:at]
	r.pending = append([]packed(nil), r.pending[at:]...)
	return p
}

// forget makes room for what is newer by leaving out the oldest entries.
func (r *runner) forget(p *part, at int, used, room size) (int, size) {
	k := 0
	for k < at-1 && (used.tokens > room.tokens || used.bytes > room.bytes) {
		used.tokens -= r.pending[k].tokens
		used.bytes -= r.pending[k].bytes
		k++
	}
	p.omitted += k
	r.pending = append(r.pending[:0], r.pending[k:]...)
	return at - k, used
}

// leastText is what an entry is shortened to at most. Units: characters.
const leastText = 80

// narrow shortens an entry that alone is larger than a part.
func (r *runner) narrow(e packed, room size) packed {
	for n := len(e.Text) / 2; (e.tokens > room.tokens || e.bytes > room.bytes) && n >= leastText; n /= 2 {
		short := e.entry
		short.Text = shortenTo(e.Text, n)
		e = r.pack(short, e.message)
	}
	return e
}

// less takes about half of a part's entries out of it, at least one: they go
// on to the next part, or are left out where there is none. It returns false
// where the part cannot be made smaller.
func (r *runner) less(p *part, count int) bool {
	if len(p.entries) == 0 {
		return false
	}
	if len(p.entries) == 1 {
		e := p.entries[0]
		if len(e.Text) < 2*leastText {
			return false
		}
		e.Text = shortenTo(e.Text, len(e.Text)/2)
		p.entries[0] = r.pack(e.entry, e.message)
		return true
	}
	count = min(max(count, 1), len(p.entries)-1)
	if p.final || r.options.MaxCalls-r.report.Calls <= 2 {
		p.omitted += count
		p.entries = p.entries[count:]
		return true
	}
	keep := len(p.entries) - count
	r.pending = append(append([]packed(nil), p.entries[keep:]...), r.pending...)
	p.entries, p.last = p.entries[:keep:keep], false
	return true
}
