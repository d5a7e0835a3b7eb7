package mcpserver_test

import (
	"strings"
	"testing"
)

// An argument that does not fit is named in one line, with what to pass.
func TestArgumentErrors(t *testing.T) {
	s := connect(t, newPlace(t))
	for _, x := range []struct {
		tool string
		args any
		want string
	}{
		{"state", args{"words": 1}, `state has no argument "words"; it takes cursor, limit, section, session`},
		{"search", args{"words": "x"}, `search has no argument "words"; it takes query (required), cursor, limit, session`},
		{"search", nil, "search: the argument query is missing; pass a text of 1 to 500 characters"},
		{"search", args{"query": nil}, "search: query is null; pass a text of 1 to 500 characters"},
		{"search", args{"query": ""}, `search: query is the text ""; pass a text of 1 to 500 characters`},
		{"state", args{"section": "rules"}, `state: section is the text "rules"; pass one of goal, constraints, files, evidence, failures, decisions, progress, identifiers, workspace, next, or leave section out`},
		{"state", args{"limit": 99}, "state: limit is 99; pass a whole number from 100 to 8000, or leave limit out"},
		{"state", args{"limit": 8001}, "state: limit is 8001; pass a whole number from 100 to 8000, or leave limit out"},
		{"state", args{"limit": 500.5}, "state: limit is 500.5; pass a whole number from 100 to 8000, or leave limit out"},
		{"state", args{"limit": "500"}, `state: limit is the text "500"; pass a whole number from 100 to 8000, or leave limit out`},
		{"pin", args{"text": "a", "remove": "yes"}, `pin: remove is the text "yes"; pass true or false, or leave remove out`},
		{"pin", args{"text": strings.Repeat("ä", 2001)}, "pin: text is a text of 2001 characters; pass a text of 1 to 2000 characters"},
		{"handoff", args{"to": "t", "allow_paths": "src"}, `handoff: allow_paths is the text "src"; pass a list of up to 50 different texts of 1 to 4096 characters, or leave allow_paths out`},
		{"handoff", args{"to": "t", "allow_paths": []any{"src", true}}, "handoff: allow_paths[1] is true; pass a text of 1 to 4096 characters, or leave allow_paths out"},
		{"handoff", args{"to": "t", "criteria": []any{"a", "a"}}, "handoff: criteria is a list with the same text twice; pass a list of up to 20 different texts of 1 to 1000 characters, or leave criteria out"},
		{"compact_text", args{"body": args{"messages": []any{}}}, "compact_text: body is an object; pass a text of 1 to 4194304 characters, or leave body out"},
		{"state", []any{1}, "state: the arguments are a list of 1; pass an object with cursor, limit, section, session"},
	} {
		if text, _, failed := call(t, s, x.tool, x.args); !failed || text != x.want {
			t.Errorf("%s %v: failed %v\n got %s\nwant %s", x.tool, x.args, failed, text, x.want)
		}
	}
}
