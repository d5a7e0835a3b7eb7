package install

import (
	"bytes"
	"slices"

	"github.com/pith-memory/pith"
)

// Uninstall works out what takes an installation back. A file that nobody
// changed since becomes what it was, byte for byte; of another only the entries
// go. Errors: KindInput; KindDeclined: nothing is installed.
func (c *Config) Uninstall(agent Agent, o Options) (*Plan, error) {
	p, at, before, err := c.planner(agent, o)
	if err != nil {
		return nil, err
	}
	if p.old == nil {
		if p.old, err = c.guessed(agent, o); err != nil {
			return nil, err
		}
	}
	if err := p.leftovers(); err != nil {
		return nil, err
	}
	if before.there {
		p.plan.changes = append(p.plan.changes, change{place: at, before: before, hidden: true})
	}
	if p.plan.Empty() && !before.there {
		return nil, &pith.Error{Op: "uninstall from " + string(agent), Kind: pith.KindDeclined, Err: errNothing, Hint: "`pith install` lists where it is installed; --scope project looks in this project"}
	}
	p.plan.emptied = p.old.Folders
	p.plan.Next = []string{"restart " + string(agent) + "; what pith stored of sessions is still there (`pith forget` removes it)"}
	return p.plan, nil
}

// guessed is the receipt of an installation whose receipt is lost: what this
// pith would have put there.
func (c *Config) guessed(agent Agent, o Options) (*receipt, error) {
	o.StatusLine, o.NoMCP = true, false
	w, err := agents[agent](c, o, nil)
	if err != nil {
		return nil, err
	}
	r := &receipt{Agent: agent, Scope: o.Scope}
	for _, f := range w.files {
		r.Files = append(r.Files, record{place: f.place, Own: f.own, Made: true, After: hashOf(f.data)})
	}
	if w.later != nil {
		more, err := w.later(map[string][]byte{})
		if err != nil {
			return nil, err
		}
		w.settings = append(w.settings, more...)
	}
	for _, s := range w.settings {
		at, err := settingsPlace(s.path, s.within)
		if err != nil {
			return nil, err
		}
		r.Files = append(r.Files, record{place: at, Format: s.format, Entries: adopted(s.entries)})
	}
	r.Folders = c.ownFolders(r)
	return r, nil
}

// leftovers plans to take back what the earlier installation put somewhere and
// the new one does not.
func (p *planner) leftovers() error {
	if p.old == nil {
		return nil
	}
	for i := range slices.Backward(p.old.Files) {
		rec := &p.old.Files[i]
		now := p.next.of(rec.place)
		switch {
		case now == nil && rec.Format == "":
			if err := p.removeFile(rec); err != nil {
				return err
			}
		case now == nil:
			if err := p.restoreSettings(rec, rec.Entries); err != nil {
				return err
			}
		case rec.Format == "json":
			if err := p.takeGone(rec, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeFile plans to remove a file that is pith's whole.
func (p *planner) removeFile(rec *record) error {
	now, err := rec.read()
	switch {
	case err != nil:
		return err
	case !now.there || rec.Own && p.shared(rec):
		return nil
	case !rec.Own && hashOf(now.data) != rec.After:
		p.note(rec.Shown + " was changed since pith put it there, and stays")
		return nil
	}
	p.plan.changes = append(p.plan.changes, change{place: rec.place, before: now, own: rec.Own})
	return nil
}

// shared tells whether another installation needs a file.
func (p *planner) shared(rec *record) bool {
	for _, r := range p.config.allReceipts() {
		if r.Folder != p.next.Folder && r.of(rec.place) != nil {
			return true
		}
	}
	return false
}

// restoreSettings plans to take entries out of a settings file.
func (p *planner) restoreSettings(rec *record, entries []Entry) error {
	now, err := rec.read()
	if err != nil || !now.there {
		return err
	}
	data, exact := rec.before(now)
	gone := exact && rec.Made
	if !exact {
		var ed *edited
		if rec.Format == "toml" {
			ed, err = takeTOML(rec.Shown, now.data, entries, rec.Splices)
		} else {
			ed, err = takeJSON(rec.Shown, now.data, entries)
		}
		if err != nil {
			return err
		}
		p.plan.Notes = append(p.plan.Notes, ed.notes...)
		data = ed.data
		gone = rec.Made && len(bytes.Trim(data, "{} \t\r\n"+byteOrderMark)) == 0
	}
	after := content{there: true, data: data, mode: now.mode}
	if gone {
		after = content{}
	}
	if !now.same(after) {
		p.plan.changes = append(p.plan.changes, change{place: rec.place, before: now, after: after})
	}
	return nil
}

// takeGone takes those entries out of a file that the new installation does not
// want any more, where the file was changed since the earlier one.
func (p *planner) takeGone(rec, now *record) error {
	var gone []Entry
	for _, e := range rec.Entries {
		if !slices.ContainsFunc(now.Entries, func(x Entry) bool { return slices.Equal(x.Path, e.Path) }) {
			gone = append(gone, e)
		}
	}
	at := slices.IndexFunc(p.plan.changes, func(c change) bool { return c.path() == rec.path() })
	if len(gone) == 0 || now.After != "" || at < 0 {
		return nil
	}
	ed, err := takeJSON(rec.Shown, p.plan.changes[at].after.data, gone)
	if err != nil {
		return err
	}
	p.plan.changes[at].after.data = ed.data
	return nil
}
