package meter

import (
	_ "embed" // for the table of models
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/meter/internal/model"
)

// Where a window was taken from.
const (
	FromConfig     = "config"
	FromTranscript = "transcript"
	FromCatwalk    = "catwalk"
	// FromFamily is the table's row of the version that the model's follows on.
	FromFamily  = "family"
	FromUnknown = "unknown"
)

// longWindow is what the suffix "[1m]" of a model id asks for.
const longWindow = 1_000_000

// models holds a line for every model that the module charm.land/catwalk
// v0.52.1 knows, sorted: its plain id, its window, the most tokens that it
// answers with, the prices of input, output, cache reads and cache writes in US
// dollars per million tokens, and 1 where it reasons, with tabs between them.
//
//go:generate go -C modelgen run . -o ../models.tsv
//go:embed models.tsv
var models string

// Info is what the table says of a model.
type Info struct {
	// Window is the context window in tokens.
	Window int
	// MaxOutput is the most that one answer has, 0 unknown.
	MaxOutput pith.Tokens
	// The prices. Units: US dollars per million tokens; all 0 where they are
	// unknown or nothing is charged.
	Input, Output, CacheRead, CacheWrite float64
	// Reasons is set where the model can think before it answers.
	Reasons bool
}

// Model returns what the table says of a model, by any of its ids. It reports
// false for a model that is not there.
func Model(id string) (Info, bool) {
	window, rest, _ := strings.Cut(row(model.Plain(id)), "\t")
	f := strings.Split(rest, "\t")
	if len(f) != 6 {
		return Info{}, false
	}
	return Info{
		Window: whole(window), MaxOutput: pith.Tokens(whole(f[0])),
		Input: price(f[1]), Output: price(f[2]), CacheRead: price(f[3]), CacheWrite: price(f[4]),
		Reasons: f[5] == "1",
	}, true
}

// Window returns a model's context window in tokens, and where it was found:
// the configured one if it is set, then the suffix of the id, then the table.
// A model that is newer than the table has the window of the version that it
// follows on, as claude-opus-5-5 that of claude-opus-5. Any other has none: 0,
// "unknown".
func Window(id string, configured int) (tokens int, from string) {
	if configured > 0 {
		return configured, FromConfig
	}
	if strings.HasSuffix(strings.ToLower(strings.TrimSpace(id)), "[1m]") {
		return longWindow, FromConfig
	}
	plain := model.Plain(id)
	for from, ok := FromCatwalk, true; ok; plain, ok = before(plain) {
		window, _, _ := strings.Cut(row(plain), "\t")
		if tokens := whole(window); tokens > 0 {
			return tokens, from
		}
		from = FromFamily
	}
	return 0, FromUnknown
}

// before is the version of a model that another follows on, without the last of
// its numbers; false where none would be left.
func before(plain string) (string, bool) {
	at := strings.LastIndexByte(plain, '-')
	if at < 0 || !isNumber(plain[at+1:]) {
		return "", false
	}
	earlier := plain[:at]
	return earlier, isNumber(earlier[strings.LastIndexByte(earlier, '-')+1:])
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// row finds what stands behind a plain id in the table, "" where it is not there.
func row(plain string) string {
	if plain == "" || strings.ContainsAny(plain, "\t\n") {
		return ""
	}
	key := plain + "\t"
	at := 0
	if !strings.HasPrefix(models, key) {
		if at = strings.Index(models, "\n"+key); at < 0 {
			return ""
		}
		at++
	}
	value, _, _ := strings.Cut(models[at+len(key):], "\n")
	return value
}

// whole and price read fields that modelgen wrote.
func whole(field string) int {
	n, _ := strconv.Atoi(field)
	return n
}

func price(field string) float64 {
	dollars, _ := strconv.ParseFloat(field, 64)
	return dollars
}

// sameModel says whether two ids mean one model. An id that is missing, or
// that a client made up ("<synthetic>"), contradicts nothing.
func sameModel(a, b string) bool {
	if a == "" || b == "" || a[0] == '<' || b[0] == '<' {
		return true
	}
	return model.Plain(a) == model.Plain(b)
}
