package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pith-memory/pith/measure"
)

// visible shows what would be unseen or would turn the text around: control
// characters, bidirectional marks, characters without width. Line breaks stay.
func visible(text string) string {
	plain := func(r rune) bool { return r == '\n' || r >= ' ' && r < 0x7f }
	if strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune('\u2400' + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case unseen(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unseen(r rune) bool {
	switch {
	case r >= 0x80 && r < 0xa0, r == 0xad, r == 0x61c, r == 0x180e, r == 0xfeff:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	}
	return r >= 0xfff0 && r <= 0xfffb || r >= 0xe0000 && r <= 0xe0fff
}

// shorten cuts a text after n characters and tells whether it did.
func shorten(text string, n int) (string, bool) {
	if len(text) <= n {
		return text, false
	}
	for i := range text {
		if n == 0 {
			return text[:i], true
		}
		n--
	}
	return text, false
}

// fraction is a part of a whole as the page says it.
type fraction struct {
	Part float64
	Of   int
}

func (f fraction) Known() bool { return f.Of > 0 }

// share is 0 to 1; nothing of nothing is nothing lost.
func (f fraction) share() float64 {
	if f.Of == 0 {
		return 1
	}
	return f.Part / float64(f.Of)
}

// Percent is the share on one line, or a dash where there is nothing to share.
func (f fraction) Percent() string {
	if f.Of == 0 {
		return "–"
	}
	return oneLine(percent(f.share()))
}

func oneLine(text string) string { return strings.ReplaceAll(text, " ", "\u00a0") }

// Count is "34 of 35".
func (f fraction) Count() string {
	part := strconv.FormatFloat(f.Part, 'f', -1, 64)
	if f.Part == math.Trunc(f.Part) {
		part = thousands(int(f.Part))
	}
	return part + " of " + thousands(f.Of)
}

// percent never says 100 for less than all, nor 0 for more than nothing.
func percent(share float64) string {
	switch tenths := share * 1000; {
	case share >= 1:
		return strconv.Itoa(int(math.Round(share*100))) + " %"
	case share <= 0:
		return "0 %"
	case tenths > 999:
		return "99.9 %"
	case tenths < 1:
		return "< 0.1 %"
	default:
		return strconv.FormatFloat(tenths/10, 'f', 1, 64) + " %"
	}
}

// times is a ratio as one says it: 8.2×, 23×.
func times(ratio float64) string {
	switch {
	case ratio <= 0 || math.IsInf(ratio, 0) || math.IsNaN(ratio):
		return "–"
	case ratio < 9.95:
		return strconv.FormatFloat(ratio, 'f', 1, 64) + "×"
	}
	return thousands(int(math.Round(ratio))) + "×"
}

// decimals is a figure between 0 and 1 with two decimals.
func decimals(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// counted is "1 cut", "2 cuts".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return thousands(n) + " " + what + "s"
}

// cutLabel says where a session was cut.
func cutLabel(c measure.Cut) string {
	n := strconv.Itoa(c.N)
	switch c.Kind {
	case "boundary":
		return "client's compaction " + n
	case "percent":
		return n + " % of the tokens"
	case "end":
		return "end"
	case "round":
		return "round " + n
	}
	return visible(strings.TrimSpace(c.Kind + " " + n))
}

// kindNames say each kind in the plural, and what counts as one.
var kindNames = map[measure.Kind][2]string{
	measure.KindModified:   {"Modified paths", "the whole path, as modified"},
	measure.KindInspected:  {"Inspected paths", "the whole path, as read"},
	measure.KindRun:        {"Runs", "command, exit code and counts together"},
	measure.KindError:      {"Errors", "the line that names the failure"},
	measure.KindRule:       {"Rules", "sentences in which the user set a rule"},
	measure.KindDecision:   {"Decisions", "what the user chose, answered or rejected"},
	measure.KindTodo:       {"List entries", "entries of the latest list, with their status"},
	measure.KindRequest:    {"Requests", "what the user asked for last"},
	measure.KindTest:       {"Tests", "names of tests"},
	measure.KindCommit:     {"Commits", "SHAs"},
	measure.KindSymbol:     {"Symbols", "names of functions, types, variables"},
	measure.KindIdentifier: {"Identifiers", "UUIDs, ports, versions, numbers of issues"},
}

func kindName(k measure.Kind) (name, gloss string) {
	if n, ok := kindNames[k]; ok {
		return n[0], n[1]
	}
	return visible(string(k)), ""
}

// candidateGloss says what a candidate is.
func candidateGloss(of string) string {
	name, n, _ := strings.Cut(of, ":")
	switch name {
	case "pith":
		return "the block that pith restores"
	case "client":
		return "the client's own summary"
	case "raw":
		return "everything as it was"
	case "keep-last":
		return "the last " + n + " messages, verbatim"
	case "mask":
		return "all but the last " + n + " tool results blanked out"
	case "file":
		return "a text given to the command"
	}
	return ""
}

var bareWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]+$`) })

// shellWord quotes a file's name for a POSIX shell. It refuses names that do
// not look in the page as they are: nobody should paste what he cannot read.
func shellWord(name string) (string, bool) {
	if name == "" || !utf8.ValidString(name) || visible(name) != name || strings.ContainsAny(name, "\n\t") {
		return "", false
	}
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	if bareWord().MatchString(name) {
		return name, true
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'", true
}
