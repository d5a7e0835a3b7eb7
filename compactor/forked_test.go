package compactor

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

func bodyOf(text string) (json.RawMessage, error) {
	b, err := json.Marshal(text)
	return append(append(json.RawMessage(`{"model":"m","messages":[{"role":"user","content":`), b...), "}]}"...), err
}

func TestFork(t *testing.T) {
	header := map[string][]string{"anthropic-beta": {"x"}}
	newFork := func() *Fork { return &Fork{Size: 50_000, MaxTokens: 8000, Header: header, Body: bodyOf} }

	m := &fake{card: Card{Window: 100_000, Schema: true}, replies: []reply{{Response: Response{Stop: StopToolUse, ToolCalls: []string{"bash"}}}, says(good)}}
	d, report := run(t, m, Input{Fork: newFork(), State: &pith.State{Goal: pith.Goal{Text: "Fix the login."}}}, Options{})
	if d == nil || !report.Forked || report.Calls != 2 || report.Retries != 1 {
		t.Fatalf("%+v, %v", report, report.Err)
	}
	for i, r := range m.asked {
		var body struct {
			Messages []struct{ Content string }
		}
		if err := json.Unmarshal(r.Body, &body); err != nil || r.Prompt != "" || r.System != "" || r.Header["anthropic-beta"][0] != "x" {
			t.Fatalf("request %d: %+v, %v", i, r, err)
		}
		text := body.Messages[0].Content
		if !strings.HasPrefix(text, forkInstruction) || !strings.Contains(text, instruction) || !strings.Contains(text, `"goal":"Fix the login."`) || strings.Contains(text, `"retry":`) != (i == 1) {
			t.Errorf("request %d says %s", i, text)
		}
		if at := strings.LastIndex(text, "\n{"); !json.Valid([]byte(text[at:])) {
			t.Errorf("request %d ends with %s", i, text[at:])
		}
	}

	// What cannot be forked goes the plain way.
	full := newFork()
	full.Size = 91_800
	failing := newFork()
	failing.Body = func(string) (json.RawMessage, error) { return nil, errNoBody }
	large := newFork()
	large.Body = func(string) (json.RawMessage, error) { return make(json.RawMessage, 5<<20), nil }
	for name, fork := range map[string]*Fork{"no room": full, "no body": failing, "a large body": large} {
		m := &fake{card: Card{Window: 100_000}, replies: []reply{says(good)}}
		d, report := run(t, m, Input{Fork: fork}, Options{})
		if d == nil || report.Forked || m.asked[0].Body != nil || report.Problems[0].Kind != ProblemNoFork {
			t.Errorf("%s: %+v, %v", name, report, report.Err)
		}
	}
	for kind, plain := range map[FailureKind]bool{FailTooLarge: true, FailInvalid: true, FailRateLimit: false, FailAuth: false} {
		m := &fake{card: Card{Window: 100_000}, replies: []reply{fails(kind), says(good)}}
		d, report := run(t, m, Input{Fork: newFork()}, Options{})
		if (d != nil) != plain || report.Forked {
			t.Errorf("%s: %+v, %v", kind, report, report.Err)
		}
	}
	m = &fake{card: Card{Window: 100_000}, replies: []reply{says("")}}
	if _, report := run(t, m, Input{Fork: newFork()}, Options{}); len(m.asked) != 2 || report.Err == nil {
		t.Errorf("empty twice: %d calls, %v", len(m.asked), report.Err)
	}
}

func TestFailover(t *testing.T) {
	card := func(name string, window int, format pith.Format) Card {
		return Card{Provider: "openai", Name: name, Window: window, Format: format, Schema: name != "b", Price: Price{Output: float64(len(name))}}
	}
	for name, c := range map[string]struct {
		a, b   reply
		body   json.RawMessage
		format pith.Format
		window int
		want   string // "" fails
		kind   FailureKind
	}{
		"first":            {a: says(good), b: says(good), want: "a"},
		"rate limit":       {a: fails(FailRateLimit), b: says(good), want: "b"},
		"auth":             {a: fails(FailAuth), b: says(good), want: "b"},
		"not found":        {a: fails(FailNotFound), b: says(good), want: "b"},
		"invalid":          {a: fails(FailInvalid), b: says(good), kind: FailInvalid},
		"too large":        {a: fails(FailTooLarge), b: says(good), kind: FailTooLarge},
		"too large, room":  {a: fails(FailTooLarge), b: says(good), window: 200_000, want: "b"},
		"all fail":         {a: fails(FailRateLimit), b: fails(FailAuth), kind: FailRateLimit},
		"body":             {a: fails(FailRateLimit), b: says(good), body: json.RawMessage("{}"), want: "b"},
		"body for another": {a: fails(FailRateLimit), b: says(good), body: json.RawMessage("{}"), format: pith.FormatAnthropic, kind: FailRateLimit},
	} {
		t.Run(name, func(t *testing.T) {
			if c.window == 0 {
				c.window = 50_000
			}
			a := &fake{card: card("a", 50_000, ""), replies: []reply{c.a}}
			b := &fake{card: card("b", c.window, c.format), replies: []reply{c.b}}
			r, err := Failover(a, b).Complete(t.Context(), Request{Body: c.body, Schema: json.RawMessage("{}")})
			if c.want == "" {
				if f := FailureOf(err); f == nil || f.Kind != c.kind {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil || r.By == nil || r.By.Name != c.want {
				t.Fatalf("answered by %+v, %v", r.By, err)
			}
			if len(b.asked) > 0 && b.asked[0].Schema != nil {
				t.Error("a schema for a model that takes none")
			}
		})
	}
	if Failover() != nil {
		t.Error("a model of none")
	}
	small := &fake{card: Card{Provider: "anthropic", Window: 40_000, MaxOutput: 2000}}
	list := Failover(&fake{card: card("a", 50_000, "")}, small, &fake{card: Card{Provider: "openai"}})
	if c := list.About(); c.Name != "a" || c.Window != 32_000 || c.MaxOutput != 2000 {
		t.Errorf("card %+v", c)
	}
	m := Failover(&fake{card: card("a", 50_000, ""), replies: []reply{fails(FailOverloaded)}},
		&fake{card: card("bb", 50_000, ""), replies: []reply{{Response: Response{Text: good, Stop: StopEnd, Usage: pith.Usage{Output: 1_000_000}}}}})
	if d, report := run(t, m, Input{}, Options{}); d == nil || report.Model != "openai/bb" || report.Cost != 2 || report.Usage.Output != 1_000_000 {
		t.Errorf("%+v, %v", report, report.Err)
	}
}

func TestDecode(t *testing.T) {
	d, err := Decode(`{"goal":"fix it","decisions":["keep the cookie",{"decision":"use PKCE","rationale":"safer"}],"next_action":"run the tests","open_questions":"which port?",
		"relevant_tool_results":{"port":"8080","list":{"a":1},"n":3},"eliminated_approaches":[{"approach":"a header","reason":"proxies"},"a query"],"unknown":{"x":[1,2]},"phase":null,"current_state":["half","done"]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := &Draft{
		Task: "fix it", CurrentState: "half\ndone", KeyDecisions: []Decision{{Decision: "keep the cookie"}, {Decision: "use PKCE", Reason: "safer"}},
		EliminatedApproaches: []Eliminated{{"a header", "proxies"}, {"a query", ""}}, OpenQuestions: []string{"which port?"}, NextSteps: []string{"run the tests"},
		ToolResults: []ToolResult{{"port", "8080"}, {"list", `{"a":1}`}, {"n", "3"}},
	}
	if string(encode(d)) != string(encode(want)) {
		t.Errorf("got  %s\nwant %s", encode(d), encode(want))
	}
	secret := "ghp_" + strings.Repeat("aB3dE6gH9j", 3) + "kLmNoP"
	d, err = Decode(`{"task":"use ` + secret + `","next_steps":["export TOKEN=` + secret + `"],"relevant_tool_results":[{"name":"t","result":"` + secret + `"}]}`)
	if err != nil || strings.Contains(string(encode(d)), secret) || !strings.Contains(d.Task, "[REDACTED:") {
		t.Errorf("%s, %v", encode(d), err)
	}
	steps, _ := json.Marshal(slices.Repeat([]string{strings.Repeat("word ", 1000)}, 40))
	d, err = Decode(`{"task":"x y","next_steps":` + string(steps) + `}`)
	if err != nil || len(d.NextSteps) != 40 || len(d.NextSteps[0]) > MaxDraftItem {
		t.Errorf("%d steps, %v", len(d.NextSteps), err)
	}
	_, err = Decode("The key is " + secret + " and " + strings.Repeat("字", 2000))
	var p Problem
	if !errors.As(err, &p) || strings.Contains(p.Text, secret) || len([]rune(p.Text)) > excerptRunes+60 {
		t.Errorf("the error says %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{good, "```json\n" + good, "<analysis>{\"goal\":\"EXAMPLE\"}</analysis>" + good, `{"task":["a",["b"]],"key_decisions":{"decision":"x"}}`,
		strings.Repeat("<think>", 50) + good, strings.Repeat(`{"a":`, 40), `{"relevant_tool_results":{"a":{"b":1}},"task":null}`, "{\"task\":\"\xff\x00\"}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Decode(text)
		if (d == nil) == (err == nil) {
			t.Fatalf("draft %v, error %v", d, err)
		}
		if err != nil {
			var p Problem
			if !errors.As(err, &p) || len([]rune(p.Text)) > 2*excerptRunes {
				t.Fatalf("error %v", err)
			}
			return
		}
		if blank(d.said()) {
			t.Fatal("a draft that says nothing")
		}
		again, err := Decode(string(encode(d)))
		if err == nil && string(encode(again)) != string(encode(d)) {
			t.Fatalf("once %s\nagain %s", encode(d), encode(again))
		}
	})
}

func TestOtherLanguage(t *testing.T) {
	english := "The redirect is fixed and the tests were run, but the logout path is not done yet and it has to be done before the docs are written."
	german := "Die Umleitung ist repariert und die Tests wurden ausgeführt, aber der Abmeldepfad ist noch nicht fertig und muss vor den Dokumenten gemacht werden."
	chinese := "登录重定向已经修复，测试也运行过了，但是注销路径还没有完成，需要在写文档之前完成，请继续处理 auth/logout.go 文件。"
	russian := "Перенаправление исправлено, и тесты были запущены, но путь выхода ещё не готов, его нужно сделать до документации и выпуска."
	for _, c := range []struct{ text, wanted, got string }{
		{english, "en", ""}, {english, "de", "en"}, {english, "zh", "en"}, {english, "ru", "en"}, {english, "", ""}, {english, "fa", ""}, {english, "en-GB", ""},
		{german, "de", ""}, {german, "en", "de"}, {german, "fr", "de"},
		{chinese, "zh", ""}, {chinese, "ja", "zh"}, {chinese, "en", "zh"}, {russian, "ru", ""}, {russian, "uk", ""}, {russian, "en", "ru"},
		{"Fix auth/redirect.go", "de", ""},
		{"Der Nutzer sagte: \"the tests are to be run after the build and it is not done in the cache of the proxy\". Nächster Schritt: `go test ./auth` ausführen und den Fehler in redirect.go beheben, dann weiter.", "de", ""},
		{"go test ./auth/redirect.go FAIL TestRedirect handleLogout sessionTable internal/auth/session_store.go cmd/pith/main.go", "ko", ""},
	} {
		if got := otherLanguage(c.text, c.wanted); got != c.got {
			t.Errorf("wanted %q: got %q, want %q for %s", c.wanted, got, c.got, c.text)
		}
	}
}
