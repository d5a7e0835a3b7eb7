// Package schema says whether a working state holds what the contract asks of
// it, and reads and writes states.
//
// Check holds a state against the rules that it can break by itself and runs
// on every state that pith makes. Validate holds bytes against the JSON Schema
// and CheckTranscript holds a state against the session it was made from; both
// are for verifying. The JSON Schema and the rules overlap on purpose: the
// schema is what other programs can use, the rules are fast and say more.
package schema

import (
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a document.
type Problem struct {
	// Rule is "schema" for the JSON Schema's own and "V01" to "V20" for the
	// rules that code adds to it.
	Rule string `json:"rule"`
	// Path is a JSON pointer to the place, "" for the whole document.
	Path string `json:"path"`
	// Text is one line: what is wrong, and what would be right.
	Text string `json:"text"`
}

func (p Problem) String() string {
	where := p.Path
	if where == "" {
		where = "/"
	}
	return p.Rule + " " + where + ": " + p.Text
}

// place is a spot in a state. Checks pass it along instead of a pointer, so
// that the pointer is only written where there is a problem.
type place struct {
	list  string // pointer to the list or object
	index int    // -1 where it is no list
	field string
}

func in(object, field string) place               { return place{object, -1, field} }
func item(list string, i int, field string) place { return place{list, i, field} }

func (p place) String() string {
	s := p.list
	if p.index >= 0 {
		s += "/" + strconv.Itoa(p.index)
	}
	if p.field != "" {
		s += "/" + p.field
	}
	return s
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// pointer joins the names of nested members to a JSON pointer.
func pointer(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteByte('/')
		b.WriteString(pointerEscape.Replace(p))
	}
	return b.String()
}

// The rules that this package checks.
const (
	ruleSchema   = "schema"
	ruleSize     = "V01"
	ruleSource   = "V02" // label and source fit the block
	ruleGoal     = "V03"
	ruleGoalHash = "V04"
	ruleAmend    = "V05"
	ruleQuote    = "V06"
	ruleModified = "V08"
	ruleInspect  = "V09"
	ruleOutside  = "V10"
	ruleEvidence = "V12"
	ruleResolved = "V13"
	ruleCommand  = "V15"
	ruleText     = "V17" // no code point that normalisation takes out
	ruleChain    = "V19"
)
