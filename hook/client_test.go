package hook_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pith-memory/pith/hook"
)

// client is Claude Code with one session: it writes the session's file as the
// real one does, a row for each content block, and sends events.
type client struct {
	id, folder, transcript string
	// mark is a word that is in whatever this session says and in no other.
	mark   string
	branch string
	paths  []string

	rows, turns int
	last        string
	lock        sync.Mutex
	fresh       int
}

func newClient(home, id, folder, mark string) *client {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, folder)
	return &client{id: id, folder: folder, mark: mark, branch: "main", transcript: filepath.Join(home, "projects", name, id+".jsonl")}
}

// wants are what no compaction may lose.
func (c *client) wants() []string {
	list := []string{"Rename the ledger " + c.mark, "Never touch " + c.mark + "/legacy.go"}
	if len(c.paths) > 0 {
		list = append(list, c.paths[len(c.paths)-1], c.mark+"-check", "exit 3")
	}
	return list
}

// row adds one row to the file.
func (c *client) row(kind string, fields map[string]any) {
	c.rows++
	row := map[string]any{
		"parentUuid": nil, "isSidechain": false, "userType": "external", "cwd": c.folder, "sessionId": c.id, "version": "2.1.332",
		"gitBranch": c.branch, "type": kind, "uuid": fmt.Sprintf("%s-%06d", c.mark, c.rows),
		"timestamp": time.Date(2026, 11, 2, 9, 0, c.rows, 0, time.UTC).Format(time.RFC3339Nano),
	}
	if c.last != "" {
		row["parentUuid"] = c.last
	}
	for k, v := range fields {
		row[k] = v
	}
	c.last = row["uuid"].(string)
	line, err := json.Marshal(row)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(c.transcript), 0o700)
	}
	if err != nil {
		panic(err)
	}
	f, err := os.OpenFile(c.transcript, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}

func (c *client) says(text string) {
	c.row("user", map[string]any{"message": map[string]any{"role": "user", "content": text}})
}

// answers adds an answer of the model, a row for each of its blocks.
func (c *client) answers(blocks ...map[string]any) {
	c.turns++
	for _, b := range blocks {
		c.row("assistant", map[string]any{"message": map[string]any{
			"id": fmt.Sprintf("msg_%s_%d", c.mark, c.turns), "type": "message", "role": "assistant", "model": "claude-opus-5-5",
			"content": []any{b}, "stop_reason": "tool_use",
			"usage": map[string]any{"input_tokens": 20, "cache_read_input_tokens": 18000 + 400*c.turns, "output_tokens": 90},
		}})
	}
}

// calls has the model call a tool, which answers.
func (c *client) calls(tool string, input map[string]any, result string, failed bool) {
	id := fmt.Sprintf("toolu_%s%d", c.mark, c.rows)
	c.answers(
		map[string]any{"type": "text", "text": "Going on with " + c.mark + "."},
		map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input},
	)
	block := map[string]any{"tool_use_id": id, "type": "tool_result", "content": result}
	row := map[string]any{"message": map[string]any{"role": "user", "content": []any{block}}, "toolUseResult": map[string]any{"stdout": result}}
	if failed {
		block["is_error"] = true
		row["toolUseResult"] = "Error: " + result
	}
	c.row("user", row)
}

// round is a user's turn: some of everything that a memory has to keep.
func (c *client) round(random *rand.Rand) {
	if c.rows == 0 {
		c.says("Rename the ledger " + c.mark + " in every package.\n\n- Never touch " + c.mark + "/legacy.go, the auditors read it.")
	} else {
		c.says(fmt.Sprintf("Go on with part %d.", c.turns))
	}
	path := filepath.Join(c.folder, c.mark, fmt.Sprintf("part %d.go", len(c.paths)))
	c.paths = append(c.paths, path)
	c.calls("Edit", map[string]any{"file_path": path, "old_string": "a", "new_string": "b"}, "The file "+path+" has been updated.", false)
	if random.IntN(3) == 0 {
		c.reads()
	}
	for range random.IntN(3) {
		c.calls("Bash", map[string]any{"command": "ls " + c.mark}, strings.Repeat("part.go "+c.mark+"\n", 1+random.IntN(20)), false)
	}
	c.calls("Bash", map[string]any{"command": "./" + c.mark + "-check all"}, "Exit code 3\n"+c.mark+" is not renamed everywhere", true)
	c.answers(map[string]any{"type": "text", "text": "Part of " + c.mark + " is done, the check fails still."})
	if random.IntN(6) == 0 {
		c.compacts("auto")
	}
}

// reads makes the session large enough for a compaction to be worth it.
func (c *client) reads() {
	var b strings.Builder
	for i := range 900 {
		fmt.Fprintf(&b, "%d\tfunc part%d() { check(%d) }\n", i, i*7, i*13)
	}
	c.calls("Read", map[string]any{"file_path": filepath.Join(c.folder, c.mark, "large.go")}, b.String(), false)
}

// compacts writes what a compaction by the client itself leaves in the file.
func (c *client) compacts(trigger string) {
	before := c.last
	c.row("system", map[string]any{
		"subtype": "compact_boundary", "parentUuid": nil, "logicalParentUuid": before, "content": "Conversation compacted",
		"compactMetadata": map[string]any{"trigger": trigger, "preTokens": 80290, "postTokens": 2898},
	})
	c.row("user", map[string]any{
		"isCompactSummary": true, "isVisibleInTranscriptOnly": true,
		"message": map[string]any{"role": "user", "content": "This session is being continued from a previous conversation that ran out of context.\nSummary:\n1. Primary Request and Intent: something about " + c.mark},
	})
}

// input is what the client sends with an event.
func (c *client) input(event hook.Event, why string) map[string]any {
	in := map[string]any{"session_id": c.id, "transcript_path": c.transcript, "cwd": c.folder}
	switch event {
	case hook.SessionStart:
		in["source"] = why
		if why == "startup" || why == "clear" { // another session, with no file yet
			c.lock.Lock()
			c.fresh++
			id := fmt.Sprintf("%s-%d", c.mark, c.fresh)
			c.lock.Unlock()
			in["session_id"], in["transcript_path"] = id, filepath.Join(filepath.Dir(c.transcript), id+".jsonl")
		}
	case hook.PreCompact, hook.SessionCompact:
		in["messages"] = []map[string]any{{"handle": "h1", "role": "user", "chars": 400_000}, {"handle": "h2", "role": "user", "chars": 40}}
		if why != "" {
			in["trigger"] = why
		}
	case hook.PostCompact:
		in["trigger"], in["compact_summary"] = why, "<summary>Something about "+c.mark+".</summary>"
	case hook.PostToolUse:
		in["tool_name"], in["tool_use_id"] = "Bash", "toolu_x"
		in["tool_input"], in["tool_response"] = map[string]any{"command": "ls"}, map[string]any{"stdout": c.mark}
	case hook.UserPromptSubmit:
		in["prompt"] = "Go on with " + c.mark + "."
	case hook.SubagentStart:
		in["agent_id"], in["agent_type"] = "a"+c.mark, "Explore"
	}
	return in
}
