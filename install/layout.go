package install

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A thing that is put into a file is laid out as the file is: its indentation,
// its ends of lines, its blanks.

// begin gives the change that puts the first value into a document.
func (d *document) begin(e *Entry) []splice {
	e.Made = 0
	nl := d.newline()
	inner := "{" + nl + "  " + string(quoted(e.Path[0])) + ": " + d.rendered(e.nested(0), "  ", "  ", nl) + nl + "}" + nl
	if d.text != "" && !strings.HasSuffix(d.text, "\n") {
		inner = nl + inner
	}
	return []splice{{At: len(d.text), Ins: inner}}
}

// insert gives the changes that put a member, or an element where name is "",
// behind all others, and the blanks that follow it.
func (d *document) insert(c container, name string, value json.RawMessage) (list []splice, tail string) {
	afterStart := c.end - 1 - len(c.after)
	skip := extraEnd(c.after)
	rest := c.after[skip:]
	lead, behind, text := "", "", ""
	if d.spread(c) {
		indent, nl := d.indent(c), d.newline()
		lead = nl + indent
		text = d.rendered(value, indent, d.unit(), nl)
		if !strings.Contains(rest, "\n") {
			tail = nl + d.lineIndent(c.open)
		}
	} else {
		lead = d.gap(c)
		text = string(compact(value))
	}
	if !c.array {
		text = string(quoted(name)) + ":" + d.colonGap(c) + text
	}
	if c.trailing {
		behind = ","
	}
	at := afterStart + skip
	if n := len(c.items); n > 0 && !c.trailing {
		end := c.items[n-1].end
		if end == at {
			return []splice{{At: at, Ins: "," + lead + text + tail}}, tail
		}
		list = append(list, splice{At: end, Ins: ","})
		at++
	}
	return append(list, splice{At: at, Ins: lead + text + behind + tail}), tail
}

// spread tells whether what is in a container stands on lines of its own.
func (d *document) spread(c container) bool {
	if len(c.items) == 0 {
		return c.open == d.root.StartOffset || strings.Contains(d.text[d.root.StartOffset:d.root.EndOffset], "\n")
	}
	return strings.Contains(d.text[c.open:c.end], "\n")
}

func (d *document) newline() string {
	if at := strings.IndexByte(d.text, '\n'); at > 0 && d.text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineIndent are the blanks at the beginning of the line that an offset is in.
func (d *document) lineIndent(at int) string {
	line := d.text[strings.LastIndexByte(d.text[:at], '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// indent is the indentation of what is in a container.
func (d *document) indent(c container) string {
	for i := len(c.items) - 1; i >= 0; i-- {
		if strings.Contains(c.items[i].before, "\n") {
			return d.lineIndent(c.items[i].start)
		}
	}
	return d.lineIndent(c.open) + d.unit()
}

// unit is one step of the file's indentation: that of the first member.
func (d *document) unit() string {
	c, _ := contents(d.root)
	for _, x := range c.items {
		if strings.Contains(x.before, "\n") {
			if unit := strings.TrimPrefix(d.lineIndent(x.start), d.lineIndent(c.open)); unit != "" {
				return unit
			}
		}
	}
	return "  "
}

// gap are the blanks behind a comma, on one line.
func (d *document) gap(c container) string {
	if len(c.items) == 0 {
		return ""
	}
	if len(c.items) == 1 {
		return d.colonGap(c)
	}
	return blanks(c.items[1].before)
}

// colonGap are the blanks behind a colon.
func (d *document) colonGap(c container) string {
	if c.array || len(c.items) == 0 {
		c, _ = contents(d.root)
	}
	if len(c.items) == 0 {
		return " "
	}
	return blanks(string(c.items[0].value.BeforeExtra))
}

// blanks is one blank where there are blanks.
func blanks(extra string) string {
	if extra == "" {
		return ""
	}
	return " "
}

// rendered is a value on as many lines as it takes.
func (d *document) rendered(value json.RawMessage, indent, unit, nl string) string {
	var b bytes.Buffer
	if json.Indent(&b, compact(value), indent, unit) != nil {
		return string(value)
	}
	if nl == "\n" {
		return b.String()
	}
	return strings.ReplaceAll(b.String(), "\n", nl)
}
