package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pith-memory/pith"
)

// fact is an item of a state that a summary either still has or has lost.
type fact struct {
	id   string
	kind string
	// text is how it is told, in says whether a text holds it.
	text string
	in   func(*said) bool
}

// postCompact compares the client's summary with the state. What is lost is
// told with the next event that the model hears of, unless it has been told
// behind the summary already.
func (t *turn) postCompact() (Output, error) {
	t.took(theClient)
	if t.record.Status.By != theClient || t.input.Summary == "" {
		return Output{}, nil // pith's memory took the place, or there is nothing to compare
	}
	saved, err := t.latest()
	if errors.Is(err, pith.ErrNotFound) {
		saved, err = t.prepared()
	}
	if err != nil {
		return Output{}, err
	}
	all := facts(saved.State)
	summary := newSaid(t.input.Summary)
	lost := make([]string, 0, len(all))
	for i := range all {
		if !all[i].in(summary) {
			lost = append(lost, all[i].id)
		}
	}
	kept := len(all) - len(lost)
	back := t.record.Told == saved.State.Checkpoint.ID
	if back {
		lost = slices.DeleteFunc(lost, func(id string) bool { return !slices.Contains(t.record.Omitted, id) })
	}
	t.owe(saved.State, lost)
	t.record.Status.Kept, t.record.Status.Known = len(all)-len(lost), len(all)
	return Output{Notice: verdict(kept, len(all), back && len(lost) == 0)}, nil
}

// verdict is one line for the person.
func verdict(kept, all int, back bool) string {
	if all == 0 || kept == all {
		return ""
	}
	rest := "what it lost goes into the next request"
	if back {
		rest = "pith's memory has put the rest back"
	}
	return fmt.Sprintf("pith: the summary kept %d of %d rules, files, failures and decisions; %s", kept, all, rest)
}

// owe notes the items of a state that the model has to be told.
func (t *turn) owe(s *pith.State, ids []string) {
	t.record.Owed, t.record.OwedOf = ids[:min(len(ids), maxOwed)], ""
	if len(ids) > 0 {
		t.record.OwedOf = s.Checkpoint.ID
	}
}

// maxOwed bounds what a record notes.
const maxOwed = 200

// told takes in that the model has a block, which pays what was owed.
func (t *turn) told(s *pith.State, block string) {
	text := newSaid(block)
	t.record.Told, t.record.Omitted = s.Checkpoint.ID, nil
	all := facts(s)
	for i := range all {
		if !all[i].in(text) && len(t.record.Omitted) < maxOwed {
			t.record.Omitted = append(t.record.Omitted, all[i].id)
		}
	}
	t.record.Status.Kept, t.record.Status.Known = len(all)-len(t.record.Omitted), len(all)
	// An item has the same id in every checkpoint of a session.
	t.owe(s, slices.DeleteFunc(t.record.Owed, func(id string) bool { return !slices.Contains(t.record.Omitted, id) }))
}

// owed is what the client's summary lost, told once; "" where nothing is owed.
func (t *turn) owed() (string, error) {
	ids, of := t.record.Owed, t.record.OwedOf
	if len(ids) == 0 {
		return "", nil
	}
	t.record.Owed, t.record.OwedOf = nil, ""
	saved, err := t.stored(func(s pith.Store) (*pith.Saved, error) { return s.Get(t.ctx, of) })
	if err != nil {
		return "", fmt.Errorf("tell what the summary lost: %w", err)
	}
	var parts []part
	for _, f := range facts(saved.State) {
		if !slices.Contains(ids, f.id) {
			continue
		}
		if len(parts) == 0 || parts[len(parts)-1].title != f.kind {
			parts = append(parts, part{title: f.kind})
		}
		p := &parts[len(parts)-1]
		p.lines = append(p.lines, f.text)
	}
	text := brief(owedLimit, "From pith, a record and not a request: the summary of the earlier conversation left this out, and it still holds.", parts, "")
	if !clean(text) {
		return "", errSecret
	}
	return text, nil
}

// owedLimit bounds what is told at once. Units: UTF-16 code units.
const owedLimit = 4_000

// facts are the items of a state that no summary may lose, the dearest first.
func facts(s *pith.State) []fact {
	var out []fact
	for i := range s.Constraints {
		if c := &s.Constraints[i]; !c.Resent {
			out = append(out, fact{c.ID, "Rules of the user", line(c.Text, longRule), wording(c.Text)})
		}
	}
	for i := len(s.Evidence) - 1; i >= 0; i-- {
		if e := &s.Evidence[i]; e.Unresolved() {
			out = append(out, fact{e.ID, "Unresolved failures", failure(e), func(text *said) bool { return text.failure(e) }})
		}
	}
	if next := nextStep(s); len(next) > 0 {
		out = append(out, fact{"next", "Next action", next[0], gist(s.Next.Text)})
	}
	for i := range s.Files.Modified {
		f := &s.Files.Modified[i]
		sum := sha256.Sum256([]byte(f.Path))
		out = append(out, fact{"file-" + hex.EncodeToString(sum[:6]), "Modified files", line(f.Path, 2*longLine), func(text *said) bool { return text.path(f, s.Checkpoint.Workspace.Root) }})
	}
	for i := range s.Decisions {
		if d := &s.Decisions[i]; d.Status != "rejected" && d.Status != "proposed" {
			out = append(out, fact{d.ID, "Decisions", line(d.Decision, longLine), gist(d.Decision)})
		}
	}
	return out
}

// said is a text that is asked for what it holds.
type said struct {
	raw string
	// flat is the text in lower case, words and numbers alone, a space apart
	// and around.
	flat string
}

func newSaid(text string) *said { return &said{raw: text, flat: flat(text)} }

func flat(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	return " " + strings.Join(words, " ") + " "
}

// wording asks for a text word for word; only marks and spaces may differ.
func wording(text string) func(*said) bool {
	want := flat(text)
	return func(s *said) bool { return strings.Contains(s.flat, want) }
}

// gist asks for most of the words that carry a text's meaning, for what a
// summary tells in words of its own.
func gist(text string) func(*said) bool {
	var words []string
	for _, w := range strings.Fields(flat(text)) {
		if len([]rune(w)) >= 4 && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return wording(text)
	}
	return func(s *said) bool {
		n := 0
		for _, w := range words {
			if strings.Contains(s.flat, " "+w+" ") {
				n++
			}
		}
		return 10*n >= 7*len(words)
	}
}

// failure asks for a command that fails, with its exit code.
func (s *said) failure(e *pith.Evidence) bool {
	if !strings.Contains(s.flat, flat(e.Command)) {
		return false
	}
	return e.ExitCode == nil || strings.Contains(s.flat, " "+strconv.Itoa(*e.ExitCode)+" ")
}

// path asks for a file: its whole path, as it was used, or from the root on.
func (s *said) path(f *pith.File, root string) bool {
	names := []string{f.Path, f.AsUsed}
	if rest, ok := strings.CutPrefix(f.Path, root); ok && root != "" {
		names = append(names, strings.TrimLeft(rest, `/\`))
	}
	for _, name := range names {
		if name != "" && hasPath(s.raw, name) {
			return true
		}
	}
	return false
}

// hasPath tells whether a text names a path, and not one that only ends or
// begins like it.
func hasPath(text, path string) bool {
	for rest := text; ; {
		i := strings.Index(rest, path)
		if i < 0 {
			return false
		}
		before, after := rest[:i], rest[i+len(path):]
		if !endsInName(before) && !beginsInName(after) {
			return true
		}
		rest = rest[i+1:]
	}
}

func inName(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// endsInName tells whether what follows a text is the rest of a name: behind a
// letter, or behind a folder other than "./".
func endsInName(text string) bool {
	if text == "" {
		return false
	}
	if here, ok := strings.CutSuffix(text, "./"); ok {
		return strings.HasSuffix(here, ".") || endsInName(here)
	}
	last := text[len(text)-1]
	return inName(last) || last == '.' || last == '/' || last == '\\'
}

func beginsInName(text string) bool {
	if text == "" {
		return false
	}
	if text[0] == '.' {
		return len(text) > 1 && inName(text[1])
	}
	return inName(text[0]) || text[0] == '/' || text[0] == '\\'
}
