package meter_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter"
)

func text(role pith.Role, s string) pith.Message {
	return pith.Message{Role: role, Blocks: []pith.Block{{Kind: pith.KindText, Text: s}}}
}

func call(command string) pith.Message {
	args := []pith.Arg{{Key: "command", Value: command, IsString: true}}
	return pith.Message{Role: pith.RoleAssistant, Blocks: []pith.Block{{
		Kind: pith.KindToolUse, ToolName: "bash", Args: args, Text: pith.ToolUseText("bash", args),
	}}}
}

func result(s string) pith.Message {
	return pith.Message{Role: pith.RoleUser, Blocks: []pith.Block{{Kind: pith.KindToolResult, Text: s}}}
}

func conversation(messages ...pith.Message) *pith.Conversation {
	c := &pith.Conversation{Model: "test-model", System: []pith.Block{{Text: "You are a coding agent."}}, Messages: messages}
	for i := range c.Messages {
		c.Messages[i].Index = i
	}
	return c
}

func lines(n int) string { return strings.Repeat("line of a log with state=ok\n", n) }

// The provider hides what it read from its cache in a field of its own.
func TestCachedTokensAreUsedTokens(t *testing.T) {
	c := conversation(text(pith.RoleUser, "Go on."), text(pith.RoleAssistant, "Done with step 3."))
	r := meter.Read(c, meter.ReadOptions{Window: 200_000, Usage: &pith.Usage{Input: 37, CacheRead: 171_500, CacheWrite: 2_400, Output: 512}})
	if r.Used != 174_449 || r.Basis != meter.Reported || r.Since != 0 {
		t.Errorf("used %d (%s), since %d; want 174449 reported", r.Used, r.Basis, r.Since)
	}
	if r.Fraction < 0.872 || r.Fraction > 0.873 {
		t.Errorf("fraction %v, want 0.872", r.Fraction)
	}
}

func TestWhatCameSinceIsAdded(t *testing.T) {
	c := conversation(text(pith.RoleUser, "Go."), call("make"), result(lines(100)))
	c.Messages[1].Usage = &pith.Usage{Input: 1000, Output: 50}
	r := meter.Read(c, meter.ReadOptions{Window: 10_000})
	if want := meter.EstimateMessage(&c.Messages[2]); r.Since != want || r.Used != 1050+want || r.Basis != meter.ReportedPlus {
		t.Errorf("%+v, want 1050 + %d", r, want)
	}
}

// Ten steps that each report 90,000 cached tokens fill 90,000, not 900,000.
func TestUsageIsNeverSummed(t *testing.T) {
	c := conversation()
	for range 10 {
		m := text(pith.RoleAssistant, "step")
		m.Usage = &pith.Usage{Input: 12, CacheRead: 90_000, Output: 88}
		c.Messages = append(c.Messages, m)
	}
	live := new(meter.Live)
	for i := range c.Messages {
		live.Add(&c.Messages[i])
	}
	for name, r := range map[string]meter.Reading{
		"Read": meter.Read(c, meter.ReadOptions{Window: 128_000}),
		"Live": live.Reading(meter.ReadOptions{Window: 128_000}),
	} {
		if r.Used != 90_100 {
			t.Errorf("%s: used %d, want 90100", name, r.Used)
		}
	}
}

func TestZeroUsageIsUnknown(t *testing.T) {
	c := conversation(text(pith.RoleUser, "Check the logs."), call("cat log"), result(lines(900)), text(pith.RoleAssistant, "ok"))
	c.Messages[3].Usage = &pith.Usage{}
	r := meter.Read(c, meter.ReadOptions{Window: 8000, Usage: &pith.Usage{}})
	if want := meter.EstimateConversation(c).Total(); r.Basis != meter.Estimated || r.Reported != 0 || r.Used != want || want < 5000 {
		t.Errorf("%+v, want an estimate of %d", r, want)
	}
	if r.Reserve < r.Used/10 {
		t.Errorf("reserve %d of an estimate of %d: the margin is missing", r.Reserve, r.Used)
	}
}

func TestUsageThatDoesNotCount(t *testing.T) {
	build := func() *pith.Conversation {
		c := conversation(text(pith.RoleUser, "a"), text(pith.RoleAssistant, "b"), text(pith.RoleUser, "c"), text(pith.RoleAssistant, "d"))
		c.Model = "claude-haiku-4-5"
		c.Messages[1].Usage = &pith.Usage{Input: 60_000}
		c.Messages[1].Model = "claude-opus-4-7"
		return c
	}
	r := meter.Read(build(), meter.ReadOptions{})
	if r.Reported != 0 || r.Basis != meter.Estimated || r.Window != 200_000 {
		t.Errorf("usage of another model was taken: %+v", r)
	}
	r = meter.Read(build(), meter.ReadOptions{Model: "claude-opus-4-7[1m]"})
	if r.Reported != 60_000 {
		t.Errorf("usage of the same model was not taken: %+v", r)
	}
	r = meter.Read(build(), meter.ReadOptions{Model: "claude-opus-4-7", Boundary: 2})
	if r.Reported != 0 {
		t.Errorf("usage from before a boundary was taken: %+v", r)
	}
	r = meter.Read(build(), meter.ReadOptions{Usage: &pith.Usage{Input: 60_000}, UsageModel: "claude-opus-4-7"})
	if r.Reported != 0 {
		t.Errorf("passed usage of another model was taken: %+v", r)
	}
}

func TestWideCharactersAreNotQuarterTokens(t *testing.T) {
	s := strings.Repeat("不要修改数据库模式。データベースを変更しないでください。스키마를 바꾸지 마세요. ", 30)
	c := conversation(text(pith.RoleUser, s))
	wide := 0
	for _, r := range s {
		if r >= 0x3000 {
			wide++
		}
	}
	if r := meter.Read(c, meter.ReadOptions{Window: 3000}); float64(r.Used) < 0.5*float64(wide) || r.Used <= pith.Tokens(len(s)/6) {
		t.Errorf("%d tokens for %d wide characters", r.Used, wide)
	}
}

func TestEveryPartOfARequestCounts(t *testing.T) {
	base := func() *pith.Conversation {
		c := conversation(text(pith.RoleUser, "Go."), call("ls"), result("ok"))
		c.Tools = json.RawMessage(`[{"name":"bash"}]`)
		return c
	}
	more := lines(50)
	for name, grow := range map[string]func(c *pith.Conversation){
		"system": func(c *pith.Conversation) { c.System[0].Text += more },
		"tools": func(c *pith.Conversation) {
			c.Tools = json.RawMessage(`[{"name":"bash","description":"` + more + `"}]`)
		},
		"text":      func(c *pith.Conversation) { c.Messages[0].Blocks[0].Text += more },
		"tool use":  func(c *pith.Conversation) { c.Messages[1] = call(more) },
		"args only": func(c *pith.Conversation) { c.Messages[1] = call(more); c.Messages[1].Blocks[0].Text = "" },
		"result":    func(c *pith.Conversation) { c.Messages[2] = result(more) },
		"opaque":    func(c *pith.Conversation) { c.Messages[2].Blocks[0] = pith.Block{Kind: pith.KindOpaque, Text: more} },
		"image":     func(c *pith.Conversation) { c.Messages[2].Blocks[0].MediaBytes = 200_000 },
	} {
		c := base()
		before := meter.Read(c, meter.ReadOptions{}).Used
		grow(c)
		r := meter.Read(c, meter.ReadOptions{})
		if r.Used < before+300 {
			t.Errorf("%s: %d before, %d after", name, before, r.Used)
		}
		if r.Parts.Total() != r.Used {
			t.Errorf("%s: parts %+v do not add up to %d", name, r.Parts, r.Used)
		}
	}
}

func TestImagesAreBounded(t *testing.T) {
	for bytes, want := range map[int][2]pith.Tokens{0: {1600, 1602}, 10: {85, 90}, 100_000: {400, 800}, 50_000_000: {1600, 1602}} {
		got := meter.EstimateBlock(&pith.Block{Kind: pith.KindImage, MediaBytes: bytes})
		if got < want[0] || got > want[1] {
			t.Errorf("image of %d bytes: %d tokens, want %v", bytes, got, want)
		}
	}
}

func TestReserveHoldsTheOutput(t *testing.T) {
	c := conversation(text(pith.RoleUser, lines(600)))
	c.MaxTokens = 4096
	r := meter.Read(c, meter.ReadOptions{Window: 8192})
	if r.Reserve < 4096+r.Used/10 {
		t.Errorf("reserve %d, want max_tokens and a tenth of %d", r.Reserve, r.Used)
	}
	r = meter.Read(c, meter.ReadOptions{Window: 8192, MaxTokens: 100})
	if r.Reserve < 100+r.Used/10 || r.Reserve > 101+r.Used/10 {
		t.Errorf("reserve %d with max_tokens 100 and a tenth of %d", r.Reserve, r.Used)
	}
}

func TestWindow(t *testing.T) {
	for _, x := range []struct {
		model      string
		configured int
		tokens     int
		from       string
	}{
		{"claude-opus-4-5-20251101", 0, 200_000, meter.FromCatwalk},
		{"claude-opus-4-5", 64_000, 64_000, meter.FromConfig},
		{"claude-opus-4.5", 0, 200_000, meter.FromCatwalk},
		{"anthropic/claude-opus-4.5", 0, 200_000, meter.FromCatwalk},
		{"us.anthropic.claude-sonnet-4-5-20250929-v1:0", 0, 200_000, meter.FromCatwalk},
		{"claude-opus-4-5@20251101", 0, 200_000, meter.FromCatwalk},
		{"claude-sonnet-4-5-20250929[1m]", 0, 1_000_000, meter.FromConfig},
		{"claude-sonnet-4-5[1M]", 0, 1_000_000, meter.FromConfig},
		{"CLAUDE-HAIKU-4-5-20251001", 0, 200_000, meter.FromCatwalk},
		{"claude-opus-4-7", 0, 1_000_000, meter.FromCatwalk},
		{"gpt-5.1-codex", 0, 400_000, meter.FromCatwalk},
		{"claude-opus-5-5", 0, 1_000_000, meter.FromFamily},
		{"anthropic/claude-opus-5.5-20261001", 0, 1_000_000, meter.FromFamily},
		{"claude-opus-95", 0, 0, meter.FromUnknown},
		{"claude-5", 0, 0, meter.FromUnknown},
		{"gpt-5-2025-08-07", 0, 400_000, meter.FromCatwalk},
		{"openai/gpt-5", 0, 400_000, meter.FromCatwalk},
		{"no-such-model", 0, 0, meter.FromUnknown},
		{"claude-opus-99", 0, 0, meter.FromUnknown}, // no window is guessed from a family
		{"", 0, 0, meter.FromUnknown},
		{"<synthetic>", 0, 0, meter.FromUnknown},
		{"claude", 0, 0, meter.FromUnknown},
		{"gpt-5\t400000", 0, 0, meter.FromUnknown},
		{"-2025-08-07", 0, 0, meter.FromUnknown},
		{"[1m", 0, 0, meter.FromUnknown},
	} {
		tokens, from := meter.Window(x.model, x.configured)
		if tokens != x.tokens || from != x.from {
			t.Errorf("Window(%q, %d) = %d, %s; want %d, %s", x.model, x.configured, tokens, from, x.tokens, x.from)
		}
	}
}

func TestModel(t *testing.T) {
	for id, want := range map[string]meter.Info{
		"claude-haiku-4-5":           {Window: 200_000, MaxOutput: 64_000, Input: 1, Output: 5, CacheRead: 0.1, CacheWrite: 1.25, Reasons: true},
		"anthropic/claude-haiku-4.5": {Window: 200_000, MaxOutput: 64_000, Input: 1, Output: 5, CacheRead: 0.1, CacheWrite: 1.25, Reasons: true},
		"gpt-5-mini":                 {Window: 400_000, MaxOutput: 128_000, Input: 0.25, Output: 2, CacheRead: 0.025, CacheWrite: 0.25, Reasons: true},
		"openai/gpt-4o-2024-08-06":   {Window: 128_000, MaxOutput: 8192, Input: 2.5, Output: 10, CacheRead: 1.25, CacheWrite: 2.5},
	} {
		if got, ok := meter.Model(id); !ok || got != want {
			t.Errorf("Model(%q) = %+v, %v; want %+v", id, got, ok, want)
		}
	}
	for _, id := range []string{"", "no-such-model", "gpt-5\t400000", "200000"} {
		if got, ok := meter.Model(id); ok || got != (meter.Info{}) {
			t.Errorf("Model(%q) = %+v, %v; it is not in the table", id, got, ok)
		}
	}
}

func TestWindowOfAReading(t *testing.T) {
	c := conversation(text(pith.RoleUser, "a"), text(pith.RoleAssistant, "b"))
	c.Model = "claude-sonnet-4-5"
	c.Messages[1].Usage = &pith.Usage{Input: 350_000}
	if r := meter.Read(c, meter.ReadOptions{}); r.Window != 0 || r.WindowFrom != meter.FromUnknown || r.Fraction != 0 {
		t.Errorf("a window that the provider exceeded was kept: %+v", r)
	}
	if r := meter.Read(c, meter.ReadOptions{Window: 300_000}); r.Window != 300_000 || r.Fraction < 1 {
		t.Errorf("a configured window was not kept: %+v", r)
	}
	c.Messages[1].Usage.Window = 258_400
	c.Messages[1].Usage.Input = 1000
	if r := meter.Read(c, meter.ReadOptions{}); r.Window != 258_400 || r.WindowFrom != meter.FromTranscript {
		t.Errorf("the client's window was not taken: %+v", r)
	}
}

func TestReadNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pith.Block {
			return pith.Block{Kind: pith.BlockKind(rapid.IntRange(0, 7).Draw(t, "kind")), Text: rapid.String().Draw(t, "text"), MediaBytes: rapid.Int().Draw(t, "bytes")}
		}), 0, 4)
		c := &pith.Conversation{Model: rapid.String().Draw(t, "model"), System: blocks.Draw(t, "system")}
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			c.Messages = append(c.Messages, pith.Message{Role: pith.Role(rapid.SampledFrom([]string{"user", "assistant", "x"}).Draw(t, "role")), Blocks: blocks.Draw(t, "blocks")})
		}
		r := meter.Read(c, meter.ReadOptions{Window: rapid.IntRange(-5, 1000).Draw(t, "window")})
		if r.Used < 0 || r.Used != r.Reported+r.Since || r.Reserve < 0 {
			t.Fatalf("%+v", r)
		}
	})
}
