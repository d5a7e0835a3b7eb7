package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/telemetry"
)

func judged() memory.Figures {
	return memory.Figures{
		Trigger: pith.ReasonTokens70, Outcome: memory.OutcomeJudged,
		TokensBefore: 90_000, TokensAfter: 4_500, TCR: 20,
		Provider: "anthropic", Model: "claude-haiku-4-5", Calls: 3, Retries: 1,
		Input: 1000, CacheRead: 50_000, CacheWrite: 200, Output: 700, Cost: 0.0123, Priced: true,
		Latency: 1500 * time.Millisecond,
		Kept:    11, Dropped: 3, DroppedBy: []pith.KindCount{{Kind: "number", Count: 1}, {Kind: "path", Count: 2}}, Quarantined: 1,
	}
}

func noDraft() memory.Figures {
	return memory.Figures{
		Trigger: pith.ReasonManual, Outcome: memory.OutcomeNoDraft, FactsOnly: true, TokensBefore: 100, TokensAfter: 50, TCR: 2,
		Provider: "openai", Model: "gpt-5-mini", Calls: 2, Problems: []string{"empty", "refused"}, Latency: time.Second,
	}
}

func TestSlog(t *testing.T) {
	var out bytes.Buffer
	observe := telemetry.Slog(slog.New(slog.NewJSONHandler(&out, nil)))
	for _, x := range []struct {
		figures memory.Figures
		level   string
		want    map[string]any
		absent  []string
	}{
		{judged(), "INFO", map[string]any{
			"trigger": "utilization_70", "outcome": "judged", "facts_only": false, "model": "anthropic/claude-haiku-4-5",
			"tokens_before": 90000.0, "tokens_after": 4500.0, "tcr": 20.0, "calls": 3.0, "retries": 1.0,
			"input_tokens": 1000.0, "cache_read_tokens": 50000.0, "cache_write_tokens": 200.0, "output_tokens": 700.0,
			"latency_ms": 1500.0, "cost_usd": 0.0123, "claims_kept": 11.0, "claims_dropped": 3.0, "quarantined": 1.0,
		}, []string{"problems"}},
		{noDraft(), "WARN", map[string]any{"outcome": "no_draft", "facts_only": true}, []string{"cost_usd"}},
		{memory.Figures{Outcome: memory.OutcomeFacts, FactsOnly: true}, "INFO", map[string]any{"outcome": "facts"}, []string{"model", "calls", "cost_usd", "latency_ms"}},
	} {
		out.Reset()
		observe(context.Background(), x.figures)
		var got map[string]any
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || bytes.Count(out.Bytes(), []byte("\n")) != 1 {
			t.Fatalf("not one line of JSON: %v: %s", err, out.Bytes())
		}
		if got["level"] != x.level || got["msg"] != "compaction" {
			t.Errorf("%v %v, want %s compaction", got["level"], got["msg"], x.level)
		}
		for name, want := range x.want {
			if got[name] != want {
				t.Errorf("%s is %v, want %v", name, got[name], want)
			}
		}
		for _, name := range x.absent {
			if v, there := got[name]; there {
				t.Errorf("%s is %v where there is nothing to say", name, v)
			}
		}
		if by, _ := got["claims_dropped_by"].(map[string]any); x.figures.Dropped > 0 && by["path"] != 2.0 {
			t.Errorf("claims_dropped_by is %v", by)
		}
	}
	telemetry.Slog(nil)(context.Background(), judged()) // discards
}

func TestSpans(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	observe, err := telemetry.New(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)), nil)
	if err != nil {
		t.Fatal(err)
	}
	observe(context.Background(), judged())
	spans := recorder.Ended()
	if len(spans) != 2 {
		t.Fatalf("%d spans, want that of the compaction and that of the model", len(spans))
	}
	chat, compaction := spans[0], spans[1]
	if chat.Name() != "chat claude-haiku-4-5" || chat.SpanKind() != trace.SpanKindClient || chat.Parent().SpanID() != compaction.SpanContext().SpanID() {
		t.Errorf("%s of kind %v is not inside %s", chat.Name(), chat.SpanKind(), compaction.Name())
	}
	if took := chat.EndTime().Sub(chat.StartTime()); took != 1500*time.Millisecond {
		t.Errorf("the call's span has %v, want 1.5s", took)
	}
	want(t, chat.Attributes(),
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", "anthropic"),
		attribute.String("gen_ai.request.model", "claude-haiku-4-5"),
		attribute.Int("gen_ai.usage.input_tokens", 51_200), attribute.Int("gen_ai.usage.output_tokens", 700),
		attribute.Int("gen_ai.usage.cache_read.input_tokens", 50_000), attribute.Int("gen_ai.usage.cache_creation.input_tokens", 200))
	want(t, compaction.Attributes(),
		attribute.String("pith.trigger", "utilization_70"), attribute.String("pith.outcome", "judged"), attribute.Bool("pith.facts_only", false),
		attribute.Int("pith.tokens.before", 90_000), attribute.Int("pith.tokens.after", 4_500), attribute.Float64("pith.tcr", 20),
		attribute.Int("pith.calls", 3), attribute.Int("pith.retries", 1), attribute.Float64("pith.cost_usd", 0.0123),
		attribute.Int("pith.claims.kept", 11), attribute.Int("pith.claims.dropped", 3), attribute.Int("pith.claims.dropped.path", 2))

	observe(context.Background(), noDraft())
	chat = recorder.Ended()[2]
	if chat.Status().Code != codes.Error || chat.Status().Description != "refused" {
		t.Errorf("the status of a call without a draft is %v", chat.Status())
	}
	want(t, chat.Attributes(), attribute.String("error.type", "refused"))

	observe(context.Background(), memory.Figures{Outcome: memory.OutcomeFacts, FactsOnly: true})
	if n := len(recorder.Ended()); n != 5 {
		t.Errorf("%d spans, want one more for a compaction without a model", n)
	}
}

func want(t *testing.T, have []attribute.KeyValue, wanted ...attribute.KeyValue) {
	t.Helper()
	for _, w := range wanted {
		if !slices.Contains(have, w) {
			t.Errorf("lacks %s = %v; has %v", w.Key, w.Value.AsInterface(), have)
		}
	}
}

func TestMetrics(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	observe, err := telemetry.New(nil, sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)))
	if err != nil {
		t.Fatal(err)
	}
	observe(context.Background(), judged())
	observe(context.Background(), judged())
	observe(context.Background(), noDraft())
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string]metricdata.Aggregation{}
	for _, m := range all.ScopeMetrics[0].Metrics {
		got[m.Name] = m.Data
	}
	count := func(name string, attrs ...attribute.KeyValue) (n int64) {
		for _, p := range got[name].(metricdata.Sum[int64]).DataPoints {
			if has(p.Attributes, attrs) {
				n += p.Value
			}
		}
		return n
	}
	if n := count("pith.compactions", attribute.String("pith.outcome", "judged")); n != 2 {
		t.Errorf("%d compactions were judged, want 2", n)
	}
	if n := count("pith.claims", attribute.String("pith.claim.dropped_for", "path"), attribute.String("pith.claim.fate", "dropped")); n != 4 {
		t.Errorf("%d claims of a path were dropped, want 4", n)
	}
	if n := count("pith.retries"); n != 2 {
		t.Errorf("%d retries, want 2", n)
	}
	var input, output int64
	for _, p := range got["gen_ai.client.token.usage"].(metricdata.Histogram[int64]).DataPoints {
		if has(p.Attributes, []attribute.KeyValue{attribute.String("gen_ai.token.type", "input")}) {
			input += p.Sum
		} else if has(p.Attributes, []attribute.KeyValue{attribute.String("gen_ai.token.type", "output"), attribute.String("gen_ai.provider.name", "anthropic")}) {
			output += p.Sum
		}
	}
	if input != 2*51_200 || output != 2*700 {
		t.Errorf("%d tokens in and %d out, want 102400 and 1400", input, output)
	}
	seconds := 0.0
	for _, p := range got["gen_ai.client.operation.duration"].(metricdata.Histogram[float64]).DataPoints {
		seconds += p.Sum
	}
	if seconds != 4 {
		t.Errorf("%v seconds, want 4", seconds)
	}
	dollars := got["pith.cost"].(metricdata.Sum[float64]).DataPoints
	if len(dollars) != 1 || dollars[0].Value != 2*0.0123 {
		t.Errorf("cost %v, want 0.0246 of the one model with a price", dollars)
	}
}

func has(s attribute.Set, attrs []attribute.KeyValue) bool {
	for _, a := range attrs {
		if v, ok := s.Value(a.Key); !ok || v != a.Value {
			return false
		}
	}
	return true
}
