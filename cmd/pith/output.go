package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/pith-memory/pith"
)

// write sends a command's result to standard output, or to a file that is
// replaced whole or not at all.
func (c *console) write(file string, data []byte) error {
	if file == "" || file == "-" {
		_, err := c.out.Write(data)
		return err
	}
	// A link stays a link: what it points at is replaced.
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return writeInto(file, data)
	}
	return replaceFile(file, data)
}

// writeInto writes to what cannot be replaced: a device, a pipe.
func writeInto(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.Write(data)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	return writeError(file, err)
}

// writeError is nil for a nil error.
func writeError(file string, err error) error {
	if err == nil {
		return nil
	}
	return &pith.Error{Op: "write " + file, Kind: pith.KindUnexpected, Err: cause(err)}
}

func replaceFile(file string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".pith-*")
	if err != nil {
		return writeError(file, err)
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	// The result of a compaction is about somebody's work: for its owner alone.
	if err = tmp.Chmod(0o600); err == nil {
		_, err = tmp.Write(data)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	return writeError(file, err)
}

// printJSON writes a value as indented JSON.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// paint puts a colour around a text where the terminal wants colour.
func (c *console) paint(code, text string) string {
	if !c.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// The colours that pith uses.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func jsonBytes(v any) ([]byte, error) {
	var b bytes.Buffer
	err := printJSON(&b, v)
	return b.Bytes(), err
}
