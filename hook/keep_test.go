package hook

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func outline(rows ...string) []Outline {
	var out []Outline
	for i, r := range rows {
		o := Outline{Handle: fmt.Sprintf("h%d", i), Chars: 300}
		var kind, id string
		if n, _ := fmt.Sscanf(r, "%s %s", &kind, &id); n == 0 {
			panic(r)
		}
		o.Role = "assistant"
		switch kind {
		case "user":
			o.Role = "user"
		case "pith":
			o.Role, o.Pith = "user", true
		case "call":
			o.Calls = []string{id}
		case "result":
			o.Role, o.Results = "user", []string{id}
		case "both": // a client that tells the result with its call
			o.Calls, o.Results = []string{id}, []string{id}
		}
		out = append(out, o)
	}
	return out
}

// TestTail holds which of the last messages stay.
func TestTail(t *testing.T) {
	for _, x := range []struct {
		name string
		rows []Outline
		from int // the first that stays
	}{
		{"nothing", nil, 0},
		{"one exchange", outline("user", "text"), 0},
		{"everything fits", outline("user", "text", "user", "text"), 0},
		{"a call with its result", outline("user", "call a", "result a"), 0},
		{"parallel calls stay together", outline("user", "text", "call a", "call b", "result a", "result b"), 0},
		{"pith's own memory goes", outline("pith", "call a", "result a", "user", "text"), 1},
		{"the latest memory of pith's own", outline("user", "pith", "user", "text"), 2},
		{"a call without a result", outline("user", "text", "user", "call a"), 4},
		{"a result without a call", outline("result a", "user", "text"), 1},
		{"calls that hold their results", outline("user", "both a", "text"), 0},
		{"a memory alone", outline("pith"), 1},
	} {
		stay, _ := tail(x.rows, 0, 200_000)
		var want []string
		for _, r := range x.rows[min(x.from, len(x.rows)):] {
			want = append(want, r.Handle)
		}
		if !slices.Equal(stay, want) {
			t.Errorf("%s: %v stay, want %v", x.name, stay, want)
		}
	}
	rows := outline("user", "text")
	rows[1].Handle = ""
	if stay, size := tail(rows, 0, 0); stay != nil || size != 0 {
		t.Errorf("%v stay of messages that cannot be asked back", stay)
	}
}

// TestTailIsBounded: the last exchange stays whole however long it is, and more
// only within the limit.
func TestTailIsBounded(t *testing.T) {
	rows := outline("user", "call a", "result a", "text", "user", "call b", "result b", "text")
	for i := range rows {
		rows[i].Chars = 30_000
	}
	stay, size := tail(rows, 1_000, 200_000)
	if !slices.Equal(stay, []string{"h5", "h6", "h7"}) || size != 30_000 {
		t.Errorf("%v stay, %d tokens", stay, size)
	}
	for i := range rows {
		rows[i].Chars = 3_000
	}
	if stay, size := tail(rows, 0, 8_000); !slices.Equal(stay, []string{"h7"}) && size > 4_000 {
		t.Errorf("%v stay, %d tokens", stay, size)
	}
}

// TestTailsOfAnything: whatever the conversation is made of, what stays is an
// unbroken end of it with whole pairs, without pith's own memory, and begins
// where an answer or a user's words begin.
func TestTailsOfAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	kept := 0
	for range 5000 {
		rows, waiting := []Outline{}, []string{}
		for i := range random.IntN(40) {
			o := Outline{Handle: fmt.Sprintf("h%d", i), Chars: random.IntN(8_000), Role: "assistant"}
			switch random.IntN(6) {
			case 0:
				o.Role = "user"
			case 1:
				o.Role, o.Pith = "user", random.IntN(4) == 0
			case 2, 3:
				id := fmt.Sprintf("c%d", i)
				o.Calls, waiting = []string{id}, append(waiting, id)
			case 4:
				if len(waiting) > 0 {
					o.Role, o.Results, waiting = "user", waiting[:1], waiting[1:]
				}
			}
			rows = append(rows, o)
		}
		stay, _ := tail(rows, 500, 200_000)
		if len(stay) == 0 {
			continue
		}
		kept++
		begin := len(rows) - len(stay)
		calls, results := map[string]bool{}, map[string]bool{}
		for i, handle := range stay {
			r := &rows[begin+i]
			if r.Handle != handle || r.Pith {
				t.Fatalf("%v stay of %+v", stay, rows)
			}
			for _, id := range r.Calls {
				calls[id] = true
			}
			for _, id := range r.Results {
				if !calls[id] {
					t.Fatalf("the call %s of a result does not stay: %v of %+v", id, stay, rows)
				}
				results[id] = true
			}
		}
		first := &rows[begin]
		if len(calls) != len(results) || len(first.Results) > 0 && len(first.Calls) == 0 || first.Role == "assistant" && begin > 0 && rows[begin-1].Role == "assistant" {
			t.Fatalf("%v stay of %+v", stay, rows)
		}
	}
	if kept < 1000 {
		t.Errorf("%d tails", kept)
	}
}
