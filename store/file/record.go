package file

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

// formatVersion is that of the file around the state, which has its own.
const formatVersion = 1

// record is one file. The id stands near its beginning: it is looked for there.
type record struct {
	FormatVersion int            `json:"format_version"`
	ID            string         `json:"id"`
	SavedAt       time.Time      `json:"saved_at"`
	Owner         string         `json:"owner,omitempty"`
	Project       string         `json:"project,omitempty"`
	How           string         `json:"how,omitempty"`
	Disk          *pith.Disk     `json:"disk,omitempty"`
	State         jsontext.Value `json:"state"`
}

// encode writes a checkpoint as a file, for people to read too. The state
// keeps its bytes, white space between them aside.
func encode(c *pith.Saved) ([]byte, error) {
	r := record{
		FormatVersion: formatVersion, ID: c.State.Checkpoint.ID, SavedAt: c.SavedAt.UTC(), Owner: c.Owner, Project: c.Project, How: c.How,
		Disk: c.Disk, State: jsontext.Value(c.JSON),
	}
	b, err := json.Marshal(&r, jsontext.WithIndent("  "), jsontext.PreserveRawStrings(true), jsontext.AllowInvalidUTF8(true),
		json.FormatNilSliceAsNull(true), jsonv1.OmitEmptyWithLegacySemantics(true), json.Deterministic(true))
	return append(b, '\n'), err
}

// errNewer is the cause where there is no damage and still nothing to read.
var errNewer = errors.New("written by a newer pith: update pith")

// damage is the cause where a record cannot be read: what is wrong with it.
type damage struct{ why string }

func (d *damage) Error() string { return d.why }

func damagedf(format string, args ...any) error { return &damage{fmt.Sprintf(format, args...)} }

// decode reads a file. Errors: *damage, errNewer.
func decode(b []byte) (id string, c *pith.Saved, err error) {
	var r record
	if version, err := versionOf(b); err != nil {
		return "", nil, err
	} else if version > formatVersion {
		return "", nil, errNewer
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return "", nil, damagedf("the file is no whole JSON document: %s", oneLine(err))
	}
	c = &pith.Saved{SavedAt: r.SavedAt, Owner: r.Owner, Project: r.Project, How: r.How, Disk: r.Disk}
	var version struct {
		Schema     string `json:"schema_version"`
		Checkpoint struct {
			ID string `json:"id"`
		} `json:"checkpoint"`
	}
	if err := json.Unmarshal(r.State, &version); err != nil {
		return r.ID, nil, damagedf("it holds no state")
	}
	if schema.Newer(version.Schema) {
		return r.ID, nil, errNewer
	}
	if id, err := schema.DocumentID(r.State); err != nil || id != r.ID || version.Checkpoint.ID != id {
		return r.ID, nil, damagedf("its content is not what its id names: it was changed after it was stored")
	}
	if err := r.State.Compact(); err != nil {
		return r.ID, nil, damagedf("the state cannot be read: %s", oneLine(err))
	}
	c.JSON = append(r.State, '\n')
	if version.Schema != pith.SchemaVersion {
		if c.JSON, _, err = schema.Migrate(c.JSON); err != nil {
			return r.ID, nil, damagedf("its schema version %.20q cannot be brought up to date: %s", version.Schema, oneLine(err))
		}
	}
	if c.State, err = schema.Unmarshal(c.JSON); err != nil {
		return r.ID, nil, damagedf("%s", oneLine(err))
	}
	return r.ID, c, nil
}

// versionOf reads the version of the file, which comes first, alone: the rest
// of a newer one may have any form.
func versionOf(b []byte) (int, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(b))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return 0, damagedf("the file does not begin as a record")
	}
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '"' || tok.String() != "format_version" {
		return 0, damagedf("the file does not begin with its format version")
	}
	version := 0
	if err := json.UnmarshalDecode(dec, &version); err != nil || version < 1 {
		return 0, damagedf("the format version of the file cannot be read")
	}
	return version, nil
}

func oneLine(err error) string {
	return string(bytes.ReplaceAll([]byte(err.Error()), []byte("\n"), []byte(" ")))
}
