// Package schemas holds the contracts that pith's documents follow, as JSON
// Schemas (draft 2020-12), and the table that maps the two views of a state
// onto each other. Good and bad examples lie in the folder examples.
package schemas

import (
	"embed"
	"strings"
)

//go:embed *.json
var files embed.FS

// Names are the names of the contracts, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	return names
}

// Read returns a contract by its name, with or without ".json".
func Read(name string) ([]byte, bool) {
	b, err := files.ReadFile(strings.TrimSuffix(name, ".json") + ".json")
	return b, err == nil
}
