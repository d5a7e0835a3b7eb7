package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/provider/providertest"
)

// slowModel answers after a time.
type slowModel struct{ takes time.Duration }

func (slowModel) About() compactor.Card { return compactor.Card{Provider: "anthropic", Name: "m"} }

func (m slowModel) Complete(context.Context, compactor.Request) (compactor.Response, error) {
	time.Sleep(m.takes)
	return compactor.Response{}, nil
}

func TestAskingIsShownOnATerminalOnly(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			line := &asking{console: &console{err: &out, progress: terminal}}
			m := announced{slowModel{2500 * time.Millisecond}, line}
			for range 2 {
				if _, err := m.Complete(context.Background(), compactor.Request{}); err != nil {
					t.Fatal(err)
				}
			}
			want := ""
			if terminal {
				const wipe = "\r\x1b[K"
				for _, call := range []string{"asking anthropic/m", "asking anthropic/m (call 2)"} {
					for _, s := range []string{"0", "1", "2"} {
						want += wipe + call + " ... " + s + " s"
					}
					want += wipe
				}
			}
			if out.String() != want {
				t.Errorf("terminal %v: %q, want %q", terminal, out.String(), want)
			}
		})
	}
}

func TestFiguresLine(t *testing.T) {
	f := memory.Figures{
		Provider: "anthropic", Model: "claude-haiku-4-5", Calls: 3, Retries: 1, Input: 1000, CacheRead: 50_000, CacheWrite: 200, Output: 700,
		Cost: 0.00976, Priced: true, Latency: 2340 * time.Millisecond, Kept: 11, Dropped: 3,
		DroppedBy: []pith.KindCount{{Kind: "number", Count: 1}, {Kind: "path", Count: 2}},
	}
	const want = "anthropic/claude-haiku-4-5: 3 calls (1 to mend an answer), 51200 tokens in (50000 from the cache), 700 out, $0.0098, 2.3 s; " +
		"11 of 14 claims kept, dropped: number 1, path 2"
	if got := figuresLine(&f); got != want {
		t.Errorf("\n%s, want\n%s", got, want)
	}
}

func TestPriceIsThatOfTheProvider(t *testing.T) {
	for _, x := range []struct {
		models, url string
		priced      bool
	}{
		{"anthropic/claude-haiku-4-5", "", true},
		{"openai/gpt-5-mini", "https://gateway.example/v1", false},
		{"openai/gpt-5-mini", "http://localhost:11434/v1", false},
		{"openai/gpt-5-mini", "http://[::1]:8080", false},
		{"openai/no-such-model", "", false},
	} {
		c := &console{err: new(bytes.Buffer), settings: &settings{List: known()}}
		c.settings.set("model", x.models)
		c.settings.set("model-url", x.url)
		m, err := c.draftModel()
		if err != nil {
			t.Fatal(err)
		}
		if got := m.About().Price != (compactor.Price{}); got != x.priced {
			t.Errorf("%s at %q is priced: %v, want %v", x.models, x.url, got, x.priced)
		}
	}
}

func (s *settings) set(name, value string) {
	for i := range s.List {
		if s.List[i].Name == name {
			s.List[i].Value = value
		}
	}
}

func TestModelNames(t *testing.T) {
	got, err := modelNames("anthropic/a, openai/b,openai-chat/meta/llama-3:8b,openai-responses/c")
	want := []modelName{{"anthropic", "", "a"}, {"openai", "", "b"}, {"openai", "chat", "meta/llama-3:8b"}, {"openai", "responses", "c"}}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v, %v", got, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%v, want %v", got[i], want[i])
		}
	}
	for _, bad := range []string{"a", "anthropic", "anthropic/", "openai-azure/x", "anthropic/a,", ",", "anthropic/a b"} {
		if got, err := modelNames(bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

func TestParseKeys(t *testing.T) {
	for text, want := range map[string]string{
		"sk-1\n": "sk-1", "\ufeffsk-1\r\n": "sk-1", "# mine\n\nsk-1==\n": "sk-1==", "OPENAI_API_KEY=sk-2\n": "", "export ANTHROPIC_API_KEY='sk-1'\n": "sk-1",
	} {
		k, ok := parseKeys(text)
		if got := k.of("anthropic"); !ok || got != want {
			t.Errorf("%q gives %q (%v), want %q", text, got, ok, want)
		}
	}
	for _, bad := range []string{"", "\n# nothing\n", "two words\n", "sk-1\nsk-2\n"} {
		if _, ok := parseKeys(bad); ok {
			t.Errorf("%q is taken for a key", bad)
		}
	}
}

func TestBaseURLs(t *testing.T) {
	for base, want := range map[string][2]string{
		"":                                {"", ""},
		"http://localhost:11434":          {"http://localhost:11434", "http://localhost:11434/v1"},
		"http://localhost:11434/":         {"http://localhost:11434", "http://localhost:11434/v1"},
		"http://localhost:11434/v1/":      {"http://localhost:11434", "http://localhost:11434/v1"},
		"https://gateway.example/openai":  {"https://gateway.example/openai", "https://gateway.example/openai"},
		"https://gateway.example/api/v1/": {"https://gateway.example/api", "https://gateway.example/api/v1"},
	} {
		if got := [2]string{anthropicBase(base), openaiBase(base)}; got != want {
			t.Errorf("%q is %v, want %v", base, got, want)
		}
	}
	if !inTheOpen("http://10.0.0.7:8000/v1") || inTheOpen("https://api.example") || inTheOpen("http://127.0.0.1:1") || inTheOpen("") {
		t.Error("what is encrypted, or stays on this machine, is not in the open")
	}
	if strings.Contains(keyVariable("openai"), "openai") {
		t.Error(keyVariable("openai"))
	}
}

// TestModelSettingsReachTheModel sends what the settings say.
func TestModelSettingsReachTheModel(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("ANTHROPIC_API_KEY", "")
	server := providertest.New(t, providertest.Options{Script: answerScripts})
	session := filepath.Join("..", "..", "testdata", "sessions", "claude-code.jsonl")
	ask := func(flags ...string) (*providertest.Request, int) {
		t.Helper()
		before := len(server.Requests())
		var out, errOut bytes.Buffer
		args := append([]string{"compact", session, "--view", "state", "--model", "anthropic/local-model", "--model-url", server.URL}, flags...)
		if code := run(args, strings.NewReader(""), &out, &errOut); code != exitDone {
			t.Fatalf("exit %d: %s", code, errOut.String())
		}
		requests := server.Requests()
		if len(requests) == before {
			t.Fatalf("the model was not asked: %s", errOut.String())
		}
		return &requests[before], len(requests) - before
	}
	plain, calls := ask()
	if calls != 1 || plain.Conversation.MaxTokens != 4096 {
		t.Errorf("%d calls, max_tokens %d; want 1 and 4096", calls, plain.Conversation.MaxTokens)
	}
	if r, _ := ask("--model-max-tokens", "1500"); r.Conversation.MaxTokens != 1500 {
		t.Errorf("max_tokens is %d, want 1500", r.Conversation.MaxTokens)
	}
	if r, _ := ask("--message-cap", "100"); r.Input >= plain.Input*3/4 {
		t.Errorf("%d tokens with a cap of 100 characters, %d without", r.Input, plain.Input)
	}
	if r, _ := ask("--focus", "the golden file and nothing else"); !strings.Contains(r.Text(), "the golden file and nothing else") {
		t.Error("the focus is not in the request")
	}
	if _, calls := ask("--model-window", "6000"); calls < 2 {
		t.Errorf("%d calls, want the session in parts", calls)
	}
	if problems := server.Problems(); len(problems) > 0 {
		t.Errorf("refused: %v", problems)
	}
}
