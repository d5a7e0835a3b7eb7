package measure

import (
	"path"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// place is where something was said: the message's index and its line in the file.
type place struct{ message, line int }

// ledger keeps the facts that have a place, in the order they were first said.
type ledger struct {
	at   place
	root string
	// lines counts the lines of the observer's text, blocks are those at which
	// its blocks begin.
	lines  int
	blocks []int
	paths  entries
	// rules, decisions and names are told apart by what they say.
	rules     entries
	decisions entries
	names     entries
	todo      todoList
	request   entry
}

// entry is a fact: what it says, what became of it, and where that was said.
type entry struct {
	kind   Kind
	text   string
	status string
	was    []string
	at     place
}

// entries keep the last word on each fact.
type entries struct {
	list []entry
	at   map[string]int
}

// say notes a fact, or a newer word on one that is known.
func (e *entries) say(key string, n entry) {
	if e.at == nil {
		e.at = map[string]int{}
	}
	i, ok := e.at[key]
	if !ok {
		e.at[key] = len(e.list)
		e.list = append(e.list, n)
		return
	}
	old := &e.list[i]
	if old.text != n.text {
		n.was = append(old.was, old.text)
	} else {
		n.was = old.was
	}
	*old = n
}

// known gives the entry of a key, nil where there is none.
func (e *entries) known(key string) *entry {
	if i, ok := e.at[key]; ok {
		return &e.list[i]
	}
	return nil
}

func (l *ledger) message(m *pith.Message) {
	l.at = place{m.Index, m.Line}
	if l.root == "" {
		l.root = m.CWD
	}
}

// What was done to a file; "" where it was read.
const (
	opEdited  = "edited"
	opCreated = "created"
	opDeleted = "deleted"
	opRenamed = "renamed"
)

// path notes what was done to a file. One that was written stays a written one
// when it is read again; one that was deleted and is written again is back.
func (l *ledger) path(p, op string) {
	if p == "" {
		return
	}
	n := entry{kind: KindInspected, text: p, status: op, at: l.at}
	if op != "" {
		n.kind = KindModified
	}
	if old := l.paths.known(p); old != nil {
		if old.kind == KindModified {
			n.kind = KindModified
		}
		switch {
		case op == "" && old.status != opDeleted:
			n.status = old.status
		case op == opEdited && old.status == opCreated:
			n.status = opCreated
		}
	}
	l.paths.say(p, n)
}

var (
	deletedWord = pattern(`(?:^|[;&|\n] ?)(?:git )?rm (?:-[rfq]+ )*([^;&|\n<>]+)`)
	movedWord   = pattern(`(?:^|[;&|\n] ?)(?:git )?mv (?:-[fv]+ )*([\w./~+-]+) ([\w./~+-]+)(?:\s*$| ?[;&|\n])`)
)

// removed notes files that a command deleted or renamed, of those that the
// session is known to have touched: rm of anything else is no fact about its work.
func (l *ledger) removed(command, cwd string) {
	if strings.Contains(command, "rm ") {
		for _, m := range deletedWord().FindAllStringSubmatch(command, -1) {
			for _, w := range strings.Fields(m[1]) {
				if p := resolve(cwd, w); l.paths.known(p) != nil {
					l.path(p, opDeleted)
				}
			}
		}
	}
	if !strings.Contains(command, "mv ") {
		return
	}
	for _, m := range movedWord().FindAllStringSubmatch(command, -1) {
		from, to := resolve(cwd, m[1]), resolve(cwd, m[2])
		if l.paths.known(from) == nil {
			continue
		}
		if path.Ext(to) == "" && path.Ext(from) != "" {
			to = path.Join(to, path.Base(from)) // into a folder
		}
		l.path(from, opDeleted)
		l.path(to, opRenamed)
	}
}

// patch notes the files that a patch names in its headers.
func (o *Observer) patch(text, cwd string) {
	from := ""
	for _, m := range patchHeader().FindAllStringSubmatch(text, -1) {
		p := strings.TrimSpace(m[1] + m[2])
		switch {
		case m[2] != "":
			o.change(from, cwd, opDeleted)
			o.change(p, cwd, opRenamed)
		case strings.HasPrefix(m[0], "*** Add"):
			o.change(p, cwd, opCreated)
		case strings.HasPrefix(m[0], "*** Delete"):
			o.change(p, cwd, opDeleted)
		default:
			o.change(p, cwd, opEdited)
		}
		from = p
	}
}

// rule notes a sentence in which the user set a rule.
func (l *ledger) rule(sentence string) {
	l.rules.say(sentence, entry{kind: KindRule, text: sentence, at: l.at})
}

// result takes what a call and its answer say besides files and runs. The
// steps and the choices of a sub-agent are its own.
func (l *ledger) result(m *pith.Message, use, res *pith.Block) {
	if m.Agent == "" {
		l.todo.result(use, res, l.at)
		l.decided(use, res)
	}
	if res.Rejected || res.IsError && !strings.Contains(res.Text, "FAIL") {
		return // what was not done names nothing
	}
	if command := commandOf(use); command != "" {
		l.named(withoutDocuments(command), res.Text)
	}
}

// of are the entries of some kinds in the order they were first said.
func (e *entries) of(kinds ...Kind) []entry {
	var out []entry
	for _, n := range e.list {
		if slices.Contains(kinds, n.kind) {
			out = append(out, n)
		}
	}
	return out
}
