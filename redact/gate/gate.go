// Package gate holds the texts that a detector of secrets is measured on: made
// secrets of many kinds in the surroundings in which an agent meets them, and
// texts that only look as if they held one.
//
// The secrets are put together when the program runs, from an issuer's prefix
// and characters drawn by a fixed generator, so that no scanner takes this
// repository for leaky and every run sees the same texts. None was ever valid.
package gate

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// Sample is one text for a detector.
type Sample struct {
	Kind string
	// Parts are, in turn, what is to stay as it is and a secret.
	Parts []string
}

// Text is what the detector reads.
func (s *Sample) Text() string { return strings.Join(s.Parts, "") }

// Secrets are what must not be left in the text.
func (s *Sample) Secrets() []string {
	var secrets []string
	for i := 1; i < len(s.Parts); i += 2 {
		secrets = append(secrets, s.Parts[i])
	}
	return secrets
}

// How many samples each kind has.
const (
	PositivesOfKind = 60
	NegativesOfKind = 70
	BesideOfKind    = 60
	BlindOfCase     = 10
)

var (
	//go:embed positives.txt
	positives string
	//go:embed negatives.txt
	negatives string
	//go:embed beside.txt
	beside string
	//go:embed blind.txt
	blind string
)

// Positives are texts with secrets in them, kind by kind.
var Positives = sync.OnceValue(func() []Sample {
	kinds := parse(positives)
	out := samples(kinds, PositivesOfKind, 1)
	return append(out, encodings(kinds)...)
})

// Negatives are texts without a secret, kind by kind.
var Negatives = sync.OnceValue(func() []Sample { return samples(parse(negatives), NegativesOfKind, 2) })

// Beside are texts in which something that must stay, by which its kind is
// named, stands next to a secret.
var Beside = sync.OnceValue(func() []Sample { return samples(parse(beside), BesideOfKind, 3) })

// Blind are texts with secrets that were written before anything of package
// redact's rules was read; each case is a kind, without surroundings added.
var Blind = sync.OnceValue(func() []Sample {
	var out []Sample
	for i, text := range strings.Split(blind, "\n---\n") {
		for n := range BlindOfCase {
			d := newDraw(4, uint64(i), uint64(n))
			out = append(out, Sample{"case " + strconv.Itoa(i+1), d.fill(strings.TrimSuffix(text, "\n"))})
		}
	}
	return out
})

// Plain is ordinary text of a session, for measuring speed.
const Plain = "   123\tfunc (s *Store) Put(ctx context.Context, c Checkpoint) error { // see internal/store/file.go:45:12\n" +
	"--- PASS: TestStorePut (0.01s)\nok  \texample.test/shop/internal/store\t0.123s\ncommit 995cfa50ceb30ac3c02f94c1a6b9bd19f36479a9\n" +
	"2026-01-02T03:04:05Z INFO request done method=GET path=/api/items status=200 bytes=1234 took=3ms\n" +
	"The build works now; next I will look at the handler for the items, as the plan says.\n"

// kind is a heading of a file of templates, with the templates under it.
type kind struct {
	name      string
	templates []string
}

var breaks = strings.NewReplacer("⏎", "\n", "⇥", "\t")

func parse(file string) []kind {
	var kinds []kind
	for line := range strings.Lines(file) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "== "); ok {
			kinds = append(kinds, kind{name: name})
			continue
		}
		k := &kinds[len(kinds)-1]
		k.templates = append(k.templates, breaks.Replace(line))
	}
	return kinds
}

// samples makes count samples of each kind: its templates in turn, each time in
// other surroundings.
func samples(kinds []kind, count int, set uint64) []Sample {
	out := make([]Sample, 0, len(kinds)*count)
	for k := range kinds {
		for i := range count {
			out = append(out, kinds[k].sample(k, i, set))
		}
	}
	return out
}

func (k *kind) sample(number, i int, set uint64) Sample {
	d := newDraw(set, uint64(number), uint64(i))
	parts := d.fill(k.templates[i%len(k.templates)])
	round := i / len(k.templates)
	return Sample{k.name, surrounded(parts, i%len(k.templates)+number+round*round+round, d)}
}
