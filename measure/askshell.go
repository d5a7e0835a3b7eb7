package measure

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// ask is one thing that a read-only call wants to know: the lines of a file, or
// what a command says.
type ask struct {
	// path, from and to are the lines of a file, counted from 1.
	path     string
	from, to int
	// command is set instead of a path, with the directory it runs in.
	command string
}

// endOfFile stands for the last line of a file of unknown length.
const endOfFile = 1 << 30

// effect is what a call does to what was seen before.
type effect uint8

const (
	// reads: the call only looks.
	reads effect = iota
	// neither: it runs something that leaves the files alone (tests, a build, the net).
	neither
	// moves: it changes what commands say, and no file that is known (git commit,
	// a program of unknown effect; an answer that changed shows by itself).
	moves
	// writes: it changes the files that it names.
	writes
	// anything: it changes files that it does not name (git checkout, a formatter).
	anything
)

// deed is what a call asks and does.
type deed struct {
	effect effect
	asks   []ask
	// files are those that are written.
	files []string
}

// shellDeed reads a command line. It is no shell: what it does not understand
// is no read, and nothing that a command said before it counts any more.
func shellDeed(command, cwd string) deed {
	line := splitShell(command)
	var d deed
	var key []string
	pipe := simple{}
	for i := 0; i < len(line.commands); i++ {
		c := &line.commands[i]
		words := unwrapped(c.words)
		if len(words) > 1 && words[0] == "cd" && !c.inner {
			cwd = resolve(cwd, words[1])
			continue
		}
		e := wordsEffect(words)
		if len(c.writes) > 0 && e < writes {
			e = writes
		}
		d.effect = max(d.effect, e)
		for _, f := range append(slices.Clone(c.writes), writtenBy(words)...) {
			d.files = append(d.files, resolve(cwd, f))
		}
		if e != reads || len(words) == 0 || saysOwnWords(words[0]) {
			pipe = simple{}
			continue
		}
		key = append(key, strings.Join(words, " "))
		a, whole := spanOf(words, cwd)
		switch {
		case c.piped && pipe.span && narrows(words, &d.asks[len(d.asks)-1]):
		case c.piped && len(d.asks) > 0:
			d.asks[len(d.asks)-1] = ask{command: cwd + "$ " + strings.Join(key, " ; ")}
			pipe = simple{}
		case whole && !line.complex:
			d.asks = append(d.asks, a)
			pipe = simple{span: true}
		default:
			d.asks = append(d.asks, ask{command: cwd + "$ " + strings.Join(words, " ")})
			pipe = simple{}
		}
	}
	if d.effect != reads {
		d.asks = nil
	} else if slices.ContainsFunc(d.asks, func(a ask) bool { return a.command != "" }) {
		d.asks = []ask{{command: cwd + "$ " + strings.Join(key, " ; ")}}
	}
	return d
}

// simple tells whether the last command of a pipeline shows lines of a file.
type simple struct{ span bool }

// unwrapped drops what only starts another command.
func unwrapped(words []string) []string {
	for len(words) > 0 {
		switch w := words[0]; {
		case isAssignment(w), w == "sudo", w == "time", w == "nohup", w == "env", w == "command", w == "do", w == "then", w == "else",
			w == "if", w == "while", w == "!", w == "{", w == "exec":
			words = words[1:]
		case w == "timeout" && len(words) > 2:
			words = words[2:]
		case w == "mise" && len(words) > 3 && (words[1] == "exec" || words[1] == "x") && slices.Contains(words, "--"):
			words = words[slices.Index(words, "--")+1:]
		case w == "xargs":
			words = words[1:]
			for len(words) > 0 && strings.HasPrefix(words[0], "-") {
				words = words[1:]
			}
		default:
			return words
		}
	}
	return nil
}

func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == ""
}

func saysOwnWords(head string) bool {
	switch head {
	case "echo", "printf", "true", "false", "done", "fi", "esac", "}", "for", "pwd", "cd", ":", "test", "[", "set", "export":
		return true
	}
	return false
}

// spanOf is the part of a file that a command shows.
func spanOf(words []string, cwd string) (ask, bool) {
	var file string
	var flags []string
	for _, w := range words[1:] {
		switch {
		case strings.HasPrefix(w, "-") || isLineRange(w) || isNumber(w):
			flags = append(flags, w)
		case file != "" || strings.ContainsAny(w, "*?$"):
			return ask{}, false
		default:
			file = w
		}
	}
	a := ask{from: 1, to: endOfFile}
	ok := shows(words[0], flags, &a) && file != ""
	a.path = resolve(cwd, path.Clean(file))
	return a, ok
}

// narrows tells whether a command behind a pipe only picks lines of the file
// that the ask is for, and picks them.
func narrows(words []string, a *ask) bool {
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") && !isLineRange(w) && !isNumber(w) {
			return false
		}
	}
	inner := ask{from: 1, to: endOfFile}
	if !shows(words[0], words[1:], &inner) {
		return false
	}
	from := a.from + inner.from - 1
	a.to = min(a.to, a.from+inner.to-1, endOfFile)
	a.from = from
	return true
}

// shows gives the lines that a command prints, by its flags.
func shows(head string, flags []string, a *ask) bool {
	switch head {
	case "cat", "nl", "bat", "less", "more":
		return !slices.ContainsFunc(flags, isLineRange)
	case "head":
		a.to = 10
		return lineCount(flags, &a.to)
	case "tail":
		n := 0
		for i, f := range flags {
			if from, ok := strings.CutPrefix(strings.TrimPrefix(f, "-n"), "+"); ok && isNumber(from) && i <= 1 {
				n, _ = strconv.Atoi(from)
			}
		}
		a.from = n
		return n > 0
	case "sed":
		if len(flags) != 2 || flags[0] != "-n" || !isLineRange(flags[1]) {
			return false
		}
		from, to, two := strings.Cut(strings.TrimSuffix(flags[1], "p"), ",")
		a.from, _ = strconv.Atoi(from)
		if a.to = a.from; two && to == "$" {
			a.to = endOfFile
		} else if two {
			a.to, _ = strconv.Atoi(to)
		}
		return a.from > 0
	}
	return false
}

// lineCount reads -20, -n 20, -n20 and no flag at all.
func lineCount(flags []string, n *int) bool {
	for _, f := range flags {
		f = strings.TrimPrefix(strings.TrimPrefix(f, "-"), "n")
		if f == "" {
			continue
		}
		if !isNumber(f) {
			return false
		}
		*n, _ = strconv.Atoi(f)
	}
	return true
}

// isLineRange knows sed's 12p, 1,20p and 5,$p.
func isLineRange(w string) bool {
	from, ok := strings.CutSuffix(w, "p")
	from, to, two := strings.Cut(from, ",")
	return ok && isNumber(from) && (!two || isNumber(to) || to == "$")
}

func isNumber(w string) bool { return w != "" && len(w) < 9 && strings.Trim(w, "0123456789") == "" }
