package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var errNoVariant = errors.New("the SDK has no type for it")

// carry reads JSON into a union of the SDK and compares what the SDK would
// write of it. mend may put right what the SDK reads wrong. Its own reading of
// an unknown variant is an error; in a list it would have dropped the list.
func carry[T any](raw []byte, mend ...func(*T)) (T, error) {
	var v, none T
	if json.Unmarshal(raw, &v) != nil {
		return none, errNoVariant
	}
	if err := holds(raw, v); err == nil {
		return v, nil
	}
	for _, f := range mend {
		f(&v)
	}
	if err := hold(raw, &v, variantOf(&v)); err != nil {
		return none, err
	}
	return v, nil
}

// carryVariant is carry for one variant of a union; strictly means that its own
// fields have to be enough.
func carryVariant[T any](raw []byte, strictly bool) (*T, error) {
	v := new(T)
	if json.Unmarshal(raw, v) != nil {
		return nil, errNoVariant
	}
	if strictly {
		return v, holds(raw, v)
	}
	extras, _ := any(v).(extraFields)
	return v, hold(raw, v, extras)
}

// extraFields is what the SDK's parameters take beside the fields they have.
type extraFields interface{ SetExtraFields(map[string]any) }

// variantOf is the variant that a union holds, nil for none.
func variantOf(union any) extraFields {
	v := reflect.ValueOf(union).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() && f.CanInterface() {
			extras, _ := f.Interface().(extraFields)
			return extras
		}
	}
	return nil
}

// hold makes v hold all of raw: what its type does not know goes to its extra
// fields. A field that the type knows and reads otherwise is left alone: an
// extra field would hide what a program writes into it later.
func hold(raw []byte, v any, extras extraFields) error {
	written, err := json.Marshal(v)
	if err != nil {
		return errNoVariant
	}
	before, err := read(raw)
	if err != nil {
		return err
	}
	after, err := read(written)
	if err != nil {
		return errNoVariant
	}
	unknown := map[string]any{}
	for _, m := range before.members {
		if !m.isNull() && after.member(m.name) == nil && !knows(extras, m.name) {
			unknown[m.name] = json.RawMessage(m.raw)
		}
	}
	if len(unknown) > 0 {
		extras.SetExtraFields(unknown)
	}
	return holds(raw, v)
}

// knows tells whether a variant has a field of that name; so does what is no
// variant, and takes no extra fields.
func knows(variant extraFields, name string) bool {
	if variant == nil {
		return true
	}
	t := reflect.TypeOf(variant).Elem()
	for i := range t.NumField() {
		tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if tag == name {
			return true
		}
	}
	return false
}

// holds tells that v is written as raw is, as JSON: order and spelling of
// strings aside, numbers as they are written.
// Errors: the path of the first difference, without its value.
func holds(raw []byte, v any) error {
	written, err := json.Marshal(v)
	if err != nil {
		return errNoVariant
	}
	before, err := read(raw)
	if err != nil {
		return err
	}
	after, err := read(written)
	if err != nil {
		return errNoVariant
	}
	if path, same := before.difference(&after, ""); !same {
		if path == "" {
			return errNoVariant
		}
		return fmt.Errorf("the SDK's type does not carry its field %s", path)
	}
	return nil
}

// value is JSON to compare: a scalar as it is written, in one spelling of
// strings, or what an object or a list holds.
type value struct {
	kind     jsontext.Kind
	scalar   string
	members  []member // by name
	elements []value
}

type member struct {
	name string
	raw  []byte
	value
}

func (v *value) isNull() bool { return v.kind == 'n' }

func (v *value) member(name string) *value {
	i, ok := slices.BinarySearchFunc(v.members, name, func(m member, name string) int { return strings.Compare(m.name, name) })
	if !ok {
		return nil
	}
	return &v.members[i].value
}

// read reads one JSON value. What no Go string or map can hold, half a
// character and a name that is there twice, is an error.
func read(raw []byte) (value, error) {
	v, err := readValue(jsontext.NewDecoder(bytes.NewReader(raw)), raw)
	if err != nil {
		return value{}, errors.New("it is not JSON that can be kept: a name is there twice, or half a character")
	}
	return v, nil
}

func readValue(d *jsontext.Decoder, raw []byte) (value, error) {
	token, err := d.ReadToken()
	if err != nil {
		return value{}, err
	}
	v := value{kind: token.Kind()}
	switch v.kind {
	case '{':
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return value{}, err
			}
			m := member{name: name.String()}
			start := d.InputOffset()
			if m.value, err = readValue(d, raw); err != nil {
				return value{}, err
			}
			m.raw = bytes.TrimLeft(raw[start:d.InputOffset()], " \t\r\n:")
			v.members = append(v.members, m)
		}
		slices.SortFunc(v.members, func(a, b member) int { return strings.Compare(a.name, b.name) })
		_, err = d.ReadToken()
	case '[':
		for d.PeekKind() != ']' {
			e, err := readValue(d, raw)
			if err != nil {
				return value{}, err
			}
			v.elements = append(v.elements, e)
		}
		_, err = d.ReadToken()
	default:
		v.scalar = token.String()
	}
	return v, err
}

// difference finds where two values differ, as a path below at. A member that
// is null is one that is not there.
func (v *value) difference(other *value, at string) (path string, same bool) {
	if v.kind != other.kind || v.scalar != other.scalar || len(v.elements) != len(other.elements) {
		return at, false
	}
	for i := range v.elements {
		if path, same := v.elements[i].difference(&other.elements[i], at+"["+strconv.Itoa(i)+"]"); !same {
			return path, false
		}
	}
	if at != "" {
		at += "."
	}
	null := value{kind: 'n'}
	for i := range v.members {
		m, there := &v.members[i], other.member(v.members[i].name)
		if there == nil {
			there = &null
		}
		if m.isNull() && there.isNull() {
			continue
		}
		if path, same := m.difference(there, at+m.name); !same {
			return path, false
		}
	}
	for i := range other.members {
		if m := &other.members[i]; !m.isNull() && v.member(m.name) == nil {
			return at + m.name, false
		}
	}
	return "", true
}
