package schema

import (
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

type blockAt struct{ message, block int }

// blockUse is an entry of the block table and whether a source points to it.
type blockUse struct {
	ref  pith.BlockRef
	key  string
	used bool
}

// index reads the block table, so that each source finds its block quickly.
func (c *checker) index() {
	c.blocks = make(map[blockAt]*blockUse, len(c.s.Blocks))
	c.ids = map[string]bool{}
	for key, ref := range c.s.Blocks {
		src, err := pith.ParseSource(key)
		if err != nil || src.BlockKey() != key {
			c.problems = append(c.problems, Problem{ruleSchema, pointer("blocks", key), "is not the message.block of a source"})
			continue
		}
		c.blocks[blockAt{src.Message, src.Block}] = &blockUse{ref: ref, key: key}
	}
	sortProblems(c.problems)
}

// sortProblems brings what was found in a map into an order.
func sortProblems(p []Problem) {
	slices.SortStableFunc(p, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
}

// source checks that a source is well formed and that its block is described.
func (c *checker) source(at place, s pith.Source) *blockUse {
	if whole := s.Start == 0 && s.End == 0; s.Message < pith.SystemIndex || s.Block < 0 || s.Start < 0 || !whole && s.Start >= s.End {
		c.addf(ruleSource, at, "%s is no source: want message.block or message.block:start-end", s)
		return nil
	}
	if s.Message > c.s.Checkpoint.ThroughMessage {
		c.addf(ruleSource, at, "%s lies behind message %d, the last that the state was made from", s, c.s.Checkpoint.ThroughMessage)
	}
	b := c.blocks[blockAt{s.Message, s.Block}]
	if b == nil {
		c.addf(ruleSource, at, "%s points to a block that the table of blocks lacks", s)
		return nil
	}
	b.used = true
	return b
}

// orphans checks the table itself: every block is well described and needed.
func (c *checker) orphans() {
	found := len(c.problems)
	for at, b := range c.blocks {
		p := pointer("blocks", b.key)
		bad := func(rule, text string) { c.problems = append(c.problems, Problem{rule, p, text}) }
		if !b.used {
			bad(ruleSource, "is a block that nothing in the state points to; leave it out")
		}
		if len(b.ref.Hash) != 16 || !isHex(b.ref.Hash) {
			bad(ruleSchema, "must have a hash of 16 lower-case hex digits")
		}
		if !slices.Contains([]pith.Role{pith.RoleSystem, pith.RoleUser, pith.RoleAssistant}, b.ref.Role) {
			bad(ruleSchema, "must have the role system, user or assistant")
		}
		switch b.ref.Type {
		case "text", "policy_file", "summary", "import", "thinking", "image", "opaque":
		case "tool_use":
			if b.ref.Role != pith.RoleAssistant {
				bad(ruleSource, "is a tool_use, which only an assistant message holds")
			}
		case "tool_result":
			if b.ref.Role == pith.RoleAssistant && at.message != pith.SystemIndex {
				break // some clients keep a server tool's result in the assistant's message
			}
			if b.ref.Role == pith.RoleSystem {
				bad(ruleSource, "is a tool_result, which no system message holds")
			}
		default:
			bad(ruleSchema, "must have the type text, tool_use, tool_result, policy_file, summary, import, thinking, image or opaque")
		}
		if at.message == pith.SystemIndex && b.ref.Role != pith.RoleSystem {
			bad(ruleSource, "lies in the system parameter, so its role is system")
		}
	}
	sortProblems(c.problems[found:])
}

// labels is a set of origins.
type labels uint16

func only(ps ...pith.Provenance) labels {
	var l labels
	for _, p := range ps {
		l |= 1 << p
	}
	return l
}

func (l labels) has(p pith.Provenance) bool { return l&(1<<p) != 0 }

// label checks that words of this origin may stand in a slot.
func (c *checker) label(at place, p pith.Provenance, allowed labels, slot string) {
	if p == pith.UnverifiedImport && allowed.has(p) && !c.imported() {
		c.addf(ruleSource, at, "is %s, which only an imported state holds", p)
	} else if !allowed.has(p) {
		c.addf(ruleSource, at, "is %s: no such words can stand in %s", p, slot)
	}
}

// trusted are the origins that bind.
const trusted = labels(1<<pith.System | 1<<pith.PolicyFile | 1<<pith.UserExplicit)

// id checks an item's id: its kind, its form and that no other item has it.
func (c *checker) id(at place, id, kind string) {
	if len(id) != len(kind)+11 || !strings.HasPrefix(id, kind+"-") || !isHex(id[len(kind)+1:]) {
		c.addf(ruleSchema, at, "is %.40q, want %s- and ten hex digits", id, kind)
		return
	}
	if c.ids[id] {
		c.addf(ruleSchema, at, "%s is the id of another item too", id)
	}
	c.ids[id] = true
}
