package schema

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pith-memory/pith"
)

// maxListlessBytes bounds a state without the lists that grow with the work:
// files, amendments and the block table.
const maxListlessBytes = 1 << 20

// Check holds a state against the rules that it can break by itself, without
// the session and without a disk. It returns every problem, in the order of
// the slots; none means that the state is consistent, not that it is true.
func Check(s *pith.State) []Problem { return (&checker{s: s}).all() }

// Seal gives a state the id of its content, checks it, and writes it on one
// line: what ID, Check and Marshal do, for the price of one. A state that has
// problems is not written.
func Seal(s *pith.State) ([]byte, []Problem) {
	c := &checker{s: s, seal: true}
	if problems := c.all(); len(problems) > 0 {
		return nil, problems
	}
	return c.written, nil
}

func (c *checker) all() []Problem {
	c.index()
	c.document()
	c.checkpoint()
	c.goal()
	c.phase()
	c.constraints()
	c.files()
	c.decisions()
	c.evidence()
	c.failed()
	c.invariants()
	c.next()
	c.emptySlots()
	c.context()
	c.identifiers()
	c.security()
	c.extensions()
	c.edits()
	c.orphans()
	return c.problems
}

// checker gathers the problems of one state.
type checker struct {
	s        *pith.State
	seal     bool
	written  []byte
	problems []Problem
	blocks   map[blockAt]*blockUse
	ids      map[string]bool
}

func (c *checker) add(rule string, at place, text string) {
	c.problems = append(c.problems, Problem{rule, at.String(), text})
}

func (c *checker) addf(rule string, at place, format string, args ...any) {
	c.add(rule, at, fmt.Sprintf(format, args...))
}

// imported tells whether nobody here vouches for the state: it came from
// elsewhere, or from another agent.
func (c *checker) imported() bool {
	return c.s.Checkpoint.Origin == "imported" || c.delegated()
}

func (c *checker) delegated() bool { return c.s.Checkpoint.Origin == pith.OriginDelegated }

// document checks what only the written state shows: its size, its code points
// and that its id is the hash of the rest.
func (c *checker) document() {
	whole := place{index: -1}
	if c.s.ContractType != pith.ContractType {
		c.addf(ruleSchema, in("", "contract_type"), "is %q, want %q", c.s.ContractType, pith.ContractType)
	}
	if c.s.SchemaVersion != pith.SchemaVersion {
		c.addf(ruleSchema, in("", "schema_version"), "is %q, want %q", c.s.SchemaVersion, pith.SchemaVersion)
	}
	nameless := *c.s
	nameless.Checkpoint.ID = ""
	doc, err := encode(&nameless, false, false)
	if err != nil {
		c.problems = append(c.problems, Problem{ruleText, errorPointer(err), "holds bytes that are not UTF-8; cut text between characters"})
		if doc, err = encode(&nameless, false, true); err != nil {
			c.add(ruleSchema, whole, "cannot be written: "+err.Error())
			return
		}
	}
	c.size(len(doc))
	c.codePoints(doc)
	v := jsontext.Value(doc)
	if c.seal {
		v = v.Clone()
	}
	if err := v.Canonicalize(); err != nil {
		c.add(ruleSchema, whole, "has no canonical form: "+err.Error())
		return
	}
	at, want := in("/checkpoint", "id"), sha256Hex(v)
	if c.seal {
		c.s.Checkpoint.ID = want
		c.written = named(doc, want)
	}
	switch c.s.Checkpoint.ID {
	case want:
	case "":
		c.add(ruleChain, at, "is empty; it is the hash of the state without it")
	default:
		c.addf(ruleChain, at, "is not the hash of this state, which is %s: the state was changed after it was made", want)
	}
}

// named puts the id into a document that was written with an empty one. The
// checkpoint stands before everything that could look like it.
func named(doc []byte, id string) []byte {
	head, tail, _ := bytes.Cut(doc, []byte(`"checkpoint":{"id":"`))
	return slices.Concat(head, []byte(`"checkpoint":{"id":"`+id), tail, []byte("\n"))
}

func (c *checker) size(n int) {
	whole := place{index: -1}
	if n > maxStateBytes {
		c.addf(ruleSize, whole, "has %d bytes, more than the %d that a state may have", n, maxStateBytes)
	}
	if n <= maxListlessBytes {
		return
	}
	for _, list := range []any{&c.s.Files, c.s.Goal.Amendments, c.s.Blocks} {
		if b, err := encode(list, false, true); err == nil {
			n -= len(b)
		}
	}
	if n > maxListlessBytes {
		c.addf(ruleSize, whole, "has %d bytes without files, amendments and blocks, more than %d", n, maxListlessBytes)
	}
}

func errorPointer(err error) string {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntax):
		return string(syntax.JSONPointer)
	case errors.As(err, &semantic):
		return string(semantic.JSONPointer)
	}
	return ""
}

func (c *checker) checkpoint() {
	const at = "/checkpoint"
	p := &c.s.Checkpoint
	if !ValidSessionID(p.SessionID) {
		c.add(ruleSchema, in(at, "session_id"), "must be 1 to 128 letters, digits, dots, dashes and underscores, and begin with a letter or digit")
	}
	switch {
	case p.Seq == 0 && p.ParentID != nil:
		c.add(ruleChain, in(at, "parent_id"), "must be null at seq 0, the first of a chain")
	case p.Seq > 0 && p.ParentID == nil:
		c.add(ruleChain, in(at, "parent_id"), "must name the checkpoint before seq "+fmt.Sprint(p.Seq))
	case p.ParentID != nil:
		c.sha256(in(at, "parent_id"), *p.ParentID)
	}
	c.oneOf(in(at, "trigger"), string(p.Trigger), "manual", "utilization_60", "utilization_70", "utilization_80",
		"turn_budget", "phase_boundary", "error_loop", "delegation", "resume", "import")
	c.oneOf(in(at, "origin"), p.Origin, "live", "imported", pith.OriginDelegated)
	c.oneOf(in(at, "format"), string(p.Format), string(pith.FormatClaudeCode), string(pith.FormatCodex), string(pith.FormatAnthropic),
		string(pith.FormatOpenAIChat), string(pith.FormatOpenAIResponses),
		"pi", "gemini-cli", "opencode", "swe-agent", "mini-swe-agent", "openhands", "tau-bench", string(pith.FormatCompactMemory))
	for _, n := range []struct {
		field string
		n     int
	}{
		{"seq", p.Seq}, {"from_message", p.FromMessage}, {"through_message", p.ThroughMessage},
		{"compacted_at_turn", p.CompactedAtTurn}, {"from_turn", p.FromTurn}, {"skipped_rows", p.Skipped},
	} {
		c.count(in(at, n.field), n.n)
	}
	if p.FromMessage > p.ThroughMessage {
		c.addf(ruleSource, in(at, "through_message"), "is %d, before from_message %d", p.ThroughMessage, p.FromMessage)
	}
	c.sha256(in(at, "transcript_sha256"), p.TranscriptSHA256)
	c.line(in(at, "extractor_version"), p.ExtractorVersion, 100)
	c.optionalLine(in(at, "model"), p.Model, 200)
	c.optionalLine(in(at, "compactor"), p.Compactor, 200)
	if p.FactsOnly != (p.Compactor == "") {
		c.addf(ruleSchema, in(at, "facts_only"), "is %t with the compactor %.60q", p.FactsOnly, p.Compactor)
	}
	c.optionalLine(in(at, "agent_id"), p.Agent, 200)
	c.optionalPath(in(at, "transcript"), p.Transcript)
	w := &p.Workspace
	c.optionalPath(in(at+"/workspace", "root"), w.Root)
	c.optionalPath(in(at+"/workspace", "cwd"), w.CWD)
	c.optionalPath(in(at+"/workspace", "worktree"), w.Worktree)
	c.optionalLine(in(at+"/workspace", "branch"), w.Branch, 400)
	if w.Head != "" && (len(w.Head) < 7 || len(w.Head) > 64 || !isHex(w.Head)) {
		c.add(ruleSchema, in(at+"/workspace", "vcs_head"), "must be 7 to 64 lower-case hex digits")
	}
}

// ValidSessionID tells whether the contract takes an id of a session.
func ValidSessionID(id string) bool {
	if id == "" || len(id) > 128 || strings.IndexByte("._-", id[0]) >= 0 {
		return false
	}
	for i := range len(id) {
		b := id[i]
		letter := b|0x20 >= 'a' && b|0x20 <= 'z'
		if !letter && (b < '0' || b > '9') && strings.IndexByte("._-", b) < 0 {
			return false
		}
	}
	return true
}

func (c *checker) oneOf(at place, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		c.addf(ruleSchema, at, "is %.60q, want one of %s", value, strings.Join(allowed, ", "))
	}
}

// maxCount is the largest number that JSON programs agree on.
const maxCount = 1<<53 - 1

func (c *checker) count(at place, n int) {
	if n < 0 || n > maxCount {
		c.addf(ruleSchema, at, "is %d, want a count of 0 or more", n)
	}
}

func (c *checker) sha256(at place, s string) {
	if len(s) != 64 || !isHex(s) {
		c.addf(ruleSchema, at, "is %.80q, want 64 lower-case hex digits", s)
	}
}

func isHex(s string) bool {
	for i := range len(s) {
		if b := s[i]; (b < '0' || b > '9') && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}

// text checks that a text is there and not too long; limit counts characters.
func (c *checker) text(at place, s string, limit int) {
	if s == "" {
		c.add(ruleSchema, at, "is empty")
		return
	}
	c.optionalText(at, s, limit)
}

func (c *checker) optionalText(at place, s string, limit int) {
	if len(s) > limit && utf8.RuneCountInString(s) > limit {
		c.addf(ruleSize, at, "has %d characters, more than %d", utf8.RuneCountInString(s), limit)
	}
}

func (c *checker) line(at place, s string, limit int) {
	if s == "" {
		c.add(ruleSchema, at, "is empty")
		return
	}
	c.optionalLine(at, s, limit)
}

func (c *checker) optionalLine(at place, s string, limit int) {
	c.optionalText(at, s, limit)
	if strings.IndexByte(s, '\n') >= 0 {
		c.add(ruleSchema, at, "must be one line")
	}
}

const maxPath = 4096

func (c *checker) path(at place, s string)         { c.line(at, s, maxPath) }
func (c *checker) optionalPath(at place, s string) { c.optionalLine(at, s, maxPath) }
