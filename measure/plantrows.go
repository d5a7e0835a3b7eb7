package measure

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// PlantRows plants into a session file of Claude Code, Codex or pi: sentences are
// added to the end of texts that stand in it, and every other byte stays. Rows
// that are torn or of another kind are left alone, and so is a copy that Codex
// keeps of a text for its own list. It needs no decoder, so the whole way from
// the bytes on runs over what was planted.
func PlantRows(seed uint64, n int, data []byte) ([]byte, *Plan) {
	spots := rowSpots(data)
	var at Places
	for _, s := range spots {
		if s.ground == inTurn {
			at.Turns++
		} else {
			at.Outputs++
		}
	}
	p := Plant(seed, n, at)
	out := make([]byte, 0, len(data)+len(p.seeds)*120)
	from := 0
	for _, s := range spots {
		if more := p.next(s.ground); more != "" {
			out = append(append(out, data[from:s.end]...), jsonText(more)...)
			from = s.end
		}
	}
	return append(out, data[from:]...), p
}

// jsonText is a text as it stands between the quotes of a JSON string.
func jsonText(text string) []byte {
	b, _ := json.Marshal(text) // strings are always written
	return b[1 : len(b)-1]
}

// spot is the end of a JSON string that can take more text.
type spot struct {
	end    int
	ground ground
}

// rowSpots finds the spots of a whole file, by rows. In the thread of a Codex
// sub-agent the turns are another agent's, so nothing is planted in them.
func rowSpots(data []byte) []spot {
	var out []spot
	peer := false
	for start := 0; start < len(data); {
		end := len(data)
		if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
			end = start + i
		}
		row := data[start:end]
		peer = peer || start == 0 && bytes.Contains(row, []byte(`"subagent":`))
		for _, s := range spotsIn(row) {
			if s.ground == inOutput || !peer {
				out = append(out, spot{start + s.end, s.ground})
			}
		}
		start = end + 1
	}
	return out
}

// mayHold is what a row with a spot has somewhere.
var mayHold = [...]string{`"user"`, `_output"`, `"toolResult"`}

// spotsIn finds the spots of one row: the texts that a user typed on the main
// thread, and the outputs of tools.
func spotsIn(row []byte) []spot {
	if !slices.ContainsFunc(mayHold[:], func(s string) bool { return bytes.Contains(row, []byte(s)) }) || !json.Valid(row) {
		return nil
	}
	r := rowReader{row: row}
	r.object(func(key string) {
		switch key {
		case "type":
			r.kind = r.text()
		case "isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly":
			r.aside = r.literal() == "true" || r.aside
		case "message", "payload":
			r.message()
		default:
			r.skip()
		}
	})
	if r.aside {
		return nil
	}
	turns := slices.DeleteFunc(slices.Clone(r.texts), func(s spot) bool { return s.ground != inTurn })
	switch {
	case r.kind == "user" && (r.role == "user" || r.role == ""): // Claude Code
		return inOrderOf(append(turns, r.outputs...))
	case r.kind == "response_item" && r.inner == "message" && r.role == "user", // Codex
		r.kind == "message" && r.role == "user": // pi
		return turns
	case r.kind == "response_item" && (r.inner == "function_call_output" || r.inner == "custom_tool_call_output"):
		return r.outputs
	case r.kind == "message" && r.role == "toolResult" && !r.failed && len(r.texts) > 0:
		return []spot{{r.texts[0].end, inOutput}}
	}
	return nil
}

func inOrderOf(spots []spot) []spot {
	slices.SortFunc(spots, func(a, b spot) int { return a.end - b.end })
	return spots
}

// rowReader walks a valid JSON row.
type rowReader struct {
	row []byte
	at  int
	// kind is the type of the row, inner that of what it holds.
	kind, inner, role string
	aside, failed     bool
	// texts are the ends of a message's texts, in a turn where a user typed
	// them, outputs those of the results in it.
	texts, outputs []spot
}

// message reads what a row holds.
func (r *rowReader) message() {
	r.texts, r.outputs = nil, nil
	r.object(func(key string) {
		switch key {
		case "type":
			r.inner = r.text()
		case "role":
			r.role = r.text()
		case "isError":
			r.failed = r.literal() == "true"
		case "content":
			r.content()
		case "output":
			r.outputs = r.result()
		default:
			r.skip()
		}
	})
}

func (r *rowReader) peek() byte {
	for r.at < len(r.row) {
		switch c := r.row[r.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.at++
		default:
			return c
		}
	}
	return 0
}

// object calls each with every key; each reads the value. Anything else is skipped.
func (r *rowReader) object(each func(key string)) {
	if r.peek() != '{' {
		r.skip()
		return
	}
	r.at++
	for c := r.peek(); c != '}' && c != 0; c = r.peek() {
		key := r.text()
		each(key)
	}
	r.at++
}

// list calls each at every element; each reads it.
func (r *rowReader) list(each func()) {
	if r.peek() != '[' {
		r.skip()
		return
	}
	r.at++
	for c := r.peek(); c != ']' && c != 0; c = r.peek() {
		each()
	}
	r.at++
}

// text reads a string and decodes it; of any other value it gives "".
func (r *rowReader) text() string {
	isString := r.peek() == '"'
	from := r.at
	r.skip()
	if !isString {
		return ""
	}
	if inner := r.row[from+1 : r.at-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	_ = json.Unmarshal(r.row[from:r.at], &s) // the row is valid
	return s
}

func (r *rowReader) literal() string {
	r.peek()
	from := r.at
	r.skip()
	return string(r.row[from:r.at])
}

// skip goes past any value.
func (r *rowReader) skip() {
	depth := 0
	for r.at < len(r.row) {
		switch c := r.peek(); c {
		case '"':
			r.skipString()
		case '{', '[':
			depth++
			r.at++
			continue
		case '}', ']':
			depth--
			r.at++
		case 0:
			return
		default:
			for r.at < len(r.row) && strings.IndexByte(" \t\r\n,:{}[]\"", r.row[r.at]) < 0 {
				r.at++
			}
		}
		if depth <= 0 {
			return
		}
	}
}

func (r *rowReader) skipString() {
	for r.at++; r.at < len(r.row); r.at++ {
		switch r.row[r.at] {
		case '\\':
			r.at++
		case '"':
			r.at++
			return
		}
	}
}

// content finds the spots of a message: one text, or a list of blocks.
func (r *rowReader) content() {
	r.texts, r.outputs = nil, nil
	if r.peek() == '"' {
		r.texts = r.spot(inTurn)
		return
	}
	r.list(func() {
		var kind string
		var failed bool
		var text, result []spot
		r.object(func(key string) {
			switch key {
			case "type":
				kind = r.text()
			case "is_error":
				failed = r.literal() == "true"
			case "text":
				text = r.spot(inTurn)
			case "content":
				result = r.result()
			default:
				r.skip()
			}
		})
		switch {
		case kind == "text", kind == "input_text":
			r.texts = append(r.texts, text...)
		case kind == "tool_result" && !failed:
			r.outputs = append(r.outputs, result...)
		}
	})
}

// result finds the spot of an output: one text, or the first of a list.
func (r *rowReader) result() []spot {
	if r.peek() == '"' {
		return r.spot(inOutput)
	}
	var out []spot
	r.list(func() {
		r.object(func(key string) {
			if key == "text" && len(out) == 0 {
				out = r.spot(inOutput)
				return
			}
			r.skip()
		})
	})
	return out
}

// spot takes the string at hand for one where something may be planted. In a
// turn that is what a user typed; other texts count as outputs. A string that
// holds JSON takes no more text.
func (r *rowReader) spot(g ground) []spot {
	isString := r.peek() == '"'
	from := r.at
	if !isString {
		r.skip()
		return nil
	}
	s := r.text()
	if strings.TrimSpace(s) == "" || g == inOutput && s[0] == '{' {
		return nil
	}
	if g == inTurn && !typed(s) {
		g = inOutput
	}
	if r.at-from < len(`""`) {
		return nil
	}
	return []spot{{r.at - 1, g}}
}
