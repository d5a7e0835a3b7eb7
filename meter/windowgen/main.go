// Command windowgen writes the table of context windows that package meter
// embeds, from the models that module charm.land/catwalk knows. It has its own
// module: to parse catwalk's 700 kB of JSON takes a process 10 ms, and reading
// the table costs nothing before a window is asked for.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"github.com/pith-memory/pith/meter/internal/model"
)

func main() {
	out := flag.String("o", "windows.tsv", "file to write")
	flag.Parse()
	if err := os.WriteFile(*out, table(embedded.GetAll()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "windowgen:", err)
		os.Exit(1)
	}
}

// makers are the providers that serve their own models; what they say of one
// rules over what a reseller says.
var makers = []catwalk.InferenceProvider{
	"anthropic", "openai", "gemini", "xai", "deepseek", "moonshot", "zai", "minimax",
}

// table writes one line for each model: its plain id, a tab, its window. Where
// resellers differ and no maker is among them, the smallest window stands: to
// compact too early loses less than to compact too late.
func table(providers []catwalk.Provider) []byte {
	windows := map[string]int64{}
	byMaker := map[string]bool{}
	add := func(p catwalk.Provider, maker bool) {
		for _, m := range p.Models {
			id := model.Plain(m.ID)
			have, known := windows[id]
			switch {
			case m.ContextWindow <= 0 || byMaker[id] && !maker:
			case !known || maker && !byMaker[id] || m.ContextWindow < have:
				windows[id] = m.ContextWindow
				byMaker[id] = maker
			}
		}
	}
	for _, p := range providers {
		add(p, slices.Contains(makers, p.ID))
	}
	lines := make([]string, 0, len(windows))
	for id, window := range windows {
		lines = append(lines, fmt.Sprintf("%s\t%d\n", id, window))
	}
	slices.Sort(lines)
	return []byte(strings.Join(lines, ""))
}
