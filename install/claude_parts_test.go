package install_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/hook"
)

const claudePlugin = "claude-code/plugin"

// TestClaudeHooks holds that Claude Code calls pith for every event of its own
// that pith answers, with little time for those that happen often.
func TestClaudeHooks(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(claudePlugin, "hooks", "hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Modules []string `json:"modules"`
		Hooks   map[string][]struct {
			Matcher string `json:"matcher"`
			Hooks   []struct {
				Type, Command string
				Timeout       int
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	events := []hook.Event{
		hook.SessionStart, hook.UserPromptSubmit, hook.PostToolUse, hook.PostToolUseFailure, hook.PreCompact, hook.PostCompact,
		hook.SubagentStart, hook.SubagentStop, hook.Stop, hook.SessionEnd,
	}
	want := map[string]bool{}
	for _, e := range events {
		want["pith hook "+string(e)+" --client claude-code"] = true
	}
	for name, groups := range file.Hooks {
		for _, g := range groups {
			for _, h := range g.Hooks {
				if !want[h.Command] || g.Matcher != "" || h.Type != "command" || h.Timeout < 1 || h.Timeout > 30 {
					t.Errorf("%s: %+v", name, h)
				}
				event := strings.Fields(h.Command)[2]
				if strings.ReplaceAll(event, "-", "") != strings.ToLower(name) {
					t.Errorf("%s asks %s", name, event)
				}
				delete(want, h.Command)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("nobody asks %v", want)
	}
	for _, m := range file.Modules {
		if _, err := os.Stat(filepath.Join(claudePlugin, "hooks", m)); err != nil {
			t.Error(err)
		}
	}
}

// TestSkill holds that there is one skill, and that it is one that clients take.
func TestSkill(t *testing.T) {
	skill, err := os.ReadFile("../skills/pith/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile(filepath.Join(claudePlugin, "skills", "pith", "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(copied) != string(skill) {
		t.Errorf("%s is another text than skills/pith/SKILL.md: copy it", claudePlugin)
	}
	head, body, ok := strings.Cut(strings.TrimPrefix(string(skill), "---\n"), "\n---\n")
	lines := strings.Split(head, "\n")
	if !ok || len(lines) != 2 || lines[0] != "name: pith" || !strings.HasPrefix(lines[1], "description: ") || len(lines[1]) > 1024 {
		t.Errorf("the head of the skill is %q", head)
	}
	if strings.Contains(strings.TrimPrefix(lines[1], "description: "), ": ") {
		t.Errorf("the description is no plain YAML: %q", lines[1])
	}
	if n := strings.Count(body, "\n"); n > 120 {
		t.Errorf("%d lines; a skill is read whole", n)
	}
}

// TestClaudeCommands holds that a command may run pith and nothing else, and
// that no text of a user's is put into a shell's line.
func TestClaudeCommands(t *testing.T) {
	for _, name := range []string{"compact", "state", "recall", "pin"} {
		data, err := os.ReadFile(filepath.Join(claudePlugin, "commands", name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if tools, ok := strings.CutPrefix(line, "allowed-tools: "); ok {
				for tool := range strings.SplitSeq(strings.TrimSpace(tools), ", ") {
					if !strings.HasPrefix(tool, "Bash(pith ") {
						t.Errorf("%s allows %s", name, tool)
					}
				}
			}
			if strings.HasPrefix(line, "!`") && (strings.Contains(line, "$ARGUMENTS") || !strings.HasPrefix(line, "!`pith ")) {
				t.Errorf("%s runs %s", name, line)
			}
		}
	}
}
