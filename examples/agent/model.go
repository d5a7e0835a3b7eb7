package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/anthropic"
	"github.com/pith-memory/pith/provider/openai"
)

// newModel makes the model that "provider/name" names. Its key is in the
// environment; a server of one's own may need none.
func newModel(name, url string, window int) (compactor.Model, error) {
	provider, model, _ := strings.Cut(name, "/")
	switch provider {
	case "anthropic":
		return anthropic.New(anthropic.Options{Model: model, BaseURL: url, Key: os.Getenv("ANTHROPIC_API_KEY"), Window: window})
	case "openai", "openai-chat", "openai-responses":
		_, api, _ := strings.Cut(provider, "-")
		return openai.New(openai.Options{Model: model, BaseURL: url, API: api, Key: os.Getenv("OPENAI_API_KEY"), Window: window})
	}
	return nil, fmt.Errorf("%q names no model: want PROVIDER/NAME, as anthropic/claude-haiku-4-5 or openai/gpt-5-mini", name)
}
