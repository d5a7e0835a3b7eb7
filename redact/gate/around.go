package gate

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// around turns parts into what an agent sees of them.
type around func(parts []string, d *draw) []string

// surroundings are where a text stands in an agent's session.
var surroundings = [...]around{
	alone,
	between("$ cat notes\n", "\n$ ls -la\ntotal 12\n"),
	lines(func(int) string { return "    " }),
	escaped,
	lines(func(int) string { return "+" }),
	lines(func(n int) string { return strconv.Itoa(n+41) + "\t" }),
	between("Here is what I found:\n\n```\n", "\n```\n\nShall I go on?"),
	coloured,
	lines(func(int) string { return "# " }),
	between("stdout:\n", "\nexit code: 0"),
	lines(func(int) string { return "-" }),
	carriageReturns,
	between("<output>\n", "\n</output>"),
	lines(func(int) string { return "> " }),
	lines(func(n int) string { return "conf/app.txt:" + strconv.Itoa(n+12) + ":" }),
	between("first line\n\n", "\n\n--- PASS: TestTokenRefresh (0.01s)\nok  \texample.test/auth\t0.123s\n"),
}

// surrounded puts parts into the surroundings of a number. A text of several
// lines is left without what a program would not print before each of them.
func surrounded(parts []string, number int, d *draw) []string {
	f := surroundings[number%len(surroundings)]
	return f(append([]string(nil), parts...), d)
}

func alone(parts []string, _ *draw) []string { return parts }

func between(before, after string) around {
	return func(parts []string, _ *draw) []string {
		parts[0] = before + parts[0]
		parts[len(parts)-1] += after
		return parts
	}
}

// lines puts a prefix before each line.
func lines(prefix func(n int) string) around {
	return func(parts []string, _ *draw) []string {
		n := 0
		for i, p := range parts {
			var b strings.Builder
			if i == 0 {
				b.WriteString(prefix(n))
			}
			for line := range strings.Lines(p) {
				b.WriteString(line)
				if strings.HasSuffix(line, "\n") {
					n++
					b.WriteString(prefix(n))
				}
			}
			parts[i] = b.String()
		}
		return parts
	}
}

// escaped is a string in a JSON document that is part of the text.
func escaped(parts []string, _ *draw) []string {
	for i, p := range parts {
		parts[i] = quoted(p)
	}
	return between(`{"type":"tool_result","content":"`, `","is_error":false}`)(parts, nil)
}

func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return s
	}
	return b.String()[1 : b.Len()-2]
}

// coloured is what a terminal shows: the whole in a colour.
func coloured(parts []string, d *draw) []string {
	colour := strconv.Itoa(31 + d.below(6))
	return between("\x1b["+colour+"m", "\x1b[0m\n")(parts, nil)
}

func carriageReturns(parts []string, _ *draw) []string {
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(p, "\n", "\r\n")
	}
	return between("out:\r\n", "\r\nend\r\n")(parts, nil)
}

// encodings are the kinds in which a whole line is encoded; the code of it is
// then what must go, or of a percent-encoded line only the secret's.
func encodings(kinds []kind) []Sample {
	var lines []string
	for _, k := range kinds {
		switch k.name {
		case "environment", "github", "stripe", "openai", "yaml", "database-url", "bearer-header", "json":
			lines = append(lines, k.templates[:4]...)
		}
	}
	var out []Sample
	for n, e := range []struct {
		kind   string
		encode around
	}{{"in-base64", inBase64}, {"in-hexadecimal", inHex}, {"percent-encoded", inPercent}, {"json-in-json", jsonInJSON}} {
		for i := range PositivesOfKind {
			d := newDraw(5, uint64(n), uint64(i))
			parts := e.encode(d.fill(lines[i%len(lines)]), d)
			out = append(out, Sample{e.kind, surrounded(parts, i+i/len(lines), d)})
		}
	}
	return out
}

func inBase64(parts []string, d *draw) []string {
	enc := base64.StdEncoding
	if d.below(2) == 0 {
		enc = base64.URLEncoding
	}
	return []string{"payload: ", enc.EncodeToString([]byte(strings.Join(parts, ""))), "\nend"}
}

func inHex(parts []string, _ *draw) []string {
	return []string{"data ", hex.EncodeToString([]byte(strings.Join(parts, ""))), "\nend"}
}

func inPercent(parts []string, _ *draw) []string {
	for i, p := range parts {
		parts[i] = url.QueryEscape(p)
	}
	return between("GET /cb?state=17&body=", "&v=2 HTTP/1.1")(parts, nil)
}

func jsonInJSON(parts []string, _ *draw) []string {
	for i, p := range parts {
		parts[i] = quoted(quoted(p))
	}
	return between(`{"body":"{\"line\":\"`, `\"}"}`)(parts, nil)
}
