package file

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/schema"
)

// describe reads what a list shows. The state is read up to the goal, the rest
// of it passed over: that tells a torn record, while one that was changed with
// care shows only when it is fetched.
func describe(b []byte, seq int) pith.Entry {
	e := pith.Entry{Seq: seq, Bytes: len(b)}
	var wrong *damage
	switch err := readEntry(b, &e); {
	case errors.As(err, &wrong):
		e.Damaged = wrong.why
	case errors.Is(err, errNewer):
		e.Damaged = err.Error()
	case err != nil:
		e.Damaged = "the file is no whole JSON document: " + oneLine(err)
	}
	return e
}

func readEntry(b []byte, e *pith.Entry) error {
	version, err := versionOf(b)
	if err != nil {
		return err
	}
	if version > formatVersion {
		return errNewer
	}
	id := ""
	dec := jsontext.NewDecoder(bytes.NewBuffer(b))
	if err := eachMember(dec, func(name string) error {
		switch name {
		case "id":
			return json.UnmarshalDecode(dec, &e.ID)
		case "saved_at":
			var at time.Time
			defer func() { e.SavedAt = at }()
			return json.UnmarshalDecode(dec, &at)
		case "owner":
			return json.UnmarshalDecode(dec, &e.Owner)
		case "project":
			return json.UnmarshalDecode(dec, &e.Project)
		case "how":
			return json.UnmarshalDecode(dec, &e.How)
		case "state":
			return readState(dec, e, &id)
		}
		return dec.SkipValue()
	}); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return damagedf("something stands behind the end of the record")
	}
	if id == "" || id != e.ID {
		return damagedf("the state is not the one that the record names")
	}
	return nil
}

// readState reads the beginning of a state.
func readState(dec *jsontext.Decoder, e *pith.Entry, id *string) error {
	newer := false
	err := eachMember(dec, func(name string) error {
		switch {
		case name == "schema_version":
			version := ""
			err := json.UnmarshalDecode(dec, &version)
			newer = schema.Newer(version)
			return err
		case name == "checkpoint" && !newer:
			var p pith.Checkpoint
			if err := json.UnmarshalDecode(dec, &p); err != nil {
				return err
			}
			*id, e.SessionID, e.Seq, e.Format, e.Through, e.Turn = p.ID, p.SessionID, p.Seq, p.Format, p.ThroughMessage, p.CompactedAtTurn
			if p.ParentID != nil {
				e.ParentID = *p.ParentID
			}
			return nil
		case name == "current_goal" && !newer:
			var goal struct {
				Text string `json:"text"`
			}
			err := json.UnmarshalDecode(dec, &goal)
			e.Goal = firstLine(goal.Text)
			return err
		}
		return dec.SkipValue()
	})
	if err == nil && newer {
		return errNewer
	}
	return err
}

// eachMember calls f in front of the value of each member of the object that
// comes next; f reads the value.
func eachMember(dec *jsontext.Decoder, f func(name string) error) error {
	if dec.PeekKind() != '{' {
		return damagedf("an object is missing")
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := f(name.String()); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// goalLength is how many characters of a goal a list shows.
const goalLength = 120

func firstLine(goal string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(goal, "\r\n"), "\n")
	line = strings.TrimRight(line, "\r ")
	if utf8.RuneCountInString(line) <= goalLength {
		return line
	}
	return string([]rune(line)[:goalLength-1]) + "…"
}
