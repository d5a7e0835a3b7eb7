package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// maxModelKeys bounds what is read of a file that is to hold a key.
const maxModelKeys = 64 << 10

// keyVariable is the environment variable that holds a provider's key.
func keyVariable(provider string) string { return strings.ToUpper(provider) + "_API_KEY" }

// modelKeys are the keys of providers: of a file, then of the environment. They
// are sent to the provider and nowhere else.
type modelKeys struct {
	lone  string
	named map[string]string
}

// modelKeys reads the file of keys, where one is set: a lone key, or lines
// as ANTHROPIC_API_KEY=... for more than one provider.
func (c *console) modelKeys() (modelKeys, error) {
	name := c.settings.value("model-key-file")
	if name == "" {
		return modelKeys{}, nil
	}
	f, info, err := openFile(name)
	if err != nil {
		return modelKeys{}, usage("write the key into the file, and nothing else", "read the model's key: %w", err)
	}
	defer func() { _ = f.Close() }() // it is only read
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		fmt.Fprintf(c.err, "pith: warning: other users can read the key in %s: chmod 600 %s\n", name, name)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxModelKeys))
	if err != nil {
		return modelKeys{}, usage("", "read the model's key: %s: %w", name, cause(err))
	}
	keys, ok := parseKeys(string(text))
	if !ok {
		return modelKeys{}, usage("a line with the key, or lines as ANTHROPIC_API_KEY=...", "%s holds no key", name)
	}
	return keys, nil
}

// parseKeys reports false where there is no key, or more than one without a name.
func parseKeys(text string) (modelKeys, bool) {
	k := modelKeys{named: map[string]string{}}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, key, named := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		switch {
		case named && strings.HasSuffix(name, "_API_KEY"):
			k.named[name] = strings.Trim(key, `"'`)
		case k.lone != "" || strings.ContainsAny(line, " \t"):
			return modelKeys{}, false
		default:
			k.lone = line
		}
	}
	return k, k.lone != "" || len(k.named) > 0
}

// of is the key for a provider, "" where there is none.
func (k modelKeys) of(provider string) string {
	if key := k.named[keyVariable(provider)]; key != "" {
		return key
	}
	if k.lone != "" {
		return k.lone
	}
	return strings.TrimSpace(os.Getenv(keyVariable(provider)))
}
