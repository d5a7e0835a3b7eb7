package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-memory/pith/redact"
)

// Level says how a check came out.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Warning Level = "warning"
	Wrong   Level = "wrong"
)

// Check is one thing that was looked at.
type Check struct {
	Agent Agent  `json:"agent,omitempty"`
	Name  string `json:"name"`
	Level Level  `json:"level"`
	Text  string `json:"text"`
	// Do is what a person can do about it.
	Do string `json:"do,omitempty"`
}

// patience is how long an agent may take to say its version, and maxVersion how
// much it may say, of which longVersion is shown. Units: bytes.
const (
	patience    = 20 * time.Second
	maxVersion  = 64 << 10
	longVersion = 120
)

// examiner looks at one installation.
type examiner struct {
	config *Config
	r      *receipt
	checks []Check
}

func (x *examiner) add(level Level, name, do, format string, args ...any) {
	x.checks = append(x.checks, Check{x.r.Agent, name, level, fmt.Sprintf(format, args...), do})
}

func (x *examiner) again() string {
	again := "pith install " + string(x.r.Agent)
	if x.r.Scope == Project {
		again += " --scope project, in the project's folder"
	}
	return again
}

// Examine looks at every installation of an agent, "" for all agents. The
// folder is for a session that is made up for the round trip; nothing of it
// stays elsewhere.
func (c *Config) Examine(ctx context.Context, agent Agent, folder string) []Check {
	receipts, list := c.readReceipts(agent)
	seen := len(list) > 0
	for _, r := range receipts {
		if agent != "" && r.Agent != agent {
			continue
		}
		seen = true
		x := &examiner{config: c, r: r}
		x.client(ctx)
		x.program()
		x.files()
		x.settings()
		if r.Agent == Codex {
			x.codexTrust()
		}
		if r.Agent != MCP {
			x.roundTrip(ctx, folder)
		}
		list = append(list, x.checks...)
	}
	if !seen && agent != "" {
		list = append(list, Check{agent, "installed", Wrong, "pith is not installed in it", "pith install " + string(agent)})
	}
	return list
}

// client looks for the agent itself.
func (x *examiner) client(ctx context.Context) {
	name := programs[x.r.Agent]
	if name == "" {
		return
	}
	path, err := exec.LookPath(name)
	if err != nil {
		x.add(Warning, "agent", "install it, or put it on the PATH", "%s is not found", name)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, aside, err := listen(ctx, exec.CommandContext(ctx, path, "--version"), maxVersion)
	said := strings.TrimSpace(string(out))
	if said == "" { // some say it on standard error
		said = strings.TrimSpace(string(aside))
	}
	version, _, _ := strings.Cut(said, "\n")
	if version = shownLine(version, redact.New()); len(version) > longVersion {
		version = strings.ToValidUTF8(version[:longVersion], "") + "..."
	}
	if err == nil && version == "" {
		err = errors.New("it says nothing")
	}
	if err != nil {
		x.add(Warning, "agent", "run it by hand", "%s does not say its version: %v", path, err)
		return
	}
	x.add(OK, "agent", "", "%s (%s)", version, path)
}

// program looks at the pith that the agent runs.
func (x *examiner) program() {
	info, err := os.Stat(x.r.Pith)
	switch {
	case err != nil:
		x.add(Wrong, "program", x.again(), "%s, which the agent runs, is not there", x.r.Pith)
	case info.IsDir() || info.Mode()&0o111 == 0 && filepath.Ext(x.r.Pith) != ".exe":
		x.add(Wrong, "program", "chmod +x, or "+x.again(), "%s, which the agent runs, is no program", x.r.Pith)
	case x.r.Release != x.config.Version:
		x.add(Warning, "program", x.again(), "what is installed is of pith %s, and this is pith %s", x.r.Release, x.config.Version)
	default:
		x.add(OK, "program", "", "%s", x.r.Pith)
	}
}

// files looks at those that are pith's whole.
func (x *examiner) files() {
	n, bad := 0, 0
	for i := range x.r.Files {
		f := &x.r.Files[i]
		if f.Format != "" {
			continue
		}
		n++
		now, err := f.read()
		switch {
		case err != nil:
			x.add(Wrong, "files", "see that you may read it", "%v", err)
		case !now.there:
			x.add(Wrong, "files", x.again(), "%s is gone", f.Shown)
		case hashOf(now.data) != f.After:
			x.add(Warning, "files", x.again()+" writes it anew", "%s was changed", f.Shown)
		default:
			continue
		}
		bad++
	}
	if n > 0 && bad == 0 {
		x.add(OK, "files", "", "as they were installed: %d", n)
	}
}

// settings looks for pith's entries.
func (x *examiner) settings() {
	for i := range x.r.Files {
		f := &x.r.Files[i]
		if f.Format == "" {
			continue
		}
		gone, err := f.gone()
		switch {
		case err != nil:
			x.add(Wrong, "settings", "repair the file", "%v", err)
		case len(gone) > 0:
			x.add(Wrong, "settings", x.again(), "%s does not say any more: %s", f.Shown, strings.Join(gone, ", "))
		default:
			x.add(OK, "settings", "", "%s", f.Shown)
		}
		if x.r.Agent == ClaudeCode && err == nil {
			x.hooksOff(f)
		}
	}
}

// gone are the entries that a settings file does not have any more.
func (r *record) gone() (list []string, err error) {
	now, err := r.read()
	if err != nil {
		return nil, err
	}
	if !now.there {
		return nil, broken(r.Shown, errors.New("it is gone"), "")
	}
	if r.Format == "toml" {
		_, _, doc, err := parseTOML(r.Shown, now.data)
		if err != nil {
			return nil, err
		}
		for i := range r.Entries {
			e := &r.Entries[i]
			want, _ := plainValue(e.Value) // it was JSON when it was put in
			if v, there, err := tomlAt(r.Shown, doc, e.Path); err != nil || !there || !sameValue(v, want) {
				list = append(list, e.name())
			}
		}
		return list, nil
	}
	d, err := parseDocument(r.Shown, now.data)
	if err != nil {
		return nil, err
	}
	for i := range r.Entries {
		if e := &r.Entries[i]; !d.has(e) && !d.hasKin(e) {
			list = append(list, e.name())
		}
	}
	return list, nil
}

// hooksOff looks for what keeps Claude Code from running any hook.
func (x *examiner) hooksOff(f *record) {
	now, err := f.read()
	if err != nil {
		return
	}
	if !strict(now.data) {
		x.add(Wrong, "settings", "take them out", "%s%s", f.Shown, lax)
	}
	d, err := parseDocument(f.Shown, now.data)
	if err != nil || d.root == nil {
		return
	}
	if l, err := d.lookup([]string{"disableAllHooks"}); err == nil && l.found && string(d.of(l.value)) == "true" {
		x.add(Wrong, "settings", "take it out", "%s says disableAllHooks: no hook runs", f.Shown)
	}
}

// codexTrust looks whether Codex may run pith's hooks.
func (x *examiner) codexTrust() {
	var hooks *record
	for i := range x.r.Files {
		if f := &x.r.Files[i]; f.Format == "json" {
			hooks = f
		}
	}
	if hooks == nil {
		return
	}
	now, err := hooks.read()
	if err != nil || !now.there {
		return // settings said so
	}
	entries, err := codexAgreement(x.r.Folder, now.data, hooks.Entries)
	if err != nil {
		return
	}
	config := filepath.Join(x.config.Codex, "config.toml")
	data, err := os.ReadFile(config)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	_, _, doc, err := parseTOML(config, data)
	if err != nil {
		return
	}
	x.agreement(config, doc, entries)
}

// agreement says what Codex's settings hold of the agreement.
func (x *examiner) agreement(config string, doc map[string]any, entries []Entry) {
	if v, there, err := tomlAt(config, doc, []string{"features", "hooks"}); err == nil && there && v == false {
		x.add(Wrong, "trust", "take it out", "%s says hooks = false: no hook runs", config)
		return
	}
	absent, other, off := 0, 0, 0
	for _, e := range entries {
		v, there, err := tomlAt(config, doc, e.Path)
		state, _ := v.(map[string]any)
		want, _ := plainValue(e.Value) // made by codexAgreement
		switch {
		case err != nil || !there:
			absent++
		case state["enabled"] == false:
			off++
		case state["trusted_hash"] != want.(map[string]any)["trusted_hash"]:
			other++
		}
	}
	const how = "start codex once in a terminal and agree, or `pith install codex --trust`"
	switch {
	case off > 0:
		x.add(Wrong, "trust", "switch them on in Codex with /hooks", "%d of %d hooks are switched off", off, len(entries))
	case absent > 0:
		x.add(Wrong, "trust", how, "%d of %d hooks are not trusted yet, so Codex does not run them", absent, len(entries))
	case other > 0:
		x.add(Wrong, "trust", how, "%d of %d hooks changed since they were trusted, so Codex does not run them", other, len(entries))
	default:
		x.add(OK, "trust", "", "Codex may run all %d hooks", len(entries))
	}
}
