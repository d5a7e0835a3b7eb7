package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/pith-memory/pith"
)

// maxDepth bounds how deep a settings file may be nested, because a parser
// that calls itself must not run out of stack on somebody's file.
const maxDepth = 1000

// document is a settings file in JSON, which may have comments and trailing
// commas. Offsets in it are those of the text, without the mark at its start.
type document struct {
	path string
	mark string // "" or the byte order mark
	text string
	// root is the value, nil where there are only blanks and comments.
	root *hujson.Value
}

const byteOrderMark = "\uFEFF"

// parseDocument reads a settings file. Errors: KindInput, with the place.
func parseDocument(path string, data []byte) (*document, error) {
	text, mark, err := plainText(path, data)
	if err != nil {
		return nil, err
	}
	d := &document{path: path, mark: mark, text: text}
	if strings.Trim(text[extraEnd(text):], " \t\r\n") == "" {
		return d, nil
	}
	if at := tooDeep(text); at >= 0 {
		return nil, d.fault(at, "it is nested more than %d deep", maxDepth)
	}
	root, err := hujson.Parse([]byte(text))
	if err != nil { // the parser wants an end of line behind the last comment
		var again error
		if root, again = hujson.Parse([]byte(text + "\n")); again != nil {
			return nil, d.syntax(err)
		}
	}
	d.root = &root
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, d.fault(root.StartOffset, "it holds %s where settings are an object", kindName(&root))
	}
	return d, nil
}

// plainText takes the byte order mark off and refuses what is no text.
func plainText(path string, data []byte) (text, mark string, err error) {
	text = string(data)
	if bytes.HasPrefix(data, []byte{0xFE, 0xFF}) || bytes.HasPrefix(data, []byte{0xFF, 0xFE}) {
		return "", "", broken(path, errors.New("it is UTF-16"), "save it as UTF-8")
	}
	if strings.HasPrefix(text, byteOrderMark) {
		mark, text = byteOrderMark, text[len(byteOrderMark):]
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return "", "", faultAt(path, text, at, "a NUL byte: this is no text")
	}
	if !utf8.ValidString(text) {
		at := 0
		for at < len(text) {
			r, n := utf8.DecodeRuneInString(text[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		return "", "", faultAt(path, text, at, "bytes that are not UTF-8")
	}
	return text, mark, nil
}

var hujsonPlace = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

// syntax is the parser's error with the place first.
func (d *document) syntax(err error) error {
	m := hujsonPlace.FindStringSubmatch(err.Error())
	if m == nil {
		return broken(d.path, err, repair)
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	text := strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), m[0])), " ")
	if len(text) > 100 {
		text = strings.ToValidUTF8(text[:100], "") + "..."
	}
	return broken(fmt.Sprintf("%s:%d:%d", d.path, line, column), errors.New(text), repair)
}

const repair = "nothing was changed; repair the file, or move it away, and run this again"

func (d *document) fault(at int, format string, args ...any) error {
	return faultAt(d.path, d.text, at, format, args...)
}

// faultAt is an error at a place in a file: file:line:column.
func faultAt(path, text string, at int, format string, args ...any) error {
	before := text[:min(at, len(text))]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return broken(fmt.Sprintf("%s:%d:%d", path, line, column), fmt.Errorf(format, args...), repair)
}

func broken(where string, err error, hint string) error {
	return &pith.Error{Op: where, Kind: pith.KindInput, Err: err, Hint: hint}
}

// tooDeep gives the offset where the nesting is over maxDepth, -1 for none.
func tooDeep(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			if n := commentLength(text[i:]); n > 0 {
				i += n - 1
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// commentLength is the length of the comment that a text begins with, without
// the end of its line; 0 where there is none.
func commentLength(s string) int {
	switch {
	case strings.HasPrefix(s, "//"):
		line, _, _ := strings.Cut(s, "\n")
		return len(strings.TrimSuffix(line, "\r"))
	case strings.HasPrefix(s, "/*"):
		if end := strings.Index(s[2:], "*/"); end >= 0 {
			return end + 4
		}
	}
	return 0
}

// extraEnd is where the last comment of a text ends that begins with blanks and
// comments; 0 where there is none.
func extraEnd(s string) int {
	end := 0
	for i := 0; i < len(s); {
		if strings.IndexByte(" \t\r\n", s[i]) >= 0 {
			i++
			continue
		}
		n := commentLength(s[i:])
		if n == 0 {
			break
		}
		i += n
		end = i
	}
	return end
}

// kindName names what a value is, for people.
func kindName(v *hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "true or false"
}

// container is an object or an array with the places of what is in it.
type container struct {
	array bool
	// open and end are the offsets of its first byte and behind its last.
	open, end int
	items     []item
	// after are the blanks and comments before its end, behind the last comma.
	after    string
	trailing bool // there is a comma behind the last item
}

// item is a member of an object, or an element of an array.
type item struct {
	name string
	// before are the blanks and comments that lead to start.
	before     string
	start, end int
	value      *hujson.Value
	// comma is the offset of the comma behind it, -1 where there is none.
	comma int
}

// contents gives what is in a value, false where it is no object and no array.
func contents(v *hujson.Value) (container, bool) {
	c := container{open: v.StartOffset, end: v.EndOffset}
	switch x := v.Value.(type) {
	case *hujson.Object:
		for i := range x.Members {
			m := &x.Members[i]
			name := m.Name.Value.(hujson.Literal).String()
			c.items = append(c.items, item{name, string(m.Name.BeforeExtra), m.Name.StartOffset, m.Value.EndOffset, &m.Value, -1})
		}
		c.after = string(x.AfterExtra)
	case *hujson.Array:
		c.array = true
		for i := range x.Elements {
			e := &x.Elements[i]
			c.items = append(c.items, item{"", string(e.BeforeExtra), e.StartOffset, e.EndOffset, e, -1})
		}
		c.after = string(x.AfterExtra)
	default:
		return c, false
	}
	for i := range c.items {
		x := &c.items[i]
		if last := i == len(c.items)-1; !last || x.value.AfterExtra != nil {
			x.comma = x.end + len(x.value.AfterExtra)
			c.trailing = last
		}
	}
	return c, true
}

// named is the index of a member, of several with one name the last, which is
// the one that counts; -1 where there is none.
func (c *container) named(name string) int {
	for i := len(c.items) - 1; i >= 0; i-- {
		if !c.array && c.items[i].name == name {
			return i
		}
	}
	return -1
}

// plain gives what a document says, as encoding/json has it.
func (d *document) plain() (any, error) {
	if d.root == nil {
		return map[string]any{}, nil
	}
	return plainValue([]byte(d.text))
}

// plainValue is JSON, with comments or not, as encoding/json has it, its
// numbers as they are written.
func plainValue(text []byte) (any, error) {
	standard, err := hujson.Standardize(append(bytes.Clone(text), '\n')) // see parseDocument
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(standard))
	dec.UseNumber()
	var v any
	err = dec.Decode(&v)
	return v, err
}
