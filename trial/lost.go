package trial

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

// maxLost bounds the list of what a report lost; the counts go on.
const maxLost = 400

type lostFact struct {
	kind measure.Kind
	text string
}

// factOf takes a path as one fact, whatever was done to it: what the agent
// needed is the path.
func factOf(l *measure.Lost) lostFact {
	if l.Kind == measure.KindModified {
		return lostFact{measure.KindInspected, l.Text}
	}
	return lostFact{l.Kind, l.Text}
}

// mostWanted lists what was lost: first what was needed, then the rest, both in
// the order of the session. What was needed and is no atom of a record, such as
// the name of a function, is given its place.
func mostWanted(lost, needed []measure.Lost, place func(*measure.Lost)) []measure.Lost {
	wanted := make(map[lostFact]bool, len(needed))
	for i := range needed {
		wanted[factOf(&needed[i])] = true
	}
	for i := range lost {
		f := factOf(&lost[i])
		if _, known := wanted[f]; known {
			lost[i].Needed = true
			wanted[f] = false
		}
	}
	for _, l := range needed {
		if !wanted[factOf(&l)] {
			continue
		}
		l.Needed = true
		if l.Line == 0 && l.Message == 0 {
			place(&l)
		}
		lost = append(lost, l)
	}
	slices.SortStableFunc(lost, func(a, b measure.Lost) int {
		if a.Needed != b.Needed {
			if a.Needed {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Message, b.Message)
	})
	return lost[:min(len(lost), maxLost):min(len(lost), maxLost)]
}

// place finds the last message of the prefix that says something; a path that
// none says whole is found by its last name.
func (p *prefix) place(l *measure.Lost) {
	names := []string{l.Text}
	if l.Kind == measure.KindInspected {
		names = append(names, path.Base(l.Text))
	}
	for _, name := range names {
		for i := p.next - 1; i >= 0; i-- {
			if m := p.session.records[i].Message; m != nil && says(m, name) {
				l.Message, l.Line = m.Index, m.Line
				return
			}
		}
	}
}

func says(m *pith.Message, name string) bool {
	return slices.ContainsFunc(m.Blocks, func(b pith.Block) bool {
		return strings.Contains(b.Text, name) || slices.ContainsFunc(b.Args, func(a pith.Arg) bool { return strings.Contains(a.Value, name) })
	})
}
