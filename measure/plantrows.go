package measure

import (
	"bytes"
	"encoding/json"
	"strings"
)

// PlantRows plants into a Claude Code session file: sentences are added to the
// end of texts that stand in it, and every other byte stays. Rows that are torn
// or of another kind are left alone. It needs no decoder, so the whole way from
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

// rowSpots finds the spots of a whole file, by rows.
func rowSpots(data []byte) []spot {
	var out []spot
	for start := 0; start < len(data); {
		end := len(data)
		if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
			end = start + i
		}
		for _, s := range spotsIn(data[start:end]) {
			out = append(out, spot{start + s.end, s.ground})
		}
		start = end + 1
	}
	return out
}

// spotsIn finds the spots of one row: the texts of a user's message on the main
// thread, and the outputs of tools, which Claude Code records as such, too.
func spotsIn(row []byte) []spot {
	if !bytes.Contains(row, []byte(`"user"`)) || !json.Valid(row) {
		return nil
	}
	r := rowReader{row: row, role: "user"}
	r.object(func(key string) {
		switch key {
		case "type":
			r.isUser = r.text() == "user"
		case "isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly":
			r.aside = r.aside || r.literal() == "true"
		case "message":
			r.spots = nil
			r.object(func(key string) {
				switch key {
				case "role":
					r.role = r.text()
				case "content":
					r.content()
				default:
					r.skip()
				}
			})
		default:
			r.skip()
		}
	})
	if !r.isUser || r.aside || r.role != "user" {
		return nil
	}
	return r.spots
}

// rowReader walks a valid JSON row.
type rowReader struct {
	row    []byte
	at     int
	isUser bool
	aside  bool
	role   string
	spots  []spot
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
	r.spots = nil
	if r.peek() == '"' {
		r.spotFor(inTurn)
		return
	}
	r.list(func() {
		var kind string
		var failed bool
		var texts, results []spot
		kept := r.spots
		r.object(func(key string) {
			r.spots = nil
			switch key {
			case "type":
				kind = r.text()
			case "is_error":
				failed = r.literal() == "true"
			case "text":
				r.spotFor(inTurn)
				texts = r.spots
			case "content":
				r.result()
				results = r.spots
			default:
				r.skip()
			}
		})
		switch {
		case kind == "text":
			kept = append(kept, texts...)
		case kind == "tool_result" && !failed:
			kept = append(kept, results...)
		}
		r.spots = kept
	})
}

// result finds the spot of an output: one text, or the first of a list.
func (r *rowReader) result() {
	if r.peek() == '"' {
		r.spotFor(inOutput)
		return
	}
	r.list(func() {
		r.object(func(key string) {
			if key == "text" && len(r.spots) == 0 && r.peek() == '"' {
				r.spotFor(inOutput)
				return
			}
			r.skip()
		})
	})
}

// spotFor takes the string at hand for a spot where something may be planted.
func (r *rowReader) spotFor(g ground) {
	if r.peek() != '"' {
		r.skip()
		return
	}
	from := r.at
	r.skip()
	if r.at-from <= len(`""`) {
		return
	}
	if g == inTurn {
		var s string
		if json.Unmarshal(r.row[from:r.at], &s) != nil || !typed(s) {
			return
		}
	}
	r.spots = append(r.spots, spot{r.at - 1, g})
}
