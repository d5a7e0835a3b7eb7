package measure

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
)

var (
	packageLine = pattern(`(?m)^(ok|FAIL)\s+[\w./-]+\s+(?:\d|\(cached\)|\[)`)
	// compiler is how compilers and linters begin a line.
	compiler = pattern(`^\S+\.\w{1,5}:\d+:\d+: \S`)
	envWord  = pattern(`^[A-Za-z_]\w*=\S*$`)
)

// maxStated is how many counts of one output are kept.
const maxStated = 64

// learn takes what a run says besides its exit code and its tests.
func (r *run) learn(command string, res *pith.Block, failed bool) {
	r.families = families(command)
	r.outcome(res, failed)
}

// outcome takes how a run ended. A client that says itself that a code is no
// failure is believed.
func (r *run) outcome(res *pith.Block, failed bool) {
	r.more(res)
	r.failed = (r.failed || failed) && !res.ExpectedNonZero && !r.answered()
}

// more takes what an output says together with what the run wrote before.
func (r *run) more(res *pith.Block) {
	if r.output != "" {
		r.output += "\n"
	}
	r.output += res.Text
	r.counts = counts(r.output)
	r.failed = r.exit != nil && *r.exit != 0
	for _, c := range r.counts {
		r.failed = r.failed || r.verify && strings.HasSuffix(c, " failed") && !strings.HasPrefix(c, "0 ")
	}
	r.stated = problemCounts(r.output)
	for _, m := range countClaim().FindAllStringSubmatch(r.output, maxStated) {
		r.stated = append(r.stated, m[1]+" "+plainCount(m[2]))
	}
	r.signature = signature(r.output)
	r.packages = nil
	if r.verify {
		r.packages = packageCounts(r.output)
	}
}

func packageCounts(text string) []string {
	n := map[string]int{}
	for _, m := range packageLine().FindAllStringSubmatch(text, -1) {
		n[m[1]]++
	}
	var out []string
	for _, p := range []struct{ line, unit string }{{"ok", " passed"}, {"FAIL", " failed"}} {
		if n[p.line] > 0 {
			out = append(out, strconv.Itoa(n[p.line])+p.unit)
		}
	}
	return out
}

// problems is what linters and compilers count.
const problems = "problems"

var (
	problemSum  = pattern(`(?i)\b(\d+) (?:[a-z]+ )?(?:issues?|errors?|problems?|warnings?|vulnerabilit(?:y|ies))\b`)
	problemLine = pattern(`(?m)^.*(?::\d+:\d+: |\(\d+,\d+\): error|: error[ :]|error TS\d|^error(?:\[|:)).*$`)
)

// problemCounts are the numbers of problems that an output states, and the
// number of its lines that tell one.
func problemCounts(text string) []string {
	var out []string
	for _, m := range problemSum().FindAllStringSubmatch(text, maxStated) {
		out = append(out, m[1]+" "+problems)
	}
	if n := len(problemLine().FindAllStringIndex(text, -1)); n > 0 {
		out = append(out, strconv.Itoa(n)+" "+problems)
	}
	return out
}

// families are what a command verifies with, or else its first word: two runs
// of one family say how the same thing stands.
func families(command string) []string {
	var out []string
	for _, m := range verifier().FindAllString(command, -1) {
		m = squash(strings.TrimLeft(m, ";&|(\n "))
		words := strings.Fields(m)
		for len(words) > 1 && (envWord().MatchString(words[0]) || slices.Contains(wrappers, words[0])) {
			words = words[1:]
		}
		out = append(out, strings.Join(words, " "))
	}
	if len(out) > 0 {
		return out
	}
	for _, part := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(";&|\n", r) }) {
		words := strings.Fields(part)
		for len(words) > 0 && (envWord().MatchString(words[0]) || slices.Contains(wrappers, words[0])) {
			words = words[1:]
		}
		if len(words) > 0 && words[0] != "cd" && words[0] != "set" && words[0] != "export" {
			return words[:1]
		}
	}
	return nil
}

// wrappers run the command behind them.
var wrappers = []string{"env", "sudo", "time"}

// askers answer "no" with exit code 1, which is no failure.
var askers = []string{"grep", "egrep", "rg", "diff", "cmp", "test", "[", "which", "pgrep", "command", "type"}

// answered tells whether a run is one command that only said no.
func (r *run) answered() bool {
	return r.exit != nil && *r.exit == 1 && len(r.families) == 1 && slices.Contains(askers, r.families[0]) && !strings.ContainsAny(r.command, ";&")
}

// probes are commands whose failure is an answer, not a fault.
var probes = []string{
	"ls", "cat", "grep", "rg", "egrep", "find", "test", "[", "which", "command", "head", "tail", "sed", "awk", "diff", "stat", "file", "wc", "echo", "kill", "pgrep", "pkill", "sleep",
}

// signature is the line of an output that names its failure: the first of the
// kind that says most.
func signature(text string) string {
	const kinds = 7
	var first [kinds]string
	traceback := false
	for line := range strings.Lines(text) {
		full := strings.TrimRight(line, "\r\n")
		line = strings.TrimSpace(full)
		if line == "" || len(line) > 400 {
			continue
		}
		k := signatureKind(full, line)
		if strings.HasPrefix(line, "Traceback (most recent call last)") {
			traceback = true
		} else if traceback && full[0] != ' ' && full[0] != '\t' {
			k, traceback = 4, false
		}
		if k >= 0 && first[k] == "" {
			first[k] = squash(line)
		}
	}
	for _, s := range first {
		if s != "" {
			return s
		}
	}
	return ""
}

func signatureKind(full, line string) int {
	switch {
	case strings.HasPrefix(full, "--- FAIL: "):
		return 0
	case strings.HasPrefix(full, "E   "):
		return 1
	case strings.HasPrefix(line, "FAILED "):
		return 2
	case strings.HasPrefix(line, "panic: "):
		return 3
	case strings.HasPrefix(line, "fatal: "), strings.HasPrefix(line, "error:"), strings.HasPrefix(line, "Error:"), strings.HasPrefix(line, "ERROR:"),
		strings.Contains(line, ": error: "), strings.Contains(line, "error TS"), strings.HasPrefix(line, "error["):
		return 5
	case compiler().MatchString(line):
		return 6
	}
	return -1
}

// outcomeText writes how a run ended as a text would.
func outcomeText(exit *int, counts []string) string {
	parts := counts
	if exit != nil {
		parts = append([]string{"exit " + strconv.Itoa(*exit)}, counts...)
	}
	return strings.Join(parts, ", ")
}

// plumbing is what the end of a command does with its output.
var plumbing = pattern(`\s*(?:2>&1|\|\s*(?:tail|head)(?:\s+(?:-\w*\s*)?\d+)*)\s*$`)

// plainCommand is a command without that: how much of an output was looked at
// makes no other verification of it.
func plainCommand(c string) string {
	for {
		at := plumbing().FindStringIndex(c)
		if at == nil || at[0] == 0 {
			return c
		}
		c = c[:at[0]]
	}
}

// runAtoms are the commands that ever failed and those that verify, each with
// its last outcome.
func (o *Observer) runAtoms() []Atom {
	var out []Atom
	at := map[string]int{}
	wanted := map[string]bool{}
	for i := range o.runs {
		r := &o.runs[i]
		if r.exit == nil && len(r.counts) == 0 && !r.failed {
			continue // it tells nothing of how it ended
		}
		if r.failed || r.verify {
			wanted[plainCommand(r.command)] = true
		}
		a := Atom{
			Kind: KindRun, Text: r.command, Exit: r.exit, Counts: r.counts, packages: r.packages, verifies: r.verify,
			Message: r.at.message, Line: r.at.line,
		}
		plain := plainCommand(r.command)
		k, ok := at[plain]
		if !ok {
			at[plain] = len(out)
			out = append(out, a)
			continue
		}
		a.Was = out[k].Was
		if was := outcomeText(out[k].Exit, out[k].Counts); was != outcomeText(a.Exit, a.Counts) {
			a.Was = append(slices.Clone(a.Was), was)
		}
		out[k] = a
	}
	return slices.DeleteFunc(out, func(a Atom) bool { return !wanted[plainCommand(a.Text)] })
}

// errorAtoms are the signatures of failures that nothing later of the same
// family spoke about again.
func (o *Observer) errorAtoms() []Atom {
	last := map[string]int{}
	for i := range o.runs {
		for _, f := range o.runs[i].families {
			last[f] = i
		}
	}
	var out []Atom
	seen := map[string]bool{}
	for i := range o.runs {
		r := &o.runs[i]
		open := r.failed && r.signature != "" && len(r.families) > 0 && !slices.Contains(probes, r.families[0])
		for _, f := range r.families {
			open = open && last[f] == i
		}
		if open && !seen[r.signature] {
			seen[r.signature] = true
			out = append(out, Atom{Kind: KindError, Text: r.signature, Message: r.at.message, Line: r.at.line})
		}
	}
	return out
}
