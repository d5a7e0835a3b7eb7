package wire

import (
	"testing"

	"github.com/pith-memory/pith"
)

func TestSetSystemText(t *testing.T) {
	for _, tt := range []struct{ name, body, text, want string }{
		{"string", `{"system":"old","messages":[]}`, "new", `{"system":"new","messages":[]}`},
		{"element", `{"system":[{"type":"text","text":"old","x":1},{"type":"text","text":"b"}],"messages":[]}`, "new", `{"system":[{"type":"text","text":"new","x":1},{"type":"text","text":"b"}],"messages":[]}`},
		{"removed", `{"system":[{"type":"text","text":"old"}, {"type":"text","text":"b"}],"messages":[]}`, "", `{"system":[{"type":"text","text":"b"}],"messages":[]}`},
		{"instructions", `{"instructions":"old","input":[]}`, "new", `{"instructions":"new","input":[]}`},
	} {
		c, err := Decode([]byte(tt.body))
		if err != nil {
			t.Fatal(tt.name, err)
		}
		before := c.System
		if err := SetSystemText(&c, 0, tt.text); err != nil {
			t.Fatal(tt.name, err)
		}
		if string(c.Raw) != tt.want {
			t.Errorf("%s: %s", tt.name, c.Raw)
		}
		if before[0].Text != "old" {
			t.Errorf("%s: the block that came in was changed", tt.name)
		}
		got, err := Decode(c.Raw)
		if err != nil || len(got.System) != len(c.System) {
			t.Errorf("%s: %v, %d blocks for %d", tt.name, err, len(got.System), len(c.System))
		}
	}
	if c := (pith.Conversation{Format: pith.FormatAnthropic, Raw: []byte(`{"messages":[]}`)}); SetSystemText(&c, 0, "x") == nil {
		t.Error("a body without a system prompt is no error")
	}
}
