package schema

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pith-memory/pith"
)

// migrations turn a document of an older version of the contract into one of
// the next. Each version is kept for as long as a store may hold it.
var migrations = map[string]func(members map[string]jsontext.Value) (next string){
	// 2.2.0 added edits and checkpoint.from_turn, both optional.
	"2.1.0": func(map[string]jsontext.Value) string { return "2.2.0" },
	// 2.3.0 added what a model drafts: checkpoint.compactor, drafted items,
	// security.claims_dropped and more of the extensions, all optional.
	"2.2.0": func(map[string]jsontext.Value) string { return "2.3.0" },
}

// Migrate brings a state of an older version of the contract up to the present
// one and gives it the id of its new content. It returns the version that it
// was of; a state of the present version comes back as it is.
// Errors: KindInput where the version is unknown or newer.
func Migrate(doc []byte) (migrated []byte, from string, err error) {
	head, err := readHead(bytes.TrimLeft(doc, " \t\r\n\ufeff"))
	if err != nil {
		return nil, "", decodeError(doc, err)
	}
	if head.version == pith.SchemaVersion {
		return doc, head.version, nil
	}
	if migrations[head.version] == nil {
		return nil, head.version, recognise(doc)
	}
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(doc, &members); err != nil {
		return nil, head.version, decodeError(doc, err)
	}
	for version := head.version; version != pith.SchemaVersion; {
		version = migrations[version](members)
		members["schema_version"] = jsontext.Value(`"` + version + `"`)
	}
	if migrated, err = json.Marshal(members, json.Deterministic(true)); err != nil {
		return nil, head.version, inputError(err, "")
	}
	s := new(pith.State)
	if err := json.Unmarshal(migrated, s, json.RejectUnknownMembers(true)); err != nil {
		return nil, head.version, decodeError(migrated, err)
	}
	if s.Checkpoint.ID, err = ID(s); err != nil {
		return nil, head.version, err
	}
	migrated, err = Marshal(s, false)
	return migrated, head.version, err
}

// DocumentID is the id that a written state should have, of whatever version
// of the contract: the hash of its canonical form with an empty id.
func DocumentID(doc []byte) (string, error) {
	v := jsontext.Value(bytes.Clone(doc))
	if err := v.Canonicalize(); err != nil {
		return "", decodeError(doc, err)
	}
	from, to, ok := checkpointID(v)
	if !ok {
		return "", inputError(errors.New("the state has no checkpoint with an id"), "")
	}
	return sha256Hex(slices.Concat(v[:from], []byte(`""`), v[to:])), nil
}

// checkpointID finds the value of checkpoint.id in a document.
func checkpointID(doc []byte) (from, to int, ok bool) {
	d := jsontext.NewDecoder(bytes.NewReader(doc))
	for _, name := range []string{"checkpoint", "id"} {
		if !enterMember(d, name) {
			return 0, 0, false
		}
	}
	value, err := d.ReadValue()
	to = int(d.InputOffset())
	return to - len(value), to, err == nil
}

// enterMember goes to the value of a member of the object that comes next.
func enterMember(d *jsontext.Decoder, name string) bool {
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return false
	}
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil || t.String() == name {
			return err == nil
		}
		if d.SkipValue() != nil {
			return false
		}
	}
	return false
}

// Newer tells whether a version of the contract is newer than what this
// package reads.
func Newer(version string) bool { return newer(version, pith.SchemaVersion) }
