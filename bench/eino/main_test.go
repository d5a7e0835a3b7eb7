package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func conversation() []message {
	out := []message{{Role: "system", Text: "Be brief."}, {Role: "user", Text: "Fix it. Never touch main.go."}}
	for _, id := range []string{"1", "2", "3"} {
		out = append(out,
			message{Role: "assistant", Text: "I look.", Calls: []call{{ID: id, Name: "Read", Arguments: json.RawMessage(`{"path":"a` + id + `.go"}`)}}},
			message{Role: "tool", CallID: id, Name: "Read", Text: "package a" + id})
	}
	return append(out, message{Role: "assistant", Text: "Done."})
}

// TestConversion holds that roles, calls and results come back as they went.
func TestConversion(t *testing.T) {
	want := conversation()
	if got := fromEino(toEino(want)); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// TestServe holds what each middleware really does with a small conversation.
func TestServe(t *testing.T) {
	in, err := json.Marshal(request{Messages: conversation(), Summary: "It was a1, a2 and a3."})
	if err != nil {
		t.Fatal(err)
	}
	without, err := json.Marshal(request{Messages: conversation()})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := serve(strings.NewReader(string(in)+"\n"+string(without)+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&out)
	var with, none reply
	if err := d.Decode(&with); err != nil {
		t.Fatal(err)
	}
	if err := d.Decode(&none); err != nil {
		t.Fatal(err)
	}
	summary := with.Results[0]
	if n := len(summary.Messages); n != 2 || summary.Shown == 0 {
		t.Fatalf("%+v", summary)
	}
	for _, part := range []string{"It was a1, a2 and a3.", "Never touch main.go."} {
		if !strings.Contains(summary.Messages[1].Text, part) {
			t.Errorf("%q is not in %q", part, summary.Messages[1].Text)
		}
	}
	if none.Results[0].Absent == "" {
		t.Error("a summary came from nowhere")
	}
	var cleared []bool
	for _, m := range with.Results[1].Messages {
		if m.Role == "tool" {
			cleared = append(cleared, !strings.HasPrefix(m.Text, "package"))
		}
	}
	if !reflect.DeepEqual(cleared, []bool{true, true, false}) {
		t.Errorf("cleared: %v", cleared)
	}
	if !reflect.DeepEqual(with.Results[2].Messages, conversation()) {
		t.Error("ten rounds of three were not kept")
	}
}
