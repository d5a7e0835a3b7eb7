package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// TestExchanged holds that roles, calls, results and their pairs survive.
func TestExchanged(t *testing.T) {
	messages := []pith.Message{
		{Role: pith.RoleSystem, Blocks: []pith.Block{{Text: "Be brief."}}},
		{Role: pith.RoleUser, Blocks: []pith.Block{{Text: "Fix it."}, {Kind: pith.KindImage, MediaType: "image/png"}}},
		{Role: pith.RoleAssistant, Blocks: []pith.Block{
			{Kind: pith.KindThinking, Text: "hm"},
			{Text: "I look."},
			{Kind: pith.KindToolUse, ToolUseID: "a", ToolName: "Read", Args: []pith.Arg{
				{Key: "path", Value: "x \"y\".go", IsString: true}, {Key: "limit", Value: "20"}, {Key: "odd", Value: "{"},
			}},
			{Kind: pith.KindToolUse, ToolUseID: "b", ToolName: "Bash"},
		}},
		{Role: pith.RoleUser, Blocks: []pith.Block{
			{Kind: pith.KindToolResult, ToolUseID: "b", Text: "ok"},
			{Kind: pith.KindToolResult, ToolUseID: "a", Text: "package x"},
			{Text: "Go on."},
		}},
		{Role: pith.RoleAssistant, Blocks: []pith.Block{{Kind: pith.KindThinking, Text: "only this"}}},
	}
	want := []message{
		{Role: "system", Text: "Be brief."},
		{Role: "user", Text: "Fix it.\n[image image/png]"},
		{Role: "assistant", Text: "I look.", Calls: []call{
			{ID: "a", Name: "Read", Arguments: json.RawMessage(`{"path":"x \"y\".go","limit":20,"odd":"{"}`)},
			{ID: "b", Name: "Bash", Arguments: json.RawMessage(`{}`)},
		}},
		{Role: "tool", Text: "ok", CallID: "b", Name: "Bash"},
		{Role: "tool", Text: "package x", CallID: "a", Name: "Read"},
		{Role: "user", Text: "Go on."},
	}
	got := exchanged(messages)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got\n%+v\nwant\n%+v", got, want)
	}
	if broken := parted(got, nil); len(broken) > 0 {
		t.Errorf("parted: %v", broken)
	}
	text := sent(got)
	for _, part := range []string{"Fix it.", "Read\npath: x \"y\".go\nlimit: 20\nodd: {", "package x"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in what is sent:\n%s", part, text)
		}
	}
	if strings.Contains(text, "hm") {
		t.Error("thinking is sent")
	}
}

// TestParted finds what an API would refuse, and leaves what was so before.
func TestParted(t *testing.T) {
	use := func(id string) message { return message{Role: "assistant", Calls: []call{{ID: id}}} }
	result := func(id string) message { return message{Role: "tool", CallID: id} }
	for _, c := range []struct {
		name     string
		messages []message
		want     int
	}{
		{"pairs, with an id that is used twice", []message{use("a"), result("a"), use("a"), result("a")}, 0},
		{"a result alone", []message{result("a"), use("b"), result("b")}, 1},
		{"a call alone", []message{use("a"), use("b"), result("b")}, 1},
		{"a result before its call", []message{result("a"), use("a")}, 1},
	} {
		got := parted(c.messages, nil)
		if len(got) != c.want {
			t.Errorf("%s: %d, want %d", c.name, len(got), c.want)
		}
		if again := parted(c.messages, got); len(again) > 0 {
			t.Errorf("%s: %v is held against who did not part it", c.name, again)
		}
	}
}

// TestMade holds that the made sessions have their size and that pith reads them.
func TestMade(t *testing.T) {
	messages := made(200_000)
	if n := len(sent(messages)); n < 200_000 || n > 260_000 {
		t.Errorf("%d bytes", n)
	}
	if broken := parted(messages, nil); len(broken) > 0 {
		t.Errorf("parted: %v", broken)
	}
	nanos, err := timePith(messages, 1)
	if err != nil || len(nanos) != 1 {
		t.Fatal(nanos, err)
	}
}

// TestExchangedTurns holds that the rows of one turn become one message.
func TestExchangedTurns(t *testing.T) {
	use := func(id string) pith.Message {
		return pith.Message{Role: pith.RoleAssistant, Blocks: []pith.Block{{Kind: pith.KindToolUse, ToolUseID: id, ToolName: "Read"}}}
	}
	result := func(id string) pith.Message {
		return pith.Message{Role: pith.RoleUser, Blocks: []pith.Block{{Kind: pith.KindToolResult, ToolUseID: id, Text: id}}}
	}
	text := pith.Message{Role: pith.RoleAssistant, Blocks: []pith.Block{{Text: "I look."}}}
	got := exchanged([]pith.Message{text, use("a"), use("b"), result("a"), result("b"), use("c"), text})
	if len(got) != 4 || got[0].Text != "I look." || len(got[0].Calls) != 2 || got[3].Text != "I look." || len(got[3].Calls) != 1 {
		t.Fatalf("%+v", got)
	}
	if exchanged(nil) == nil {
		t.Error("no messages are not an empty list")
	}
}
