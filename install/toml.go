package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlMark stands above what pith puts into a TOML file.
const tomlMark = "# Put here by pith install; pith uninstall takes it out."

// parseTOML reads a settings file. Errors: KindInput, with the place.
func parseTOML(path string, data []byte) (text, mark string, doc map[string]any, err error) {
	text, mark, err = plainText(path, data)
	if err != nil {
		return "", "", nil, err
	}
	err = toml.Unmarshal([]byte(text), &doc)
	var d *toml.DecodeError
	if errors.As(err, &d) {
		row, column := d.Position()
		err = errors.New(strings.TrimPrefix(d.Error(), "toml: "))
		return "", "", nil, broken(fmt.Sprintf("%s:%d:%d", path, row, column), err, repair)
	}
	if err != nil {
		return "", "", nil, broken(path, err, repair)
	}
	if doc == nil {
		doc = map[string]any{}
	}
	return text, mark, doc, nil
}

// putTOML puts entries, whose values are flat objects, into a TOML file: each as
// a table behind everything else, or into the inline table that would hold it.
// No other byte changes, and the result is read again before it is believed.
func putTOML(path string, data []byte, want []Entry) (*edited, error) {
	text, mark, doc, err := parseTOML(path, data)
	if err != nil {
		return nil, err
	}
	out := &edited{}
	for _, e := range want {
		value, err := plainValue(e.Value)
		if err != nil {
			return nil, err
		}
		at, there, err := tomlAt(path, doc, e.Path)
		if err != nil {
			return nil, err
		}
		if there {
			if e.Polite && !sameValue(at, value) {
				out.notes = append(out.notes, fmt.Sprintf("%s has %s already, which stays", path, e.name()))
			} else if !sameValue(at, value) {
				return nil, broken(path, fmt.Errorf("%s is there already and says something else", e.name()), "nothing was changed; take it out of the file, or rename it, and run this again")
			}
			continue
		}
		heading := tomlMark
		if len(out.entries) > 0 {
			heading = "" // one is enough
		}
		s, next, err := tomlInsert(path, text, heading, &e)
		if err != nil {
			return nil, err
		}
		want := put(doc, e)
		_, _, doc, err = parseTOML(path, []byte(next))
		if err != nil || !sameValue(doc, want) {
			return nil, broken(path, errors.Join(errors.New("the edit did not give what it should"), err), repair)
		}
		text = next
		out.entries = append(out.entries, e)
		out.splices = append(out.splices, s)
	}
	out.data = []byte(mark + text)
	return out, nil
}

// tomlAt gives what a document holds at a path.
func tomlAt(path string, doc map[string]any, names []string) (value any, there bool, err error) {
	value = doc
	for i, name := range names {
		table, ok := value.(map[string]any)
		if !ok {
			return nil, false, broken(path, fmt.Errorf("%s is no table, where one is needed", strings.Join(names[:i], ".")), repair)
		}
		if value, ok = table[name]; !ok {
			return nil, false, nil
		}
	}
	return value, true, nil
}

// sameValue compares what two readers gave, whose types differ.
func sameValue(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	if errX != nil || errY != nil {
		return reflect.DeepEqual(a, b)
	}
	return string(x) == string(y)
}

// tomlInsert puts an entry in: as a table of its own at the end, and where the
// file does not let its parent be added to, into the parent's inline table.
func tomlInsert(path, text, heading string, e *Entry) (splice, string, error) {
	nl := "\n"
	if at := strings.IndexByte(text, '\n'); at > 0 && text[at-1] == '\r' {
		nl = "\r\n"
	}
	pairs, err := tomlPairs(e.Value)
	if err != nil {
		return splice{}, "", err
	}
	lead := ""
	switch {
	case text == "":
	case !strings.HasSuffix(text, "\n"):
		lead = nl + nl
	case !strings.HasSuffix(text, nl+nl):
		lead = nl
	}
	if heading != "" {
		lead += heading + nl
	}
	s := splice{At: len(text), Ins: lead + "[" + tomlPath(e.Path) + "]" + nl + strings.Join(pairs, nl) + nl}
	next := splicing(text, s)
	if _, _, _, err := parseTOML(path, []byte(next)); err == nil {
		return s, next, nil
	}
	at, empty := inlineEnd(text, e.Path[0])
	if at < 0 || len(e.Path) != 2 {
		return splice{}, "", broken(path, fmt.Errorf("%s is written so that nothing can be added to it", e.Path[0]), "nothing was changed; write it as a table, ["+e.Path[0]+"...], and run this again")
	}
	item := tomlKey(e.Path[1]) + " = { " + strings.Join(pairs, ", ") + " }"
	if !empty {
		item = ", " + item
	}
	s = splice{At: at, Ins: item}
	return s, splicing(text, s), nil
}

func tomlPath(path []string) string {
	var keys []string
	for _, name := range path {
		keys = append(keys, tomlKey(name))
	}
	return strings.Join(keys, ".")
}

func tomlKey(name string) string {
	plain := strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
	if name != "" && plain < 0 {
		return name
	}
	return string(quoted(name))
}

// tomlPairs are the lines of a flat object of strings, lists of strings, numbers
// and truth values, all of which TOML writes as JSON does.
func tomlPairs(value json.RawMessage) ([]string, error) {
	dec := json.NewDecoder(strings.NewReader(string(value)))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var lines []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		lines = append(lines, tomlKey(fmt.Sprint(key))+" = "+strings.ReplaceAll(string(compact(v)), `","`, `", "`))
	}
	return lines, nil
}

// inlineEnd is where something can be added to the inline table of a key at the
// top of a file: behind its last value; -1 where there is no such table.
func inlineEnd(text, key string) (at int, empty bool) {
	start := -1
	for offset := 0; offset < len(text) && start < 0; {
		line, _, _ := strings.Cut(text[offset:], "\n")
		if name, rest, ok := strings.Cut(line, "="); ok && strings.Trim(name, " \t\"'") == key && strings.HasPrefix(strings.TrimLeft(rest, " \t"), "{") {
			start = offset + strings.IndexByte(line, '{')
		}
		offset += len(line) + 1
	}
	if start < 0 {
		return -1, false
	}
	depth, last := 0, start
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '"', '\'':
			i = tomlStringEnd(text, i)
			last = i
			continue
		case '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case ' ', '\t', '\r', '\n':
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return last + 1, last == start
			}
		}
		last = i
	}
	return -1, false
}

// tomlStringEnd is the offset of the last byte of the string that begins at one.
func tomlStringEnd(text string, at int) int {
	quote := text[at : at+1]
	if strings.HasPrefix(text[at:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	for i := at + len(quote); i < len(text); i++ {
		if text[i] == '\\' && quote[0] == '"' {
			i++
		} else if strings.HasPrefix(text[i:], quote) {
			return i + len(quote) - 1
		}
	}
	return len(text)
}

// takeTOML takes entries out of a TOML file that changed since they were put
// in: the text that was put in, where it still stands as it was.
func takeTOML(path string, data []byte, list []Entry, splices []splice) (*edited, error) {
	text, mark, doc, err := parseTOML(path, data)
	if err != nil {
		return nil, err
	}
	out := &edited{}
	for i, e := range list {
		at, there, err := tomlAt(path, doc, e.Path)
		if err != nil || !there {
			continue
		}
		texts := tomlTexts(path, &e, splices, i)
		if said, err := json.Marshal(at); err == nil && sameJSON(said, e.Value) { // however it is written now
			texts = append(texts, tomlTable(text, e.Path)...)
		}
		want := without(doc, e.Path)
		next, ok := tomlWithout(path, text, texts, want)
		if !ok {
			out.notes = append(out.notes, fmt.Sprintf("%s: %s was changed since pith put it there, and stays", path, e.name()))
			continue
		}
		text, doc = next, want
	}
	out.data = []byte(mark + text)
	return out, nil
}

// tomlWithout is a text without the first of some texts that can go, so that it
// says what is wanted.
func tomlWithout(path, text string, texts []string, want map[string]any) (string, bool) {
	for _, ins := range texts {
		if strings.Count(text, ins) != 1 {
			continue
		}
		next := strings.Replace(text, ins, "", 1)
		if _, _, after, err := parseTOML(path, []byte(next)); err == nil && sameValue(after, want) {
			return next, true
		}
	}
	return "", false
}

// tomlTexts are the texts by which an entry may have come in, the longest first.
func tomlTexts(path string, e *Entry, splices []splice, i int) []string {
	if i < len(splices) {
		return []string{splices[i].Ins, strings.TrimLeft(splices[i].Ins, "\r\n")}
	}
	var list []string
	for _, heading := range []string{tomlMark, ""} {
		for _, empty := range []string{"", "\r\n"} {
			if s, _, err := tomlInsert(path, empty, heading, e); err == nil {
				ins := strings.TrimLeft(s.Ins, "\r\n")
				list = append(list, "\n"+ins, "\r\n"+ins, ins)
			}
		}
	}
	return list
}

// without is a document without what is at a path, and without tables that held
// nothing else.
func without(doc map[string]any, path []string) map[string]any {
	out := map[string]any{}
	for name, v := range doc {
		if name == path[0] {
			if len(path) == 1 {
				continue
			}
			table, _ := v.(map[string]any)
			if v = without(table, path[1:]); len(v.(map[string]any)) == 0 {
				continue
			}
		}
		out[name] = v
	}
	return out
}
