package schema

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// TestTranscriptFinds changes the state or the session in one place each.
func TestTranscriptFinds(t *testing.T) {
	hash := func(b *pith.Block) { b.Hash = sha256.Sum256([]byte(b.Text)) }
	tests := []struct {
		name, rule, path string
		change           func(*pith.State, []*pith.Message)
	}{
		{"another transcript", "V02", "/checkpoint/transcript_sha256", func(s *pith.State, all []*pith.Message) {
			b := &all[2].Blocks[0]
			b.Text += "more"
			hash(b)
		}},
		{"another role", "V02", "/checkpoint/transcript_sha256", func(s *pith.State, all []*pith.Message) { all[2].Role = pith.RoleAssistant }},
		{"block that was changed", "V02", "/blocks/6.0", func(s *pith.State, all []*pith.Message) {
			b := &all[6].Blocks[0]
			b.Text = strings.Replace(b.Text, "3 failed", "0 failed", 1)
			hash(b)
		}},
		{"block that is no summary", "V02", "/blocks/3.0", func(s *pith.State, _ []*pith.Message) {
			s.Blocks["3.0"] = pith.BlockRef{Role: pith.RoleAssistant, Type: "summary", Hash: s.Blocks["3.0"].Hash}
		}},
		{"session that ends early", "V02", "/checkpoint/through_message", func(s *pith.State, _ []*pith.Message) { s.Checkpoint.ThroughMessage = 90 }},
		{"range that begins nowhere", "V02", "/checkpoint/from_message", func(s *pith.State, _ []*pith.Message) { s.Checkpoint.FromMessage = -3 }},
		{"block behind the end", "V02", "/blocks/40.0", func(s *pith.State, _ []*pith.Message) {
			s.Blocks["40.0"] = pith.BlockRef{Role: pith.RoleUser, Type: "text"}
			s.Constraints[0].Source = pith.Source{Message: 40}
		}},
		{"goal reworded", "V03", "/current_goal/text", func(s *pith.State, _ []*pith.Message) {
			s.Goal.Text = strings.Replace(s.Goal.Text, "Do not", "Feel free to", 1)
		}},
		{"goal from a later request", "V03", "/current_goal/source", func(s *pith.State, all []*pith.Message) {
			s.Goal.Text, s.Goal.Source = all[7].Blocks[0].Text, find(all, 7, 0, all[7].Blocks[0].Text)
		}},
		{"goal from the harness although a user speaks", "V03", "/current_goal/provenance", func(s *pith.State, _ []*pith.Message) { s.Goal.Provenance = pith.Harness }},
		{"reminder as the user's words", "V02", "/active_constraints/0/provenance", func(s *pith.State, all []*pith.Message) {
			s.Constraints[0].Text = "Never mention this reminder."
			s.Constraints[0].Source = find(all, 0, 0, s.Constraints[0].Text)
		}},
		{"reminder inside the goal", "V02", "/current_goal/provenance", func(s *pith.State, all []*pith.Message) {
			s.Goal.Text = all[0].Blocks[0].Text
			s.Goal.Source = find(all, 0, 0, s.Goal.Text)
		}},
		{"output as the user's words", "V02", "/active_constraints/0/provenance", func(s *pith.State, all []*pith.Message) {
			s.Constraints[0].Text = "FAIL"
			s.Constraints[0].Source = find(all, 6, 0, "FAIL")
		}},
		{"word added to a constraint", "V06", "/active_constraints/0/text", func(s *pith.State, _ []*pith.Message) { s.Constraints[0].Text = "Do not ever change the public API." }},
		{"span behind the block", "V06", "/active_constraints/0/text", func(s *pith.State, _ []*pith.Message) { s.Constraints[0].Source.End += 5000 }},
		{"span that is none", "V06", "/active_constraints/0/text", func(s *pith.State, _ []*pith.Message) {
			s.Constraints[0].Source.Start, s.Constraints[0].Source.End = 70, 3
		}},
		{"span before the block", "V06", "/active_constraints/0/text", func(s *pith.State, _ []*pith.Message) { s.Constraints[0].Source.Start = -4 }},
		{"amendment reworded", "V05", "/current_goal/amendments/0/text", func(s *pith.State, _ []*pith.Message) { s.Goal.Amendments[0].Text = "Release now." }},
		{"invariant reworded", "V06", "/preserved_invariants/1/text", func(s *pith.State, _ []*pith.Message) { s.Invariants[1].Text = "All names stay." }},
		{"file that was not edited", "V08", "/files_modified_and_inspected/modified/0/path", func(s *pith.State, _ []*pith.Message) { s.Files.Modified[0].Path = "/work/auth/main.go" }},
		{"file that was not read", "V09", "/files_modified_and_inspected/inspected/0/path", func(s *pith.State, _ []*pith.Message) { s.Files.Inspected[0].Path = "/work/auth/main.go" }},
		{"command that was not run", "V12", "/verification_and_evidence/0/command", func(s *pith.State, _ []*pith.Message) { s.Evidence[0].Command = "go test ./..." }},
		{"another exit code", "V12", "/verification_and_evidence/0", func(s *pith.State, _ []*pith.Message) { s.Evidence[0].ExitCode = ptr(0) }},
		{"invented count", "V12", "/verification_and_evidence/0", func(s *pith.State, _ []*pith.Message) { s.Evidence[0].Counts.Passed = 412 }},
		{"invented output", "V12", "/verification_and_evidence/0", func(s *pith.State, _ []*pith.Message) { s.Evidence[0].Excerpt.Tail = []string{"ok all green"} }},
		{"invented test", "V02", "/identifiers/tests/0/0", func(s *pith.State, _ []*pith.Message) { s.Identifiers.Tests[0].Name = "TestOther" }},
		{"invented last words", "V06", "/context/last_words", func(s *pith.State, _ []*pith.Message) { s.Context.LastWords.Text = "All done." }},
		{"invented todo", "V06", "/context/todo/0/text", func(s *pith.State, _ []*pith.Message) { s.Context.Todo[0].Text = "publish" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, all := example(), session()
			tt.change(s, all)
			problems, _ := CheckTranscript(s, stream(all))
			if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Rule == tt.rule && p.Path == tt.path }) {
				t.Errorf("got %v, want %s at %s", problems, tt.rule, tt.path)
			}
		})
	}
}

// TestTranscriptAllows holds honest states against sessions of other shapes.
func TestTranscriptAllows(t *testing.T) {
	add := func(s *pith.State, all []*pith.Message, m *pith.Message) []*pith.Message {
		m.Index = len(all)
		for i := range m.Blocks {
			m.Blocks[i].Hash = sha256.Sum256([]byte(m.Blocks[i].Text))
			s.Blocks[fmt.Sprintf("%d.%d", m.Index, i)] = pith.BlockRef{Role: m.Role, Type: m.Blocks[i].Kind.String(), Hash: pith.HashHex(m.Blocks[i].Hash)}
		}
		s.Checkpoint.ThroughMessage = m.Index
		return append(all, m)
	}
	tests := map[string]func(*pith.State, []*pith.Message) []*pith.Message{
		"a user's refusal in a tool's result": func(s *pith.State, all []*pith.Message) []*pith.Message {
			text := "The user doesn't want to proceed. Never push to main."
			all = add(s, all, &pith.Message{Role: pith.RoleUser, Blocks: []pith.Block{{Kind: pith.KindToolResult, Text: text, Rejected: true, Origin: pith.ToolOutput}}})
			k := s.Constraints[0]
			k.ID, k.Text = "co-0123456789", "Never push to main."
			k.Source = find(all, 9, 0, k.Text)
			s.Constraints = append(s.Constraints, k)
			return all
		},
		"an answer to a question": func(s *pith.State, all []*pith.Message) []*pith.Message {
			ask := pith.Block{Kind: pith.KindToolUse, ToolName: "AskUserQuestion", ToolUseID: "q", Origin: pith.Assistant}
			ask.Text = pith.ToolUseText(ask.ToolName, nil)
			all = add(s, all, &pith.Message{Role: pith.RoleAssistant, Blocks: []pith.Block{ask}})
			all = add(s, all, &pith.Message{Role: pith.RoleUser, Blocks: []pith.Block{{Kind: pith.KindToolResult, ToolUseID: "q", Text: "Use Postgres.", Origin: pith.ToolOutput}}})
			s.Decisions[0].Decision, s.Decisions[0].Status, s.Decisions[0].Provenance = "Use Postgres.", "approved", pith.UserExplicit
			s.Decisions[0].Source = pith.Source{Message: 10}
			return all
		},
		"a shortened paste": func(s *pith.State, all []*pith.Message) []*pith.Message {
			text := "See this log:\n" + strings.Repeat("line\n", 400) + "and fix it."
			all = add(s, all, &pith.Message{Role: pith.RoleUser, Blocks: []pith.Block{{Kind: pith.KindText, Text: text, Origin: pith.UserExplicit}}})
			s.Goal.Amendments = append(s.Goal.Amendments, pith.Amendment{
				Text: "See this log:\nline\n[... 1990 bytes left out ...]\nline\nand fix it.", Relation: "amends", Shortened: true, Bytes: len(text),
				Provenance: pith.UserExplicit, Source: find(all, 9, 0, text),
			})
			return all
		},
		"a list in raw JSON": func(s *pith.State, all []*pith.Message) []*pith.Message {
			use := pith.Block{Kind: pith.KindToolUse, ToolName: "TodoWrite", Args: []pith.Arg{{Key: "todos", Value: `[{"content":"say \"done\""}]`}}, Origin: pith.Assistant}
			use.Text = pith.ToolUseText(use.ToolName, use.Args)
			all = add(s, all, &pith.Message{Role: pith.RoleAssistant, Blocks: []pith.Block{use}})
			s.Context.Todo = append(s.Context.Todo, pith.Todo{Text: `say "done"`, Status: "pending", Source: pith.Source{Message: 9}})
			return all
		},
		"messages behind the end": func(s *pith.State, all []*pith.Message) []*pith.Message {
			return append(all, &pith.Message{Index: len(all), Role: pith.RoleUser, Blocks: []pith.Block{{Text: "later"}}})
		},
		"a command before the goal": func(s *pith.State, all []*pith.Message) []*pith.Message {
			b := &all[0].Blocks[0]
			b.Text = "<command-name>/model</command-name>\n<command-args>opus</command-args>\n" + b.Text
			b.Hash = sha256.Sum256([]byte(b.Text))
			s.Goal.Source = find(all, 0, 0, s.Goal.Text)
			s.Constraints[0].Source = find(all, 0, 0, s.Constraints[0].Text)
			s.Security.Quarantined[0].Source = find(all, 0, 0, "Never mention this reminder.")
			s.Blocks["0.0"] = pith.BlockRef{Role: pith.RoleUser, Type: "text", Hash: pith.HashHex(b.Hash)}
			return all
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			s, all := example(), session()
			all = change(s, all)
			used := map[string]bool{}
			s.EachSource(func(at pith.Source) { used[at.BlockKey()] = true })
			for key := range s.Blocks {
				if !used[key] {
					delete(s.Blocks, key)
				}
			}
			var d Digest
			for _, m := range all {
				if m.Index <= s.Checkpoint.ThroughMessage {
					d.Add(m)
				}
			}
			s.Checkpoint.TranscriptSHA256 = d.Sum()
			stamp(s)
			noProblems(t, Check(s))
			problems, _ := CheckTranscript(s, stream(all))
			noProblems(t, problems)
		})
	}
}

func TestTranscriptThatBreaks(t *testing.T) {
	problems, done := CheckTranscript(example(), func() (*pith.Message, error) { return nil, errors.New("disk on fire") })
	if len(problems) == 0 || !strings.Contains(problems[0].Text, "disk on fire") || done.Messages != 0 {
		t.Errorf("got %v", problems)
	}
}

func TestDigest(t *testing.T) {
	sum := func(change func([]*pith.Message)) string {
		all := session()
		change(all)
		var d Digest
		for _, m := range all {
			d.Add(m)
		}
		return d.Sum()
	}
	plain := sum(func([]*pith.Message) {})
	for name, change := range map[string]func([]*pith.Message){
		"order":   func(all []*pith.Message) { all[3], all[4] = all[4], all[3] },
		"missing": func(all []*pith.Message) { all[5].Blocks = nil },
		"kind":    func(all []*pith.Message) { all[1].Blocks[0].Kind = pith.KindToolUse },
		"role":    func(all []*pith.Message) { all[1].Role = pith.RoleSystem },
		"hash":    func(all []*pith.Message) { all[1].Blocks[0].Hash[31]++ },
	} {
		if sum(change) == plain {
			t.Errorf("%s: the digest is the same", name)
		}
	}
	if sum(func(all []*pith.Message) {
		all[1].Blocks = append(all[1].Blocks, pith.Block{Kind: pith.KindThinking, Text: "hm"})
	}) != plain {
		t.Error("thinking changes the digest")
	}
	var empty Digest
	if empty.Sum() != sha256Hex(nil) {
		t.Error("a session of nothing has another digest than nothing")
	}
}
