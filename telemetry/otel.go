package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/pith-memory/pith/memory"
)

// scope names the instrumentation.
const scope = "github.com/pith-memory/pith/telemetry"

// The attributes. Those of gen_ai are OpenTelemetry's conventions for
// generative AI, those of pith its own.
const (
	operation     = attribute.Key("gen_ai.operation.name")
	provider      = attribute.Key("gen_ai.provider.name")
	requestModel  = attribute.Key("gen_ai.request.model")
	inputTokens   = attribute.Key("gen_ai.usage.input_tokens")
	outputTokens  = attribute.Key("gen_ai.usage.output_tokens")
	cacheRead     = attribute.Key("gen_ai.usage.cache_read.input_tokens")
	cacheCreation = attribute.Key("gen_ai.usage.cache_creation.input_tokens")
	tokenType     = attribute.Key("gen_ai.token.type")
	errorType     = attribute.Key("error.type")

	trigger      = attribute.Key("pith.trigger")
	outcome      = attribute.Key("pith.outcome")
	factsOnly    = attribute.Key("pith.facts_only")
	tokensBefore = attribute.Key("pith.tokens.before")
	tokensAfter  = attribute.Key("pith.tokens.after")
	ratio        = attribute.Key("pith.tcr")
	calls        = attribute.Key("pith.calls")
	retries      = attribute.Key("pith.retries")
	cost         = attribute.Key("pith.cost_usd")
	claimsKept   = attribute.Key("pith.claims.kept")
	claimsLost   = attribute.Key("pith.claims.dropped")
	quarantined  = attribute.Key("pith.quarantined")
	problems     = attribute.Key("pith.problems")
	claimFate    = attribute.Key("pith.claim.fate")
	dropKind     = attribute.Key("pith.claim.dropped_for")
)

// instruments are what compactions are measured with.
type instruments struct {
	duration    metric.Float64Histogram
	tokens      metric.Int64Histogram
	compactions metric.Int64Counter
	ratio       metric.Float64Histogram
	claims      metric.Int64Counter
	retries     metric.Int64Counter
	cost        metric.Float64Counter
}

// New reports each compaction as a span "compact", with a span "chat MODEL"
// inside where a model was asked, and as metrics. Either provider may be nil.
// Errors: those of the meter.
func New(tracers trace.TracerProvider, meters metric.MeterProvider) (Observer, error) {
	var observers []Observer
	if tracers != nil {
		observers = append(observers, spans(tracers.Tracer(scope)))
	}
	if meters != nil {
		i, err := newInstruments(meters.Meter(scope))
		if err != nil {
			return nil, err
		}
		observers = append(observers, i.record)
	}
	return All(observers...), nil
}

// spans writes the spans with the times that they had.
func spans(t trace.Tracer) Observer {
	return func(ctx context.Context, f memory.Figures) {
		end := time.Now()
		begin := end.Add(-f.Latency)
		ctx, compaction := t.Start(ctx, "compact", trace.WithTimestamp(begin), trace.WithAttributes(
			trigger.String(string(f.Trigger)), outcome.String(string(f.Outcome)), factsOnly.Bool(f.FactsOnly),
			tokensBefore.Int(int(f.TokensBefore)), tokensAfter.Int(int(f.TokensAfter)), ratio.Float64(f.TCR),
		))
		defer compaction.End(trace.WithTimestamp(end))
		if f.Model == "" {
			return
		}
		compaction.SetAttributes(calls.Int(f.Calls), retries.Int(f.Retries), claimsKept.Int(f.Kept), claimsLost.Int(f.Dropped), quarantined.Int(f.Quarantined))
		for _, k := range f.DroppedBy {
			compaction.SetAttributes(attribute.Int("pith.claims.dropped."+k.Kind, k.Count))
		}
		if f.Priced {
			compaction.SetAttributes(cost.Float64(f.Cost))
		}
		if len(f.Problems) > 0 {
			compaction.SetAttributes(problems.StringSlice(f.Problems))
		}
		_, chat := t.Start(ctx, "chat "+f.Model, trace.WithTimestamp(begin), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			asked(&f,
				inputTokens.Int(allInput(&f)), outputTokens.Int(f.Output),
				cacheRead.Int(f.CacheRead), cacheCreation.Int(f.CacheWrite))...,
		))
		if why := failure(&f); why != "" {
			chat.SetStatus(codes.Error, why)
		}
		chat.End(trace.WithTimestamp(end))
	}
}

// asked are the attributes that name what was asked, and more.
func asked(f *memory.Figures, more ...attribute.KeyValue) []attribute.KeyValue {
	list := append([]attribute.KeyValue{operation.String("chat"), provider.String(f.Provider), requestModel.String(f.Model)}, more...)
	if why := failure(f); why != "" {
		list = append(list, errorType.String(why))
	}
	return list
}

// failure is the last problem of a compaction without a draft, "" for others.
func failure(f *memory.Figures) string {
	if f.Outcome != memory.OutcomeNoDraft {
		return ""
	}
	if len(f.Problems) == 0 {
		return "_OTHER"
	}
	return f.Problems[len(f.Problems)-1]
}

// allInput counts cached tokens too, as the convention has it.
func allInput(f *memory.Figures) int { return f.Input + f.CacheRead + f.CacheWrite }

// newInstruments makes the instruments; the bounds of gen_ai's are those of the
// conventions.
func newInstruments(m metric.Meter) (*instruments, error) {
	var i instruments
	var errs [7]error
	i.duration, errs[0] = m.Float64Histogram("gen_ai.client.operation.duration", metric.WithUnit("s"),
		metric.WithDescription("Time that the calls of a compaction took."),
		metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92))
	i.tokens, errs[1] = m.Int64Histogram("gen_ai.client.token.usage", metric.WithUnit("{token}"),
		metric.WithDescription("Tokens that a compaction read and wrote."),
		metric.WithExplicitBucketBoundaries(1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864))
	i.compactions, errs[2] = m.Int64Counter("pith.compactions", metric.WithUnit("{compaction}"),
		metric.WithDescription("Compactions, by trigger and outcome."))
	i.ratio, errs[3] = m.Float64Histogram("pith.tcr", metric.WithUnit("1"),
		metric.WithDescription("How many times smaller the block is than what it stands for."),
		metric.WithExplicitBucketBoundaries(1, 2, 3, 5, 8, 12, 20, 40, 80))
	i.claims, errs[4] = m.Int64Counter("pith.claims", metric.WithUnit("{claim}"),
		metric.WithDescription("Claims of drafts, kept, or dropped by why."))
	i.retries, errs[5] = m.Int64Counter("pith.retries", metric.WithUnit("{retry}"),
		metric.WithDescription("Answers that the model was told a problem of."))
	i.cost, errs[6] = m.Float64Counter("pith.cost", metric.WithUnit("{USD}"),
		metric.WithDescription("What compactions cost, where the price is known."))
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return &i, nil
}

func (i *instruments) record(ctx context.Context, f memory.Figures) {
	i.compactions.Add(ctx, 1, metric.WithAttributes(trigger.String(string(f.Trigger)), outcome.String(string(f.Outcome))))
	i.ratio.Record(ctx, f.TCR, metric.WithAttributes(factsOnly.Bool(f.FactsOnly)))
	if f.Model == "" {
		return
	}
	i.duration.Record(ctx, f.Latency.Seconds(), metric.WithAttributes(asked(&f)...))
	i.tokens.Record(ctx, int64(allInput(&f)), metric.WithAttributes(asked(&f, tokenType.String("input"))...))
	i.tokens.Record(ctx, int64(f.Output), metric.WithAttributes(asked(&f, tokenType.String("output"))...))
	model := metric.WithAttributes(provider.String(f.Provider), requestModel.String(f.Model))
	i.retries.Add(ctx, int64(f.Retries), model)
	if f.Priced {
		i.cost.Add(ctx, f.Cost, model)
	}
	i.claims.Add(ctx, int64(f.Kept), metric.WithAttributes(claimFate.String("kept")))
	for _, k := range f.DroppedBy {
		i.claims.Add(ctx, int64(k.Count), metric.WithAttributes(claimFate.String("dropped"), dropKind.String(k.Kind)))
	}
}
