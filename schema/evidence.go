package schema

import (
	"fmt"
	"strings"

	"github.com/pith-memory/pith"
)

// The most lines of an output that an excerpt keeps.
const (
	maxHeadLines = 5
	maxTailLines = 15
)

// evidence checks slot 7: what a run claims fits its exit code and counts
// (V12), and no failure is said to be over without a later run that shows it
// (V13).
func (c *checker) evidence() {
	const at = "/verification_and_evidence"
	allowed := only(pith.ToolOutput, pith.Harness)
	if c.imported() {
		allowed |= only(pith.PeerAgent, pith.UnverifiedImport)
	}
	byID := make(map[string]int, len(c.s.Evidence))
	for i := range c.s.Evidence {
		byID[c.s.Evidence[i].ID] = i
	}
	for i := range c.s.Evidence {
		e := &c.s.Evidence[i]
		c.id(item(at, i, "id"), e.ID, pith.IDEvidence)
		c.text(item(at, i, "command"), e.Command, maxCommand)
		c.optionalLine(item(at, i, "verifies"), e.Verifies, 400)
		c.optionalLine(item(at, i, "signature"), e.Signature, 2000)
		c.oneOf(item(at, i, "status"), e.Status, "pass", "fail", "error", "timeout", "unknown")
		if e.Runs < 1 {
			c.addf(ruleSchema, item(at, i, "runs"), "is %d; the command ran at least once", e.Runs)
		}
		c.label(item(at, i, "provenance"), e.Provenance, allowed, "evidence")
		c.source(item(at, i, "source"), e.Source)
		if e.CallSource != nil {
			c.source(item(at, i, "call"), *e.CallSource)
		}
		c.outcome(at, i, e)
		c.excerpt(fmt.Sprintf("%s/%d/excerpt", at, i), e.Excerpt)
		if e.SupersededBy != nil {
			c.successor(item(at, i, "superseded_by"), byID, e, *e.SupersededBy, false)
		}
		if e.ResolvedBy != "" {
			c.successor(item(at, i, "resolved_by"), byID, e, e.ResolvedBy, true)
		}
	}
}

func (c *checker) outcome(at string, i int, e *pith.Evidence) {
	if e.Status == "pass" && e.ExitCode != nil && *e.ExitCode != 0 {
		c.addf(ruleEvidence, item(at, i, "status"), "is pass with exit code %d", *e.ExitCode)
	}
	n := e.Counts
	if n == nil {
		return
	}
	if e.Status == "pass" && n.Failed+n.Errors > 0 {
		c.addf(ruleEvidence, item(at, i, "status"), "is pass with %d failed and %d errors", n.Failed, n.Errors)
	}
	counts := fmt.Sprintf("%s/%d/counts", at, i)
	c.count(in(counts, "passed"), n.Passed)
	c.count(in(counts, "failed"), n.Failed)
	c.count(in(counts, "errors"), n.Errors)
	c.count(in(counts, "skipped"), n.Skipped)
	c.optionalLine(in(counts, "unit"), n.Unit, 100)
	if n.Total != nil {
		c.count(in(counts, "total"), *n.Total)
	}
}

func (c *checker) excerpt(at string, x *pith.Excerpt) {
	if x == nil {
		return
	}
	if len(x.Head) > maxHeadLines {
		c.addf(ruleSize, in(at, "head"), "has %d lines, more than %d", len(x.Head), maxHeadLines)
	}
	if len(x.Tail) > maxTailLines {
		c.addf(ruleSize, in(at, "tail"), "has %d lines, more than %d", len(x.Tail), maxTailLines)
	}
	c.count(in(at, "omitted_lines"), x.OmittedLines)
	c.count(in(at, "omitted_bytes"), x.OmittedBytes)
	for i, l := range x.Head {
		c.optionalLine(item(at+"/head", i, ""), l, 4096)
	}
	for i, l := range x.Tail {
		c.optionalLine(item(at+"/tail", i, ""), l, 4096)
	}
}

// successor checks the evidence that is said to stand in e's place. A later
// run of the same command may supersede a failure and fail too: then it is the
// open failure itself. What resolves a failure has passed.
func (c *checker) successor(at place, byID map[string]int, e *pith.Evidence, id string, resolves bool) {
	i, ok := byID[id]
	if !ok {
		c.addf(ruleResolved, at, "names %.40q, which is not among the evidence: the failure stays open", id)
		return
	}
	next := &c.s.Evidence[i]
	switch {
	case !later(e, next):
		c.addf(ruleResolved, at, "names %s, which did not come later", id)
	case resolves && next.Status != "pass":
		c.addf(ruleResolved, at, "names %s, which is %s: only a pass ends a failure", id, next.Status)
	case !resolves && !sameCommand(e, next):
		c.addf(ruleResolved, at, "names %s, a run of another command", id)
	case !resolves && failing(e) && next.Status == "unknown":
		c.addf(ruleResolved, at, "names %s, whose outcome is unknown: the failure stays open", id)
	}
}

func failing(e *pith.Evidence) bool {
	return e.Status == "fail" || e.Status == "error" || e.Status == "timeout"
}

// later tells whether b ran after a; the result of a command that went on in
// the background may stand behind that of a later one.
func later(a, b *pith.Evidence) bool {
	return a.Source.Before(b.Source) || a.CallSource != nil && b.CallSource != nil && a.CallSource.Before(*b.CallSource)
}

// sameCommand tells whether two runs verify the same thing: the same words, or
// the same verifier where the lines differ only in what is around it.
func sameCommand(a, b *pith.Evidence) bool {
	if a.Verifies != "" && a.Verifies == b.Verifies {
		return true
	}
	return strings.Join(strings.Fields(a.Command), " ") == strings.Join(strings.Fields(b.Command), " ")
}
