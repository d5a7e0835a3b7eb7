package merge_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/extract"
	"github.com/pith-memory/pith/merge"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/schema"
)

// says is a message of one block.
func says(role pith.Role, kind pith.BlockKind, origin pith.Provenance, text string) *pith.Message {
	return &pith.Message{Role: role, Blocks: []pith.Block{{Kind: kind, Origin: origin, Text: text, Hash: sha256.Sum256([]byte(text))}}}
}

func user(text string) *pith.Message {
	return says(pith.RoleUser, pith.KindText, pith.UserExplicit, text)
}

func assistant(text string) *pith.Message {
	return says(pith.RoleAssistant, pith.KindText, pith.Assistant, text)
}

func call(tool, args string) *pith.Message {
	m := says(pith.RoleAssistant, pith.KindToolUse, pith.Assistant, tool+"\ncommand: "+args)
	m.Blocks[0].ToolName, m.Blocks[0].ToolUseID = tool, "t"
	m.Blocks[0].Args = []pith.Arg{{Key: "command", Value: args, IsString: true}}
	return m
}

func result(text string) *pith.Message {
	m := says(pith.RoleUser, pith.KindToolResult, pith.ToolOutput, text)
	m.Blocks[0].ToolUseID = "t"
	return m
}

// clean is a text as it is behind package redact.
func clean(text string) string {
	text, _ = redact.Normalise(text)
	return text
}

// stateOf is the state of a session by its facts alone.
func stateOf(messages []*pith.Message) *pith.State {
	x := extract.New()
	var digest schema.Digest
	for _, m := range messages {
		x.Message(m)
		digest.Add(m)
	}
	scan := pith.SecretScan{RulesetSHA256: strings.Repeat("0", 64), Status: "clean", Rescan: "clean"}
	return merge.State(x.Facts(), merge.Session{
		ID: "s1", Format: pith.FormatAnthropic, Trigger: pith.ReasonManual, TranscriptSHA256: digest.Sum(),
		Security: pith.Security{SecretScan: scan}, Metrics: pith.Metrics{Tokenizer: "none"},
	})
}

// judged folds a session and judges a draft of it.
func judged(t *testing.T, d *compactor.Draft, messages ...*pith.Message) (*pith.State, merge.Verdict, *pith.State) {
	t.Helper()
	c := merge.NewClaims(d)
	for i, m := range messages {
		m.Index = i
		c.Message(m)
	}
	facts := stateOf(messages)
	before, err := schema.Marshal(facts, false)
	if err != nil {
		t.Fatal(err)
	}
	s, v := merge.Judge(facts, d, c, "test/model")
	if after, err := schema.Marshal(facts, false); err != nil || string(after) != string(before) {
		t.Error("the judgement changed the facts")
	}
	if _, problems := schema.Seal(s); len(problems) > 0 {
		t.Errorf("the judged state breaks the contract: %v", problems)
	}
	next := 0
	problems, _ := schema.CheckTranscript(s, func() (*pith.Message, error) {
		if next == len(messages) {
			return nil, eof
		}
		next++
		return messages[next-1], nil
	})
	if len(problems) > 0 {
		t.Errorf("the judged state is not what the session holds: %v", problems)
	}
	return s, v, facts
}
