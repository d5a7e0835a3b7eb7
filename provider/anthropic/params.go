package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
	"github.com/pith-memory/pith/wire"
)

// FromParams turns a history in the SDK's types into a conversation, of which
// Raw is a request body without a model: what package memory reads and
// compacts. Errors: KindInput where a value says nothing, or two things at once.
func FromParams(system []sdk.TextBlockParam, tools []sdk.ToolUnionParam, messages []sdk.MessageParam) (pith.Conversation, error) {
	return fromParams(system, tools, messages)
}

// ToParams turns a conversation into a history in the SDK's types. Nothing is
// lost: what the types cannot carry is refused, and an input or a schema whose
// numbers they would rewrite is put into them as json.RawMessage. A text in the
// place of a list of blocks becomes a list of one, as the API reads it.
// Errors: KindInput, which names the message, the block and the field.
func ToParams(c pith.Conversation) ([]sdk.TextBlockParam, []sdk.ToolUnionParam, []sdk.MessageParam, error) {
	return toParams[sdk.TextBlockParam](c, keepSchema, keepInputs)
}

// FromBetaParams is FromParams for the types of the SDK's beta API.
func FromBetaParams(system []sdk.BetaTextBlockParam, tools []sdk.BetaToolUnionParam, messages []sdk.BetaMessageParam) (pith.Conversation, error) {
	return fromParams(system, tools, messages)
}

// ToBetaParams is ToParams for the types of the SDK's beta API.
func ToBetaParams(c pith.Conversation) ([]sdk.BetaTextBlockParam, []sdk.BetaToolUnionParam, []sdk.BetaMessageParam, error) {
	return toParams[sdk.BetaTextBlockParam](c, keepBetaSchema, keepBetaInputs)
}

const (
	readParams  = "read the history in the SDK's types"
	writeParams = "write the history in the SDK's types"
)

func fromParams[S, T, M any](system []S, tools []T, messages []M) (pith.Conversation, error) {
	body := []byte{'{'}
	var err error
	if system != nil {
		body, err = appendList(body, "system", system)
	}
	if err == nil && tools != nil {
		body, err = appendList(body, "tools", tools)
	}
	if err == nil {
		body, err = appendList(body, "messages", messages)
	}
	if err != nil {
		return pith.Conversation{}, err
	}
	return wire.DecodeAs(pith.FormatAnthropic, append(body, '}'))
}

// appendList writes a member whose value is a list. The SDK writes null for a
// union of which no variant is set.
func appendList[E any](body []byte, key string, values []E) ([]byte, error) {
	if len(body) > 1 {
		body = append(body, ',')
	}
	body = append(jsonscan.AppendQuoted(body, key), ":["...)
	for i := range values {
		place := key + "." + strconv.Itoa(i)
		raw, err := json.Marshal(&values[i])
		if err != nil {
			return nil, &pith.Error{Op: readParams, Kind: pith.KindInput, Err: fmt.Errorf("%s cannot be written: %w", place, err)}
		}
		if empty := emptyIn(raw, place); empty != "" {
			return nil, &pith.Error{
				Op: readParams, Kind: pith.KindInput, Err: fmt.Errorf("%s is empty", empty),
				Hint: "Set one of its variants, or leave it out.",
			}
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, raw...)
	}
	return append(body, ']'), nil
}

// emptyIn names the first value in a list's element that is null where a
// message or a block has to be, "" where there is none.
func emptyIn(raw []byte, place string) string {
	if bytes.Equal(raw, []byte("null")) {
		return place
	}
	content, ok := jsonscan.Find(raw, "content")
	if !ok || content.Peek() != '[' || !content.Array() {
		return ""
	}
	for i := 0; content.More(); i++ {
		if empty := emptyIn(content.Value(), place+".content."+strconv.Itoa(i)); empty != "" {
			return empty
		}
	}
	return ""
}

func toParams[S, T, M any](c pith.Conversation, keepTool func(*T, []byte), keepMessage func(*M, []byte)) (system []S, tools []T, messages []M, err error) {
	body, err := wire.Encode(c)
	if err != nil {
		return nil, nil, nil, err
	}
	if c.Format != pith.FormatAnthropic {
		err := fmt.Errorf("the conversation is in the format %q", c.Format)
		return nil, nil, nil, &pith.Error{Op: writeParams, Kind: pith.KindInput, Err: err, Hint: "Only Anthropic's messages have a form in its SDK."}
	}
	list := body
	if cursor := jsonscan.New(body); cursor.Peek() == '{' {
		list = member(body, "messages")
		if system, err = readList[S](member(body, "system"), "system", nil); err != nil {
			return nil, nil, nil, err
		}
		if tools, err = readList(member(body, "tools"), "tools", keepTool); err != nil {
			return nil, nil, nil, err
		}
	}
	messages, err = readList(list, "messages", keepMessage)
	if err != nil {
		return nil, nil, nil, err
	}
	return system, tools, messages, nil
}

// member is a member's value, nil where there is none or it is null.
func member(object []byte, key string) []byte {
	start, end, ok := jsonscan.Member(object, key)
	if !ok || object[start] == 'n' {
		return nil
	}
	return object[start:end]
}

// readList reads the elements of a list one by one, so that one that cannot be
// read does not hide the others. Keep puts back what reading lost.
func readList[E any](list []byte, key string, keep func(*E, []byte)) ([]E, error) {
	if list == nil {
		return nil, nil
	}
	if list[0] == '"' { // the system prompt
		list = textBlocks(list)
	}
	cursor := jsonscan.New(list)
	if !cursor.Array() {
		return nil, &pith.Error{Op: writeParams, Kind: pith.KindInput, Err: fmt.Errorf("%s is no list", key)}
	}
	elements := []E{}
	for cursor.More() {
		raw := cursor.Value()
		element, err := readElement(raw, keep)
		if err != nil {
			place := key + "." + strconv.Itoa(len(elements))
			if l := (*loss)(nil); errors.As(err, &l) {
				return nil, refuse(l.in(place, locate[E](raw, l)))
			}
			return nil, refuse(fmt.Errorf("%s cannot be read: %w", place, err))
		}
		elements = append(elements, element)
	}
	if cursor.Bad() {
		return nil, refuse(fmt.Errorf("%s is not whole JSON", key))
	}
	return elements, nil
}

func refuse(err error) error {
	return &pith.Error{
		Op: writeParams, Kind: pith.KindInput, Err: err,
		Hint: "The SDK's types have no place for it. Send the body of the conversation itself, as wire.Encode gives it, or take what cannot be carried out.",
	}
}

// readElement reads one value of the SDK's types. Errors: *loss, and those of
// the SDK.
func readElement[E any](raw []byte, keep func(*E, []byte)) (element E, err error) {
	if err := json.Unmarshal(withoutEmptyResults(raw), &element); err != nil {
		return element, err
	}
	if keep != nil {
		keep(&element, raw)
	}
	written, err := json.Marshal(&element)
	if err != nil {
		return element, err
	}
	return element, compare(raw, written)
}

// locate looks for the block that a loss comes from. The SDK drops a whole list
// for one block that it does not know, so each block is tried alone.
func locate[E any](raw []byte, l *loss) *loss {
	start, end, ok := find(raw, l.path)
	if !ok || raw[start] != '[' {
		return l
	}
	cursor := jsonscan.NewAt(raw, start)
	cursor.Array()
	for i := 0; cursor.More(); i++ {
		block := cursor.Value()
		alone := slices.Concat(raw[:start], []byte{'['}, block, []byte{']'}, raw[end:])
		_, err := readElement[E](alone, nil)
		found := (*loss)(nil)
		if !errors.As(err, &found) || len(found.path) < len(l.path) {
			continue
		}
		if len(found.path) == len(l.path) {
			kind, _ := jsonscan.Find(block, "type")
			return &loss{path: append(found.path, strconv.Itoa(i)), kind: kind.String(), what: "is a block that would be lost"}
		}
		found = locate[E](alone, found)
		found.path[len(l.path)] = strconv.Itoa(i)
		return found
	}
	return l
}

// find tells where the value stands that a path leads to.
func find(raw []byte, path []string) (start, end int, ok bool) {
	end = len(raw)
	for _, key := range path {
		at, to, ok := jsonscan.Member(raw[start:end], key)
		if index, err := strconv.Atoi(key); err == nil {
			at, to, ok = elementAt(raw[start:end], index)
		}
		if !ok {
			return 0, 0, false
		}
		start, end = start+at, start+to
	}
	return start, end, true
}

func elementAt(list []byte, index int) (start, end int, ok bool) {
	cursor := jsonscan.New(list)
	if !cursor.Array() {
		return 0, 0, false
	}
	for i := 0; cursor.More(); i++ {
		start = cursor.Pos()
		cursor.Skip()
		if i == index {
			return start, cursor.Pos(), true
		}
	}
	return 0, 0, false
}

// textBlocks is the list of blocks that a text stands for.
func textBlocks(text []byte) []byte {
	return append(append([]byte(`[{"type":"text","text":`), text...), "}]"...)
}
