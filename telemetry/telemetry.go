// Package telemetry turns the figures of a compaction into a line of a log, or
// into spans and metrics of OpenTelemetry. It is off until a program hands
// figures to one of its observers, and it sees counts, names and times alone:
// nothing of what was said in a session can reach it.
//
//	observe := telemetry.Slog(slog.Default())
//	observe(ctx, memory.FiguresOf(...))
package telemetry

import (
	"context"
	"log/slog"
	"time"

	"github.com/pith-memory/pith/memory"
)

// Observer takes in the figures of one compaction, just after it. It is safe
// for concurrent use.
type Observer func(ctx context.Context, f memory.Figures)

// All is an observer that hands the figures to each of several.
func All(observers ...Observer) Observer {
	return func(ctx context.Context, f memory.Figures) {
		for _, observe := range observers {
			observe(ctx, f)
		}
	}
}

// Slog writes one record for each compaction, a warning where a model was asked
// and earned nothing. A nil logger discards.
func Slog(l *slog.Logger) Observer {
	if l == nil {
		l = slog.New(slog.DiscardHandler)
	}
	return func(ctx context.Context, f memory.Figures) {
		level := slog.LevelInfo
		if f.Outcome == memory.OutcomeNoDraft {
			level = slog.LevelWarn
		}
		l.LogAttrs(ctx, level, "compaction", attrs(&f)...)
	}
}

func attrs(f *memory.Figures) []slog.Attr {
	list := []slog.Attr{
		slog.String("trigger", string(f.Trigger)),
		slog.String("outcome", string(f.Outcome)),
		slog.Bool("facts_only", f.FactsOnly),
		slog.Int("tokens_before", int(f.TokensBefore)),
		slog.Int("tokens_after", int(f.TokensAfter)),
		slog.Float64("tcr", f.TCR),
	}
	if f.Model == "" {
		return list
	}
	list = append(list,
		slog.String("model", f.Provider+"/"+f.Model),
		slog.Int("calls", f.Calls), slog.Int("retries", f.Retries),
		slog.Int("input_tokens", f.Input), slog.Int("cache_read_tokens", f.CacheRead),
		slog.Int("cache_write_tokens", f.CacheWrite), slog.Int("output_tokens", f.Output),
		slog.Float64("latency_ms", float64(f.Latency)/float64(time.Millisecond)),
	)
	if f.Priced {
		list = append(list, slog.Float64("cost_usd", f.Cost))
	}
	if len(f.Problems) > 0 {
		list = append(list, slog.Any("problems", f.Problems))
	}
	if f.Kept+f.Dropped == 0 {
		return list
	}
	by := make([]any, 0, len(f.DroppedBy))
	for _, k := range f.DroppedBy {
		by = append(by, slog.Int(k.Kind, k.Count))
	}
	return append(list, slog.Int("claims_kept", f.Kept), slog.Int("claims_dropped", f.Dropped),
		slog.Group("claims_dropped_by", by...), slog.Int("quarantined", f.Quarantined))
}
