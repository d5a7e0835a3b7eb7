package schema

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/pith-memory/pith"
)

// MarshalCompact writes an 8-field memory as Marshal writes a state.
func MarshalCompact(c pith.Compact, indent bool) ([]byte, error) {
	b, err := encode(&c, indent, true)
	if err != nil {
		return nil, &pith.Error{Op: "write a compact memory", Kind: pith.KindUnexpected, Err: err}
	}
	return append(b, '\n'), nil
}

// UnmarshalCompact reads an 8-field memory, as strictly as Unmarshal reads a
// state.
func UnmarshalCompact(b []byte) (pith.Compact, error) {
	var c pith.Compact
	trimmed := bytes.TrimLeft(b, " \t\r\n")
	var err error
	switch {
	case len(trimmed) == 0:
		err = errors.New("the input is empty")
	case trimmed[0] != '{':
		err = errors.New("this is not a JSON object")
	default:
		if err = json.Unmarshal(b, &c, json.RejectUnknownMembers(true)); err != nil {
			err = locate(b, err)
		}
	}
	if err != nil {
		return pith.Compact{}, &pith.Error{Op: "read a compact memory", Kind: pith.KindInput, Err: err}
	}
	if c.Task == "" || c.CurrentState == "" {
		return pith.Compact{}, &pith.Error{Op: "read a compact memory", Kind: pith.KindInput, Err: fmt.Errorf("task and current_state must not be empty")}
	}
	return c, nil
}

// IsCompact tells an 8-field memory from a state, by the field that only it has.
func IsCompact(b []byte) bool {
	var probe struct {
		Contract string `json:"contract_type"`
		Task     string `json:"task"`
	}
	return json.Unmarshal(b, &probe) == nil && probe.Contract == "" && probe.Task != ""
}
