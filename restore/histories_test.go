package restore_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/schema"
	"github.com/pith-memory/pith/wire"
	"pgregory.net/rapid"
)

// TestHistories: a state of any history holds what was planted in it, in whose
// words it was, and nothing else; the request that the block goes into is one
// that a provider takes; and all of it again after the work went on.
func TestHistories(t *testing.T) {
	restore.Histories(t, 400)
	changed := 0
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom(restore.Formats).Draw(t, "format")
		body, planted, more := restore.History(t, format)
		t.Logf("%s", body)
		first := compacted(t, format, body, nil)
		checkState(t, first, planted, userText(t, format, body), 0)
		turns := planted.Turns()
		checkReadAgain(t, format, body, first)
		said := userText(t, format, body)

		r, err := restore.Applied(t, body, first.Block.Text, restore.Cut(t))
		if err != nil {
			return
		}
		changed++
		checkCoverage(t, format, body, first, &r)
		body = goneOn(t, format, &r.Conversation, more())
		said += userText(t, format, body)
		second := compacted(t, format, body, first.State)
		checkState(t, second, planted, said, turns)
		_, _ = restore.Applied(t, body, second.Block.Text, restore.Cut(t))
	})
	if changed == 0 {
		t.Error("no conversation was ever made smaller: the property was not tested")
	}
	t.Logf("%d were made smaller", changed)
}

func compacted(t *rapid.T, format pith.Format, body []byte, previous *pith.State) *memory.Result {
	t.Helper()
	m := memory.New(memory.Config{})
	read := func() *memory.Result {
		s, err := m.Read(bytes.NewReader(body), memory.ReadOptions{Format: format, Previous: previous})
		if err != nil {
			t.Fatalf("%v", err)
		}
		r, err := m.Compact(s, pith.ReasonManual)
		if err != nil {
			t.Fatalf("%v", err)
		}
		return r
	}
	r := read()
	if again := read(); !bytes.Equal(again.JSON, r.JSON) || again.Block.Text != r.Block.Text {
		t.Fatalf("twice the same input, two states")
	}
	return r
}

// userText is everything that stands in the user's text blocks, read by code
// that shares nothing with package wire.
func userText(t *rapid.T, format pith.Format, body []byte) string {
	t.Helper()
	var b struct {
		Messages, Input []struct {
			Type, Role string
			Content    any
		}
	}
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatalf("%v", err)
	}
	var text strings.Builder
	for _, m := range append(b.Messages, b.Input...) {
		if m.Role != "user" {
			continue
		}
		if s, ok := m.Content.(string); ok {
			text.WriteString(s + "\n")
		}
		parts, _ := m.Content.([]any)
		for _, p := range parts {
			part, _ := p.(map[string]any)
			if kind := part["type"]; kind == "text" || kind == "input_text" {
				s, _ := part["text"].(string)
				text.WriteString(s + "\n")
			}
		}
	}
	return text.String()
}

// checkState holds a state against what was planted.
func checkState(t *rapid.T, r *memory.Result, p *restore.Planted, said string, since int) {
	t.Helper()
	s := r.State
	whole := string(r.JSON) + r.Block.Text
	for _, rule := range p.UserRules {
		if !slices.ContainsFunc(s.Constraints, func(c pith.Constraint) bool {
			return strings.Contains(c.Text, rule) && c.Provenance == pith.UserExplicit
		}) {
			t.Fatalf("the user's rule %q is not among the constraints %+v", rule, s.Constraints)
		}
	}
	for _, rule := range p.OtherRules {
		for i := range s.Constraints {
			if strings.Contains(s.Constraints[i].Text, rule) && s.Constraints[i].Provenance <= pith.UserExplicit {
				t.Fatalf("what no user said is a constraint: %+v", s.Constraints[i])
			}
		}
		if strings.Contains(s.Goal.Text, rule) {
			t.Fatalf("what no user said is the goal")
		}
	}
	for _, request := range p.Requests {
		if !strings.Contains(whole, request) {
			t.Fatalf("the request %q is lost", request)
		}
	}
	for _, secret := range p.Secrets {
		if strings.Contains(whole, secret) || strings.Contains(whole, secret[8:24]) {
			t.Fatalf("a secret, or a part of it, is in the state or the block")
		}
	}
	checkOrigins(t, s, said)
	checkEvidence(t, s, p, since)
}

// checkOrigins: what is said to be the user's words is.
func checkOrigins(t *rapid.T, s *pith.State, said string) {
	t.Helper()
	said = plain(redact.New().Text(said))
	check := func(what, text string, from pith.Provenance) {
		if from == pith.UserExplicit && !strings.Contains(said, plain(text)) {
			t.Fatalf("%s is not in the user's words: %q", what, text)
		}
	}
	check("the goal", s.Goal.Text, s.Goal.Provenance)
	for _, a := range s.Goal.Amendments {
		if !a.Shortened {
			check("an amendment", a.Text, a.Provenance)
		}
	}
	for _, c := range s.Constraints {
		check("a constraint", c.Text, c.Provenance)
	}
	for _, d := range s.Decisions {
		check("a decision", d.Decision, d.Provenance)
		if d.Status == "approved" && d.Provenance > pith.UserExplicit {
			t.Fatalf("approved by %s: %+v", d.Provenance, d)
		}
	}
	for _, i := range s.Invariants {
		check("an invariant", i.Text, i.Provenance)
	}
}

var redacted = regexp.MustCompile(`\[REDACTED:[^\]]*\]`)

// plain is text without the differences that normalising makes, and without the
// numbers of redacted secrets.
func plain(text string) string {
	text = redacted.ReplaceAllString(text, "[REDACTED]")
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\ufffd", "")), " ")
}

// checkEvidence: the last run of a command rules, with its own exit code. Of
// the turns up to since the end may be read once more, without what no provider
// would have taken of it, so only the commands of later turns are asked.
func checkEvidence(t *rapid.T, s *pith.State, p *restore.Planted, since int) {
	t.Helper()
	for command, runs := range p.Exits {
		if runs.Unknown || runs.Turn <= since {
			continue
		}
		found := false
		for i := range s.Evidence {
			e := &s.Evidence[i]
			if e.Command != command || e.SupersededBy != nil {
				continue
			}
			found = true
			if e.ExitCode == nil || !slices.Contains(runs.Codes, *e.ExitCode) || (e.Status == "pass") != (*e.ExitCode == 0) {
				t.Fatalf("%s ended with %d, and the state says %+v", command, runs.Codes, e)
			}
		}
		if !found {
			t.Fatalf("no evidence of %s, which ended with %d", command, runs.Codes)
		}
	}
}

// checkReadAgain: the state keeps its contract, and every source is true.
func checkReadAgain(t *rapid.T, format pith.Format, body []byte, r *memory.Result) {
	t.Helper()
	state, err := schema.Unmarshal(r.JSON)
	if err != nil {
		t.Fatalf("%v", err)
	}
	next, err := memory.Messages(bytes.NewReader(body), format)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if problems, _ := schema.CheckTranscript(state, next); len(problems) > 0 {
		t.Fatalf("%v", problems)
	}
	if _, _, err := restore.ParseBlock(r.Block.Text); err != nil {
		t.Fatalf("the block cannot be read back: %v", err)
	}
}

// checkCoverage: what left the conversation is within what the state was made
// from, and can be read again word for word.
func checkCoverage(t *rapid.T, format pith.Format, body []byte, r *memory.Result, applied *restore.Result) {
	t.Helper()
	in, err := wire.DecodeAs(format, body)
	if err != nil {
		t.Fatalf("%v", err)
	}
	kept := map[int]bool{}
	for i := range applied.Conversation.Messages {
		kept[applied.Conversation.Messages[i].Index] = true
	}
	next, err := memory.Passages(bytes.NewReader(body), memory.NumberingOf(r.State))
	if err != nil {
		t.Fatalf("%v", err)
	}
	told := map[int]bool{}
	for {
		p, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
		told[p.Source.Message] = true
	}
	for i := range in.Messages {
		m := &in.Messages[i]
		if kept[m.Index] {
			continue
		}
		if m.Index < r.State.Checkpoint.FromMessage || m.Index > r.State.Checkpoint.ThroughMessage {
			t.Fatalf("message %d is neither in the state nor in the request", m.Index)
		}
		if !told[m.Index] && slices.ContainsFunc(m.Blocks, func(b pith.Block) bool {
			hasWords := b.Kind == pith.KindText || b.Kind == pith.KindToolUse || b.Kind == pith.KindToolResult
			return hasWords && strings.TrimSpace(b.Text) != ""
		}) {
			t.Fatalf("message %d left the conversation and cannot be read again", m.Index)
		}
	}
}

// goneOn is the conversation after more turns.
func goneOn(t *rapid.T, format pith.Format, c *pith.Conversation, messages []any) []byte {
	t.Helper()
	body, err := wire.Encode(*c)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, m := range messages {
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if body, err = wire.Append(format, body, bytes.ReplaceAll(raw, []byte("LONE"), []byte(`\ud83d`))); err != nil {
			t.Fatalf("%v", err)
		}
	}
	return body
}
