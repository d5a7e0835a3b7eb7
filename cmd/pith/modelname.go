package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// modelName is a model as --model names it: the API that it is asked through
// and what it is called there.
type modelName struct{ provider, api, name string }

// The providers that --model may name. openai is the responses API, and chat
// completions where a base URL is given, since that is what local servers speak.
var modelProviders = []string{"anthropic", "openai", "openai-chat", "openai-responses"}

// modelNames reads "provider/name,provider/name". A name may hold slashes.
func modelNames(list string) ([]modelName, error) {
	if list == "" {
		return nil, nil
	}
	var names []modelName
	for part := range strings.SplitSeq(list, ",") {
		provider, name, _ := strings.Cut(strings.TrimSpace(part), "/")
		m := modelName{name: name}
		switch provider {
		case "anthropic", "openai":
			m.provider = provider
		case "openai-chat", "openai-responses":
			m.provider, m.api, _ = strings.Cut(provider, "-")
		default:
			return nil, fmt.Errorf("%q names no provider: want one of %s, then / and the model's name", part, strings.Join(modelProviders, ", "))
		}
		if name == "" || strings.ContainsAny(name, " \t\r\n") {
			return nil, fmt.Errorf("%q names no model: want PROVIDER/NAME, as anthropic/claude-haiku-4-5", part)
		}
		names = append(names, m)
	}
	return names, nil
}

func wantModels(v string) error {
	_, err := modelNames(v)
	return err
}

func wantURL(v string) error {
	if v == "" {
		return nil
	}
	u, err := url.Parse(v)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("want a URL with http:// or https:// and a host")
	case u.User != nil || u.RawQuery != "":
		return errors.New("a key does not belong into a URL: put it into a file, and pass --model-key-file")
	}
	return nil
}

// inTheOpen tells whether what is sent to a URL can be read on its way: it is
// not encrypted, and leaves this machine.
func inTheOpen(base string) bool { return strings.HasPrefix(base, "http://") && !atHome(base) }

// atHome tells whether a URL is of this machine.
func atHome(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
