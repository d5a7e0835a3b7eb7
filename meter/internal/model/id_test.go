package model

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPlain(t *testing.T) {
	for id, want := range map[string]string{
		"claude-opus-4-5-20251101":                        "claude-opus-4-5",
		" Claude-Opus-4.5 ":                               "claude-opus-4-5",
		"openrouter/anthropic/claude-opus-4.5:thinking":   "claude-opus-4-5",
		"global.anthropic.claude-haiku-4-5-20251001-v1:0": "claude-haiku-4-5",
		"claude-3-5-sonnet-latest":                        "claude-3-5-sonnet",
		"claude-opus-4-5-20251101[1m]":                    "claude-opus-4-5",
		"claude-opus-4-5@20251101":                        "claude-opus-4-5",
		"gpt-4o-2024-08-06":                               "gpt-4o",
		"gpt-4.1":                                         "gpt-4.1",
		"meta-llama/llama-4-maverick":                     "llama-4-maverick",
		"model-12345678":                                  "model-12345678",
		"deepseek-v1":                                     "deepseek-v1",
		"":                                                "",
		"/":                                               "",
		"-latest":                                         "-latest",
	} {
		if got := Plain(id); got != want {
			t.Errorf("Plain(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestPlainIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`(us\.)?(anthropic[./])?[a-z]{2,8}(-[0-9]\.[0-9])?(-20[0-9]{6})?(-latest|-thinking|\[1m\]|:free)?`).Draw(t, "id")
		if once, twice := Plain(id), Plain(Plain(id)); once != twice {
			t.Fatalf("Plain(%q) = %q, again %q", id, once, twice)
		}
	})
}
