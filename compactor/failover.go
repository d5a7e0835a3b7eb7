package compactor

import (
	"context"
	"fmt"

	"github.com/pith-memory/pith"
)

// Failover is a list of models as one: where a model fails in a passing way,
// cannot be read, refuses the key or is not there, the next is asked. A request
// that is too large goes to models with a larger window only; one that is
// invalid, and a cancelled one, goes to none. A whole body goes to models of
// the first one's format only.
//
// The card is the first model's with the smallest window and the smallest
// output of all, so that what is made for it fits any of them. Response.By
// says which one answered. Failover of no model is nil.
func Failover(models ...Model) Model {
	switch len(models) {
	case 0:
		return nil
	case 1:
		return models[0]
	}
	return &failover{models: append([]Model(nil), models...)}
}

type failover struct{ models []Model }

// About is the card that fits all models.
func (f *failover) About() Card {
	card := f.models[0].About()
	percent := marginPercent(card.Provider)
	card.Window = assumedIfUnknown(card.Window)
	for _, m := range f.models[1:] {
		other := m.About()
		window := assumedIfUnknown(other.Window)
		if p := marginPercent(other.Provider); p > percent {
			// The other's tokens are smaller: its window holds less of the same text.
			window = window * int(percent) / int(p)
		}
		card.Window = min(card.Window, window)
		if other.MaxOutput > 0 && (card.MaxOutput == 0 || other.MaxOutput < card.MaxOutput) {
			card.MaxOutput = other.MaxOutput
		}
	}
	return card
}

func assumedIfUnknown(window int) int {
	if window <= 0 {
		return assumedWindow
	}
	return window
}

// Complete asks the models in order. Errors: the context's own, or those of
// all that were asked, the first one's first.
func (f *failover) Complete(ctx context.Context, r Request) (Response, error) {
	var failed error
	format := f.models[0].About().Format
	tooLargeFor := 0
	for i, m := range f.models {
		card := m.About()
		if i > 0 && !takes(card, &r, format, tooLargeFor) {
			continue
		}
		request := r
		if !card.Schema {
			request.Schema = nil
		}
		response, err := m.Complete(ctx, request)
		if err == nil {
			if response.By == nil {
				response.By = &card
			}
			return response, nil
		}
		failed = joined(failed, err)
		if cancelled := ctx.Err(); cancelled != nil {
			return Response{}, cancelled
		}
		f := FailureOf(err)
		switch {
		case f != nil && f.Kind == FailTooLarge:
			tooLargeFor = max(tooLargeFor, assumedIfUnknown(card.Window))
		case f == nil || !f.Passing() && f.Kind != FailAuth && f.Kind != FailNotFound && f.Kind != FailUnreadable:
			return Response{}, failed
		}
	}
	return Response{}, failed
}

// takes tells whether a model can be asked what another one failed on.
func takes(card Card, r *Request, format pith.Format, tooLargeFor int) bool {
	if r.Body != nil && card.Format != format {
		return false
	}
	return tooLargeFor == 0 || card.Window > tooLargeFor
}

func joined(before, err error) error {
	if before == nil {
		return err
	}
	return fmt.Errorf("%w; then %w", before, err)
}
