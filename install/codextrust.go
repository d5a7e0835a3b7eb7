package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/pith-memory/pith"
)

// codexTrusted is an entry of [hooks.state] in Codex's config.toml: with its
// hash as trusted_hash there, the hook runs without a question.
type codexTrusted struct {
	// Key names the hook by its file, event and place in it.
	Key  string
	Hash string
}

// codexHook is a hook as Codex hashes it: what is left out in the file has its
// default. The fields are in the order of their names, as the hash needs them.
type codexHook struct {
	ContextLimit *int    `json:"additionalContextLimit,omitempty"`
	Async        bool    `json:"async"`
	Command      string  `json:"command"`
	Status       *string `json:"statusMessage,omitempty"`
	Timeout      *int    `json:"timeout"`
	Type         string  `json:"type"`
}

type codexGroup struct {
	Event   string      `json:"event_name"`
	Hooks   []codexHook `json:"hooks"`
	Matcher *string     `json:"matcher,omitempty"`
}

const (
	codexTimeout    = 600  // without one in the file. Units: s
	codexEndTimeout = 1    // the same at the end of a session
	codexEndMost    = 3    // more is cut down to this
	codexContext    = 2500 // the limit of a context that is no limit of its own. Units: tokens
)

// codexTrust turns Codex's hooks.json into the entries that trust those of its
// hooks whose command is one of pith's, in the order of the file's groups. The
// path is the file's own, as Codex names it.
func codexTrust(path string, data []byte, own func(command string) bool) ([]codexTrusted, error) {
	var file struct {
		Hooks map[string][]codexGroup `json:"hooks"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, &pith.Error{Op: "read " + path, Kind: pith.KindInput, Err: err}
	}
	var list []codexTrusted
	for _, event := range slices.Sorted(maps.Keys(file.Hooks)) {
		for i, g := range file.Hooks[event] {
			for j, h := range g.Hooks {
				if h.Type != "command" || !own(h.Command) {
					continue
				}
				hash, err := codexTrustHash(event, g.Matcher, h)
				if err != nil {
					return nil, err
				}
				list = append(list, codexTrusted{Key: fmt.Sprintf("%s:%s:%d:%d", path, codexEvent(event), i, j), Hash: hash})
			}
		}
	}
	return list, nil
}

// codexTrustHash is the hash by which Codex knows a hook that was agreed to.
func codexTrustHash(event string, matcher *string, h codexHook) (string, error) {
	g := codexGroup{Event: codexEvent(event), Matcher: matcher}
	switch g.Event {
	case "user_prompt_submit", "stop", "interrupt": // nothing there can be matched
		g.Matcher = nil
	}
	timeout := codexTimeout
	if g.Event == "session_end" || g.Event == "interrupt" {
		timeout = codexEndTimeout
	}
	if h.Timeout != nil {
		timeout = max(1, *h.Timeout)
		if g.Event == "session_end" || g.Event == "interrupt" {
			timeout = min(timeout, codexEndMost)
		}
	}
	h.Timeout = &timeout
	if h.ContextLimit != nil && (*h.ContextLimit == codexContext || !codexTakesContext(g.Event)) {
		h.ContextLimit = nil
	}
	g.Hooks = []codexHook{h}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(g); err != nil {
		return "", err
	}
	sum := sha256.Sum256(bytes.TrimSpace(b.Bytes()))
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// codexTakesContext tells the events whose hooks can tell the model something.
func codexTakesContext(event string) bool {
	switch event {
	case "session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "subagent_start":
		return true
	}
	return false
}

// codexEvent is an event's name as the keys have it: PreCompact, pre_compact.
func codexEvent(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
