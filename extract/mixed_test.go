package extract

import "testing"

// TestRuleOfAnotherLanguage is about people who write a rule in English among
// messages in another language, and about rules that say that they are one.
func TestRuleOfAnotherLanguage(t *testing.T) {
	for _, tt := range []struct {
		text, conversation, polarity string
	}{
		{"Rule: never touch src/legacy.go.", "de", forbids},
		{"Rule: never touch src/legacy.go.", "zh", forbids},
		{"Always run gofmt.", "de", requires},
		{"Always run gofmt.", "ja", requires},
		{"Don't push.", "es", forbids},
		{"Keep port 8123.", "ru", requires},
		{"Rule: port 8123.", "en", requires},
		{"Rule: port 8123.", "de", requires},
		{"- Regel: Port 8123.", "de", requires},
		{"规则：端口8123", "zh", requires},
		{"Rule: is port 8123 open?", "en", ""},
		{"Rule:", "en", ""},
		{"Rule: no-unused-vars", "en", ""},
		{"Max starts.", "de", ""},
		{"Der Port muss bleiben.", "de", requires},
	} {
		polarity, ok := rule(tt.text, tt.conversation, false)
		if ok != (tt.polarity != "") || polarity != tt.polarity {
			t.Errorf("%q in a conversation in %q: %q, %v; want %q", tt.text, tt.conversation, polarity, ok, tt.polarity)
		}
	}
}
