package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/merge"
	"github.com/pith-memory/pith/schema"
)

// planted draws a claim of some kind and how it stands in a sentence.
func planted(t *rapid.T) string {
	word := rapid.StringMatching(`[a-z]{4,9}`)
	switch rapid.IntRange(0, 8).Draw(t, "kind") {
	case 0:
		return word.Draw(t, "folder") + "/" + word.Draw(t, "inner") + "/" + word.Draw(t, "file") + ".go"
	case 1:
		return fmt.Sprint(rapid.IntRange(100, 9_999_999).Draw(t, "number"))
	case 2:
		return rapid.StringMatching(`[0-9a-f]{6}[a-f][0-9]`).Draw(t, "commit")
	case 3:
		return "`" + word.Draw(t, "program") + " --" + word.Draw(t, "flag") + " " + word.Draw(t, "operand") + "`"
	case 4:
		return word.Draw(t, "a") + "_" + word.Draw(t, "b")
	case 5:
		return word.Draw(t, "a") + strings.ToUpper(rapid.StringMatching(`[a-z]`).Draw(t, "hump")) + word.Draw(t, "b")
	case 6:
		return "#" + fmt.Sprint(rapid.IntRange(100, 99_999).Draw(t, "issue"))
	case 7:
		return rapid.StringMatching(`[1-9]\.[0-9]{1,2}\.[0-9]{1,2}`).Draw(t, "version")
	}
	return "“" + word.Draw(t, "x") + " " + word.Draw(t, "y") + " " + word.Draw(t, "z") + "”"
}

// noise is text around a claim, without letters or digits at its ends.
var noise = rapid.StringMatching(`([a-zäöжд中文字]{2,8} ){0,6}`)

// TestPlantedClaims holds that a claim that stands in some block is found, in
// whatever text, and that one that stands nowhere never is.
func TestPlantedClaims(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claim, other := planted(t), planted(t)
		bare := strings.Trim(claim, "`“”")
		text := noise.Draw(t, "before") + "(" + bare + ") " + noise.Draw(t, "after")
		if strings.Contains(strings.ToLower(text), strings.ToLower(strings.Trim(other, "`“”"))) || strings.Trim(other, "0123456789.") == "" {
			t.Skip("the other one may stand there too")
		}
		d := &compactor.Draft{NextSteps: []string{"Look at " + claim, "Look at " + other}}
		c := merge.NewClaims(d)
		for i, m := range []*pith.Message{user("Begin."), result(noise.Draw(t, "noise")), result(text)} {
			m.Index = i
			c.Message(m)
		}
		s, v := merge.Judge(&pith.State{}, d, c, "m")
		if s.Extensions == nil || len(s.Extensions.RemainingSteps) != 1 || s.Extensions.RemainingSteps[0] != d.NextSteps[0] {
			t.Fatalf("of %q in %q: kept %+v, verdict %+v", d.NextSteps, text, s.Extensions, v)
		}
	})
}

// FuzzClaims judges any draft against any text: it never panics, keeps no more
// than there is, and what it adds is fit for a state.
func FuzzClaims(f *testing.F) {
	f.Add("Run `go test ./...` in internal/auth/store.go, 97 of 1,500 ms.", "ran go test ./... in store.go: 97 passed in 1500ms", "The user approved it. Never push.")
	f.Add("修复了 src/查询.go 的超时", "src/查询.go 超时 3 次", "用户批准了")
	f.Add("\"a b\" «c» 'd e' 「f」 `g", "a b c d e f g", "must\n\nHuman: [USER]: <|im_start|>")
	f.Add("C:\\a\\b.go:41 v1.2.3 #12 [REDACTED:x:1] a@b 0199a213-7c1e-7aaa-8bbb-0123456789ab", "\u200b\u202e\U000e0041", "-")
	f.Fuzz(func(t *testing.T, draft, said, rule string) {
		d := &compactor.Draft{
			Task: draft, CurrentState: draft + " " + rule, Phase: rule, WorkType: said,
			KeyDecisions:         []compactor.Decision{{Decision: draft, Reason: said, Constraint: rule}, {Decision: rule}},
			EliminatedApproaches: []compactor.Eliminated{{Approach: said, Reason: draft}},
			OpenQuestions:        []string{draft, rule}, NextSteps: []string{rule, draft},
			ToolResults: []compactor.ToolResult{{Name: rule, Result: draft}, {Name: draft, Result: said}},
			Constraints: []string{rule}, Approvals: []string{rule, draft},
		}
		messages := []*pith.Message{user(clean(said)), assistant(clean(rule)), result(clean(said))}
		judge := func() (*pith.State, merge.Verdict) {
			c := merge.NewClaims(d)
			for i, m := range messages {
				m.Index = i
				c.Message(m)
			}
			return merge.Judge(stateOf(messages), d, c, "m")
		}
		s, v := judge()
		if v.Kept < 0 || v.Kept+v.Dropped > 200 {
			t.Errorf("verdict %+v", v)
		}
		if _, problems := schema.Seal(s); len(problems) > 0 {
			t.Errorf("the judged state breaks the contract: %v", problems)
		}
		again, _ := judge()
		again.Checkpoint.ID = s.Checkpoint.ID
		a, _ := schema.Marshal(s, false)
		if b, _ := schema.Marshal(again, false); string(a) != string(b) {
			t.Errorf("the same input gives another state:\n%s\n%s", a, b)
		}
	})
}
