package merge_test

import (
	"slices"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/merge"
)

// TestClaims holds, for one statement at a time, whether the transcript holds
// it, and which kind of claim is missing where it does not.
func TestClaims(t *testing.T) {
	const said = "We keep the retry loop in internal/queue/worker.go because the broker drops messages under load."
	tests := []struct {
		name, said, draft string
		// want is the kind that is dropped, "" where the statement stays.
		want string
	}{
		{"path as written", said, "The retry loop in internal/queue/worker.go stays.", ""},
		{"path under its root", said, "The retry loop in /srv/app/internal/queue/worker.go stays.", ""},
		{"path by its name", said, "The retry loop in worker.go stays.", ""},
		{"another folder", said, "The retry loop in internal/cache/worker.go stays.", "path"},
		{"another file", said, "The retry loop in internal/queue/broker.go stays.", "path"},
		{"part of a name", "The loop of my_worker.go and homeworker.go drops messages.", "The loop of worker.go drops messages.", "path"},
		{"another extension", "The loop of worker.go.bak drops messages.", "The loop of worker.go drops messages.", "path"},
		{"a folder", said, "The retry loop in internal/queue stays.", ""},
		{"windows", `The loop is in C:\app\queue\worker.cs and drops messages.`, `The loop of C:\app\queue\worker.cs drops messages.`, ""},
		{"windows, another", `The loop is in C:\app\queue\worker.cs and drops messages.`, `The loop of C:\app\cache\worker.cs drops messages.`, "path"},
		{"url", "The broker's manual is https://example.com/queue/manual and long.", "The broker's manual https://example.com/queue/manual is long.", ""},
		{"another url", "The broker's manual is https://example.com/queue/manual and long.", "The broker's manual https://example.org/queue/manual is long.", "path"},
		{"two words", "The client reads and the server writes the broker's messages.", "The client/server broker writes messages and/or reads.", ""},

		{"number", "The broker dropped 15 messages.", "The broker dropped 15 messages.", ""},
		{"number in a longer one", "The broker dropped 1500 messages.", "The broker dropped 15 messages.", "number"},
		{"end of a longer number", "The broker dropped 2415 messages.", "The broker dropped 15 messages.", "number"},
		{"part of a decimal", "The broker dropped 3.15 messages.", "The broker dropped 15 messages.", "number"},
		{"thousands", "The broker dropped 12,345 messages.", "The broker dropped 12345 messages.", ""},
		{"thousands, grouped", "The broker dropped 12345 messages.", "The broker dropped 12,345 messages.", ""},
		{"thousands, underscores", "The broker dropped 12_345 messages.", "The broker dropped 12 345 messages and 12,345 again.", "number"},
		{"percent", "The broker dropped 80 % of the messages.", "The broker dropped 80% of the messages.", ""},
		{"percent in words", "The broker dropped 80% of the messages.", "The broker dropped 80 percent of the messages.", ""},
		{"another unit", "The broker waits 15 ms for messages.", "The broker waits 15 s for messages.", "number"},
		{"unit apart", "The broker waits 15ms for messages.", "The broker waits 15 milliseconds for messages.", ""},
		{"unit lost", "The broker waits 15ms for messages.", "The broker waits 15 for messages.", ""},
		{"hex is no number", "The broker's commit 15f0abc holds messages.", "The broker dropped 15 messages.", "number"},
		{"port", "The broker listens on localhost:8080 for messages.", "The broker listens on port 8080 for messages.", ""},
		{"another port", "The broker listens on localhost:8080 for messages.", "The broker listens on port 9090 for messages.", "number"},
		{"version", "The broker is v1.24.3 and drops messages.", "The broker 1.24.3 drops messages.", ""},
		{"another version", "The broker is v1.24.3 and drops messages.", "The broker 1.24.4 drops messages.", "number"},
		{"beginning of a version", "The broker is 1.24.3 and drops messages.", "The broker 1.24 drops messages.", "number"},
		{"date", "The broker dropped messages on 2026-05-04.", "The broker dropped messages on 2026-05-05.", "number"},
		{"range", "The broker dropped 3 to 5 messages.", "The broker dropped 3-5 messages.", ""},
		{"ratio", "The broker kept 97 of 100 messages.", "The broker kept 97/100 messages.", ""},
		{"counting words", "The broker dropped messages.", "The broker dropped two messages.", ""},
		{"list numbering", "The broker dropped messages.", "1. The broker dropped messages.", ""},
		{"step numbering", "The broker dropped messages.", "Step 3: the broker dropped messages.", ""},

		{"commit", "The broker's fix is commit 9f3a51c07be2d844aa10.", "The broker's fix is commit 9f3a51c.", ""},
		{"another commit", "The broker's fix is commit 9f3a51c07be2d844aa10.", "The broker's fix is commit 9f3a51d.", "id"},
		{"issue", "The broker's fix is #412.", "The broker's fix is #412.", ""},
		{"another issue", "The broker's fix is #4123.", "The broker's fix is #412.", "id"},
		{"ticket", "The broker's fix is QUEUE-77.", "The broker's fix is QUEUE-78.", "id"},
		{"uuid", "The broker's job is 0199a213-7c1e-7aaa-8bbb-0123456789ab.", "The broker's job is 0199a213-7c1e-7aaa-8bbb-0123456789ac.", "id"},
		{"encoding", "The broker's messages are text.", "The broker's messages are UTF-8 text.", ""},
		{"redacted", "The broker's key is [REDACTED:generic-key:1].", "The broker's key is [REDACTED:generic-key:2].", "id"},

		{"command", "I ran go test -race ./internal/queue for the broker.", "Run `go test -race ./internal/queue` for the broker.", ""},
		{"another command", "I ran go test -race ./internal/queue for the broker.", "Run `go test -race ./internal/cache` for the broker.", "command"},
		{"command over lines", "I ran this for the broker:\ngo test \\\n  -race ./internal/queue", "Run `go test -race ./internal/queue` for the broker.", "command"},
		{"command in JSON", `{"command":"grep \"drop\" broker.log"}`, "Run `grep \"drop\" broker.log` again.", ""},
		{"bare command", "I ran git push for the broker.", "Then git push for the broker.", ""},
		{"another bare command", "I ran git push for the broker.", "Then git rebase for the broker.", "command"},
		{"flag", "I ran it with --retries=3 for the broker.", "The broker needs --retries.", ""},
		{"another flag", "I ran it with --retries=3 for the broker.", "The broker needs --backoff.", "command"},

		{"quote", "The log says: connection reset by broker, dropping messages.", "The log says \"connection reset by broker\".", ""},
		{"quote, other case", "The log says: Connection reset by broker, dropping messages.", "The log says “connection reset by broker”.", ""},
		{"another quote", "The log says: connection reset by broker, dropping messages.", "The log says \"broker closed the connection\".", "quote"},

		{"symbol", "retryLoop drops messages of the broker.", "The broker's retryLoop drops messages.", ""},
		{"another symbol", "retryLoop drops messages of the broker.", "The broker's retryLoops drops messages.", "symbol"},
		{"snake case", "max_retries is set for the broker.", "The broker has max_retry_count set.", "symbol"},
		{"call", "func drain(q *Queue) reads the broker.", "The broker is read by drain().", ""},
		{"another call", "func drain(q *Queue) reads the broker.", "The broker is read by flush().", "symbol"},
		{"method by its declaration", "func (q *Queue) Drain() error reads the broker.", "The broker is read by Queue.Drain.", ""},
		{"method of another", "func (q *Queue) Drain() error reads the broker.", "The broker is read by Queue.Flush.", "symbol"},
		{"product", "The broker is on github.", "The broker is on GitHub.", ""},

		{"no claims, supported", said, "The broker drops messages under load.", ""},
		{"no claims, unsupported", said, "Customers complained about invoices.", "unsupported"},

		{"Chinese", "修复了 src/查询.go 的超时问题，重试 3 次。", "超时问题在 src/查询.go 中修复。", ""},
		{"Chinese, fabricated", "修复了 src/查询.go 的超时问题，重试 3 次。", "超时问题在 src/缓存.go 中修复。", "path"},
		{"Chinese, number", "修复了超时问题，重试3次。", "超时问题修复，重试30次。", "number"},
		{"Chinese, unsupported", "修复了超时问题。", "客户投诉了发票。", "unsupported"},
		{"Japanese", "タイムアウトの原因は接続プールの枯渇だった。", "タイムアウトの原因は接続プールの枯渇。", ""},
		{"Japanese quote", "ログには「接続が拒否された」とある。タイムアウト。", "ログは「接続が切れた」と言う。タイムアウト。", "quote"},
		{"Korean", "타임아웃의 원인은 연결 풀 고갈이다.", "타임아웃 원인은 연결 풀 고갈.", ""},
		{"Russian", "Причина сбоя в том, что очередь теряет сообщения под нагрузкой.", "Очередь теряет сообщения под нагрузкой.", ""},
		{"Russian, unsupported", "Причина сбоя в том, что очередь теряет сообщения.", "Заказчик оплатил счёт вовремя.", "unsupported"},
		{"German", "Die Warteschlange verliert Nachrichten unter Last, 1.500 pro Tag.", "Die Warteschlange verliert 1500 Nachrichten unter Last.", ""},
		{"French", "La file d'attente perd 1 500 messages par jour à cause du délai.", "La file d'attente perd 1500 messages.", ""},
		{"Spanish", "La cola pierde mensajes por el límite de conexión.", "La cola pierde mensajes por la conexión.", ""},
		{"Portuguese, fabricated", "A fila perde mensagens em fila.go.", "A fila perde mensagens em cache.go.", "path"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &compactor.Draft{NextSteps: []string{tt.draft}}
			s, v, _ := judged(t, d, user("Please look at all of this."), assistant("Noted."), result(tt.said), assistant("I am on it."))
			kept := s.Extensions != nil && len(s.Extensions.RemainingSteps) == 1
			got := ""
			if len(v.Kinds) > 0 {
				got = v.Kinds[0].Kind
			}
			if got != tt.want || kept != (tt.want == "") {
				t.Errorf("dropped for %q, want %q; kept %v", got, tt.want, kept)
			}
		})
	}
}

// TestSupport holds that a statement is given the block that holds most of it,
// the later of equals, and that block's label.
func TestSupport(t *testing.T) {
	all := []*pith.Message{
		user("Look at the broker."),
		assistant("The broker drops messages under load in worker.go."),
		result("worker.go: broker drops messages"),
		assistant("The broker drops messages under load in worker.go."),
		result("broker drops 41 messages under load in worker.go"),
	}
	d := &compactor.Draft{KeyDecisions: []compactor.Decision{
		{Decision: "The broker in worker.go drops messages under load", Reason: ""},
		{Decision: "41 messages are what the broker drops", Reason: "load"},
	}}
	s, _, _ := judged(t, d, all...)
	var got []string
	for i := range s.Decisions {
		if s.Decisions[i].Drafted {
			got = append(got, s.Decisions[i].Source.String()+" "+s.Decisions[i].Provenance.String())
		}
	}
	if want := []string{"4.0 TOOL_OUTPUT", "4.0 TOOL_OUTPUT"}; !slices.Equal(got, want) {
		t.Errorf("support %v, want %v", got, want)
	}
}

// TestOwnBlockIsNoSupport holds that what only an earlier block says is not
// taken for something that happened.
func TestOwnBlockIsNoSupport(t *testing.T) {
	block := "<pith-memory checkpoint=\"aa\" nonce=\"bb\">\n- the broker moved to kafka.go\n</pith-memory bb>\nGo on."
	d := &compactor.Draft{CurrentState: "The broker moved to kafka.go."}
	s, v, _ := judged(t, d, user(block), assistant("I go on."))
	if s.Extensions != nil || len(v.Kinds) != 1 || v.Kinds[0].Kind != "path" {
		t.Errorf("extensions %+v, verdict %+v", s.Extensions, v)
	}
}

// TestJudgeNothing holds that no draft and an empty one change no facts.
func TestJudgeNothing(t *testing.T) {
	s, v, facts := judged(t, &compactor.Draft{}, session()...)
	if v.Kept+v.Dropped+v.Quarantined != 0 || s.Extensions != nil || len(s.Decisions) != len(facts.Decisions) {
		t.Errorf("verdict %+v, state %+v", v, s.Extensions)
	}
	if s, _ := merge.Judge(facts, nil, merge.NewClaims(nil), "m"); s == nil {
		t.Error("no state")
	}
}
