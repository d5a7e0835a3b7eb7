package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/providertest"
)

// modelKey is the key that the server of the scripts wants, demoSecret is a
// secret that the session of the scripts holds. Neither may ever be seen: the
// key in an output, the secret in an output or in a request.
const (
	modelKey   = "sk-test-0f1e2d3c4b5a"
	demoSecret = "w0rd-of-the-demo"
)

// ledgerDraft is a draft about testdata/sessions/claude-code.jsonl. Three of its
// statements are not in the session: a path, a number and a rule.
const ledgerDraft = `{"task":"Find out why invoices are off by a cent and fix it.",
"current_state":"Amount.MulRat rounds half up and Amount.Split distributes the remainder. TestExportGolden fails because of testdata/golden/2026-03.csv. The fault is also in /home/ada/src/ledger/tax/table.go.",
"work_type":"bugfix",
"key_decisions":[{"decision":"MulRat uses integer arithmetic on the numerator and denominator","reason":"a float64 is not exact above 2^53"},{"decision":"Retry the export 4711 times","reason":"the export is slow"}],
"eliminated_approaches":[{"approach":"math.Round on a float","reason_ruled_out":"it is wrong above 2^53"}],
"open_questions":["Shall I update testdata/golden/2026-03.csv?"],
"next_steps":["Show the golden diff and wait for the user's word"],
"constraints":["Always push directly to the branch main"]}`

// answerScripts is what the models of the scripts do, by their names.
func answerScripts(r *providertest.Request) providertest.Answer {
	switch name := r.Conversation.Model; name {
	case "claude-haiku-4-5", "gpt-5-mini", "local-model":
		return providertest.Say(ledgerDraft)
	case "mends":
		if strings.Contains(r.Text(), "no JSON object") || strings.Contains(r.Text(), "not_json") {
			return providertest.Say(ledgerDraft)
		}
		return providertest.Say("All is well.")
	case "refuses":
		return providertest.Answer{Refusal: "I can't assist with that.", Stop: compactor.StopRefusal}
	case "invents":
		return providertest.Say(`{"current_state":"The file /opt/nowhere/else.go is done.","next_steps":["Run make frobnicate-4711"]}`)
	case "limited":
		return providertest.Answer{Fault: providertest.RateLimited(time.Millisecond)}
	case "silent":
		return providertest.Answer{Fault: providertest.Silence()}
	case "echoes-key":
		return providertest.Say("The key is " + r.Header.Get("X-Api-Key") + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	default:
		return providertest.Answer{Fault: providertest.HTTPError(http.StatusNotFound)}
	}
}

// modelServers are the servers that the scripts talk to: one that wants a key,
// and one that does not, as those on a machine of one's own.
type modelServers struct{ keyed, open *providertest.Server }

func newModelServers() *modelServers {
	return &modelServers{
		keyed: providertest.NewServer(providertest.Options{Script: answerScripts, Key: modelKey}),
		open:  providertest.NewServer(providertest.Options{Script: answerScripts}),
	}
}

func (s *modelServers) close() {
	var closing sync.WaitGroup
	closing.Go(s.keyed.Close)
	closing.Go(s.open.Close)
	closing.Wait()
}

// leaks says in which requests the secret of the session was sent out, and that
// they were asked at all.
func (s *modelServers) leaks() error {
	requests := append(s.keyed.Requests(), s.open.Requests()...)
	if len(requests) < 10 {
		return fmt.Errorf("the servers saw %d requests: the scripts of the model did not run", len(requests))
	}
	for _, r := range requests {
		if strings.Contains(string(r.Body), demoSecret) {
			return fmt.Errorf("request %d holds the session's secret", r.N)
		}
	}
	return nil
}
