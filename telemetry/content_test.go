package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/telemetry"
)

// planted stands in everything that is said: by the user, a tool, the model,
// and an error of it.
const planted = "quagmire"

// says is a model that answers the same each time.
type says struct {
	text string
	err  error
}

func (says) About() compactor.Card {
	return compactor.Card{Provider: "anthropic", Name: "claude-haiku-4-5", Format: pith.FormatAnthropic, Window: 100_000, Price: compactor.Price{Input: 1, Output: 5}}
}

func (m says) Complete(context.Context, compactor.Request) (compactor.Response, error) {
	return compactor.Response{Text: m.text, Stop: compactor.StopEnd, Usage: pith.Usage{Input: 1000, Output: 100}, Attempts: 1}, m.err
}

func TestNoContentIsReported(t *testing.T) {
	session := body()
	for name, x := range map[string]struct {
		model   says
		outcome memory.Outcome
	}{
		"judged": {says{text: `{"task":"Drain the quagmire","current_state":"The pump of the quagmire runs.","key_decisions":[{"decision":"Use the file /quagmire/nowhere.go","reason":"quagmire"}],"next_steps":["Drain the quagmire with the pump"],"constraints":["Never drain a quagmire at night"]}`}, memory.OutcomeJudged},
		"prose":  {says{text: "I cannot say anything of the quagmire."}, memory.OutcomeNoDraft},
		"failed": {says{err: &compactor.Failure{Kind: compactor.FailInvalid, Model: "m", Detail: "the quagmire is invalid", Err: errors.New("quagmire")}}, memory.OutcomeNoDraft},
	} {
		t.Run(name, func(t *testing.T) {
			figures := compact(t, session, x.model)
			if figures.Outcome != x.outcome || figures.Calls == 0 || figures.FactsOnly == (x.outcome == memory.OutcomeJudged) {
				t.Errorf("the figures are %+v", figures)
			}
			if x.outcome == memory.OutcomeJudged && (figures.Kept == 0 || figures.Dropped == 0 || !figures.Priced || figures.Cost != 0.0015) {
				t.Errorf("the figures are %+v", figures)
			}
			if said := everything(t, figures); strings.Contains(strings.ToLower(said), planted) {
				t.Errorf("what was said is reported: %s", said)
			}
		})
	}
}

func body() string {
	var b strings.Builder
	b.WriteString(`{"model":"claude-opus-4-5","max_tokens":100,"system":"You know the quagmire.","messages":[{"role":"user","content":"Drain the quagmire with the pump. Never touch /quagmire/dam.go."}`)
	for i := range 20 {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"bash","input":{"command":"cat /quagmire/log-%d.txt"}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"The pump of the quagmire runs: %s"}]}`, i, strings.Repeat("wet ", 200))
	}
	b.WriteString(`,{"role":"assistant","content":"The pump of the quagmire runs."}]}`)
	return b.String()
}

func compact(t *testing.T, session string, model compactor.Model) memory.Figures {
	t.Helper()
	m := memory.New(memory.Config{})
	s, err := m.Read(strings.NewReader(session), memory.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Compact(s, pith.ReasonManual)
	if err != nil {
		t.Fatal(err)
	}
	from := io.NewSectionReader(strings.NewReader(session), 0, int64(len(session)))
	drafted, report := m.Draft(context.Background(), s, r, from, memory.DraftOptions{Model: model, Focus: planted})
	r, verdict, err := m.Judge(s, r, drafted, from)
	if err != nil {
		t.Fatal(err)
	}
	return memory.FiguresOf(r, &report, &verdict, time.Second)
}

// everything is all that any observer makes of the figures.
func everything(t *testing.T, f memory.Figures) string {
	t.Helper()
	var out bytes.Buffer
	recorder, reader := tracetest.NewSpanRecorder(), sdkmetric.NewManualReader()
	measured, err := telemetry.New(
		sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)), sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)))
	if err != nil {
		t.Fatal(err)
	}
	telemetry.All(telemetry.Slog(slog.New(slog.NewJSONHandler(&out, nil))), measured)(context.Background(), f)
	for _, s := range recorder.Ended() {
		fmt.Fprintln(&out, s.Name(), s.Attributes(), s.Status(), s.Events())
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "%+v\n", all.ScopeMetrics)
	asJSON, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(asJSON)
	if n := strings.Count(out.String(), "claude-haiku-4-5"); n < 4 {
		t.Errorf("the model is named %d times: something is not looked at", n)
	}
	return out.String()
}
