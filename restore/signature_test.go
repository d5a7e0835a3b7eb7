package restore_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/wire"
)

// TestThoughtSignatures (case K3): a signature that a provider put on a call
// goes with the unchanged call or not at all.
func TestThoughtSignatures(t *testing.T) {
	var messages []string
	messages = append(messages, `{"role":"user","content":"Read the parts and join them."}`)
	calls := map[string]string{}
	for i := range 30 {
		id := fmt.Sprintf("call_%d", i)
		call := fmt.Sprintf(`{"id":"%s","type":"function","function":{"name":"read_file","arguments":"{\"path\": \"part%d.txt\"}"},"extra_content":{"google":{"thought_signature":"c2lnbmF0dXJl%04d=="}}}`, id, i, i)
		calls[id] = call
		messages = append(messages,
			`{"role":"assistant","content":null,"tool_calls":[`+call+`]}`,
			fmt.Sprintf(`{"role":"tool","tool_call_id":"%s","content":%q}`, id, strings.Repeat("a line of the part\n", 150)))
	}
	body := []byte(`{"model":"gemini-3-pro","messages":[` + strings.Join(messages, ",") + `]}`)
	c, err := wire.Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	out, err := restore.Apply(c, "<pith-memory>the goal and the rules</pith-memory>", restore.ApplyOptions{Window: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	sent, err := wire.Encode(out.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Messages []struct {
			Calls []json.RawMessage `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(sent, &got); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, m := range got.Messages {
		for _, raw := range m.Calls {
			var call struct{ ID string }
			if err := json.Unmarshal(raw, &call); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(raw, []byte(calls[call.ID])) {
				t.Errorf("%s is sent as %s", call.ID, raw)
			}
			kept++
		}
	}
	if kept == 0 || kept == len(calls) {
		t.Errorf("%d of %d calls are kept: the test shows nothing", kept, len(calls))
	}
}
