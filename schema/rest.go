package schema

import (
	"strings"

	"github.com/pith-memory/pith"
)

// context checks what the ten slots have no home for.
func (c *checker) context() {
	const at = "/context"
	x := &c.s.Context
	if x.Language != "" && !validLanguage(x.Language) {
		c.addf(ruleSchema, in(at, "language"), "is %.40q, want a language tag like en or pt-BR", x.Language)
	}
	for i := range x.Todo {
		t := &x.Todo[i]
		c.text(item(at+"/todo", i, "text"), t.Text, maxItem)
		c.oneOf(item(at+"/todo", i, "status"), t.Status, "pending", "in_progress", "completed", "cancelled")
		c.source(item(at+"/todo", i, "source"), t.Source)
	}
	for i := range x.PendingCalls {
		p := &x.PendingCalls[i]
		c.line(item(at+"/pending_calls", i, "tool"), p.Tool, 400)
		c.optionalText(item(at+"/pending_calls", i, "text"), p.Text, maxCommand)
		c.source(item(at+"/pending_calls", i, "source"), p.Source)
	}
	for _, l := range quoteLists(x) {
		for i := range l.items {
			c.quote(item(l.at, i, ""), &l.items[i])
		}
	}
	if x.LastWords != nil {
		c.quote(in(at, "last_words"), x.LastWords)
	}
	for i := range x.Pins {
		c.text(item(at+"/pins", i, "text"), x.Pins[i].Text, maxQuote)
		c.line(item(at+"/pins", i, "by"), x.Pins[i].By, 200)
	}
	if x.Plan != nil {
		c.optionalPath(in(at+"/plan", "path"), x.Plan.Path)
		c.source(in(at+"/plan", "source"), x.Plan.Source)
	}
	if x.Summary != nil {
		c.source(in(at, "client_summary"), *x.Summary)
	}
	for i := range x.KeyLines {
		k := &x.KeyLines[i]
		c.path(item(at+"/key_lines", i, "path"), k.Path)
		c.source(item(at+"/key_lines", i, "source"), k.Source)
		for _, l := range k.Lines {
			c.optionalLine(item(at+"/key_lines", i, "lines"), l, 4096)
		}
	}
}

// listAt is a list of the state and the pointer to it.
type listAt[T any] struct {
	at    string
	items []T
}

func quoteLists(x *pith.Context) []listAt[pith.Quote] {
	return []listAt[pith.Quote]{
		{"/context/open_questions", x.OpenQuestions}, {"/context/environment", x.Environment}, {"/context/urls", x.URLs},
		{"/context/done", x.Done}, {"/context/unverified", x.Unverified},
	}
}

func identifierLists(n *pith.Identifiers) []listAt[pith.Identifier] {
	return []listAt[pith.Identifier]{
		{"/identifiers/tests", n.Tests}, {"/identifiers/symbols", n.Symbols}, {"/identifiers/commits", n.Commits},
		{"/identifiers/refs", n.Refs}, {"/identifiers/paths", n.Paths},
	}
}

func (c *checker) quote(at place, q *pith.Quote) {
	c.text(at, q.Text, maxQuote)
	c.source(at, q.Source)
	if q.Provenance == pith.UnverifiedImport && !c.imported() {
		c.add(ruleSource, at, "is UNVERIFIED_IMPORT, which only an imported state holds")
	}
}

// validLanguage accepts the shape of BCP 47: a language of two to eight
// letters and further parts of one to eight letters or digits.
func validLanguage(tag string) bool {
	for i, part := range strings.Split(tag, "-") {
		if len(part) < 1 || len(part) > 8 || i == 0 && len(part) < 2 {
			return false
		}
		for _, b := range []byte(part) {
			if letter := b|0x20 >= 'a' && b|0x20 <= 'z'; !letter && (i == 0 || b < '0' || b > '9') {
				return false
			}
		}
	}
	return len(tag) <= 35
}

func (c *checker) identifiers() {
	n := &c.s.Identifiers
	for _, l := range identifierLists(n) {
		for i := range l.items {
			id := &l.items[i]
			c.line(item(l.at, i, "0"), id.Name, maxPath)
			c.source(item(l.at, i, "1"), id.Source)
			c.optionalLine(item(l.at, i, "2"), id.Note, 1000)
		}
	}
}

func (c *checker) security() {
	const at = "/security"
	x := &c.s.Security
	scan := &x.SecretScan
	c.sha256(in(at+"/secret_scan", "ruleset_sha256"), scan.RulesetSHA256)
	c.oneOf(in(at+"/secret_scan", "status"), scan.Status, "clean", "redacted")
	if (scan.Status == "clean") != (len(scan.Redactions) == 0) {
		c.addf(ruleSchema, in(at+"/secret_scan", "status"), "is %s with redactions by %d rules", scan.Status, len(scan.Redactions))
	}
	if scan.Rescan != "clean" {
		c.addf("V16", in(at+"/secret_scan", "rescan"), "is %.40q: a state whose last scan was not clean is not kept", scan.Rescan)
	}
	for i, r := range scan.Redactions {
		c.line(item(at+"/secret_scan/redactions", i, "rule"), r.Rule, 100)
		if r.Count < 1 {
			c.addf(ruleSchema, item(at+"/secret_scan/redactions", i, "count"), "is %d, want 1 or more", r.Count)
		}
	}
	for i, k := range x.Sanitized {
		c.line(item(at+"/sanitized", i, "class"), k.Class, 64)
		if k.Count < 1 {
			c.addf(ruleSchema, item(at+"/sanitized", i, "count"), "is %d, want 1 or more", k.Count)
		}
	}
	for i := range x.Quarantined {
		q := &x.Quarantined[i]
		c.oneOf(item(at+"/quarantined", i, "slot"), q.Slot, "current_goal", "active_constraints",
			"decisions_and_tradeoffs", "preserved_invariants", "next_single_safe_action")
		c.sha256(item(at+"/quarantined", i, "sha256"), q.SHA256)
		c.source(item(at+"/quarantined", i, "source"), q.Source)
	}
	for i, k := range x.ClaimsDropped {
		c.line(item(at+"/claims_dropped", i, "kind"), k.Kind, 64)
		if k.Count < 1 {
			c.addf(ruleSchema, item(at+"/claims_dropped", i, "count"), "is %d, want 1 or more", k.Count)
		}
	}
	m := &c.s.Metrics
	c.count(in("/metrics", "tokens_before"), int(m.TokensBefore))
	c.count(in("/metrics", "tokens_after"), int(m.TokensAfter))
	c.count(in("/metrics", "tokens_reported"), int(m.Reported))
	c.line(in("/metrics", "tokenizer"), m.Tokenizer, 100)
}
