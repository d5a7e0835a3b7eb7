package providertest_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	claude "github.com/pith-memory/pith/provider/anthropic"
	gpt "github.com/pith-memory/pith/provider/openai"
	"github.com/pith-memory/pith/provider/providertest"
)

func modelAt(t *testing.T, s *providertest.Server, f pith.Format, timeout time.Duration) compactor.Model {
	t.Helper()
	var m compactor.Model
	var err error
	switch f {
	case pith.FormatAnthropic:
		m, err = claude.New(claude.Options{Model: "scripted", BaseURL: s.BaseURL(f), Key: "test-key", Window: 20_000, MaxRetries: -1, Timeout: timeout})
	case pith.FormatOpenAIChat:
		m, err = gpt.New(gpt.Options{Model: "scripted", BaseURL: s.BaseURL(f), Key: "test-key", API: gpt.Chat, Window: 20_000, MaxRetries: -1, Timeout: timeout})
	default:
		m, err = gpt.New(gpt.Options{Model: "scripted", BaseURL: s.BaseURL(f), Key: "test-key", API: gpt.Responses, Window: 20_000, MaxRetries: -1, Timeout: timeout})
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// history is a conversation that is long enough to be worth a draft.
func history() compactor.Input {
	var messages []pith.Message
	for i := range 40 {
		m := pith.Message{Index: i, Role: pith.RoleUser, Blocks: []pith.Block{{Text: "Please look at the handler again, step by step, and tell me what it does with the queue.", Origin: pith.UserExplicit}}}
		if i%2 == 1 {
			m.Role, m.Blocks[0].Origin = pith.RoleAssistant, pith.Assistant
			m.Blocks[0].Text = "The handler takes an event from the queue, checks it, and writes the result. Nothing else happens there."
		}
		messages = append(messages, m)
	}
	state := &pith.State{}
	state.Context.Language = "en"
	return compactor.Input{State: state, Replaces: 1500, Next: func() (*pith.Message, error) {
		if len(messages) == 0 {
			return nil, io.EOF
		}
		m := messages[0]
		messages = messages[1:]
		return &m, nil
	}}
}

// TestNoFailureEarnsADraft: a compaction takes none of the failures for an
// answer, asks at most once more, and takes the good answers.
func TestNoFailureEarnsADraft(t *testing.T) {
	good := providertest.Failure{Name: "good", Accepted: true, Answer: func(r *providertest.Request) providertest.Answer { return providertest.Say(providertest.DraftOf(r)) }}
	for _, failure := range append(providertest.Failures(), good) {
		for _, f := range formats {
			s := providertest.New(t, providertest.Options{Window: 20_000, Strict: true, Script: func(r *providertest.Request) providertest.Answer {
				if !r.Compaction {
					t.Errorf("request %d is not seen as a compaction", r.N)
				}
				return failure.Answer(r)
			}})
			timeout := 10 * time.Second
			if failure.Waits {
				timeout = 50 * time.Millisecond
			}
			d, report := compactor.Run(context.Background(), modelAt(t, s, f, timeout), history(), compactor.Options{})
			if (d != nil) != failure.Accepted {
				t.Errorf("%s, %s: draft %+v, problems %v", failure.Name, f, d, report.Problems)
			}
			most := 2
			if failure.Accepted || failure.Transport && failure.Name != "413" { // what is too large is asked once more, shorter
				most = 1
			}
			// One more request is the provider's own, without what a server does not know.
			if n := len(s.Requests()); n > most+1 || report.Calls > most {
				t.Errorf("%s, %s: %d requests, %d calls", failure.Name, f, n, report.Calls)
			}
			var failed *compactor.Failure
			if failure.Transport && !errors.As(report.Err, &failed) {
				t.Errorf("%s, %s: the error is %v", failure.Name, f, report.Err)
			}
			for _, p := range s.Problems() {
				t.Errorf("%s: %s", failure.Name, p)
			}
			if failed != nil && strings.Contains(failed.Detail, "test-key") {
				t.Errorf("%s, %s: the key is told", failure.Name, f)
			}
		}
	}
}
