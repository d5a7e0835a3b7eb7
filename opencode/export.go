package opencode

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pith-memory/pith"
)

// maxSession bounds a session in memory. Units: bytes.
const maxSession = 512 << 20

// Export is a session as "opencode export" writes it, one line for each
// message, and when it changed last. Errors: KindInput where there is none, or
// the database cannot be read.
func Export(ctx context.Context, path, id string) (data []byte, updated time.Time, err error) {
	err = read(ctx, path, func(tx *sql.Tx) error {
		var b bytes.Buffer
		var err error
		if updated, err = writeInfo(ctx, tx, &b, id); err == nil {
			err = writeMessages(ctx, tx, &b, id)
		}
		if errors.Is(err, sql.ErrNoRows) {
			return &pith.Error{Op: "find session " + id, Kind: pith.KindInput, Err: fmt.Errorf("%s holds none of that id", path), Hint: "`opencode session list` lists them"}
		}
		data = b.Bytes()
		return err
	})
	return data, updated, err
}

// writeInfo writes what the session says of itself.
func writeInfo(ctx context.Context, tx *sql.Tx, b *bytes.Buffer, id string) (time.Time, error) {
	info := struct {
		ID        string `json:"id"`
		ParentID  string `json:"parentID,omitempty"`
		Directory string `json:"directory"`
		Title     string `json:"title"`
		Version   string `json:"version"`
		Time      struct {
			Created int64 `json:"created"`
			Updated int64 `json:"updated"`
		} `json:"time"`
		Revert json.RawMessage `json:"revert,omitempty"`
	}{ID: id}
	var revert string
	err := tx.QueryRowContext(ctx, `SELECT coalesce(parent_id, ''), directory, title, version, coalesce(revert, ''), time_created, time_updated FROM session WHERE id = ?`, id).
		Scan(&info.ParentID, &info.Directory, &info.Title, &info.Version, &revert, &info.Time.Created, &info.Time.Updated)
	if err != nil {
		return time.Time{}, err
	}
	if json.Valid([]byte(revert)) {
		info.Revert = json.RawMessage(revert)
	}
	text, err := json.Marshal(info)
	if err != nil {
		return time.Time{}, err
	}
	fmt.Fprintf(b, "{\"info\":%s,\n\"messages\":[", text)
	return time.UnixMilli(info.Time.Updated), nil
}

// writeMessages writes the messages with their parts, in the order of opencode.
func writeMessages(ctx context.Context, tx *sql.Tx, b *bytes.Buffer, id string) error {
	rows, err := tx.QueryContext(ctx, `SELECT m.id, m.data, coalesce(p.id, ''), coalesce(p.data, '') FROM message m LEFT JOIN part p ON p.message_id = m.id
		WHERE m.session_id = ? ORDER BY m.time_created, m.id, p.id`, id)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // it was read to its end, or an error is on its way
	message, end := "", ""
	for rows.Next() {
		var m, p string
		var info, part sql.RawBytes
		if err := rows.Scan(&m, &info, &p, &part); err != nil {
			return err
		}
		if m != message {
			b.WriteString(end + "\n{\"info\":")
			writeObject(b, info, "id", m, "sessionID", id)
			b.WriteString(",\"parts\":[")
			message, end = m, "]},"
		} else {
			b.WriteByte(',')
		}
		if p != "" {
			writeObject(b, part, "id", p, "sessionID", id, "messageID", m)
		}
		if b.Len() > maxSession {
			return errors.New("the session is over 512 MiB")
		}
	}
	if end != "" {
		b.WriteString("]}")
	}
	b.WriteString("\n]}\n")
	return rows.Err()
}

// writeObject writes a stored object with the members that the database keeps
// beside it. What is no object is written as none, and found damaged.
func writeObject(b *bytes.Buffer, object []byte, members ...string) {
	object = bytes.TrimSpace(object)
	if len(object) == 0 || object[0] != '{' || !json.Valid(object) {
		b.WriteString("null")
		return
	}
	separator := "{"
	for i := 0; i < len(members); i += 2 {
		value, _ := json.Marshal(members[i+1]) // a text is always JSON
		fmt.Fprintf(b, "%s%q:%s", separator, members[i], value)
		separator = ","
	}
	if rest := bytes.TrimSpace(object[1:]); rest[0] != '}' {
		b.WriteByte(',')
	}
	b.Write(object[1:])
}
