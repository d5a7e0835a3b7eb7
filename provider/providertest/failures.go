package providertest

import (
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pith-memory/pith/compactor"
)

// Failure is one of the ways in which a request for a compaction goes wrong.
type Failure struct {
	Name string
	// Accepted: the answer looks odd and holds a good draft.
	Accepted bool
	// Transport: no answer arrives. Otherwise one does that nobody can use.
	Transport bool
	// Waits: nothing ends the request but the client's own patience.
	Waits bool
	// Answer is what the server says.
	Answer func(*Request) Answer
}

// Failures lists the ways, those of the answer first. The Script of a test
// answers a compaction request with one of them.
func Failures() []Failure { return append(contentFailures(), transportFailures()...) }

func contentFailures() []Failure {
	saying := func(text string) func(*Request) Answer {
		return func(*Request) Answer { return Say(text) }
	}
	// spoiled is a good draft that something is wrong with.
	spoiled := func(spoil func(draft string) Answer) func(*Request) Answer {
		return func(r *Request) Answer { return spoil(DraftOf(r)) }
	}
	return []Failure{
		{Name: "empty", Answer: saying("")},
		{Name: "white space", Answer: saying(" \n\t\n ")},
		{Name: "refusal as text", Answer: saying("I'm sorry, but I can't help with summarizing this conversation, as it may contain sensitive material. Is there anything else that I can do for you?")},
		{Name: "refusal", Answer: func(*Request) Answer {
			return Answer{Refusal: "I can't assist with that.", Stop: compactor.StopRefusal}
		}},
		{Name: "tool call", Answer: callsTool},
		{Name: "cut at max_tokens", Answer: spoiled(func(draft string) Answer {
			return Answer{Text: beginning(draft, len(draft)*3/5), Stop: compactor.StopMaxTokens}
		})},
		{Name: "fenced", Accepted: true, Answer: spoiled(func(draft string) Answer { return Say("Here is the summary:\n\n```json\n" + draft + "\n```\n") })},
		{Name: "unclosed fence", Answer: spoiled(func(draft string) Answer { return Say("```json\n" + beginning(draft, len(draft)-30)) })},
		{Name: "broken JSON", Answer: spoiled(func(draft string) Answer { return Say(strings.Replace(draft, `":`, `"`, 3)) })},
		{Name: "skeleton", Answer: saying(`{"task":"","current_state":"","work_type":"","key_decisions":[],"eliminated_approaches":[],"open_questions":[],"next_steps":[],"relevant_tool_results":[]}`)},
		{Name: "filler", Answer: saying(`{"task":"<goal here>","current_state":"string","work_type":"string","key_decisions":[{"decision":"...","reason":"..."}],"eliminated_approaches":[{"approach":"<approach>","reason_ruled_out":"<reason>"}],"next_steps":["<next step>"]}`)},
		{Name: "thinking only", Answer: func(*Request) Answer {
			return Answer{Thinking: "The user wants a summary. I have to look at the history first."}
		}},
		{Name: "tool markup as text", Answer: saying("<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}\n</tool_call>")},
		{Name: "wrong language", Answer: saying(wrongLanguage)},
		{Name: "larger", Answer: larger},
	}
}

// beginning is at most n bytes of a text, and whole characters.
func beginning(text string, n int) string {
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:min(max(n, 0), len(text))]
}

// callsTool calls a tool that the request offers, or one that it does not.
func callsTool(r *Request) Answer {
	name := "bash"
	if names := toolNames(r.Conversation.Tools); len(names) > 0 {
		name = names[0]
	}
	return Use(name, `{"command":"ls"}`)
}

const wrongLanguage = `{"task":"Продолжить работу, о которой просил пользователь.","current_state":"Работа идёт; последний шаг выполнен, его вывод прочитан и проверен.","work_type":"implementation","key_decisions":[{"decision":"Работать небольшими шагами","reason":"каждый шаг можно проверить отдельно"}],"eliminated_approaches":[{"approach":"Одно большое изменение","reason_ruled_out":"ошибки трудно отличить друг от друга"}],"next_steps":["Сделать следующий шаг и проверить его"]}`

// larger is a draft that is longer than everything that it was asked about, and
// than the answer that was asked for: there are servers that heed neither.
func larger(r *Request) Answer {
	const words = "The work goes on as before, and nothing about it has changed since. "
	filler := strings.Repeat(words, 2+3*len(r.Body)/len(words))
	return Say(strings.Replace(DraftOf(r), `"current_state":"`, `"current_state":"`+filler, 1))
}

func transportFailures() []Failure {
	with := func(f *Fault) func(*Request) Answer {
		return func(r *Request) Answer { return Answer{Text: DraftOf(r), Fault: f} }
	}
	return []Failure{
		{Name: "400", Transport: true, Answer: with(HTTPError(http.StatusBadRequest))},
		{Name: "401", Transport: true, Answer: with(HTTPError(http.StatusUnauthorized))},
		{Name: "413", Transport: true, Answer: with(HTTPError(http.StatusRequestEntityTooLarge))},
		{Name: "429", Transport: true, Answer: with(RateLimited(10 * time.Millisecond))},
		{Name: "500", Transport: true, Answer: with(HTTPError(http.StatusInternalServerError))},
		{Name: "529", Transport: true, Answer: with(HTTPError(529))},
		{Name: "529 in mid-stream", Transport: true, Answer: with(OverloadedMidStream())},
		{Name: "timeout", Transport: true, Waits: true, Answer: with(Silence())},
		{Name: "stall", Transport: true, Waits: true, Answer: with(Stall())},
		{Name: "reset", Transport: true, Answer: with(Reset())},
		{Name: "early end", Transport: true, Answer: with(EarlyEnd())},
		{Name: "HTML page", Transport: true, Answer: with(HTMLPage())},
		{Name: "not JSON", Transport: true, Answer: with(NotJSON())},
	}
}
