package memory_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
)

// TestOddSessions holds that what is read becomes a valid state, however odd.
func TestOddSessions(t *testing.T) {
	long := strings.Repeat("please fix a.go. ", 100000)
	row := func(fields, content string) string {
		return `{"type":"user","uuid":"u1",` + fields + `"message":{"role":"user","content":` + content + `}}`
	}
	for name, text := range map[string]string{
		"session id with a slash":     row(`"sessionId":"a/b c",`, `"Fix a.go"`),
		"session id too long":         row(`"sessionId":"`+strings.Repeat("x", 5000)+`",`, `"Fix a.go"`),
		"session id that is a secret": row(`"sessionId":"AKIAQ3EGRIS7OEXAMPL2",`, `"Fix a.go"`),
		"control characters":          row(`"sessionId":"s","cwd":"/a\nb\u0000","gitBranch":"a\u001b[31m\n",`, `"Fix a.go \u0000 \u202e"`),
		"directory too long":          row(`"sessionId":"s","cwd":"/`+strings.Repeat("x", 9000)+`",`, `"Fix a.go"`),
		"year 10000":                  row(`"sessionId":"s","timestamp":"9999-12-31T23:59:59-12:00",`, `"Fix a.go"`),
		"image only":                  row(`"sessionId":"s",`, `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]`),
		"unknown block only":          row(`"sessionId":"s",`, `[{"type":"hologram"}]`),
		"white space only":            row(`"sessionId":"s",`, `" \n "`),
		"result only":                 row(`"sessionId":"s",`, `[{"type":"tool_result","tool_use_id":"t","content":"FAIL"}]`),
		"call by a user":              row(`"sessionId":"s",`, `[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]`),
		"call without a name":         `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","input":{}}]}]}`,
		"goal of 1.7 MB":              row(`"sessionId":"s",`, strconv.Quote(long)),
		"later text of 1.7 MB":        row(`"sessionId":"s",`, `"Fix it."`) + "\n" + strings.Replace(row(`"sessionId":"s",`, strconv.Quote(long)), "u1", "u2", 1),
		"items that are no words":     `{"type":"response_item","payload":{"type":"additional_tools","role":"developer","tools":[]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := memory.New(memory.Config{}).Read(strings.NewReader(text), memory.ReadOptions{}); err != nil {
				t.Fatal(err)
			}
			checkPipeline(t, []byte(text))
		})
	}
}

// TestNothingToRead holds that a session without content is refused as input,
// with the place of what is damaged.
func TestNothingToRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"user","sessionId":"s","message":{"role":"user","content":[]}}`:   "its messages are empty",
		`{"system":"Never push.","messages":[]}`:                                   "it holds no messages",
		`{"type":"user","sessionId":"s","message":{"role":"user","content":"Fix a`: "1 damaged rows, the first on line 1",
	} {
		_, err := memory.New(memory.Config{}).Read(strings.NewReader(text), memory.ReadOptions{})
		if pith.KindOf(err) != pith.KindInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
