package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
)

func TestParseCandidate(t *testing.T) {
	read := func(path string) (string, error) {
		if path == "there.md" {
			return "a summary", nil
		}
		return "", os.ErrNotExist
	}
	for _, spec := range []string{"pith", "client", "raw", "keep-last:20", "mask:10", "file:there.md"} {
		c, err := ParseCandidate(spec, read)
		if err != nil || c.Name != spec {
			t.Errorf("%s: got %q, %v", spec, c.Name, err)
		}
	}
	c, _ := ParseCandidate("file:there.md", read)
	if g, err := c.Make(context.Background(), nil); err != nil || g.Text != "a summary" {
		t.Errorf("a file stands for itself, got %+v, %v", g, err)
	}
	for _, spec := range []string{"", "pit", "pith:1", "raw:", "keep-last", "keep-last:0", "keep-last:-1", "keep-last:x", "mask:", "file:", "file", "summary"} {
		if _, err := ParseCandidate(spec, read); err == nil {
			t.Errorf("%q is taken", spec)
		}
	}
	if _, err := ParseCandidate("file:gone.md", read); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there gives %v", err)
	}
}

func TestParsePlaces(t *testing.T) {
	got, err := ParsePlaces("boundaries, end,25,50%,75")
	if err != nil || !slices.Equal(got, []Place{Boundaries, End, 25, 50, 75}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, list := range []string{"", "0", "100", "-5", "middle", "25,,50"} {
		if _, err := ParsePlaces(list); err == nil {
			t.Errorf("%q is taken", list)
		}
	}
}

// talk draws a conversation in which ids come again, results are missing and
// some have no call.
func talk(t *rapid.T) []*pith.Message {
	n := rapid.IntRange(0, 24).Draw(t, "messages")
	list := make([]*pith.Message, n)
	for i := range list {
		m := &pith.Message{Index: i, Role: rapid.SampledFrom([]pith.Role{pith.RoleUser, pith.RoleAssistant}).Draw(t, "role")}
		for range rapid.IntRange(0, 3).Draw(t, "blocks") {
			id := fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "id"))
			kind := pith.KindToolResult
			if m.Role == pith.RoleAssistant {
				kind = pith.KindToolUse
			}
			m.Blocks = append(m.Blocks, pith.Block{Kind: kind, ToolUseID: id, Text: fmt.Sprint("text ", i)})
		}
		list[i] = m
	}
	return list
}

// pairs are calls with their results, found one by one.
func pairs(list []*pith.Message) (out [][2]int) {
	open := map[string][]int{}
	for i, m := range list {
		for _, b := range m.Blocks {
			if b.Kind == pith.KindToolUse {
				open[b.ToolUseID] = append(open[b.ToolUseID], i)
			} else if calls := open[b.ToolUseID]; len(calls) > 0 {
				out = append(out, [2]int{calls[len(calls)-1], i})
				open[b.ToolUseID] = calls[:len(calls)-1]
			}
		}
	}
	return out
}

func TestSafeCutsPartNoPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := talk(t)
		safe := safeCuts(list)
		for at, ok := range safe {
			parted := slices.ContainsFunc(pairs(list), func(p [2]int) bool { return p[0] < at && at <= p[1] })
			if ok == parted {
				t.Fatalf("cut at %d of %d is safe: %v, a pair is parted: %v", at, len(list), ok, parted)
			}
		}
		n := rapid.IntRange(1, 30).Draw(t, "n")
		if from := lastFrom(list, n); !safe[from] || len(list) > 0 && from >= len(list) {
			t.Fatalf("the last %d of %d begin at %d", n, len(list), from)
		}
	})
}

func TestMaskLeavesTheLastTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := talk(t)
		before := fmt.Sprintf("%v", texts(list))
		n := rapid.IntRange(1, 12).Draw(t, "n")
		out := masked(list, n)
		if fmt.Sprintf("%v", texts(list)) != before {
			t.Fatal("the context that came in was changed")
		}
		turns := 0
		for i := len(out) - 1; i >= 0; i-- {
			for k, b := range out[i].Blocks {
				masked := b.Text == OmittedOutput
				if masked != (b.Kind == pith.KindToolResult && turns >= n) {
					t.Fatalf("block %d.%d after %d turns of %d: %q", i, k, turns, n, b.Text)
				}
			}
			if out[i].Role == pith.RoleAssistant {
				turns++
			}
		}
	})
}

func texts(list []*pith.Message) (out []string) {
	for _, m := range list {
		for _, b := range m.Blocks {
			out = append(out, b.Text)
		}
	}
	return out
}

// TestClientSummary: what a client went on with, as three clients write it.
func TestClientSummary(t *testing.T) {
	user := func(text string, origin pith.Provenance) pith.Message {
		return pith.Message{Role: pith.RoleUser, Blocks: []pith.Block{{Kind: pith.KindText, Text: text, Origin: origin}}}
	}
	kept := user("kept", pith.UserExplicit)
	kept.RowIDs = []string{"row-7"}
	answer := pith.Message{Role: pith.RoleAssistant, Blocks: []pith.Block{{Kind: pith.KindText, Text: "I go on"}}}
	summary := user("the summary", pith.Harness)
	system := pith.Message{Role: pith.RoleSystem, Blocks: []pith.Block{{Kind: pith.KindText, Text: "prompt", Origin: pith.System}}}
	for _, c := range []struct {
		name       string
		boundary   pith.Boundary
		after      []pith.Message
		text, tail string
	}{
		{"behind the boundary", pith.Boundary{}, []pith.Message{summary, answer, user("later", pith.Harness)}, "the summary\n", ""},
		{"with preserved rows", pith.Boundary{PreservedRows: []string{"row-7"}}, []pith.Message{summary, answer}, "the summary\n", "kept\n"},
		{"a history without a summary", pith.Boundary{Replacement: []pith.Message{user("ask", pith.UserExplicit), answer, system}}, nil, "ask\nI go on\n", ""},
		{"a history with one", pith.Boundary{Replacement: []pith.Message{user("ask", pith.UserExplicit), summary}}, nil, "the summary\n", "ask\n"},
		{"nothing", pith.Boundary{}, []pith.Message{user("go on", pith.UserExplicit)}, "", ""},
	} {
		s := &session{records: []pith.Record{{Message: &kept}, {Boundary: &c.boundary}}}
		for i := range c.after {
			s.records = append(s.records, pith.Record{Message: &c.after[i]})
		}
		at := &At{Live: []*pith.Message{&kept}, session: s, cut: &cut{record: 1, boundary: 1}}
		g, err := Client().Make(context.Background(), at)
		if err != nil || g.Text != c.text || messagesText(g.Tail) != c.tail {
			t.Errorf("%s: text %q, tail %q, %v", c.name, g.Text, messagesText(g.Tail), err)
		}
		if (g.Absent != "") != (c.text == "" && c.tail == "") {
			t.Errorf("%s: absent %q", c.name, g.Absent)
		}
	}
}
