package install_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/provider/providertest"
)

// planted is a session with facts that no compaction may lose: a rule of the
// user's, forty files, five commands that end badly, each in its own way, and a
// run of tests with counts.
type planted struct {
	Prompt, Rule string
	// Paths are relative to the repository.
	Paths []string
	// Exits are the codes that commands ended with.
	Exits map[string]int
	// Counts is what the tests' last line says.
	Counts []string
}

var plantedExits = []struct {
	name string
	code int
}{{"alpha", 3}, {"bravo", 2}, {"charlie", 7}, {"delta", 101}, {"echo", 124}}

// perTurn is how many files a turn writes or reads, in parallel calls.
const perTurn = 4

// plant puts the session's files into the rig's repository.
func plant(r *rig) *planted {
	p := &planted{
		Rule:   "Never change the public API of src/legacy.go, and keep port 8123.",
		Exits:  map[string]int{},
		Counts: []string{"2 failed", "31 passed"},
	}
	p.Prompt = "Split the server into small packages. " + p.Rule + " Then run every check."
	r.write("src/legacy.go", "package src\n\n// Port is asked of clients.\nconst Port = 8123\n")
	for i := range 20 {
		read := fmt.Sprintf("old/part%02d/source%02d.go", i, i)
		r.write(read, source("old", i))
		p.Paths = append(p.Paths, read, fmt.Sprintf("new/part%02d/target%02d.go", i, i))
	}
	for _, e := range plantedExits {
		r.write("check/"+e.name+".sh", fmt.Sprintf("echo 'check %s: cannot go on' >&2\nexit %d\n", e.name, e.code))
		p.Exits["sh check/"+e.name+".sh"] = e.code
	}
	r.write("check/tests.sh", "echo 'tests/test_server.py ....F..F'\necho 'FAILED tests/test_server.py::test_port - assert 8080 == 8123'\necho '===== "+strings.Join(p.Counts, ", ")+" in 1.52s ====='\nexit 1\n")
	return p
}

// turns are the model's: files, checks and tests, while the client is told that
// its window fills, and with the last of them that it is full. Units: tokens.
func (p *planted) turns(r *rig, full int) []providertest.Answer {
	var list []providertest.Answer
	for at := 0; at < len(p.Paths); at += perTurn {
		a := providertest.Answer{Text: fmt.Sprintf("Part %d of the files.", at/perTurn+1)}
		for i, path := range p.Paths[at : at+perTurn] {
			a.Calls = append(a.Calls, fileCall(r, path, at+i))
		}
		list = append(list, a)
		if n := at / perTurn; n%2 == 1 {
			list = append(list, bash("sh check/"+plantedExits[n/2].name+".sh"))
		}
	}
	list = append(list, bash("sh check/tests.sh"))
	for i := range list {
		list[i].Usage = used(20_000 + 1_000*i)
	}
	list[len(list)-1].Usage = used(full)
	return list
}

// source is a file of about a thousand tokens, so that the session is as long
// as the client is told.
func source(name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package part%02d\n", n)
	for i := range 45 {
		fmt.Fprintf(&b, "\n// %s%02d holds row %d of table %d.\nfunc %s%02dRow%d() int { return %d }\n", name, n, i, n*7, name, n, i, n*i+13)
	}
	return b.String()
}

func fileCall(r *rig, path string, n int) providertest.Call {
	input := map[string]string{"file_path": r.Work + "/" + path}
	name := "Read"
	if strings.HasPrefix(path, "new/") {
		name, input["content"] = "Write", source("new", n)
	}
	return providertest.Call{Name: name, Input: mustJSON(input)}
}

func bash(command string) providertest.Answer {
	return providertest.Answer{Calls: []providertest.Call{{Name: "Bash", Input: mustJSON(map[string]string{"command": command, "description": "check"})}}}
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// missing lists the planted facts that a request does not hold.
func (p *planted) missing(text string) []string {
	var list []string
	for _, path := range p.Paths {
		if !strings.Contains(text, path) {
			list = append(list, path)
		}
	}
	for _, fact := range append([]string{p.Rule}, p.Counts...) {
		if !strings.Contains(text, fact) {
			list = append(list, fact)
		}
	}
	for command, code := range p.Exits {
		if !exitStated(text, command, code) {
			list = append(list, fmt.Sprintf("%s: exit %d", command, code))
		}
	}
	return list
}

// exitStated tells whether a text says how a command ended: in a line that names
// both, as a memory does, or in the call and its result, as the client does.
func exitStated(text, command string, code int) bool {
	for line := range strings.Lines(text) {
		if strings.Contains(line, command) && (strings.Contains(line, fmt.Sprintf("exit %d", code)) || strings.Contains(line, fmt.Sprintf("Exit code %d", code))) {
			return true
		}
	}
	return false
}

// spoken is what a request tells the model: every message, a line for each block,
// and behind a call, in the same line, how its result begins.
func spoken(q *providertest.Request) string {
	results := map[string]string{}
	for i := range q.Conversation.Messages {
		for _, b := range q.Conversation.Messages[i].Blocks {
			if b.Kind == pith.KindToolResult {
				results[b.ToolUseID] = b.Text
			}
		}
	}
	var out strings.Builder
	for i := range q.Conversation.Messages {
		for _, b := range q.Conversation.Messages[i].Blocks {
			if b.Kind == pith.KindToolUse {
				first, _, _ := strings.Cut(results[b.ToolUseID], "\n")
				fmt.Fprintf(&out, "%s -> %s\n", strings.ReplaceAll(b.Text, "\n", " "), first)
				continue
			}
			out.WriteString(b.Text + "\n")
		}
	}
	return out.String()
}
