package install

import (
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlTable is the text of the table that a path names, from its header to the
// next, with pith's mark above it and without comments and blanks behind it;
// none where it is not written as a table.
func tomlTable(text string, path []string) []string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if !tomlHeads(line, path) {
			continue
		}
		end := i + 1
		for end < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[end]), "[") {
			end++
		}
		for end > i+1 && tomlIdle(lines[end-1]) {
			end--
		}
		start := i
		if start > 0 && strings.TrimSpace(lines[start-1]) == tomlMark {
			start--
		}
		if start > 0 && strings.TrimSpace(lines[start-1]) == "" {
			start--
		}
		return []string{strings.Join(lines[start:end], "")}
	}
	return nil
}

// tomlIdle tells whether a line says nothing.
func tomlIdle(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

// tomlHeads tells whether a line is the header of the table that a path names.
func tomlHeads(line string, path []string) bool {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "[") || strings.HasPrefix(line, "[[") {
		return false
	}
	var at map[string]any
	if toml.Unmarshal([]byte(line), &at) != nil {
		return false
	}
	for _, name := range path {
		next, ok := at[name].(map[string]any)
		if !ok {
			return false
		}
		at = next
	}
	return len(at) == 0
}
