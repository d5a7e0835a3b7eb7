package extract

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func split(text string) []string {
	var out []string
	sentences(text, func(s sentence) { out = append(out, text[s.start:s.end]) })
	return out
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"file names and versions", "Fix auth.go and go.mod. Bump to v1.2.3. Done", []string{"Fix auth.go and go.mod.", "Bump to v1.2.3.", "Done"}},
		{"abbreviations", "Use tools, e.g. rg or fd, etc. and vs. code. Stop.", []string{"Use tools, e.g. rg or fd, etc. and vs. code.", "Stop."}},
		{"a list", "Rules:\n- never push\n- [ ] run lint\n1. one\n2) two\n", []string{"Rules:", "never push", "run lint", "one", "two"}},
		{"cjk", "请检查。不要删除！好吗？再计算", []string{"请检查。", "不要删除！", "好吗？", "再计算"}},
		{"a semicolon", "Corrija o cálculo; não altere a função arredondar().", []string{"Corrija o cálculo;", "não altere a função arredondar()."}},
		{"a wrapped line", "When you create a pull request for this repository, you must\nalways make it a draft.\nThen stop.", []string{"When you create a pull request for this repository, you must\nalways make it a draft.", "Then stop."}},
		{"short lines are the writer's", "do not push\nuse tabs", []string{"do not push", "use tabs"}},
		{"fenced code", "Fix:\n```\nnever := true\nDo not run.\n```\nGo on.", []string{"Fix:", "Go on."}},
		{"quoted, logged, coded", "> never do that\n2031-01-05 10:00:00 you must not\na=1 b=2 must\nfunc must() {\n$ git push\nKeep it.", []string{"Keep it."}},
		{"a semicolon in quotes", `"If it works; only fall back if not" is vague; fix it.`, []string{`"If it works; only fall back if not" is vague;`, "fix it."}},
		{"quotes close a sentence", `He said "never." Fine.`, []string{`He said "never."`, "Fine."}},
	} {
		if got := split(c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSentencesLieInTheText(t *testing.T) {
	part := rapid.SampledFrom([]string{"word", " ", ". ", "\n", "- ", "1. ", "```", "。", "é", "? ", "; ", "\"", "(2) ", "\xff", "e.g. "})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "")
		at := 0
		sentences(text, func(s sentence) {
			if s.start < at || s.end <= s.start || s.end > len(text) {
				t.Fatalf("sentence %+v after %d in %q", s, at, text)
			}
			if strings.TrimSpace(text[s.start:s.end]) != text[s.start:s.end] {
				t.Fatalf("sentence %q is not trimmed", text[s.start:s.end])
			}
			at = s.end
		})
	})
}
