package install_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// markedTurns write four files in each of ten turns, below src/MARK, and fill
// the window enough for one compaction behind the last.
func (r *rig) markedTurns(mark string) []providertest.Answer {
	var turns []providertest.Answer
	for i := range 10 {
		var calls []providertest.Call
		for j := range 4 {
			n := 4*i + j
			calls = append(calls, r.opencodeWrite(fmt.Sprintf("src/%s/part_%02d.go", mark, n), plantedFile(n)))
		}
		turns = append(turns, providertest.Answer{Text: fmt.Sprintf("Step %d of %s.", i, mark), Calls: calls, Usage: used(25_000 + 2_000*i)})
	}
	return turns
}

// of are the requests of the session whose first words hold a text, in order.
func of(s *script, words string) (out []providertest.Request) {
	for _, q := range s.Main() {
		if strings.Contains(firstWords(&q), words) {
			out = append(out, q)
		}
	}
	return out
}

// firstWords are those of the first message of a user, where there are several
// parts all of them.
func firstWords(q *providertest.Request) string {
	for i := range q.Conversation.Messages {
		if m := &q.Conversation.Messages[i]; m.Role == "user" {
			var b strings.Builder
			for j := range m.Blocks {
				b.WriteString(m.Blocks[j].Text)
			}
			return b.String()
		}
	}
	return ""
}

// placed are the sessions in which a memory is placed, with that memory.
func (r *rig) placed() map[string]string {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.Home, ".local/share/pith/hooks/opencode/*.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		var p struct {
			Placed struct {
				Memory string `json:"memory"`
			} `json:"placed"`
		}
		text, err := os.ReadFile(f)
		if err == nil {
			err = json.Unmarshal(text, &p)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".json")] = p.Placed.Memory
	}
	return out
}

// apart fails the test where a request has another session's marks, or lacks
// its own once there is a memory in it.
func apart(t *testing.T, list []providertest.Request, own, other string) {
	t.Helper()
	remembered := 0
	for i := range list {
		text := list[i].Text()
		if strings.Contains(text, "src/"+other+"/part_") || strings.Contains(text, "the "+other+" modules") {
			t.Errorf("request %d of %s holds what is of %s", i, own, other)
		}
		if memoryIn(&list[i]) == "" {
			continue
		}
		remembered++
		for n := range 40 {
			if name := fmt.Sprintf("part_%02d.go", n); !strings.Contains(text, name) {
				t.Errorf("request %d of %s is without %s", i, own, name)
			}
		}
	}
	if remembered == 0 {
		t.Errorf("none of %d requests of %s has a memory", len(list), own)
	}
}

// TestRealOpencodeSubagents holds that a sub-agent's session, which is one of
// its own in opencode, and the one that it works for each have their own
// memory.
func TestRealOpencodeSubagents(t *testing.T) {
	t.Parallel()
	s := &script{Summary: "## Objective\nnothing"}
	r := opencodeRig(t, s, "anthropic")
	task, err := json.Marshal(map[string]string{"description": "Write beryl", "prompt": "Write the beryl modules.", "subagent_type": "general"})
	if err != nil {
		t.Fatal(err)
	}
	more := providertest.Answer{Text: "More.", Calls: []providertest.Call{opencodeShell("echo more", "More")}, Usage: used(20_000)}
	s.Turns = append(s.Turns, providertest.Answer{Text: "I delegate.", Calls: []providertest.Call{{Name: "task", Input: task}}, Usage: used(20_000)})
	s.Turns = append(s.Turns, r.markedTurns("beryl")...)
	s.Turns = append(s.Turns, more, providertest.Answer{Text: "Beryl is written.", Usage: used(21_000)})
	s.Turns = append(s.Turns, r.markedTurns("amber")...)
	s.Turns = append(s.Turns, more)
	r.opencodeRuns("run", "Write the amber modules. Have a part of it done by another agent.")
	r.quiet()
	var parent, child []providertest.Request
	for _, q := range s.Main() {
		if strings.Contains(q.Text(), "Write the beryl modules.") && !strings.Contains(q.Text(), "Write the amber modules") {
			child = append(child, q)
		} else {
			parent = append(parent, q)
		}
	}
	if len(child) != 12 || len(parent) != 13 {
		t.Fatalf("%d requests of the sub-agent, %d of the agent\n%s", len(child), len(parent), sizes(s))
	}
	apart(t, child, "beryl", "amber")
	for i := range parent {
		if strings.Contains(parent[i].Text(), "src/beryl/part_") {
			t.Errorf("request %d holds what the sub-agent did", i)
		}
	}
	if last := parent[12].Text(); memoryIn(&parent[12]) == "" || !strings.Contains(last, "part_39.go") {
		t.Errorf("the last request: %s", last)
	}
	id := r.opencodeSession()
	memories := r.placed()
	if len(memories) != 2 || !strings.Contains(memories[id], "src/amber/") || strings.Contains(memories[id], "src/beryl/") {
		t.Errorf("placed in %s and others: %q", id, memories)
	}
	if said := r.pith("compact", "--latest", "opencode", "--force"); !strings.Contains(said.Err, id) || !strings.Contains(said.Out, "amber") {
		t.Errorf("the newest session is %s", said.Err)
	}
}

// TestRealOpencodeTwoSessions holds that two sessions in one folder, each gone on
// with after the other, keep to themselves.
func TestRealOpencodeTwoSessions(t *testing.T) {
	t.Parallel()
	s := &script{Summary: "## Objective\nnothing"}
	r := opencodeRig(t, s, "anthropic")
	var ids []string
	for _, mark := range []string{"amber", "beryl"} {
		s.then(r.markedTurns(mark)...)
		s.then(providertest.Answer{Text: "Written.", Usage: used(20_000)})
		r.opencodeRuns("run", "Write the "+mark+" modules.")
		ids = append(ids, r.opencodeSession())
	}
	for _, id := range ids {
		r.opencodeRuns("run", "--session", id, "go on")
	}
	r.quiet()
	amber, beryl := of(s, "the amber modules"), of(s, "the beryl modules")
	if len(amber) != 12 || len(beryl) != 12 || ids[0] == ids[1] {
		t.Fatalf("%d and %d requests of %v\n%s", len(amber), len(beryl), ids, sizes(s))
	}
	apart(t, amber, "amber", "beryl")
	apart(t, beryl, "beryl", "amber")
	for i, list := range [][]providertest.Request{amber, beryl} {
		if memoryIn(&list[10]) != memoryIn(&list[11]) || !strings.Contains(list[11].LastText(), "go on") {
			t.Errorf("session %d goes on with another memory", i)
		}
	}
	// Each is in the database by its own name.
	db := filepath.Join(r.Home, ".local/share/opencode/opencode.db")
	for i, mark := range []string{"amber", "beryl"} {
		if out := r.pith("compact", db, "--session", ids[i], "--force").Out; !strings.Contains(out, "src/"+mark+"/part_39.go") {
			t.Errorf("session %s in the database gives %s", ids[i], out)
		}
	}
}

// TestRealOpencodeRevert holds that a memory is used as long as the messages that
// it goes before are there, and no longer.
func TestRealOpencodeRevert(t *testing.T) {
	t.Parallel()
	s := &script{Summary: "## Objective\nnothing"}
	r := opencodeRig(t, s, "anthropic")
	s.Turns = r.markedTurns("amber")
	r.opencodeRuns("run", "Write the amber modules.")
	r.opencodeRuns("run", "--continue", "go on")
	id := r.opencodeSession()
	asked := r.opencodeAsked(id)
	if len(asked) != 2 {
		t.Fatalf("the user's messages are %q", asked)
	}
	url := r.opencodeServer()
	post(t, url+"/session/"+id+"/revert", fmt.Sprintf(`{"messageID":%q}`, asked[1]))
	r.opencodeRuns("run", "--continue", "another way")
	main := s.Main()
	q := &main[len(main)-1]
	if memoryIn(q) == "" || strings.Contains(q.Text(), "go on") || !strings.Contains(q.LastText(), "another way") {
		t.Errorf("after the later message was taken back: %s", q.Text())
	}
	post(t, url+"/session/"+id+"/revert", fmt.Sprintf(`{"messageID":%q}`, asked[0]))
	r.opencodeRuns("run", "--continue", "start over")
	main = s.Main()
	q = &main[len(main)-1]
	if memoryIn(q) != "" || strings.Contains(q.Text(), "amber") || !strings.Contains(q.LastText(), "start over") {
		t.Errorf("after all was taken back: %s", q.Text())
	}
	r.quiet()
}

// opencodeAsked are the ids of the user's messages in a session.
func (r *rig) opencodeAsked(id string) (out []string) {
	r.t.Helper()
	file := filepath.Join(r.Home, "asked.json")
	if res := r.run("", "/bin/sh", "-c", `exec "$0" export "$1" > "$2"`, r.agent("current/opencode"), id, file); res.Code != 0 {
		r.t.Fatalf("export: exit %d\n%s", res.Code, res.Err)
	}
	var session struct {
		Messages []struct {
			Info struct{ ID, Role string } `json:"info"`
		} `json:"messages"`
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &session)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	for _, m := range session.Messages {
		if m.Info.Role == "user" {
			out = append(out, m.Info.ID)
		}
	}
	return out
}
