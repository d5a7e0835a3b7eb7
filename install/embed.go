package install

import (
	"embed"
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// parts are the files that agents get. In them __PITH__ stands for pith's
// absolute path, as the inside of a string in double quotes; __PITH_SH__ is the
// path as one word of a shell command, as the inside of such a string. Claude
// Code's work as they are where pith is on the PATH, see named. Files named
// README.md or *_test.* are not given to agents.
//
//go:embed all:claude-code all:codex all:opencode all:pi
var parts embed.FS

// part is a file to give to an agent, by its path below the agent's folder.
type part struct {
	name string
	data []byte
}

// filled gives the files of a folder of parts with pith's path put in.
func (c *Config) filled(folder string) ([]part, error) {
	var list []part
	err := fs.WalkDir(parts, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || isOurs(path.Base(name)) {
			return err
		}
		data, err := parts.ReadFile(name)
		if err != nil {
			return err
		}
		list = append(list, part{strings.TrimPrefix(name, folder+"/"), []byte(c.fill(name, string(data)))})
		return nil
	})
	return list, err
}

// isOurs tells the files that are for those who work on pith.
func isOurs(base string) bool {
	stem := strings.TrimSuffix(base, path.Ext(base))
	return base == "README.md" || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test")
}

func (c *Config) fill(name, text string) string {
	if strings.HasPrefix(name, "claude-code/") {
		return c.named(name, text)
	}
	return strings.NewReplacer(
		"__PITH_SH__", quotedInside(shellWord(c.Pith)),
		"__PITH__", quotedInside(c.Pith),
	).Replace(text)
}

// pithRuns are the places in Claude Code's files where a shell runs pith, or is
// allowed to: in a hook's command, and in the commands' Markdown.
var pithRuns = regexp.MustCompile("(\"command\": \"|`|; |Bash\\()pith( (?:hook|compact|show|pin|recall)\\b)")

// named puts pith's absolute path into a file of Claude Code's plugin, which
// names it as a program on the PATH, and its version into the plugin's own file.
func (c *Config) named(name, text string) string {
	word := shellWord(c.Pith)
	if path.Ext(name) != ".md" {
		word = quotedInside(word)
	}
	text = pithRuns.ReplaceAllString(text, "${1}"+strings.ReplaceAll(word, "$", "$$")+"${2}")
	switch path.Base(name) {
	case "register.ts":
		text = strings.Replace(text, `const pith = "pith"`, `const pith = "`+quotedInside(c.Pith)+`"`, 1)
	case ".mcp.json":
		text = strings.Replace(text, `"command": "pith"`, `"command": "`+quotedInside(c.Pith)+`"`, 1)
	case "plugin.json":
		text = strings.Replace(text, `"name": "pith",`, `"name": "pith",`+"\n"+`  "version": "`+quotedInside(c.Version)+`",`, 1)
	}
	return text
}

// quotedInside is a text as it stands between double quotes, in JSON and in
// JavaScript.
func quotedInside(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(quoted[1 : len(quoted)-1])
}

// shellWord is a text as one word of a shell command.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
