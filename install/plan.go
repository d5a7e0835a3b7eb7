package install

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Plan is what is to be done, for a person to look at first.
type Plan struct {
	Agent Agent `json:"agent"`
	Scope Scope `json:"scope"`
	// Notes are what a person should know of, Next what to do afterwards.
	Notes []string `json:"notes,omitempty"`
	Next  []string `json:"next,omitempty"`

	data    string
	changes []change
	// emptied are folders to remove where nothing is left in them.
	emptied []string
}

// FileChange is what becomes of one file.
type FileChange struct {
	Path   string `json:"path"`
	Action string `json:"action"` // create | change | remove
}

// Files lists the files that change.
func (p *Plan) Files() []FileChange {
	list := []FileChange{}
	for _, c := range p.changes {
		action := "change"
		switch {
		case c.hidden:
			continue
		case !c.before.there:
			action = "create"
		case !c.after.there:
			action = "remove"
		}
		list = append(list, FileChange{c.Shown, action})
	}
	return list
}

// Empty is set where nothing is to be done that a person would see.
func (p *Plan) Empty() bool { return len(p.Files()) == 0 }

// Apply does it: all of it, or nothing. Errors: KindInput.
func (p *Plan) Apply() error {
	if len(p.changes) == 0 {
		return nil
	}
	made := missing(p.data)
	release, err := lock(p.data)
	if err != nil {
		return err
	}
	defer release()
	if err := carryOut(p.changes); err != nil {
		removeFolders(made)
		return err
	}
	removeFolders(p.emptied)
	return nil
}

// planner works out a plan.
type planner struct {
	config *Config
	plan   *Plan
	old    *receipt
	next   *receipt
	// after are the settings files as they will be.
	after map[string][]byte
}

// Install works out what gives an agent what it is to have. Errors: KindInput,
// KindUsage; nothing is to be done then.
func (c *Config) Install(agent Agent, o Options) (*Plan, error) {
	p, at, before, err := c.planner(agent, o)
	if err != nil {
		return nil, err
	}
	w, err := agents[agent](c, o, p.old)
	if err != nil {
		return nil, err
	}
	for _, f := range w.files {
		if err := p.file(f); err != nil {
			return nil, err
		}
	}
	for _, s := range w.settings {
		if err := p.settings(s); err != nil {
			return nil, err
		}
	}
	if w.later != nil {
		more, err := w.later(p.after)
		if err != nil {
			return nil, err
		}
		for _, s := range more {
			if err := p.settings(s); err != nil {
				return nil, err
			}
		}
	}
	if err := p.leftovers(); err != nil {
		return nil, err
	}
	p.plan.Next = w.next
	return p.plan, p.sign(at, before)
}

func (c *Config) planner(agent Agent, o Options) (*planner, place, content, error) {
	if agents[agent] == nil {
		return nil, place{}, content{}, unknown(agent)
	}
	folder := c.folder(agent, o)
	at := c.receiptPlace(agent, folder)
	old, before, err := loadReceipt(at)
	p := &planner{config: c, old: old, plan: &Plan{Agent: agent, Scope: o.Scope, data: c.Data}, after: map[string][]byte{}}
	p.next = &receipt{Version: receiptVersion, Agent: agent, Scope: o.Scope, Folder: folder, Pith: c.Pith, Release: c.Version}
	return p, at, before, err
}

// sign puts the receipt before all other changes, so that there is one whatever
// happens to them.
func (p *planner) sign(at place, before content) error {
	if p.old != nil {
		p.next.Folders = p.old.Folders
	}
	dirs := []string{at.Root}
	for _, c := range p.plan.changes {
		if c.after.there {
			dirs = append(dirs, filepath.Dir(c.path()))
		}
	}
	for _, dir := range dirs {
		for _, m := range missing(dir) {
			if !slices.Contains(p.next.Folders, m) {
				p.next.Folders = append(p.next.Folders, m)
			}
		}
	}
	for _, dir := range p.config.ownFolders(p.next) { // whoever made them
		if !slices.Contains(p.next.Folders, dir) {
			p.next.Folders = append(p.next.Folders, dir)
		}
	}
	for _, r := range p.config.allReceipts() {
		for _, dir := range r.Folders { // pith's own, which whoever goes last removes
			if (within(dir, p.config.Data) || within(p.config.Data, dir)) && !slices.Contains(p.next.Folders, dir) {
				p.next.Folders = append(p.next.Folders, dir)
			}
		}
	}
	slices.Sort(p.next.Folders) // a folder before those in it
	c, err := p.next.change(at, before)
	if err != nil {
		return err
	}
	if !c.before.same(c.after) {
		p.plan.changes = append([]change{c}, p.plan.changes...)
	}
	return nil
}

// within tells whether a path is a folder or below it.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// file plans a file that is pith's whole.
func (p *planner) file(f wantedFile) error {
	now, err := f.read()
	if err != nil {
		return err
	}
	rec := p.old.of(f.place)
	if now.there && rec == nil && !f.own && !bytes.Equal(now.data, f.data) {
		return broken(f.Shown, errors.New("there is a file already that pith did not put there"), "nothing was changed; move it away and run this again")
	}
	if rec != nil && now.there && !f.own && hashOf(now.data) != rec.After {
		p.note(f.Shown + " was changed since pith put it there; that is lost")
	}
	p.next.Files = append(p.next.Files, record{place: f.place, Own: f.own, Made: true, After: hashOf(f.data)})
	p.become(f.place, now, f.data, f.own)
	return nil
}

func (p *planner) note(text string) { p.plan.Notes = append(p.plan.Notes, text) }

func (p *planner) become(at place, now content, data []byte, own bool) {
	mode := os.FileMode(0o644)
	if now.there {
		mode = now.mode
	}
	after := content{there: true, data: data, mode: mode}
	if now.same(after) {
		return
	}
	if now.names > 1 {
		p.note(fmt.Sprintf("%s is one of %d names of a file (hard links); the others keep what it holds now", at.Shown, now.names))
	}
	p.plan.changes = append(p.plan.changes, change{place: at, before: now, after: after, own: own})
}

// settings plans the entries of a settings file.
func (p *planner) settings(s wantedSettings) error {
	at, err := settingsPlace(s.path, s.within)
	if err != nil {
		return err
	}
	now, err := at.read()
	if err != nil {
		return err
	}
	rec := p.old.of(at)
	base, exact := rec.before(now)
	var ed *edited
	switch {
	case s.format == "toml" && rec != nil && !exact:
		ed, err = renewTOML(at.Shown, now.data, s.entries, rec)
	case s.format == "toml":
		ed, err = putTOML(at.Shown, base, s.entries)
	case rec != nil && !exact:
		ed, err = putJSON(at.Shown, now.data, over(s.entries, rec))
	default:
		ed, err = putJSON(at.Shown, base, s.entries)
	}
	if err != nil {
		return err
	}
	p.plan.Notes = append(p.plan.Notes, ed.notes...)
	if p.plan.Agent == ClaudeCode && !strict(ed.data) {
		p.note(at.Shown + lax)
	}
	p.after[s.path] = ed.data
	r := record{place: at, Format: s.format, Made: !now.there, Before: hashOf(base), After: hashOf(ed.data), Entries: ed.entries, Splices: ed.splices}
	switch {
	case rec != nil && exact:
		r.Made = rec.Made
	case rec != nil && bytes.Equal(ed.data, now.data):
		r = *rec
	case rec != nil:
		r.Made, r.Before, r.After = rec.Made, "", ""
		r.Entries, r.Splices = mixed(s, rec, ed)
	case len(ed.entries) == 0:
		r.Before, r.After, r.Entries = "", "", adopted(s.there(ed.data))
	}
	if len(r.Entries) > 0 {
		p.next.Files = append(p.next.Files, r)
	}
	if now.there || len(ed.entries) > 0 {
		p.become(at, now, ed.data, false)
	}
	return nil
}

// there are the entries that a settings file has.
func (s *wantedSettings) there(data []byte) []Entry {
	d, err := parseDocument(s.path, data)
	if s.format != "json" || err != nil {
		return s.entries
	}
	return slices.DeleteFunc(slices.Clone(s.entries), func(e Entry) bool { return !d.has(&e) && !d.hasKin(&e) })
}

// before gives a settings file as it was before pith, exactly, where nobody
// changed it since.
func (r *record) before(now content) (data []byte, exact bool) {
	if r == nil || !now.there {
		return now.data, false
	}
	if r.After == "" || r.After != hashOf(now.data) {
		return now.data, false
	}
	text, marked := strings.CutPrefix(string(now.data), byteOrderMark)
	text, ok := unsplice(text, r.Splices)
	if marked {
		text = byteOrderMark + text
	}
	if !ok || hashOf([]byte(text)) != r.Before {
		return now.data, false
	}
	return []byte(text), true
}

// over lets entries take the place of those of an earlier installation.
func over(list []Entry, rec *record) []Entry {
	list = slices.Clone(list)
	seen := map[string]int{}
	for i := range list {
		e := &list[i]
		if was := rec.entry(e.Path, seen[e.name()]); was != nil {
			e.Over = append(slices.Clone(e.Over), was.Value)
			e.Polite = false
		}
		seen[e.name()]++
	}
	return list
}

// mixed are the entries of a file that was changed since an installation, after
// another: how they got in first is what counts for taking them out.
func mixed(s wantedSettings, rec *record, ed *edited) ([]Entry, []splice) {
	if s.format == "toml" {
		return ed.entries, ed.splices
	}
	var list []Entry
	seen := map[string]int{}
	for _, e := range s.entries {
		was := rec.entry(e.Path, seen[e.name()])
		seen[e.name()]++
		put := slices.IndexFunc(ed.entries, func(x Entry) bool { return slices.Equal(x.Path, e.Path) && bytes.Equal(x.Value, e.Value) })
		switch {
		case was != nil && (put < 0 || ed.entries[put].Old != ""):
			e.Made, e.Tail, e.Old = was.Made, was.Tail, was.Old
		case put >= 0:
			e = ed.entries[put]
		default:
			continue // it was there before, and is not of pith's making
		}
		list = append(list, e)
	}
	return list, nil
}

// adopted are entries that were all there already: an earlier pith put them
// there, whose receipt is lost.
func adopted(list []Entry) []Entry {
	list = slices.Clone(list)
	for i := range list {
		list[i].Made = len(list[i].Path) - 1
		if list[i].Append {
			list[i].Made++
		}
	}
	return list
}

// renewTOML puts entries into a TOML file that has those of an earlier
// installation and was changed since.
func renewTOML(path string, data []byte, want []Entry, rec *record) (*edited, error) {
	same, err := putTOML(path, data, want)
	if err == nil && len(same.entries) == 0 {
		same.data = data
		return same, nil
	}
	out, err := takeTOML(path, data, rec.Entries, rec.Splices)
	if err != nil {
		return nil, err
	}
	return putTOML(path, out.data, want)
}
