package hook_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pith-memory/pith/hook"
)

// TestWindowOfTheClient holds that the memory is made for the window that the
// client names, and for the configured one where there is one.
func TestWindowOfTheClient(t *testing.T) {
	size := func(configured int, named any) int {
		d := newDesk(t)
		d.window = configured
		random := rand.New(rand.NewPCG(1, 2))
		for range 60 {
			d.c.round(random)
		}
		out := d.tell(d.c, hook.SessionCompact, "manual", map[string]any{"window": named})
		if !out.Answered {
			t.Fatalf("window %v: no answer", named)
		}
		return len(out.Memory)
	}
	large, small := size(200_000, nil), size(6_000, nil)
	if small >= large {
		t.Fatalf("%d bytes for a small window, %d for a large one: this tests nothing", small, large)
	}
	for _, x := range []struct {
		configured int
		named      any
		want       int
	}{{0, 6_000, small}, {0, 200_000, large}, {200_000, 6_000, large}, {6_000, "many", small}} {
		if got := size(x.configured, x.named); got != x.want {
			t.Errorf("window %v, configured %d: %d bytes, want %d", x.named, x.configured, got, x.want)
		}
	}
}
