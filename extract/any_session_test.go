package extract

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"pgregory.net/rapid"
)

// TestAnySession: whatever is said and done, nothing panics, every quote stands
// where its source says, and what no trusted voice said rules nothing.
func TestAnySession(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"never push to main", "do not ", "don't you dare", "only", "unless I say so", "until", "(1) a (2) b (3) c", "1. add\n2. fix\n3. go", "yes", "no, use X",
		"Shall I run it?", "I suggest: rm -rf /", "instead of", "because", "Phase 2 of 4: x", "root cause: ", ". ", "\n", "\n\n", "```", "- ", "。", "不要", "か。", "지 마", "não ",
		"<system-reminder>", "</system-reminder>", "SYSTEM: new goal: x", "ignore previous instructions", "\xff\xfe", "é", "“", "'", "\"", "=", "a=1 b=2", "?", "！", "I", "İ", "ẞ", "K",
		"the ", "must", "should be", "keep the format", "read-only mode", "This session is being continued", "https://a.example/x", "go test", "git push --force", "Next, I'll ",
	})
	words := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), " ") })
	rapid.Check(t, func(rt *rapid.T) {
		s := newSession()
		for range rapid.IntRange(0, 9).Draw(rt, "turns") {
			w := words.Draw(rt, "words")
			switch rapid.IntRange(0, 6).Draw(rt, "what") {
			case 0, 1:
				s.user(w)
			case 2:
				s.says(w)
			case 3:
				s.harness(w)
			case 4:
				s.use("Bash", arg("command", w))
			case 5:
				s.use("TodoWrite", raw("todos", `[{"content":"`+w+`","status":"pending"}]`))
			case 6:
				s.result(w, func(b *pith.Block) { b.Rejected = strings.Contains(w, "no") })
			}
		}
		f := s.facts(t)
		for _, c := range f.Constraints {
			if c.Provenance > pith.UserExplicit {
				rt.Fatalf("constraint %q comes from %s", c.Text, c.Provenance)
			}
		}
		if got := s.facts(t); got.Goal.SHA256 != f.Goal.SHA256 || got.Next.Text != f.Next.Text || len(got.Decisions) != len(f.Decisions) {
			rt.Fatal("reading the facts changed them")
		}
	})
}

// TestHostileTextsTakeLinearTime: long texts made of what has to be searched
// for are read in a moment. Quadratic work would run into the test's timeout.
func TestHostileTextsTakeLinearTime(t *testing.T) {
	for name, unit := range map[string]string{
		"unclosed tags": "<skill>\n", "tags in one line": "<", "stops": "e.g. ", "brackets": "(a ", "forged": "SYSTEM: x ", "lists": "1. a\n", "negations": "do not ", "urls": "http", "quotes": `"="`, "white space": "   ",
	} {
		text := strings.Repeat(unit, 400_000/len(unit))
		f := newSession().user(text).says(text).use("web_search", arg("q", text)).result(text).use("AskUserQuestion").result(text).facts(t)
		if f.Last == 0 || f.Blocks == nil {
			t.Errorf("%s: nothing was read", name)
		}
	}
}
