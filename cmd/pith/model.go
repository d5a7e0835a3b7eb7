package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/anthropic"
	"github.com/pith-memory/pith/provider/openai"
)

// draftModel is the model that the settings name, nil for none. Of a list it is
// all of them, each asked where the one before it does not answer.
func (c *console) draftModel() (compactor.Model, error) {
	names, err := modelNames(c.settings.value("model"))
	if err != nil || len(names) == 0 {
		return nil, err
	}
	keys, err := c.modelKeys()
	if err != nil {
		return nil, err
	}
	base := c.settings.value("model-url")
	if inTheOpen(base) {
		fmt.Fprintf(c.err, "pith: warning: what goes to %s is not encrypted on its way\n", base)
	}
	models, line := make([]compactor.Model, len(names)), &asking{console: c}
	for i, n := range names {
		if keys.lone != "" && n.provider != names[0].provider {
			return nil, usage("write a line for each provider: ANTHROPIC_API_KEY=..., OPENAI_API_KEY=...",
				"%s does not say whose key it holds, and --model names two providers", c.settings.value("model-key-file"))
		}
		m, err := c.provide(n, base, keys.of(n.provider))
		if err != nil {
			return nil, err
		}
		if atHome(base) {
			m = unpriced{m}
		}
		models[i] = announced{m, line}
	}
	return compactor.Failover(models...), nil
}

// provide makes one model. A server of the user's own may need no key, and gets
// none; elsewhere a model without one is not asked.
func (c *console) provide(n modelName, base, key string) (compactor.Model, error) {
	m, err := newModel(n, base, or(key, noKey), c.settings)
	if err == nil && key == "" && base == "" {
		m = keyless{m, n.provider}
	}
	return m, err
}

// noKey stands where a server wants no key, and a client wants one.
const noKey = "none"

func newModel(n modelName, base, key string, s *settings) (compactor.Model, error) {
	window, timeout := s.count("model-window"), s.duration("model-timeout")
	if n.provider == "anthropic" {
		return anthropic.New(anthropic.Options{Model: n.name, BaseURL: anthropicBase(base), Key: key, Window: window, Timeout: timeout})
	}
	return openai.New(openai.Options{Model: n.name, BaseURL: openaiBase(base), Key: key, API: n.api, Window: window, Timeout: timeout})
}

// keyless is a model that nobody can sign in to. It is no error before it is
// asked: another one of the list may answer, and facts need no model.
type keyless struct {
	compactor.Model
	provider string
}

func (k keyless) Complete(context.Context, compactor.Request) (compactor.Response, error) {
	return compactor.Response{}, &compactor.Failure{
		Kind: compactor.FailAuth, Model: k.About().String(),
		Detail: "there is no key: set " + keyVariable(k.provider) + ", or pass --model-key-file",
	}
}

// unpriced is a model on this machine: what a provider takes for one of the
// same name is not what it costs.
type unpriced struct{ compactor.Model }

func (u unpriced) About() compactor.Card {
	card := u.Model.About()
	card.Price = compactor.Price{}
	return card
}

// anthropicBase is a base URL as Anthropic's clients take it: without the
// version, which belongs to the path.
func anthropicBase(base string) string {
	return strings.TrimSuffix(strings.TrimSuffix(base, "/"), "/v1")
}

// openaiBase is a base URL as OpenAI's clients take it: with the version. A
// host alone means the place where every server has it.
func openaiBase(base string) string {
	base = strings.TrimSuffix(base, "/")
	if _, rest, _ := strings.Cut(base, "://"); base != "" && !strings.Contains(rest, "/") {
		return base + "/v1"
	}
	return base
}
