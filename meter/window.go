package meter

import (
	_ "embed" // for the table of windows
	"strconv"
	"strings"

	"github.com/pith-memory/pith/meter/internal/model"
)

// Where a window was taken from.
const (
	FromConfig     = "config"
	FromTranscript = "transcript"
	FromCatwalk    = "catwalk"
	FromUnknown    = "unknown"
)

// longWindow is what the suffix "[1m]" of a model id asks for.
const longWindow = 1_000_000

// windows holds a line "id<tab>window" for every model that the module
// charm.land/catwalk v0.52.1 knows, sorted.
//
//go:generate go -C windowgen run . -o ../windows.tsv
//go:embed windows.tsv
var windows string

// Window returns a model's context window in tokens, and where it was found:
// the configured one if it is set, then the suffix of the id, then the table.
// A model that is not there has no window: 0, "unknown".
func Window(id string, configured int) (tokens int, from string) {
	if configured > 0 {
		return configured, FromConfig
	}
	if strings.HasSuffix(strings.ToLower(strings.TrimSpace(id)), "[1m]") {
		return longWindow, FromConfig
	}
	plain := model.Plain(id)
	if tokens := tableWindow(plain); tokens > 0 {
		return tokens, FromCatwalk
	}
	return 0, FromUnknown
}

func tableWindow(plain string) int {
	if plain == "" || strings.ContainsAny(plain, "\t\n") {
		return 0
	}
	key := plain + "\t"
	at := 0
	if !strings.HasPrefix(windows, key) {
		if at = strings.Index(windows, "\n"+key); at < 0 {
			return 0
		}
		at++
	}
	value, _, _ := strings.Cut(windows[at+len(key):], "\n")
	tokens, err := strconv.Atoi(value)
	if err != nil {
		return 0
	}
	return tokens
}

// sameModel says whether two ids mean one model. An id that is missing, or
// that a client made up ("<synthetic>"), contradicts nothing.
func sameModel(a, b string) bool {
	if a == "" || b == "" || a[0] == '<' || b[0] == '<' {
		return true
	}
	return model.Plain(a) == model.Plain(b)
}
