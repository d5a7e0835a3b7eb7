package schema

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pith-memory/pith"
)

// maxStateBytes is the largest document that is read or made (rule V01).
const maxStateBytes = 4 << 20

// Unmarshal reads a state, strictly: a member that the contract does not know,
// a member twice, anything after the document and any other version of the
// contract than those that Migrate knows are errors of KindInput that name the line and the place.
func Unmarshal(b []byte) (*pith.State, error) {
	if len(b) > maxStateBytes {
		return nil, inputError(fmt.Errorf("%d bytes are more than a state may have (%d)", len(b), maxStateBytes), "")
	}
	if err := recognise(b); err != nil {
		migrated, _, migrateErr := Migrate(b)
		if migrateErr != nil {
			return nil, err
		}
		b = migrated
	}
	s := new(pith.State)
	if err := json.Unmarshal(b, s, json.RejectUnknownMembers(true)); err != nil {
		return nil, decodeError(b, err)
	}
	return s, nil
}

// recognise tells a state of this version from everything else, before it is
// read in earnest: the first thing that people want to know of a wrong file is
// what they passed instead.
func recognise(b []byte) error {
	trimmed := bytes.TrimLeft(b, " \t\r\n\ufeff")
	switch {
	case len(trimmed) == 0:
		return inputError(errors.New("the input is empty"), "")
	case trimmed[0] != '{':
		return inputError(errors.New("this is "+otherThanObject(trimmed)), "pass a state as `pith compact --view state` prints it")
	}
	head, err := readHead(trimmed)
	if err != nil {
		return decodeError(b, err)
	}
	if head.contract != pith.ContractType {
		return inputError(errors.New("this is "+head.describe()), "pass a state as `pith compact --view state` prints it")
	}
	if head.version == pith.SchemaVersion {
		return nil
	}
	hint := "make the state again from its transcript with `pith compact`"
	if newer(head.version, pith.SchemaVersion) {
		hint = "a newer pith wrote it: update pith"
	}
	return inputError(fmt.Errorf("the state has schema version %q, this pith reads %q", head.version, pith.SchemaVersion), hint)
}

func inputError(err error, hint string) error {
	return &pith.Error{Op: "read a state", Kind: pith.KindInput, Err: err, Hint: hint}
}

// head is what tells one kind of document from another.
type head struct {
	contract, version string
	members           map[string]bool
}

// readHead reads the top level of the first JSON object in b.
func readHead(b []byte) (head, error) {
	h := head{members: map[string]bool{}}
	dec := jsontext.NewDecoder(bytes.NewBuffer(b))
	if _, err := dec.ReadToken(); err != nil {
		return h, err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return h, err
		}
		key := name.String()
		h.members[key] = true
		if (key == "contract_type" || key == "schema_version") && dec.PeekKind() == '"' {
			v, err := dec.ReadToken()
			if err != nil {
				return h, err
			}
			if key == "contract_type" {
				h.contract = v.String()
			} else {
				h.version = v.String()
			}
			continue
		}
		if err := dec.SkipValue(); err != nil {
			return h, err
		}
	}
	return h, nil
}

// describe names what an object is that is no state.
func (h head) describe() string {
	has := func(names ...string) bool {
		for _, n := range names {
			if !h.members[n] {
				return false
			}
		}
		return true
	}
	switch {
	case h.contract != "":
		return fmt.Sprintf("a document of contract_type %.60q, not %q", h.contract, pith.ContractType)
	case has("payload", "mac"):
		return "a checkpoint envelope, not the state inside it"
	case has("task", "current_state", "compacted_at_turn"):
		return "an 8-field memory, not a state"
	case has("task_id", "input_data"):
		return "a delegation task, not the state inside it"
	case has("messages"):
		return "an API body, not a state"
	case has("type"), has("payload"), has("role"):
		return "a session file or a message, not a state"
	case len(h.members) == 0:
		return "an empty object, not a state"
	}
	return "a JSON object without contract_type, not a state"
}

func otherThanObject(b []byte) string {
	switch {
	case b[0] == '[':
		return "a JSON array, not a state"
	case bytes.HasPrefix(b, []byte("<pith-memory")):
		return "a restore block, not a state"
	case b[0] == '"' || b[0] == '-' || b[0] >= '0' && b[0] <= '9':
		return "a single JSON value, not a state"
	}
	return "not JSON"
}

// newer compares two versions of the form 2.1.0, number by number.
func newer(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, y := strings.TrimLeft(as[i], "0"), strings.TrimLeft(bs[i], "0")
		if len(x) != len(y) {
			return len(x) > len(y)
		}
		if x != y {
			return x > y
		}
	}
	return len(as) > len(bs)
}

func decodeError(b []byte, err error) error { return inputError(locate(b, err), "") }

// locate says in one line where a document is wrong and how.
func locate(b []byte, err error) error {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	offset, where, what := int64(0), "", err
	switch {
	case errors.As(err, &syntax):
		offset, where, what = syntax.ByteOffset, string(syntax.JSONPointer), syntax.Err
	case errors.As(err, &semantic):
		offset, where = semantic.ByteOffset, string(semantic.JSONPointer)
		what = semanticCause(semantic)
	}
	line := 1 + bytes.Count(b[:min(max(offset, 0), int64(len(b)))], []byte("\n"))
	if where == "" {
		where = "/"
	}
	return fmt.Errorf("line %d, at %s: %w", line, where, what)
}

func semanticCause(e *json.SemanticError) error {
	switch {
	case errors.Is(e.Err, json.ErrUnknownName):
		return errors.New("the contract has no such member")
	case e.Err != nil:
		return e.Err
	case e.JSONKind != 0:
		return fmt.Errorf("a JSON %s cannot stand here", e.JSONKind)
	}
	return errors.New("the value cannot stand here")
}
