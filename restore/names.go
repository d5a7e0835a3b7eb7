package restore

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/truncate"
)

// workspace says where the work takes place, and in which language.
func (r *renderer) workspace() section {
	s := newSection(secWorkspace)
	w := &r.state.Checkpoint.Workspace
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+": "+oneLine(value))
		}
	}
	add("root", w.Root)
	if w.CWD != w.Root {
		add("cwd", w.CWD)
	}
	if w.Worktree != w.Root && w.Worktree != w.CWD {
		add("worktree", w.Worktree)
	}
	add("branch", w.Branch)
	add("head", w.Head)
	if len(parts) > 0 {
		s.must(strings.Join(parts, "; "))
	}
	if line := languageLine(r.state.Context.Language); line != "" {
		if r.options.Offer {
			line = strings.Replace(line, "Continue in", "The earlier work was in", 1)
		}
		s.must(line)
	}
	return s
}

// languageLine is "" for English: English titles do not pull away from it.
func languageLine(tag string) string {
	primary, _, _ := strings.Cut(tag, "-")
	switch name := languages[primary]; {
	case primary == "" || primary == "en":
		return ""
	case name == "":
		return "Continue in the language of the conversation (" + oneLine(tag) + ")."
	default:
		return "Continue in " + name + " (" + oneLine(tag) + ")."
	}
}

// nameLine lists names, which the state has best first.
func nameLine(name string, all []pith.Identifier) section {
	s := newLine(name, "")
	for i := range all {
		s.add(i, oneLine(all[i].Name)).from(all[i].Source)
	}
	return s
}

const (
	// shortSHA is how many digits of a commit are written: enough for git.
	shortSHA = 9
	// longSubject is where a commit's subject is shortened, in bytes.
	longSubject = 72
)

// commits are written with their subjects while room lasts, else alone.
func (r *renderer) commits() section {
	s := newLine(secCommits, ";")
	for i := range r.state.Identifiers.Commits {
		c := &r.state.Identifiers.Commits[i]
		sha := c.Name[:min(len(c.Name), shortSHA)]
		if c.Note == "" {
			s.add(i, oneLine(sha)).from(c.Source)
			continue
		}
		it := s.add(i, oneLine(sha)+" "+oneLine(cut(c.Note, longSubject, c.Source))).from(c.Source)
		it.short = oneLine(sha)
	}
	return s
}

// inspected are the files whose content was shown and that were not written,
// the latest ranked first.
func (r *renderer) inspected() section {
	s := newLine(secInspected, "")
	s.title = "Inspected files (relative to " + r.baseName() + "; * stale):"
	all := r.state.Files.Inspected
	order := byRecency(all)
	written := make(map[string]bool, len(r.state.Files.Modified))
	for i := range r.state.Files.Modified {
		written[r.state.Files.Modified[i].Path] = true
	}
	for i := range all {
		f := &all[i]
		if written[f.Path] {
			continue
		}
		stale := ""
		if f.Stale || f.Disk == "changed" || f.Disk == "absent" {
			stale = "*"
		}
		s.add(order[i], r.relative(f.Path)+stale).from(f.Source)
	}
	return s
}

// byRecency ranks files by their last touch; one that was touched often counts as newer,
// and a client's own output file as older than any.
func byRecency(files []pith.File) []int {
	rank := make([]int, len(files))
	for i := range files {
		f := &files[i]
		rank[i] = -f.Source.Message - min(f.Touches, 10)*20
		if f.Outside && isTemporary(f.Path) {
			rank[i] += passing
		}
	}
	return rank
}

// passing ranks what lies in a folder for temporary files behind all others.
const passing = 1 << 30

func isTemporary(path string) bool {
	for _, p := range [...]string{"/tmp/", "/private/tmp/", "/var/folders/", "/private/var/folders/"} {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return strings.Contains(path, `\AppData\Local\Temp\`)
}

// paths were named, but neither read nor written.
func (r *renderer) paths() section {
	s := newLine(secPaths, "")
	s.title = "Other paths (as named, or relative to " + r.baseName() + "):"
	listed := make(map[string]bool, len(r.state.Files.Modified)+len(r.state.Files.Inspected))
	for i := range r.state.Files.Modified {
		listed[r.state.Files.Modified[i].Path] = true
	}
	for i := range r.state.Files.Inspected {
		listed[r.state.Files.Inspected[i].Path] = true
	}
	for i := range r.state.Identifiers.Paths {
		if p := &r.state.Identifiers.Paths[i]; !listed[p.Name] {
			listed[p.Name] = true
			s.add(i, r.relative(p.Name)).from(p.Source)
		}
	}
	return s
}

// keyLinesEach is how many declarations of one file are written.
const keyLinesEach = 10

func (r *renderer) keyLines() section {
	s := newSection(secKeyLines)
	for i := range r.state.Context.KeyLines {
		k := &r.state.Context.KeyLines[i]
		lines := k.Lines[:min(len(k.Lines), keyLinesEach)]
		left := len(lines) < len(k.Lines)
		var b strings.Builder
		b.WriteString(r.relative(k.Path))
		for _, l := range lines {
			b.WriteString("\n  > " + oneLine(truncate.Text(l, longLine)))
			left = left || len(l) > longLine
		}
		if left {
			b.WriteString(mark(k.Source))
		}
		s.add(-k.Source.Message, b.String()).from(k.Source)
	}
	return s
}

func (r *renderer) urls() section {
	s := newLine(secURLs, "")
	all := r.state.Context.URLs
	for i := range all {
		s.add(len(all)-i, oneLine(all[i].Text)).from(all[i].Source)
	}
	return s
}
