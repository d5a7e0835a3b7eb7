// Package model turns the ids that clients and resellers give a model into its
// plain id.
package model

import "strings"

// Plain returns id in lower case without what providers, regions, dates and
// options add to it: "us.anthropic.claude-opus-4-5-20251101-v1:0",
// "anthropic/claude-opus-4.5" and "claude-opus-4-5-20251101[1m]" are all
// "claude-opus-4-5".
func Plain(id string) string {
	id = strings.ToLower(strings.TrimSpace(id))
	if i := strings.LastIndexByte(id, '/'); i >= 0 {
		id = id[i+1:]
	}
	for _, maker := range []string{"anthropic.", "openai.", "meta.", "amazon.", "mistral.", "deepseek.", "qwen."} {
		if i := strings.Index(id, maker); i >= 0 && i <= len("global.") {
			id = id[i+len(maker):]
			break
		}
	}
	if i := strings.IndexByte(id, '['); i > 0 {
		id = id[:i]
	}
	if i := strings.IndexByte(id, ':'); i > 0 {
		id = id[:i]
	}
	if i := strings.IndexByte(id, '@'); i > 0 {
		id = id[:i]
	}
	for {
		cut := trimSuffix(id)
		if cut == id {
			break
		}
		id = cut
	}
	if strings.HasPrefix(id, "claude-") {
		id = strings.ReplaceAll(id, ".", "-")
	}
	return id
}

// trimSuffix takes one date, release mark or option off the end.
func trimSuffix(id string) string {
	for _, s := range []string{"-latest", "-v1", "-v2", "-thinking"} {
		if cut, ok := strings.CutSuffix(id, s); ok && cut != "" && !strings.Contains(cut, "deepseek") {
			return cut
		}
	}
	for _, date := range []string{"-dddddddd", "-dddd-dd-dd"} {
		if i := len(id) - len(date); i > 0 && isDate(id[i:], date) {
			return id[:i]
		}
	}
	return id
}

// isDate says whether s has digits where the pattern has a d, and the century
// of ours at its start.
func isDate(s, pattern string) bool {
	for i := range len(pattern) {
		digit := s[i] >= '0' && s[i] <= '9'
		if digit != (pattern[i] == 'd') || !digit && s[i] != pattern[i] {
			return false
		}
	}
	return strings.HasPrefix(s, "-20")
}
