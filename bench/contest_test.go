package main

import (
	"strings"
	"testing"
)

// TestGiven holds that a summary is told from the messages that stay beside it.
func TestGiven(t *testing.T) {
	live := []message{{Role: "system", Text: "Be brief."}, {Role: "user", Text: "Fix it."}, {Role: "assistant", Text: "I look."}}
	cleared := given(&outcome{Messages: live}, live, "/r")
	if !cleared.Verbatim || cleared.Text != "Be brief.\nFix it.\nI look.\n" || cleared.Root != "/r" {
		t.Errorf("%+v", cleared)
	}
	summed := given(&outcome{Shown: 10, Messages: []message{live[0], {Role: "user", Text: "So far: all is well."}, live[1], live[2]}}, live, "")
	if summed.Verbatim || summed.Text != "So far: all is well.\n" || len(summed.Tail) != 3 {
		t.Errorf("%+v", summed)
	}
	if text := summed.Held().Text; !strings.Contains(text, "Fix it.") || !strings.Contains(text, "I look.") {
		t.Errorf("the tail is not held: %q", text)
	}
}
