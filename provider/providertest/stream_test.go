package providertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	openairesponses "github.com/openai/openai-go/v3/responses"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/providertest"
)

// said is an answer as a client of the official SDK sees it.
type said struct {
	text, thinking, stop string
	calls                []string
	input, cached        int64
	raw                  string
}

// ask sends a body with the official SDK, so that what the server writes is
// held against the types of its maker.
func ask(ctx context.Context, s *providertest.Server, f pith.Format, body string, stream bool) (said, error) {
	if stream {
		body = strings.Replace(body, `{`, `{"stream":true,`, 1)
		if f == chat {
			body = strings.Replace(body, `{`, `{"stream_options":{"include_usage":true},`, 1)
		}
	}
	switch f {
	case anthropic:
		return askAnthropic(ctx, s, body, stream)
	case chat:
		return askChat(ctx, s, body, stream)
	}
	return askResponses(ctx, s, body, stream)
}

func askAnthropic(ctx context.Context, s *providertest.Server, body string, stream bool) (said, error) {
	client := sdk.NewClient(anthropicoption.WithBaseURL(s.BaseURL(anthropic)), anthropicoption.WithAPIKey("k"), anthropicoption.WithMaxRetries(0))
	with := anthropicoption.WithRequestBody("application/json", []byte(body))
	var m sdk.Message
	if stream {
		events := client.Messages.NewStreaming(ctx, sdk.MessageNewParams{}, with)
		for events.Next() {
			if err := m.Accumulate(events.Current()); err != nil {
				return said{}, err
			}
		}
		if err := events.Err(); err != nil {
			return said{}, err
		}
	} else {
		answer, err := client.Messages.New(ctx, sdk.MessageNewParams{}, with)
		if err != nil {
			return said{}, err
		}
		m = *answer
	}
	if m.StopReason == "" {
		return said{}, errors.New("no end")
	}
	out := said{stop: string(m.StopReason), input: m.Usage.InputTokens + m.Usage.CacheCreationInputTokens, cached: m.Usage.CacheReadInputTokens}
	for _, b := range m.Content {
		out.text += b.Text
		out.thinking += b.Thinking
		if b.Type == "tool_use" {
			out.calls = append(out.calls, b.ID+" "+b.Name+" "+string(b.Input))
		}
	}
	raw, err := json.Marshal(m.ToParam())
	out.raw = string(raw)
	return out, err
}

func askChat(ctx context.Context, s *providertest.Server, body string, stream bool) (said, error) {
	client := openai.NewClient(openaioption.WithBaseURL(s.BaseURL(chat)), openaioption.WithAPIKey("k"), openaioption.WithMaxRetries(0))
	with := openaioption.WithRequestBody("application/json", []byte(body))
	var c openai.ChatCompletion
	if stream {
		events := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{}, with)
		var acc openai.ChatCompletionAccumulator
		for events.Next() {
			if !acc.AddChunk(events.Current()) {
				return said{}, errors.New("the chunks do not fit together")
			}
		}
		if err := events.Err(); err != nil {
			return said{}, err
		}
		c = acc.ChatCompletion
	} else {
		answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{}, with)
		if err != nil {
			return said{}, err
		}
		c = *answer
	}
	if len(c.Choices) == 0 || c.Choices[0].FinishReason == "" {
		return said{}, errors.New("no end")
	}
	m := c.Choices[0].Message
	cached := c.Usage.PromptTokensDetails.CachedTokens
	out := said{text: m.Content + m.Refusal, stop: c.Choices[0].FinishReason, input: c.Usage.PromptTokens - cached, cached: cached}
	for _, call := range m.ToolCalls {
		out.calls = append(out.calls, call.ID+" "+call.Function.Name+" "+call.Function.Arguments)
	}
	return out, nil
}

func askResponses(ctx context.Context, s *providertest.Server, body string, stream bool) (said, error) {
	client := openai.NewClient(openaioption.WithBaseURL(s.BaseURL(responses)), openaioption.WithAPIKey("k"), openaioption.WithMaxRetries(0))
	with := openaioption.WithRequestBody("application/json", []byte(body))
	var r openairesponses.Response
	if stream {
		got, err := lastResponse(client.Responses.NewStreaming(ctx, openairesponses.ResponseNewParams{}, with))
		if err != nil {
			return said{}, err
		}
		r = got
	} else {
		answer, err := client.Responses.New(ctx, openairesponses.ResponseNewParams{}, with)
		if err != nil {
			return said{}, err
		}
		r = *answer
	}
	if r.Status == "" {
		return said{}, errors.New("no end")
	}
	cached := r.Usage.InputTokensDetails.CachedTokens
	out := said{text: r.OutputText(), stop: string(r.Status), input: r.Usage.InputTokens - cached, cached: cached}
	for _, item := range r.Output {
		switch item.Type {
		case "function_call":
			out.calls = append(out.calls, item.CallID+" "+item.Name+" "+item.AsFunctionCall().Arguments)
		case "reasoning":
			out.thinking += item.Summary[0].Text
		case "message":
			out.text += item.Content[0].Refusal
		}
		out.raw += "," + item.RawJSON()
	}
	return out, nil
}

// lastResponse reads a stream and holds its deltas against its whole items.
func lastResponse(events *ssestream.Stream[openairesponses.ResponseStreamEventUnion]) (openairesponses.Response, error) {
	var r openairesponses.Response
	var deltas, whole string
	for n := int64(0); events.Next(); n++ {
		e := events.Current()
		if e.SequenceNumber != n {
			return r, errors.New("an event has the number of another")
		}
		switch e.Type {
		case "response.output_text.delta", "response.function_call_arguments.delta":
			deltas += e.Delta
		case "response.output_text.done":
			whole += e.Text
		case "response.function_call_arguments.done":
			whole += e.Arguments
		case "response.completed", "response.incomplete":
			r = e.Response
		case "response.failed":
			return r, errors.New("failed: " + e.Response.Error.Message)
		}
	}
	if err := events.Err(); err != nil {
		return r, err
	}
	if deltas != whole {
		return r, errors.New("the pieces are not the whole")
	}
	return r, nil
}

func answers(a providertest.Answer) providertest.Options {
	return providertest.Options{Script: func(*providertest.Request) providertest.Answer { return a }}
}

const spoken = "Grüße, 世界 👋: \"quoted\" <b>&</b>\n\tand a long line that is sent in several pieces, none of which ends where a word does."

// TestOfficialClientsUnderstand: what the server writes is what the makers'
// own clients read, streamed and whole.
func TestOfficialClientsUnderstand(t *testing.T) {
	full := providertest.Answer{
		Text: spoken, Thinking: "Let me see: " + spoken,
		Server: &providertest.ServerCall{Query: "pith", Title: "Pith", URL: "https://example.com"},
		Calls: []providertest.Call{
			{ID: "one", Name: "bash", Input: json.RawMessage(`{"command":"printf '` + strings.Repeat("ü", 300) + `'"}`)},
			{Name: "read"},
		},
	}
	stops := map[pith.Format]map[compactor.Stop]string{
		anthropic: {0: "tool_use", compactor.StopMaxTokens: "max_tokens", compactor.StopPause: "pause_turn", compactor.StopEnd: "end_turn"},
		chat:      {0: "tool_calls", compactor.StopMaxTokens: "length", compactor.StopEnd: "stop"},
		responses: {0: "completed", compactor.StopMaxTokens: "incomplete", compactor.StopEnd: "completed"},
	}
	for _, f := range formats {
		for _, stream := range []bool{false, true} {
			for stop, want := range stops[f] {
				full.Stop = stop
				got, err := ask(t.Context(), providertest.New(t, answers(full)), f, good[f], stream)
				if err != nil {
					t.Fatalf("%s stream=%v: %v", f, stream, err)
				}
				if got.text != full.Text || f != chat && got.thinking != full.Thinking || got.stop != want {
					t.Errorf("%s stream=%v: %+v, want the stop %q", f, stream, got, want)
				}
				if len(got.calls) != 2 || got.calls[0] != "one bash "+string(full.Calls[0].Input) || !strings.HasSuffix(got.calls[1], "_1_2 read {}") {
					t.Errorf("%s stream=%v: calls %q", f, stream, got.calls)
				}
				if got.input < 20 {
					t.Errorf("%s stream=%v: %d input tokens", f, stream, got.input)
				}
			}
			refused, err := ask(t.Context(), providertest.New(t, answers(providertest.Answer{Refusal: "No."})), f, good[f], stream)
			if err != nil || refused.text != "No." || f == anthropic && refused.stop != "refusal" {
				t.Errorf("%s stream=%v: %+v, %v", f, stream, refused, err)
			}
		}
	}
}

// TestWhatItSaidIsTaken: an answer goes back into the next request as it came,
// and an answer that was changed does not.
func TestWhatItSaidIsTaken(t *testing.T) {
	s := providertest.New(t, providertest.Options{
		Strict: true, PreservedThinking: true,
		Script: func(r *providertest.Request) providertest.Answer {
			a := providertest.Use("bash", `{"command":"ls"}`)
			a.Thinking, a.Text = "Look first.", "I look."
			a.Server = &providertest.ServerCall{Query: "q", Title: "t", URL: "u"}
			return a
		},
	})
	first := anthropicHead + anthropicUser + "]}"
	got, err := ask(t.Context(), s, anthropic, first, true)
	if err != nil {
		t.Fatal(err)
	}
	result := `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1_1","content":"a.go"}]}]}`
	next := anthropicHead + anthropicUser + "," + got.raw + result
	for name, c := range map[string]struct{ body, words string }{
		"as it came":        {next, ""},
		"with a cache mark": {strings.Replace(next, `"content":"Fix it."`, `"content":[{"type":"text","text":"Fix it.","cache_control":{"type":"ephemeral"}}]`, 1), ""},
		"other thinking":    {strings.Replace(next, "Look first.", "Look.", 1), "Invalid `signature`"},
		"other history":     {strings.Replace(next, "Fix it.", "Fix that.", 1), "bound to a different conversation"},
		"other tools":       {strings.Replace(next, `"name":"read"`, `"name":"open"`, 1), "bound to a different conversation"},
		"other model":       {strings.Replace(next, `"model":"m"`, `"model":"n"`, 1), "bound to a different conversation"},
		"other system":      {strings.Replace(next, "You are an agent.", "You are an agent. Be brief.", 1), "bound to a different conversation"},
	} {
		status, answer := post(t, s, anthropic, c.body)
		if (status == http.StatusOK) != (c.words == "") || !strings.Contains(answer, c.words) {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}

	got, err = ask(t.Context(), s, responses, responsesHead+responsesUser+"]}", true)
	if err != nil {
		t.Fatal(err)
	}
	id := strings.Fields(got.calls[0])[0]
	next = responsesHead + responsesUser + got.raw + `,{"type":"function_call_output","call_id":"` + id + `","output":"a.go"}]}`
	from, to := strings.Index(next, `{"id":"rs_`), strings.Index(next, `{"id":"ws_`)
	for name, c := range map[string]struct{ body, words string }{
		"as it came":        {next, ""},
		"without reasoning": {next[:from] + next[to:], "without its required 'reasoning' item"},
		"other reasoning":   {strings.Replace(next, "gAAAAAB", "gAAAAAC", 1), "could not be verified"},
		"reasoning alone":   {next[:to-1] + "," + responsesUser + "]}", "without its required following item"},
	} {
		status, answer := post(t, s, responses, c.body)
		if (status == http.StatusOK) != (c.words == "") || !strings.Contains(answer, c.words) {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
}

// TestCache: what an earlier request began with is told as read from the cache.
func TestCache(t *testing.T) {
	for _, f := range formats {
		s := providertest.New(t, providertest.Options{})
		body := good[f]
		if f == anthropic {
			body = strings.Replace(body, `"system":"You are an agent."`, `"system":[{"type":"text","text":"You are an agent.","cache_control":{"type":"ephemeral"}}]`, 1)
		}
		for i, stream := range []bool{true, true, false} {
			got, err := ask(t.Context(), s, f, body, stream)
			if err != nil {
				t.Fatal(err)
			}
			if hit := got.cached > 20; hit != (i == 1) {
				t.Errorf("%s, request %d: %d tokens from the cache, %d not", f, i+1, got.cached, got.input)
			}
		}
		if got := s.Requests()[1]; got.SharedPrefix != len(got.Body) {
			t.Errorf("%s: %d bytes of %d are shared", f, got.SharedPrefix, len(got.Body))
		}
	}
}

// TestFailures: every failure is what it says, for each format, streamed and
// whole, and none takes longer than the client's patience.
func TestFailures(t *testing.T) {
	began := time.Now()
	for _, failure := range providertest.Failures() {
		s := providertest.New(t, providertest.Options{Script: failure.Answer})
		for _, f := range formats {
			for _, stream := range []bool{false, true} {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				if failure.Waits {
					ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
				}
				got, err := ask(ctx, s, f, good[f], stream)
				cancel()
				if (err != nil) != failure.Transport {
					t.Errorf("%s, %s stream=%v: %v, answer %+v", failure.Name, f, stream, err, got)
				}
				if failure.Waits && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s, %s stream=%v: %v", failure.Name, f, stream, err)
				}
			}
		}
		if p := s.Problems(); len(p) > 0 {
			t.Error(p)
		}
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("all failures took %v", took)
	}
}

// TestInFlight: held answers are counted, compactions among them by themselves.
func TestInFlight(t *testing.T) {
	ready := make(chan struct{})
	arrived := make(chan bool, 3)
	s := providertest.New(t, providertest.Options{Script: func(r *providertest.Request) providertest.Answer {
		arrived <- r.Compaction
		return providertest.Answer{Text: "ok", Wait: ready}
	}})
	done := make(chan int, 3)
	for _, question := range []string{"Fix it.", "Fill in eliminated_approaches with reason_ruled_out.", "Go on."} {
		go func() {
			req, err := http.NewRequest(http.MethodPost, s.URL+paths[chat], strings.NewReader(strings.Replace(chatHead+chatUser+"]}", "Fix it.", question, 1)))
			if err != nil {
				done <- 0
				return
			}
			req.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				done <- 0
				return
			}
			res.Body.Close()
			done <- res.StatusCode
		}()
	}
	compactions := 0
	for range 3 {
		if <-arrived {
			compactions++
		}
	}
	close(ready)
	for range 3 {
		if status := <-done; status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	if all, ofThem := s.MaxInFlight(); all != 3 || ofThem != 1 || compactions != 1 {
		t.Errorf("%d requests at one time, %d compactions, %d seen", all, ofThem, compactions)
	}
}
