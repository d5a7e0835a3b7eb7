package restore

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// TestMend: what of a kept tail is changed so that a provider takes it, and how.
func TestMend(t *testing.T) {
	long := strings.Repeat("an old line of output that nobody needs any more\\n", 60)
	old := `{"role":"user","content":"Make it work."},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"old","name":"bash","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"old","content":"` + long + `"}]},`
	chatOld := `{"role":"user","content":"Make it work."},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"old","type":"function","function":{"name":"bash","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"old","content":"` + long + `"},`
	for _, tt := range []struct {
		name, body, tail string
		format           pith.Format
	}{
		{"an open call keeps its id, the call before it gets another", `{"max_tokens":100,"messages":[` + old +
			`{"role":"user","content":"go"},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"bash","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"a"}]},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"bash","input":{}}]}]}`,
			`{"role":"assistant","content":[{"type":"tool_use","id":"x_2","name":"bash","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x_2","content":"a"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"bash","input":{}}]}]}`, pith.FormatAnthropic},
		{"results come back to their calls, over words and notes", `{"max_completion_tokens":100,"messages":[` + chatOld +
			`{"role":"user","content":"go"},` +
			`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"bash","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"b","content":"2"},{"role":"system","content":"note"},{"role":"user","content":"wait"},{"role":"tool","tool_call_id":"a","content":"1"}]}`,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"bash","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"},{"role":"system","content":"note"},{"role":"user","content":"wait"}]}`, pith.FormatOpenAIChat},
		{"words stand behind the results, thinking that leads nowhere goes", `{"max_tokens":100,"messages":[` + old +
			`{"role":"user","content":"go"},` +
			`{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"lost","name":"bash","input":{}}]},` +
			`{"role":"user","content":"on"},` +
			`{"role":"assistant","content":[{"type":"thinking","thinking":"u","signature":"s"},{"type":"tool_use","id":"a","name":"bash","input":{}}]},` +
			`{"role":"user","content":[{"type":"text","text":"see"},{"type":"tool_result","tool_use_id":"a","content":"1"}]}]}`,
			`{"role":"user","content":"go"},{"role":"user","content":"on"},` +
				`{"role":"assistant","content":[{"type":"thinking","thinking":"u","signature":"s"},{"type":"tool_use","id":"a","name":"bash","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"text","text":"see"}]}]}`, pith.FormatAnthropic},
	} {
		_, s, err := applied(t, []byte(tt.body), testBlock(t, "Make it work."), ApplyOptions{Pattern: PatternMessage, KeepTokens: 120})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := string(s.body); !strings.HasSuffix(got, tt.tail) || s.format != tt.format {
			t.Errorf("%s:\n got %s\nwant the end %s", tt.name, got, tt.tail)
		}
	}
}
