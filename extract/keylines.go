package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// keyLineSlot keeps the declarations of the files that were read last, as they
// were shown: enough to write a call without reading the file again.
type keyLineSlot struct {
	files []*shownFile
}

// shownFile is a file whose content a read tool showed.
type shownFile struct {
	path         string
	reads, edits int
	text         string
	at           pith.Source
	seq          int
	// replaced are the texts that edits took away since.
	replaced []string
}

const (
	maxShown    = 24
	maxKeyFiles = 6
	maxKeyLines = 12
	maxKeyBytes = 160
	// maxReplaced is how many edits a shown text is good for.
	maxReplaced = 24
)

func (k *keyLineSlot) call(c *Call) {
	if c.Side || !c.OK() || c.Command != "" {
		return
	}
	path := c.Use.Arg(pathKeys...)
	if path == "" {
		return
	}
	path = resolvePath(c.Dir, path)
	switch {
	case callVerb(c) == "read":
		f := k.file(path)
		f.reads++
		// A part that is read later says less than the beginning did.
		if c.Use.Arg("offset", "start_line", "line_start") == "" || f.text == "" {
			f.text, f.at, f.replaced = c.Result.Text, c.ResultAt, nil
		}
		f.seq = c.Seq
	case isEditTool(c.Use.ToolName):
		f := k.file(path)
		f.edits++
		f.seq = c.Seq
		if old := c.Use.Arg("old_string", "old", "old_str", "oldText"); old != "" {
			if f.replaced = append(f.replaced, old); len(f.replaced) > maxReplaced {
				f.text, f.replaced = "", nil
			}
		} else {
			f.text = ""
		}
	}
}

// file finds the entry of a path, or makes one in place of the oldest.
func (k *keyLineSlot) file(path string) *shownFile {
	oldest := 0
	for i, f := range k.files {
		if f.path == path {
			return f
		}
		if f.seq < k.files[oldest].seq {
			oldest = i
		}
	}
	f := &shownFile{path: path}
	if len(k.files) < maxShown {
		k.files = append(k.files, f)
	} else {
		k.files[oldest] = f
	}
	return f
}

// lines gives the key lines of the files used last, the latest first.
func (k *keyLineSlot) lines() []pith.KeyLines {
	var out []pith.KeyLines
	taken := map[*shownFile]bool{}
	for len(out) < maxKeyFiles {
		var best *shownFile
		for _, f := range k.files {
			if !taken[f] && f.text != "" && (f.edits > 0 || f.reads > 1) && (best == nil || f.seq > best.seq) {
				best = f
			}
		}
		if best == nil {
			break
		}
		taken[best] = true
		if lines := best.declarations(); len(lines) > 0 {
			out = append(out, pith.KeyLines{Path: best.path, Lines: lines, Source: best.at})
		}
	}
	return out
}

// declarations are the top-level declarations that no edit took away.
func (f *shownFile) declarations() []string {
	var out []string
	for line := range strings.Lines(f.text) {
		line = strings.TrimRight(withoutNumber(line), " \t\r\n")
		if len(line) > maxKeyBytes || !declares(line) || f.wasReplaced(line) {
			continue
		}
		if out = append(out, line); len(out) == maxKeyLines {
			break
		}
	}
	return out
}

func (f *shownFile) wasReplaced(line string) bool {
	for _, r := range f.replaced {
		if strings.Contains(r, line) {
			return true
		}
	}
	return false
}

// withoutNumber removes the line number that a read tool put in front:
// "    12→text", "12\ttext", "12: text", "12|text".
func withoutNumber(line string) string {
	t := strings.TrimLeft(line, " ")
	i := leadingDigits(t)
	if i == 0 {
		return line
	}
	for _, sep := range [...]string{"→", "\t", ": ", "|", ":"} {
		if rest, ok := strings.CutPrefix(t[i:], sep); ok {
			return rest
		}
	}
	return line
}

// declares tells whether a line that begins at the margin declares something.
func declares(line string) bool {
	for {
		word, rest, ok := strings.Cut(line, " ")
		switch word {
		case "export", "pub", "public", "async", "static", "abstract", "default", "final", "unsafe", "private", "protected", "pub(crate)":
			if !ok {
				return false
			}
			line = rest
			continue
		case "func", "type", "class", "def", "fn", "struct", "enum", "trait", "impl", "interface", "const", "function", "module", "object", "record", "CREATE":
			return ok && rest != "("
		}
		return false
	}
}
