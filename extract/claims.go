package extract

import (
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// claim is a sentence in which the assistant says that something passes.
type claim struct {
	quote pith.Quote
	// parts are what the sentence says passes, each with its qualifier.
	parts []claimPart
	// run is the number of runs that were known when it was said.
	run int
}

type claimPart struct {
	kind verifyKind
	// word narrows the tests: "integration", "unit", "e2e"; "" is any.
	word string
}

const maxClaims = 200

// said collects claims, and the notices by which a client reports that a
// background command has ended.
func (e *evidenceSlot) said(s *Said) {
	switch s.Origin {
	case pith.Harness:
		if len(e.running) > 0 && strings.Contains(s.Text, "<task-id>") {
			e.notified(s)
		}
	case pith.Assistant:
		if s.Agent != "" || !mayClaim(s.Text) {
			return
		}
		sentences(s.Text, func(at sentence) {
			start, end := at.start, at.end
			parts := claimsOf(s.Text[start:end])
			if len(parts) == 0 {
				return
			}
			if len(e.claims) == maxClaims {
				e.claims = append(e.claims[:0], e.claims[1:]...)
			}
			e.claims = append(e.claims, claim{
				quote: pith.Quote{Text: strings.Clone(s.Text[start:end]), Provenance: pith.Assistant, Source: s.Span(start, end)},
				parts: parts, run: len(e.runs),
			})
		})
	}
}

func mayClaim(text string) bool {
	return strings.Contains(text, " pass") || strings.Contains(text, "green") || strings.Contains(text, "succeed") || strings.Contains(text, "clean")
}

// namesSuccess tells whether one of the words that state success may stand in a sentence.
func namesSuccess(lower string) bool {
	return strings.Contains(lower, "pass") || strings.Contains(lower, "green") || strings.Contains(lower, "succeed") || strings.Contains(lower, "clean")
}

// claimsOf reads a sentence that states success as a fact. Wishes, conditions,
// plans, questions, negations and reports about others' work are none.
func claimsOf(sentence string) []claimPart {
	if len(sentence) > 400 || strings.HasSuffix(sentence, "?") || strings.ContainsAny(sentence, "`\"“") && !strings.Contains(sentence, "pass") {
		return nil
	}
	lower := strings.ToLower(sentence)
	if !namesSuccess(lower) {
		return nil
	}
	words := strings.FieldsFunc(lower, func(r rune) bool {
		return r != '\'' && r != '-' && r != '’' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && r < 0x80 && r != ';' && r != ','
	})
	for _, w := range words {
		if isHedge(strings.Trim(w, ",;")) {
			return nil
		}
	}
	var parts []claimPart
	var subject claimPart
	for i, w := range words {
		w = strings.Trim(w, ",;")
		switch w {
		case "tests", "test", "suite", "specs":
			if subject.kind == 0 || w != "suite" {
				subject = claimPart{kind: verifiesTests}
			}
			if i > 0 {
				subject.word = testQualifier(strings.Trim(words[i-1], ",;"))
			}
		case "build", "compilation":
			subject = claimPart{kind: verifiesBuild}
		case "lint", "linter", "linting", "vet", "typecheck":
			subject = claimPart{kind: verifiesStyle}
		case "pass", "passes", "passed", "passing", "green", "succeeds", "succeeded", "clean":
			if subject.kind != 0 && !(w == "clean" && subject.kind == verifiesTests) {
				parts = append(parts, subject)
				subject = claimPart{}
			}
		}
	}
	return parts
}

func testQualifier(word string) string {
	switch word {
	case "integration", "unit", "e2e", "end-to-end", "regression", "acceptance", "smoke":
		return word
	}
	return ""
}

// isHedge knows the words with which a sentence states no success.
func isHedge(w string) bool {
	switch w {
	case "not", "no", "never", "if", "when", "once", "until", "unless", "should", "must", "will", "would", "could", "can", "may", "might",
		"ensure", "ensures", "ensuring", "sure", "verify", "verifying", "check", "checking", "confirm", "whether", "let", "need", "needs", "want", "fail",
		"fails", "failed", "failing", "failure", "failures", "except", "but", "before", "after", "expect", "expected", "make", "makes", "making",
		"so", "to", "i'll", "let's", "cannot", "can't", "don't", "doesn't", "didn't", "isn't", "aren't", "without", "only", "because", "since",
		"previously", "earlier", "existing", "while", "get", "getting", "keep", "keeps", "even", "though", "although", "ci", "still", "where", "that", "which",
		"assert", "asserts", "in", "waiting", "wait", "wait,", "both", "old", "pass-through", "plan", "running", "run", "runs", "ll", "for", "through", "passed-in":
		return true
	}
	return strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t")
}

// maxUnverified bounds the claims that are kept.
const maxUnverified = 8

// unverified are the claims that no run supports: nothing of the kind was run
// before them, or the last such run failed, and none has passed since.
func (e *evidenceSlot) unverified() []pith.Quote {
	var out []pith.Quote
	for i := len(e.claims) - 1; i >= 0 && len(out) < maxUnverified; i-- {
		c := &e.claims[i]
		for _, p := range c.parts {
			if !e.supported(p, c.run) {
				out = append(out, c.quote)
				break
			}
		}
	}
	slices.Reverse(out)
	return out
}

// supported looks for the run that a claim rests on: the last before it that
// did not fail, or any pass after it.
func (e *evidenceSlot) supported(p claimPart, before int) bool {
	for i := before; i < len(e.runs); i++ {
		if e.runs[i].proves(p) && e.runs[i].item.Status == statusPass {
			return true
		}
	}
	for i := min(before, len(e.runs)) - 1; i >= 0; i-- {
		if r := e.runs[i]; r.proves(p) {
			return !failing(r.item.Status)
		}
	}
	return false
}

// proves tells whether a run says anything about a claim. One of a named part
// of the tests is proved by that part, or by a run that names no other part.
func (r *evidenceRun) proves(p claimPart) bool {
	if !r.verifies {
		return false
	}
	named := testsNamed(r.item.Command)
	for i := range r.line.Verifiers {
		k := r.line.Verifiers[i].Kind
		if k == p.kind && (p.kind != verifiesTests || p.word == "" || named == "" || named == p.word) {
			return true
		}
		if k == verifiesTests && p.kind != verifiesTests && named == "" {
			// Running tests compiles them; a task such as "ci" does all.
			if p.kind == verifiesBuild || !strings.HasPrefix(r.line.Verifiers[i].Name, "go ") {
				return true
			}
		}
	}
	return false
}

func testsNamed(command string) string {
	for _, w := range [...]string{"integration", "e2e", "unit", "regression", "acceptance", "smoke"} {
		if strings.Contains(command, w) {
			return w
		}
	}
	return ""
}
