package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/telemetry"
)

func wantFigures(v string) error {
	if v != "off" && v != "log" {
		return errors.New("want off or log")
	}
	return nil
}

// observe writes the figures of a compaction to standard error, one line of
// JSON, where the settings ask for it.
func (c *console) observe(ctx context.Context, f memory.Figures) {
	if c.settings.value("figures") == "log" {
		telemetry.Slog(slog.New(slog.NewJSONHandler(c.err, nil)))(ctx, f)
	}
}
