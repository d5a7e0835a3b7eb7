package restore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// longHistory is a session of reads, each with a long result.
func longHistory(reads int) []object {
	messages := []object{says("user", "Fix the login redirect. Do not touch the session table.")}
	for i := range reads {
		id := fmt.Sprintf("toolu_%d", i)
		messages = append(messages,
			holds("assistant", textBlock(fmt.Sprintf("Step %d.", i)), use(id, fmt.Sprintf("cat part%d.go", i))),
			holds("user", result(id, filler(fmt.Sprintf("part%d", i), 40))))
	}
	return messages
}

// TestMadeUpResults (case B4): a result that some repair added goes, wherever
// its call went; the words beside it stay.
func TestMadeUpResults(t *testing.T) {
	messages := longHistory(12)
	messages = append(messages, holds("user", result("toolu_3", "[interrupted]"), result("toolu_gone", "[interrupted]"), textBlock("Go on with the logout path.")))
	_, sent, err := applied(t, anthropic(t, messages...), testBlock(t, "Fix the login redirect."), ApplyOptions{KeepMessages: 5})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(sent.messages)
	if strings.Contains(text, "[interrupted]") || !strings.Contains(text, "logout path") {
		t.Errorf("what is sent: %s", text)
	}
}

// TestEveryTail (case B9): however long a tail is asked for, it begins at a
// safe place; and so it does where what came in began with a result.
func TestEveryTail(t *testing.T) {
	whole := longHistory(12)
	for name, messages := range map[string][]object{"whole": whole, "begins with a result": whole[2:]} {
		for keep := 1; keep < len(messages); keep++ {
			out, _, err := applied(t, anthropic(t, messages...), testBlock(t, "Fix the login redirect."), ApplyOptions{KeepMessages: keep, Pattern: PatternMessage})
			if err != nil {
				t.Fatalf("%s, %d messages: %v", name, keep, err)
			}
			if out.Removed == 0 {
				t.Errorf("%s, %d messages: nothing was removed", name, keep)
			}
		}
	}
}

// TestOncePerText (case E6): a block that is put in again takes the place of
// the one before, and rules that the client sends anyway are not written out.
func TestOncePerText(t *testing.T) {
	const rule = "Never commit to the main branch without a review."
	s := working()
	s.Constraints = append(s.Constraints, pith.Constraint{ID: "co-0123456789", Text: rule, Provenance: pith.PolicyFile, Path: "CLAUDE.md", Resent: true})
	block := Render(s, Options{})
	if strings.Contains(block.Text, rule) || !strings.Contains(block.Text, "CLAUDE.md") {
		t.Errorf("a rule that is sent again stands in the block:\n%s", block.Text)
	}
	for _, pattern := range []Pattern{PatternSystem, PatternMessage} {
		out, _, err := applied(t, anthropic(t, longHistory(12)...), block.Text, ApplyOptions{Pattern: pattern})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Apply(out.Conversation, block.Text, ApplyOptions{Pattern: pattern, Force: true, KeepMessages: 4})
		if err != nil {
			t.Fatal(err)
		}
		body := string(encoded(t, &again.Conversation))
		if n := strings.Count(body, "</pith-memory>"); n != 1 {
			t.Errorf("the block stands there %d times", n)
		}
	}
}

// TestBlockAsksNothing (case G7): a block in a user's message is a record; it
// asks nothing in the user's name that a model would answer.
func TestBlockAsksNothing(t *testing.T) {
	s := working()
	s.Context.OpenQuestions = nil
	s.Next = pith.NextAction{Kind: "none", Text: "No step is open.", Basis: "none", Provenance: pith.Assistant}
	text := strings.ToLower(Render(s, Options{Pattern: PatternMessage}).Text)
	for _, ask := range []string{"?", "summar", "recap", "what did we", "tell me", "please"} {
		if strings.Contains(text, ask) {
			t.Errorf("the block says %q:\n%s", ask, text)
		}
	}
}

// TestCacheMarks (case M7): the caller's four marks stay on what is kept, and
// none is added.
func TestCacheMarks(t *testing.T) {
	mark := func(b object) object { b["cache_control"] = object{"type": "ephemeral"}; return b }
	messages := longHistory(12)
	last := len(messages) - 1
	for _, i := range []int{2, last - 2, last} {
		mark(messages[i]["content"].([]object)[0])
	}
	body := jsonOf(t, object{"model": "m", "max_tokens": 100, "system": []any{mark(textBlock("Be brief."))}, "messages": messages})
	for _, pattern := range []Pattern{PatternSystem, PatternMessage} {
		out, _, err := applied(t, body, testBlock(t, "Fix the login redirect."), ApplyOptions{Pattern: pattern, KeepMessages: 4})
		if err != nil {
			t.Fatal(err)
		}
		sent := string(encoded(t, &out.Conversation))
		if n := strings.Count(sent, cacheMark); n != 3 {
			t.Errorf("%d marks are sent; the caller's on the system prompt and on the two that are kept make 3", n)
		}
	}
}
