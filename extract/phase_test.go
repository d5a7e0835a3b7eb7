package extract

import (
	"reflect"
	"testing"

	"github.com/pith-memory/pith"
)

func todoRows(f *Facts) []string {
	return texts(f.Context.Todo, func(t pith.Todo) string { return t.Status + " " + t.Text })
}

func TestLastTodoListRules(t *testing.T) {
	s := newSession().user("Plan the move.").
		use("todo_write", raw("todos", `[{"content":"client","status":"completed"},{"content":"loop","status":"in_progress"}]`)).result("ok").
		use("TodoWrite", raw("todos", `[{"content":"client","status":"completed","activeForm":"x"},{"content":"loop","status":"done"},{"content":"cron","status":"in-progress"},{"content":"docs","status":"pending"}]`)).result("ok").
		use("TodoWrite", raw("todos", `[{"content":"refused","status":"pending"}]`)).result("no", rejected)
	f := s.facts(t)
	if got, want := todoRows(f), []string{"completed client", "completed loop", "in_progress cron", "pending docs"}; !reflect.DeepEqual(got, want) {
		t.Errorf("todo is %q", got)
	}
	if p := f.Phase; p.Current == nil || *p.Current != 3 || *p.Total != 4 || p.Name != "cron" || p.Status != "in_progress" || p.Owner != "main" {
		t.Errorf("phase is %+v", p)
	}
	if f.Next.Basis != "todo" || f.Next.Text != "cron" {
		t.Errorf("next is %+v", f.Next)
	}
}

func TestOtherTodoTools(t *testing.T) {
	f := newSession().user("Go.").use("update_plan", raw("plan", `[{"step":"read","status":"completed"},{"step":"write","status":"in_progress"}]`)).result("ok").facts(t)
	if got := todoRows(f); !reflect.DeepEqual(got, []string{"completed read", "in_progress write"}) {
		t.Errorf("plan is %q", got)
	}
	f = newSession().user("Go.").use("TaskCreate", arg("subject", "read")).result("Task #1 created successfully: read").
		use("TaskCreate", arg("subject", "write")).result("Task #2 created successfully: write").
		use("TaskUpdate", arg("taskId", "1"), arg("status", "completed")).result("Updated task #1 status").facts(t)
	if got := todoRows(f); !reflect.DeepEqual(got, []string{"completed read", "pending write"}) {
		t.Errorf("tasks are %q", got)
	}
	f = newSession().user("Go.").use("attempt", arg("task_progress", "- [x] read\n- [ ] write")).result("ok").facts(t)
	if got := todoRows(f); !reflect.DeepEqual(got, []string{"completed read", "pending write"}) {
		t.Errorf("check boxes are %q", got)
	}
}

func TestPartsOfARequest(t *testing.T) {
	f := newSession().user("Earlier we set up the repo.").says("Yes.").
		user("Now do this in order: (1) add a /health endpoint, (2) add a test for it, (3) bump the version to 0.4.0, (4) update CHANGES.md, and (5) mention the endpoint in README.md. Then stop after the README and wait for me.").
		use("edit_file", arg("path", "http/health.go"), arg("new", "func Health")).result("ok").
		says("Endpoint is in. Writing the test.").use("bash", arg("command", "go test ./http")).result("no test files").facts(t)
	want := []string{"completed add a /health endpoint", "in_progress add a test for it", "pending bump the version to 0.4.0", "pending update CHANGES.md", "pending mention the endpoint in README.md."}
	if got := todoRows(f); !reflect.DeepEqual(got, want) {
		t.Errorf("parts are %q", got)
	}
	if want := "add a test for it (mind: “Then stop after the README and wait for me.”)"; f.Next.Text != want || f.Next.Provenance != pith.UserExplicit {
		t.Errorf("next is %+v", f.Next)
	}
	for _, text := range []string{
		"I do this:\n1. start a session\n2. edit a file\n3. commit\nHow is my edit handled?",
		"(1) only one", "Fix 1. and 2. of it, see 3.", "1. a\n3. b\n4. c",
	} {
		if f := newSession().user(text).facts(t); len(f.Context.Todo) != 0 {
			t.Errorf("%q has the parts %q", text, todoRows(f))
		}
	}
	f = newSession().user("Please:\n1. add the endpoint\n2. write the docs\n3. tag it").facts(t)
	if got := todoRows(f); !reflect.DeepEqual(got, []string{"pending add the endpoint", "pending write the docs", "pending tag it"}) {
		t.Errorf("lines are %q", got)
	}
}

func TestNamedPhases(t *testing.T) {
	for text, want := range map[string][2]int{
		"Phase 2 of 4: implementation":       {2, 4},
		"**Step 3/5** — write the tests":     {3, 5},
		"Now starting phase 2: the compiler": {2, 0},
		"See phase 4: later work":            {},
		"Phase 5 of 4":                       {},
		"phrase 1 of 2":                      {},
	} {
		f := newSession().user("Go.").says(text).facts(t)
		got := [2]int{}
		if f.Phase.Current != nil {
			got[0] = *f.Phase.Current
		}
		if f.Phase.Total != nil {
			got[1] = *f.Phase.Total
		}
		if got != want {
			t.Errorf("%q is phase %v, want %v", text, got, want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for text, want := range map[string]string{
		"Fix the race in the ledger, please.":                 "en",
		"Corrige el cálculo de la comisión, por favor.":       "es",
		"Corrija o cálculo de comissão, não altere a função.": "pt",
		"Corrige le calcul dans la commission.":               "fr",
		"Behebe den Fehler in der Provision.":                 "de",
		"Исправь расчёт комиссии в vendas.go":                 "ru",
		"请修复 login.go 的问题":                                    "zh",
		"ログインの問題を修正してください":                                    "ja",
		"로그인 문제를 수정해 주세요":                                     "ko",
		"Fix the login. Antworte immer auf Deutsch.":          "de",
		"Answer in Portuguese. Fix the bug in the login.":     "pt",
		"用英文回答。修复登录问题。":                                       "en",
		"Translate the README so that it is in German":        "en",
		"main.go": "",
	} {
		if f := newSession().user(text).facts(t); f.Context.Language != want {
			t.Errorf("%q is %q, want %q", text, f.Context.Language, want)
		}
	}
}

func TestFinishedSteps(t *testing.T) {
	zero, one := 0, 1
	exit := func(code *int) func(*pith.Block) { return func(b *pith.Block) { b.Exit = code } }
	f := newSession().user("Deploy build 71 to staging.").
		use("bash", arg("command", "deploy --env staging --build 71")).result("deployed", exit(&zero)).
		use("bash", arg("command", "cd x && git add -A && git commit -m 'Add it' && git push")).result("ok", exit(&zero)).
		use("bash", arg("command", "git push origin main")).result("rejected", exit(&one)).
		use("bash", arg("command", "git tag --sort=-v:refname; git push --dry-run; git commit --help")).result("ok", exit(&zero)).
		use("bash", arg("command", "bash scripts/deploy.sh --help")).result("usage", exit(&zero)).
		says("Build 71 is on staging.").user("Thanks. Now write the release notes for build 71.").
		use("read_file", arg("path", "CHANGES.md")).result("x").facts(t)
	got := texts(f.Context.Done, func(q pith.Quote) string { return q.Text })
	if want := []string{"deploy --env staging --build 71", "git commit -m 'Add it'", "git push"}; !reflect.DeepEqual(got, want) {
		t.Errorf("done is %q", got)
	}
	if f.Next.Basis != "user_request" || !contains([]string{f.Next.Text}, "release notes") || contains([]string{f.Next.Text}, "Deploy") {
		t.Errorf("next is %+v", f.Next)
	}
}

func TestPagesThatWereRead(t *testing.T) {
	f := newSession().user("Check https://user.example.").use("web_search", arg("query", "queue limits")).result(`[{"url":"https://docs.example.test/queues","title":"Queues"}]`).
		use("WebFetch", arg("url", "https://a.example/doc"), arg("prompt", "limits")).result("# Doc").
		use("WebFetch", arg("url", "https://a.example/gone")).result("Request failed with status code 404").
		use("Bash", arg("command", "curl https://b.example/x")).result("ok").facts(t)
	got := texts(f.Context.URLs, func(q pith.Quote) string { return q.Text })
	if want := []string{"https://docs.example.test/queues", "https://a.example/doc"}; !reflect.DeepEqual(got, want) {
		t.Errorf("urls are %q", got)
	}
}

func TestKeyLines(t *testing.T) {
	f := newSession().user("Fix it.").
		use("Read", arg("file_path", "/r/a.go")).result("     1→package a\n     2→\n     3→type T struct {\n     4→\tn int\n     5→}\n     6→func Old() {}\n     7→func (t *T) Inc() {").
		use("Read", arg("file_path", "/r/once.go")).result("1\tfunc Once() {}").
		use("Edit", arg("file_path", "/r/a.go"), arg("old_string", "func Old() {}"), arg("new_string", "")).result("ok").facts(t)
	want := []pith.KeyLines{{Path: "/r/a.go", Lines: []string{"type T struct {", "func (t *T) Inc() {"}, Source: pith.Source{Message: 2}}}
	if got := f.Context.KeyLines; !reflect.DeepEqual(got, want) {
		t.Errorf("key lines are %+v", got)
	}
}
