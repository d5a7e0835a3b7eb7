package measure

import "slices"

// kindOrder is that of the kinds in every list of atoms and of what became of them.
var kindOrder = []Kind{
	KindModified, KindInspected, KindRun, KindError, KindRule, KindDecision, KindTodo, KindRequest,
	KindTest, KindCommit, KindSymbol, KindIdentifier,
}

// Atoms are the facts that a compaction of what was read has to keep, each
// once, with its last value. A file that was written is no inspected one as well.
func (o *Observer) Atoms() []Atom {
	l := &o.ledger
	var out []Atom
	out = appendAtoms(out, l.paths.of(KindModified))
	out = appendAtoms(out, l.paths.of(KindInspected))
	out = append(out, o.runAtoms()...)
	out = append(out, o.errorAtoms()...)
	out = appendAtoms(out, l.rules.list)
	out = appendAtoms(out, l.decisions.list)
	out = appendAtoms(out, l.todo.list)
	if l.request.text != "" {
		out = appendAtoms(out, []entry{l.request})
	}
	return appendAtoms(out, l.names.of(KindTest, KindCommit, KindIdentifier))
}

func appendAtoms(out []Atom, list []entry) []Atom {
	for i := range list {
		e := &list[i]
		out = append(out, Atom{
			Kind: e.kind, Text: e.text, Status: e.status, Was: e.was, Message: e.at.message, Line: e.at.line,
		})
	}
	return out
}

// Atoms are the needed names, as what would have to be kept of them. A name
// that is one of all stands where that one does.
func (n *Needs) Atoms(all []Atom) []Atom {
	type key struct {
		kind Kind
		text string
	}
	at := map[key]*Atom{}
	for i := range all {
		a := &all[i]
		k := a.Kind
		if k == KindModified {
			k = KindInspected
		}
		at[key{k, a.Text}] = a
	}
	var out []Atom
	for _, l := range []struct {
		kind  Kind
		names []string
	}{{KindInspected, n.paths.list}, {KindTest, n.tests.list}, {KindCommit, n.shas.list}, {KindSymbol, n.symbols.list}} {
		for _, name := range l.names {
			a := Atom{Kind: l.kind, Text: name}
			if known := at[key{l.kind, name}]; known != nil {
				a.Message, a.Line = known.Message, known.Line
			}
			out = append(out, a)
		}
	}
	return out
}

// Kinds are all kinds in the order in which they are listed.
func Kinds() []Kind { return slices.Clone(kindOrder) }
