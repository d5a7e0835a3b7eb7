// Command modelgen writes the table of models that package meter embeds, from
// what module charm.land/catwalk knows. It has its own module: to parse
// catwalk's 700 kB of JSON takes a process 10 ms, and reading the table costs
// nothing before a model is asked for.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"github.com/pith-memory/pith/meter/internal/model"
)

func main() {
	out := flag.String("o", "models.tsv", "file to write")
	flag.Parse()
	if err := os.WriteFile(*out, table(embedded.GetAll()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "modelgen:", err)
		os.Exit(1)
	}
}

// makers are the providers that serve their own models; what they say of one
// rules over what a reseller says.
var makers = []catwalk.InferenceProvider{
	"anthropic", "openai", "gemini", "xai", "deepseek", "moonshot", "zai", "minimax",
}

// row is what the table says of a model. Prices are in US dollars per million
// tokens, all 0 where there is none.
type row struct {
	window, output                       int64
	input, answer, cacheRead, cacheWrite float64
	reasons                              bool
	maker                                bool
}

// table writes one line for each model: its plain id, window, most output
// tokens, the prices of input, output, cache reads and cache writes, and 1
// where it reasons, with tabs between them. Where resellers differ and no maker
// is among them, the smaller limit and the dearer price stand: to compact too
// early loses less than to compact too late, and a bill that is smaller than
// what was said surprises nobody.
func table(providers []catwalk.Provider) []byte {
	rows := map[string]row{}
	for _, p := range providers {
		maker := slices.Contains(makers, p.ID)
		for _, m := range p.Models {
			if m.ContextWindow <= 0 {
				continue
			}
			id, r := model.Plain(m.ID), rowOf(m)
			r.maker = maker
			if have, known := rows[id]; known && have.maker == maker {
				r = have.with(r)
			} else if known && have.maker {
				r = have
			}
			rows[id] = r
		}
	}
	lines := make([]string, 0, len(rows))
	for id, r := range rows {
		lines = append(lines, id+"\t"+r.String()+"\n")
	}
	slices.Sort(lines)
	return []byte(strings.Join(lines, ""))
}

func rowOf(m catwalk.Model) row {
	r := row{
		window: m.ContextWindow, output: max(0, m.DefaultMaxTokens), reasons: m.CanReason,
		input: max(0, m.CostPer1MIn), answer: max(0, m.CostPer1MOut),
	}
	if r.output >= r.window {
		r.output = 0 // somebody wrote the window down twice
	}
	r.cacheRead, r.cacheWrite = r.input, r.input
	// Of the two cached prices catwalk's sources use either for reads. A read
	// costs less than the input and a write up to twice as much; what fits
	// neither is not a price of the cache, and the price of input stands.
	for _, price := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
		switch {
		case price <= 0 || price > 2*r.input:
		case price < r.cacheRead:
			r.cacheRead = price
		case price > r.cacheWrite:
			r.cacheWrite = price
		}
	}
	return r
}

// with joins what two providers of one kind say of a model.
func (r row) with(o row) row {
	r.window = min(r.window, o.window)
	if r.output == 0 || o.output > 0 && o.output < r.output {
		r.output = o.output
	}
	if o.input+o.answer > r.input+r.answer {
		r.input, r.answer, r.cacheRead, r.cacheWrite = o.input, o.answer, o.cacheRead, o.cacheWrite
	}
	r.reasons = r.reasons || o.reasons
	return r
}

func (r row) String() string {
	reasons := "0"
	if r.reasons {
		reasons = "1"
	}
	return strings.Join([]string{
		strconv.FormatInt(r.window, 10), strconv.FormatInt(r.output, 10),
		dollars(r.input), dollars(r.answer), dollars(r.cacheRead), dollars(r.cacheWrite), reasons,
	}, "\t")
}

// dollars writes a price without the noise that resellers' arithmetic left.
func dollars(price float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(price, 'f', 6, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
