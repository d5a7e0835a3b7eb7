package compactor

import "strings"

// scratchpads are the elements that a model thinks in where it has no channel
// for it: what stands in a closed one is no answer.
var scratchpads = [...]string{"analysis", "thinking", "think", "scratchpad", "reasoning", "reflection", "example"}

// maxDepth bounds the nesting of an answer's JSON.
const maxDepth = 16

// objects are the top-level JSON objects of an answer.
type objects struct {
	text string
	// whole are the spans of those that are closed, in order.
	whole [][2]int
	// broken is set where the last thing that opens like an object is none;
	// at is the place in the text that breaks it.
	broken bool
	at     int
	// unclosed is set where the text ends inside an object.
	unclosed bool
	// scratch counts the bytes of scratchpads.
	scratch int
	// open has a bit for each scratchpad that is never closed any more, so that
	// the text is searched for its end once.
	open uint8
}

// findObjects walks an answer once. Prose, fences and list brackets around an
// object are passed over; an object inside a scratchpad is not seen. The time
// is linear: a span that was read is not read again.
func findObjects(text string) objects {
	o := objects{text: text}
	for i := 0; i < len(text); {
		switch text[i] {
		case '<':
			if end := o.scratchpadEnd(i); end > i {
				o.scratch += end - i
				i = end
				continue
			}
			i++
		case '{':
			i = o.object(i)
		default:
			i++
		}
	}
	return o
}

// object reads what opens at text[i] and returns where to go on.
func (o *objects) object(i int) int {
	p := jsonReader{text: o.text, at: i}
	switch p.value(0) {
	case jsonWhole:
		o.whole = append(o.whole, [2]int{i, p.at})
		o.broken, o.unclosed = false, false
		return p.at
	case jsonEnds:
		// A brace that ends a text is a brace.
		o.unclosed = o.unclosed || !blank(o.text[i+1:])
		return len(o.text)
	}
	if opensObject(o.text[i+1:]) {
		o.broken, o.at = true, p.at
	}
	return max(p.at, i+1)
}

// opensObject tells a JSON object from a brace in prose or code.
func opensObject(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest != "" && (rest[0] == '"' || rest[0] == '}')
}

// scratchpadEnd is where the scratchpad ends that opens at text[i], 0 where
// none does or it is never closed.
func (o *objects) scratchpadEnd(i int) int {
	for n, name := range scratchpads {
		tag := o.text[i+1:]
		if o.open>>n&1 == 1 || len(tag) <= len(name) || tag[len(name)] != '>' || !strings.EqualFold(tag[:len(name)], name) {
			continue
		}
		if j := strings.Index(tag, "</"+tag[:len(name)]+">"); j >= 0 {
			return i + 1 + j + len(name) + len("</>")
		}
		o.open |= 1 << n
	}
	return 0
}

// The outcomes of reading a JSON value.
const (
	jsonWhole = iota
	jsonWrong
	jsonEnds // the text ended first
)

// jsonReader reads strict JSON and says where it stopped.
type jsonReader struct {
	text string
	at   int
}

func (p *jsonReader) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// expect passes over one byte behind white space.
func (p *jsonReader) expect(c byte) int {
	p.space()
	if p.at == len(p.text) {
		return jsonEnds
	}
	if p.text[p.at] != c {
		return jsonWrong
	}
	p.at++
	return jsonWhole
}

func (p *jsonReader) value(depth int) int {
	p.space()
	if p.at == len(p.text) {
		return jsonEnds
	}
	if depth > maxDepth {
		return jsonWrong
	}
	switch c := p.text[p.at]; {
	case c == '{':
		return p.list(depth, '}', p.member)
	case c == '[':
		return p.list(depth, ']', p.value)
	case c == '"':
		return p.string()
	}
	return p.scalar()
}

// list reads an object or an array: elements between commas.
func (p *jsonReader) list(depth int, closing byte, element func(int) int) int {
	p.at++
	if r := p.expect(closing); r != jsonWrong {
		return r
	}
	for {
		if r := element(depth + 1); r != jsonWhole {
			return r
		}
		if r := p.expect(','); r == jsonWrong {
			return p.expect(closing)
		} else if r == jsonEnds {
			return r
		}
	}
}

func (p *jsonReader) member(depth int) int {
	p.space()
	if p.at == len(p.text) {
		return jsonEnds
	}
	if p.text[p.at] != '"' {
		return jsonWrong
	}
	if r := p.string(); r != jsonWhole {
		return r
	}
	if r := p.expect(':'); r != jsonWhole {
		return r
	}
	return p.value(depth)
}

func (p *jsonReader) string() int {
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '\\':
			p.at++
		case c == '"':
			p.at++
			return jsonWhole
		case c < ' ':
			return jsonWrong
		}
	}
	p.at = len(p.text)
	return jsonEnds
}

// scalar reads a number or a word. Whether it is one, encoding/json says later.
func (p *jsonReader) scalar() int {
	start := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E') {
			break
		}
		p.at++
	}
	switch {
	case p.at == len(p.text):
		return jsonEnds
	case p.at == start:
		return jsonWrong
	}
	return jsonWhole
}
