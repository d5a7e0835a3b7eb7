package wire

import (
	"encoding/json"
	"errors"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// Append writes messages behind the last one of a body. Everything before them
// and behind them stays byte for byte, so that what a provider has cached of
// the body is still its beginning. An input that was one string becomes the
// first message of a list.
// Errors: KindInput where the body has no list of messages, KindUsage where a
// message is not JSON.
func Append(f pith.Format, body []byte, messages ...json.RawMessage) ([]byte, error) {
	if len(messages) == 0 {
		return body, nil
	}
	start, end, err := listPlace(&pith.Conversation{Format: f, Raw: body})
	if err != nil {
		return nil, inputError(errNoBody, knownBodies)
	}
	list := body[start:end]
	added, err := listed(messages)
	if err != nil {
		return nil, err
	}
	switch list[0] {
	case '"':
		first := append([]byte(`[{"role":"user","content":`), list...)
		return splice(body, start, end, append(append(append(first, "},"...), added...), ']')), nil
	case '[':
	default:
		return nil, inputError(errNoBody, knownBodies)
	}
	at := start + 1
	if c := jsonscan.New(list); c.Array() && c.More() {
		_, _, closing := listStyle(list)
		at, added = end-len(closing), append([]byte{','}, added...)
	}
	return splice(body, at, at, added), nil
}

// listed joins messages as the elements of a list.
func listed(messages []json.RawMessage) ([]byte, error) {
	var out []byte
	for _, m := range messages {
		if !json.Valid(m) {
			return nil, requestError(errors.New("a message is not JSON"))
		}
		if out != nil {
			out = append(out, ',')
		}
		out = append(out, m...)
	}
	return out, nil
}

func requestError(err error) error {
	return &pith.Error{Op: "write the request body", Kind: pith.KindUsage, Err: err}
}
