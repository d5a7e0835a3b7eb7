package workspace

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-memory/pith"
)

const (
	// smallFile bounds what is read of HEAD, a ref, commondir or a .git file, in bytes.
	smallFile = 8 << 10
	// packedFile bounds what is read of packed-refs, in bytes.
	packedFile = 32 << 20
	// maxRefs is how many refs that name another one are followed.
	maxRefs = 5
)

// repository is where git keeps what is checked out in a folder.
type repository struct {
	own    string // holds HEAD
	common string // holds the branches; the same but in a worktree
}

// readRepository says what is checked out at the root or the nearest folder
// above it that has a .git. Git itself is not needed.
func readRepository(d *pith.Disk) {
	for dir := d.Root; ; {
		if r, ok := openRepository(filepath.Join(dir, ".git"), dir); ok {
			d.Repository = dir
			d.Branch, d.Head, d.Why = r.head()
			return
		}
		up := filepath.Dir(dir)
		if up == dir {
			return
		}
		dir = up
	}
}

// openRepository reads a .git: the repository itself, or in a worktree or a
// submodule a file that names it. ok is false where there is none.
func openRepository(dotGit, dir string) (r repository, ok bool) {
	info, err := os.Stat(dotGit)
	if err != nil {
		return r, false
	}
	r.own = dotGit
	if !info.IsDir() {
		to, ok := strings.CutPrefix(readSmall(dotGit), "gitdir:")
		if !ok {
			return r, false
		}
		if r.own = from(dir, strings.TrimSpace(to)); r.own == "" {
			return r, false
		}
	}
	r.common = r.own
	if to := readSmall(filepath.Join(r.own, "commondir")); to != "" {
		r.common = from(r.own, to)
	}
	return r, true
}

// from is a path that starts at dir unless it is absolute, "" for one that is not followed.
func from(dir, to string) string {
	if refused(to) != "" {
		return ""
	}
	if filepath.IsAbs(to) {
		return filepath.Clean(to)
	}
	return filepath.Join(dir, to)
}

// head reads what is checked out; a branch without a commit has no head.
func (r repository) head() (branch, commit, why string) {
	text := readSmall(filepath.Join(r.own, "HEAD"))
	if to, err := os.Readlink(filepath.Join(r.own, "HEAD")); err == nil {
		text = "ref: " + filepath.ToSlash(to) // as git wrote it long ago
	}
	ref, isRef := strings.CutPrefix(text, "ref:")
	switch {
	case text == "":
		return "", "", "HEAD cannot be read"
	case !isRef && isHash(text):
		return "", text, ""
	case !isRef:
		return "", "", "HEAD is in a form that is not known"
	}
	ref = strings.TrimSpace(ref)
	if _, err := os.Stat(filepath.Join(r.common, "reftable")); err == nil {
		return "", "", "the branches are in a reftable, which is not read"
	}
	if !isRefName(ref) {
		return "", "", "HEAD names no branch"
	}
	branch = strings.TrimPrefix(ref, "refs/heads/")
	return branch, r.resolve(ref), ""
}

// resolve is the commit of a ref, "" where it has none.
func (r repository) resolve(ref string) string {
	for range maxRefs {
		text := ""
		for _, dir := range []string{r.own, r.common} {
			if text = readSmall(filepath.Join(dir, filepath.FromSlash(ref))); text != "" {
				break
			}
		}
		next, isRef := strings.CutPrefix(text, "ref:")
		switch {
		case isHash(text):
			return text
		case !isRef:
			return r.packed(ref)
		}
		if ref = strings.TrimSpace(next); !isRefName(ref) {
			return ""
		}
	}
	return ""
}

// packed looks a ref up in packed-refs: lines of a hash, a space and a name.
func (r repository) packed(ref string) string {
	f := openRegular(filepath.Join(r.common, "packed-refs"))
	if f == nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, packedFile))
	for lines.Scan() {
		if sha, name, ok := strings.Cut(lines.Text(), " "); ok && name == ref && isHash(sha) {
			return sha
		}
	}
	return ""
}

// isRefName knows the names that git gives to branches, and no path to elsewhere.
func isRefName(ref string) bool {
	if !strings.HasPrefix(ref, "refs/") || strings.Contains(ref, "..") || strings.HasSuffix(ref, "/") || len(ref) > 1000 {
		return false
	}
	for _, c := range ref {
		if c <= ' ' || c == 0x7f || strings.ContainsRune(`\:?*[~^`, c) {
			return false
		}
	}
	return true
}

// isHash knows a SHA-1 or SHA-256 in hex.
func isHash(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// readSmall is a small text file without white space around it, "" where there is none.
func readSmall(path string) string {
	f := openRegular(path)
	if f == nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, smallFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// openRegular opens a file, and nothing else that a path may lead to; nil if not.
func openRegular(path string) *os.File {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil
	}
	return f
}
