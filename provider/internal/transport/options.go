package transport

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/meter"
)

// CheckBaseURL says what is wrong without repeating the URL, which may have a
// password in it.
func CheckBaseURL(base string) error {
	if base == "" {
		return nil
	}
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return errors.New("it is no URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("it begins with neither http:// nor https://")
	case u.Host == "":
		return errors.New("it names no host")
	}
	return nil
}

// Credentials are the secrets among headers: the values of these names.
func Credentials(header map[string][]string, names ...string) []string {
	var secrets []string
	for name, values := range header {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			continue
		}
		for _, value := range values {
			_, token, isScheme := strings.Cut(value, " ")
			if !isScheme {
				token = value
			}
			secrets = append(secrets, token)
		}
	}
	return secrets
}

// Shown writes where and how a model is reached, without anything secret.
func Shown(base, key string, header map[string][]string) string {
	text := ""
	if u, err := url.Parse(base); err == nil && base != "" {
		text += ", BaseURL: " + u.Scheme + "://" + u.Host
	}
	if key != "" {
		text += ", Key: (hidden)"
	}
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	if slices.Sort(names); len(names) > 0 {
		text += ", Header: " + strings.Join(names, " ")
	}
	return text
}

// Complete fills in what a card leaves open and the table of models knows.
// window is the configured one, 0 for none; priced says whether the table's
// prices are those of the server.
func Complete(c compactor.Card, window int, priced bool) compactor.Card {
	known, _ := meter.Model(c.Name)
	c.Window, _ = meter.Window(c.Name, window)
	if c.MaxOutput == 0 {
		c.MaxOutput = known.MaxOutput
	}
	if priced && c.Price == (compactor.Price{}) {
		c.Price = compactor.Price{Input: known.Input, Output: known.Output, CacheRead: known.CacheRead, CacheWrite: known.CacheWrite}
	}
	return c
}
