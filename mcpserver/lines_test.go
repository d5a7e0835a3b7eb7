package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pith-memory/pith/mcpserver"
)

const (
	hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	ping  = `{"jsonrpc":"2.0","id":"last","method":"ping"}`
)

// answers sends lines to a server and gives what it wrote by the time its input
// ended.
func answers(t testing.TB, p *place, input string) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	err := mcpserver.New(p.config()).ServeLines(context.Background(), strings.NewReader(input), &out)
	if err != nil {
		t.Fatalf("the server ended with %v", err)
	}
	var all []map[string]any
	lines := bufio.NewScanner(&out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m map[string]any
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m["jsonrpc"] != "2.0" {
			t.Fatalf("this is no message: %.300q", lines.Text())
		}
		all = append(all, m)
	}
	return all
}

// isAlive tells whether the last ping was answered.
func isAlive(all []map[string]any) bool {
	for _, m := range all {
		if m["id"] == "last" && m["error"] == nil {
			return true
		}
	}
	return false
}

func code(m map[string]any) int {
	e, ok := m["error"].(map[string]any)
	if !ok {
		return 0
	}
	return int(e["code"].(float64))
}

func TestMalformedFrames(t *testing.T) {
	call := func(id, params string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":` + params + `}`
	}
	for _, c := range []struct {
		name, frame string
		code        int // 0: no error, or none at all
	}{
		{"not JSON", `nonsense`, -32700},
		{"half a message", `{"jsonrpc":"2.0","id":1,"method":`, -32700},
		{"two on a line", ping + ping, -32700},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", -32700},
		{"NUL", "\x00\x00", -32700},
		{"batch", `[` + ping + `]`, -32600},
		{"empty batch", `[]`, -32600},
		{"a number", `7`, -32600},
		{"a text", `"ping"`, -32600},
		{"nothing", `null`, -32600},
		{"empty object", `{}`, -32600},
		{"wrong version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600},
		{"no version", `{"id":1,"method":"ping"}`, -32600},
		{"id is an object", call(`{}`, `{}`), -32600},
		{"id is a list", call(`[1]`, `{}`), -32600},
		{"id is true", call(`true`, `{}`), -32600},
		{"id is null", call(`null`, `{}`), -32600},
		{"id is a fraction", call(`1.5`, `{}`), -32600},
		{"id is huge", call(`1e300`, `{}`), -32600},
		{"id is long", call(`"`+strings.Repeat("x", 5000)+`"`, `{}`), -32600},
		{"method is a number", `{"jsonrpc":"2.0","id":1,"method":5}`, -32600},
		{"method is empty", `{"jsonrpc":"2.0","id":1,"method":""}`, -32601},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"rm/-rf"}`, -32601},
		{"unknown notification", `{"jsonrpc":"2.0","method":"notifications/surprise"}`, 0},
		{"cancels nothing", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, 0},
		{"cancels nonsense", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, 0},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":55,"result":{}}`, 0},
		{"an answer that is both", `{"jsonrpc":"2.0","id":55,"result":{},"error":{"code":1,"message":"m"}}`, 0},
		{"params is a list", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, -32600},
		{"params is a text", call(`1`, `"state"`), -32600},
		{"params are missing", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, -32600},
		{"no such tool", call(`1`, `{"name":"rm","arguments":{}}`), -32602},
		{"arguments is a list", call(`1`, `{"name":"search","arguments":[1,2]}`), 0},
		{"deep", call(`1`, `{"name":"state","arguments":`+strings.Repeat(`{"a":`, 500)+`1`+strings.Repeat(`}`, 500)+`}`), -32600},
		{"very deep", strings.Repeat(`[`, 2_000_000), -32600},
		{"huge", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 17<<20) + `"}`, -32600},
		{"meta is a text", call(`1`, `{"name":"state","_meta":"x"}`), -32602},
		{"a number for a version in meta", call(`1`, `{"name":"state","_meta":{"io.modelcontextprotocol/protocolVersion":5}}`), 0},
		{"a version that nobody speaks", call(`1`, `{"name":"state","_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}`), -32602},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := answers(t, newPlace(t), hello+"\n\n \n"+c.frame+"\n"+ping+"\n")
			if !isAlive(all) {
				t.Fatalf("the server does not answer any more: %v", all)
			}
			got := 0
			for _, m := range all {
				if m["id"] != "hello" && m["id"] != "last" && code(m) != 0 {
					got = code(m)
				}
			}
			if got != c.code {
				t.Errorf("code %d, want %d: %.500v", got, c.code, all)
			}
		})
	}
}

// A call whose id is in use is refused, and the first one is answered.
func TestDuplicateID(t *testing.T) {
	p := newPlace(t)
	second := make(chan bool)
	p.opening = func(context.Context) error { <-second; return nil }
	in, out := io.Pipe()
	back, forth := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- mcpserver.New(p.config()).ServeLines(context.Background(), in, forth) }()
	state := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"state","arguments":{}}}`
	go func() { fmt.Fprintln(out, hello+"\n"+state+"\n"+state) }()
	lines := bufio.NewReader(back)
	var refused, answered bool
	for !answered {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.Contains(line, `"id":null`) && strings.Contains(line, "not answered yet"):
			refused = true
			close(second)
		case strings.Contains(line, `"id":7`):
			answered = strings.Contains(line, "pith-memory")
		}
	}
	out.Close()
	if err := <-done; err != nil || !refused {
		t.Errorf("refused %v, ended with %v", refused, err)
	}
}

// Both handshakes are taken: the probe of new clients and initialize of old ones.
func TestHandshakes(t *testing.T) {
	meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2"},"io.modelcontextprotocol/clientCapabilities":{},"claudecode/toolUseId":"x","progressToken":3}}`
	all := answers(t, newPlace(t), `{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":`+meta+"}\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":`+meta+"}\n")
	both := fmt.Sprint(all) // in any order
	if len(all) != 2 || !strings.Contains(both, "2026-07-28") || !strings.Contains(both, "call state") || !strings.Contains(both, "compact_text") {
		t.Errorf("discover: %.500v", all)
	}
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		all := answers(t, newPlace(t), strings.Replace(hello, "2025-06-18", version, 1)+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"state","arguments":{},"_meta":{"progressToken":"p","claudecode/toolUseId":"toolu_1"}}}`+"\n")
		if len(all) != 2 || !strings.Contains(fmt.Sprint(all[0]), version) || !strings.Contains(fmt.Sprint(all[1]), "pith-memory") {
			t.Errorf("%s: %.800v", version, all)
		}
	}
}

// FuzzServer holds that no bytes end the server, and that all it writes are
// messages.
func FuzzServer(f *testing.F) {
	for _, seed := range []string{
		"", "\n\n", "nonsense", `[` + ping + `]`, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"reference":"12.0","cursor":"5-ab","limit":100}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"state","arguments":{"section":"next"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"compact_text","arguments":{"body":"{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"pith://session/5b0d?cursor=1"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"handoff","arguments":{"to":"x"}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"resume"},"argument":{"name":"session","value":""}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"completion/complete","params":{"ref":null,"argument":null}}`,
		`{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"x"}}`,
		`{"jsonrpc":"2.0","id":8,"method":"resources/subscribe","params":{"uri":"pith://sessions"}}`,
		`{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"debug"}}`,
		`{"jsonrpc":"2.0","id":10,"method":"tools/list","params":{"cursor":"bm8="}}`,
	} {
		f.Add([]byte(seed))
	}
	p := newPlace(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 || bytes.Contains(data, []byte("subscriptions/listen")) && !bytes.HasSuffix(data, []byte("\n")) {
			t.Skip("longer than what finds anything, or never answered")
		}
		if all := answers(t, p, hello+"\n"+string(data)+"\n"+ping+"\n"); !isAlive(all) && !bytes.Contains(data, []byte("last")) {
			t.Errorf("the server does not answer any more: %.500v", all)
		}
	})
}
