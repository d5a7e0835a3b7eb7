package wire

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

var errPlaces = errors.New("its blocks are not those of its bytes")

// readPlaces finds where in the message's bytes each of its blocks stands.
func readPlaces(f pith.Format, m *pith.Message) (*reader, error) {
	r := &reader{format: bodyFormat(f), wantPlaces: true}
	if len(m.Raw) == 0 || r.format == "" {
		return nil, editError(errors.New("it has no bytes of its own"))
	}
	if m.Raw[0] == '"' { // an input that was one string
		c := jsonscan.New(m.Raw)
		r.role = pith.RoleUser
		r.content(&c)
	} else {
		r.message(m.Raw)
	}
	if len(r.places) != len(m.Blocks) {
		return nil, editError(errPlaces)
	}
	return r, nil
}

func editError(err error) error {
	return &pith.Error{Op: "edit a message", Kind: pith.KindUnexpected, Err: err}
}

// RemoveBlocks cuts blocks out of a message; the bytes of those that stay are
// untouched. A message that loses all its blocks has no Raw and no Blocks
// left: it is not to be sent.
func RemoveBlocks(f pith.Format, m pith.Message, drop func(i int) bool) (pith.Message, error) {
	r, err := readPlaces(f, &m)
	if err != nil {
		return m, err
	}
	dropped := make([]bool, len(m.Blocks))
	left := map[placeKind]int{}
	count, all := 0, false
	for i := range m.Blocks {
		if dropped[i] = drop(i); dropped[i] {
			count++
			all = all || r.places[i].kind == wholeMessage
		} else {
			left[r.places[i].kind]++
		}
	}
	if count == 0 {
		return m, nil
	}
	if all || count == len(m.Blocks) {
		m.Raw, m.Blocks = nil, nil
		return m, nil
	}
	m.Raw = cutPlaces(m.Raw, r.places, dropped, left)
	kept := make([]pith.Block, 0, len(m.Blocks)-count)
	for i := range m.Blocks {
		if !dropped[i] {
			kept = append(kept, m.Blocks[i])
		}
	}
	m.Blocks = kept
	return m, nil
}

// cutPlaces cuts from the back to the front, so that places stay true. A
// content without parts becomes null, a list of calls without calls goes.
func cutPlaces(raw []byte, places []place, dropped []bool, left map[placeKind]int) []byte {
	order := make([]int, 0, len(places))
	for i := range places {
		if dropped[i] {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return places[b].start - places[a].start })
	emptied := map[placeKind]bool{}
	for _, i := range order {
		p := places[i]
		switch {
		case p.kind == wholeContent || p.kind == inContent && left[inContent] == 0:
			emptied[inContent] = true
		case p.kind == inToolCalls && left[inToolCalls] == 0:
			emptied[inToolCalls] = true
		default:
			raw = cut(raw, p.start, p.end)
		}
	}
	if emptied[inContent] {
		if start, end, ok := jsonscan.Member(raw, "content"); ok {
			raw = splice(raw, start, end, []byte("null"))
		}
	}
	if emptied[inToolCalls] {
		if f := readChatFields(raw); f.toolCalls.found {
			raw = cut(raw, f.toolCalls.keyAt, f.toolCalls.end)
		}
	}
	return raw
}

// cut removes an element or member and the comma that parted it from the next
// one, or from the one before.
func cut(raw []byte, start, end int) []byte {
	c := jsonscan.NewAt(raw, end)
	if c.Peek() == ',' {
		next := jsonscan.NewAt(raw, c.Pos()+1)
		next.Peek()
		return splice(raw, start, next.Pos(), nil)
	}
	before := start
	for before > 0 && strings.IndexByte(" \n\r\t", raw[before-1]) >= 0 {
		before--
	}
	if before > 0 && raw[before-1] == ',' {
		start = before - 1
	}
	return splice(raw, start, end, nil)
}

// SetBlockText replaces what a text or a tool result says. An image becomes a
// text; its cache mark stays. Thinking and calls cannot be changed.
func SetBlockText(f pith.Format, m pith.Message, i int, text string) (pith.Message, error) {
	r, err := readPlaces(f, &m)
	if err != nil {
		return m, err
	}
	if i < 0 || i >= len(m.Blocks) {
		return m, editError(fmt.Errorf("it has no block %d", i))
	}
	p := r.places[i]
	b := m.Blocks[i]
	element := m.Raw[p.start:p.end]
	switch {
	case p.kind == wholeContent:
		element = jsonscan.AppendQuoted(nil, text)
	case b.Kind == pith.KindImage:
		element = asText(element, textKind(f, m.Role), text)
		b.Kind = pith.KindText
	case b.Kind == pith.KindText && p.kind == aMember:
		c := jsonscan.New(m.Raw[p.start:p.end])
		key := c.Value()
		element = append(append(slices.Clone(key), ':'), jsonscan.AppendQuoted(nil, text)...)
	case b.Kind == pith.KindText || b.Kind == pith.KindToolResult:
		if element, err = setText(element, b.Kind, text); err != nil {
			return m, err
		}
	default:
		return m, editError(fmt.Errorf("block %d is %s, which cannot be changed", i, b.Kind))
	}
	m.Raw = splice(m.Raw, p.start, p.end, element)
	b.Text, b.MediaType, b.MediaBytes = text, "", 0
	m.Blocks = slices.Clone(m.Blocks)
	m.Blocks[i] = b
	return m, nil
}

// setText replaces the member of a block that holds its text.
func setText(element []byte, kind pith.BlockKind, text string) ([]byte, error) {
	quoted := jsonscan.AppendQuoted(nil, text)
	if len(element) > 0 && element[0] == '"' {
		return quoted, nil
	}
	keys := []string{"text", "refusal"}
	if kind == pith.KindToolResult {
		keys = []string{"output", "content"}
	}
	for _, key := range keys {
		if start, end, ok := jsonscan.Member(element, key); ok {
			return splice(element, start, end, quoted), nil
		}
	}
	if kind == pith.KindToolResult {
		return appendMember(element, "content", quoted), nil
	}
	return nil, editError(errors.New("the block has no text of its own"))
}

// appendMember writes a new last member into an object that has others.
func appendMember(object []byte, key string, value []byte) []byte {
	at := len(strings.TrimRight(string(object[:len(object)-1]), " \n\r\t"))
	added := append(jsonscan.AppendQuoted([]byte{','}, key), ':')
	return splice(object, at, at, append(added, value...))
}

// asText makes a text part in the place of another one.
func asText(element []byte, kind, text string) []byte {
	out := textElement(kind, text)
	if start, end, ok := jsonscan.Member(element, "cache_control"); ok {
		out = appendMember(out, "cache_control", element[start:end])
	}
	return out
}

// ReplaceImages puts marker's text in the place of a block's image, or of every
// image inside a tool result; ids and the texts beside them stay as they are.
// The marker is told the media type and the size in bytes.
func ReplaceImages(f pith.Format, m pith.Message, i int, marker func(mediaType string, size int) string) (pith.Message, error) {
	r, err := readPlaces(f, &m)
	if err != nil {
		return m, err
	}
	if i < 0 || i >= len(m.Blocks) {
		return m, editError(fmt.Errorf("it has no block %d", i))
	}
	b := m.Blocks[i]
	if b.Kind == pith.KindImage {
		return SetBlockText(f, m, i, marker(b.MediaType, b.MediaBytes))
	}
	if b.Kind != pith.KindToolResult || b.MediaBytes == 0 && b.MediaType == "" {
		return m, nil
	}
	p := r.places[i]
	element := m.Raw[p.start:p.end]
	start, end, ok := jsonscan.Member(element, "output")
	if !ok {
		if start, end, ok = jsonscan.Member(element, "content"); !ok {
			return m, nil
		}
	}
	parts, text := replaceParts(element[start:end], textKind(f, pith.RoleUser), b.Text, marker)
	m.Raw = splice(m.Raw, p.start+start, p.start+end, parts)
	b.Text, b.MediaType, b.MediaBytes = text, "", 0
	m.Blocks = slices.Clone(m.Blocks)
	m.Blocks[i] = b
	return m, nil
}

// replaceParts replaces the images of a result's list, and their markers in
// the block's text, which may have been redacted meanwhile.
func replaceParts(list []byte, kind, text string, marker func(string, int) string) ([]byte, string) {
	var out []byte
	c := jsonscan.New(list)
	if c.Peek() != '[' {
		return list, text
	}
	c.Array()
	copied := 0
	for c.More() {
		start := c.Pos()
		part := c.Value()
		var media pith.Block
		old, _ := resultPart(&media, part)
		if media.MediaBytes == 0 && media.MediaType == "" {
			continue
		}
		with := marker(media.MediaType, media.MediaBytes)
		text = strings.Replace(text, old, with, 1)
		out = append(append(out, list[copied:start]...), asText(part, kind, with)...)
		copied = c.Pos()
	}
	return append(out, list[copied:]...), text
}

// ResultsFirst moves the tool results of a message before what else it holds,
// where Anthropic wants them; the bytes of each block stay as they are.
func ResultsFirst(f pith.Format, m pith.Message) (pith.Message, error) {
	order := make([]int, 0, len(m.Blocks))
	for _, results := range []bool{true, false} {
		for i := range m.Blocks {
			if m.Blocks[i].Kind == pith.KindToolResult == results {
				order = append(order, i)
			}
		}
	}
	if slices.IsSorted(order) {
		return m, nil
	}
	r, err := readPlaces(f, &m)
	if err != nil {
		return m, err
	}
	raw := slices.Clone(m.Raw[:r.places[0].start])
	blocks := make([]pith.Block, len(order))
	for to, from := range order {
		if r.places[from].kind != inContent {
			return m, editError(errPlaces)
		}
		if to > 0 {
			raw = append(raw, m.Raw[r.places[to-1].end:r.places[to].start]...)
		}
		raw = append(raw, m.Raw[r.places[from].start:r.places[from].end]...)
		blocks[to] = m.Blocks[from]
	}
	m.Raw, m.Blocks = append(raw, m.Raw[r.places[len(order)-1].end:]...), blocks
	return m, nil
}

// SetToolUseID gives a call or a result another id, where a strict provider
// wants ids to differ that a client used twice.
func SetToolUseID(f pith.Format, m pith.Message, i int, id string) (pith.Message, error) {
	r, err := readPlaces(f, &m)
	if err != nil {
		return m, err
	}
	if i < 0 || i >= len(m.Blocks) || m.Blocks[i].ToolUseID == "" {
		return m, editError(fmt.Errorf("block %d has no id", i))
	}
	p := r.places[i]
	element := m.Raw[p.start:p.end]
	keys := []string{"call_id", "id"}
	if m.Blocks[i].Kind == pith.KindToolResult {
		keys = []string{"tool_use_id", "tool_call_id", "call_id", "id"}
	}
	for _, key := range keys {
		if start, end, ok := jsonscan.Member(element, key); ok {
			m.Raw = splice(m.Raw, p.start+start, p.start+end, jsonscan.AppendQuoted(nil, id))
			m.Blocks = slices.Clone(m.Blocks)
			m.Blocks[i].ToolUseID = id
			return m, nil
		}
	}
	return m, editError(errPlaces)
}
