package measure

import (
	"path"
	"strings"
)

var goneWord = pattern(`(?i)\b(?:delet\w*|remov\w*|renam\w*|moved?|gone|dropped|rm|mv)\b`)

// nearLines is how far above a bare file name its folder may be named.
const nearLines = 20

// path wants the whole path: absolute, relative to the root, or relative to a
// folder that the text names. A base name alone is half. A file that is gone
// must be told to be.
func (r *reader) path(a *Atom) verdict {
	at := r.pathAt(a.Text)
	if at < 0 {
		if base := path.Base(a.Text); len(base) > 3 && base != a.Text && r.x.has(base) {
			return half
		}
		return lost
	}
	if a.Kind != KindModified {
		return full
	}
	if a.Status == opDeleted {
		return r.gone(a.Text, at)
	}
	if strings.HasPrefix(r.afterPath(at), " (deleted") {
		return stale
	}
	return full
}

// gone wants a file to be told to be gone: where it is named, which at is one
// place of, or in the heading above.
func (r *reader) gone(p string, at int) verdict {
	told := func(at int) bool {
		l := r.x.line(at)
		return goneWord().MatchString(r.x.around(at)) || goneWord().MatchString(r.heading(l))
	}
	if told(at) {
		return full
	}
	v, n := stale, 0
	for _, name := range []string{p, strings.TrimPrefix(p, r.root+"/")} {
		r.eachPath(name, func(at int) bool {
			if told(at) {
				v = full
			}
			n++
			return v != full && n < maxPlaces
		})
	}
	return v
}

// afterPath is what follows the path that stands at an offset.
func (r *reader) afterPath(at int) string {
	rest := r.x.text[at:min(len(r.x.text), at+1000)]
	i := strings.IndexAny(rest, " `")
	if i < 0 {
		return ""
	}
	return strings.TrimPrefix(rest[i:], "`")
}

// heading is the nearest line above that is no entry of a list.
func (r *reader) heading(line int) string {
	for l := line - 1; l >= 0 && l >= line-60; l-- {
		s := strings.TrimSpace(r.x.between(l, l))
		if s == "" || strings.ContainsAny(s[:1], "-*[/`.0123456789") && !strings.HasPrefix(s, "**") {
			continue
		}
		if strings.HasPrefix(s, "#") || strings.HasPrefix(s, "§") || strings.HasPrefix(s, "**") || strings.HasSuffix(s, ":") {
			return s
		}
	}
	return ""
}

// pathAt is where the text states a whole path, -1 where it does not.
func (r *reader) pathAt(p string) int {
	if at := r.standing(p); at >= 0 {
		return at
	}
	if rest, ok := strings.CutPrefix(p, r.root+"/"); ok && r.root != "" {
		if at := r.standing(rest); at >= 0 {
			return at
		}
	}
	if len(p) > maxLine {
		return -1
	}
	for dir := path.Dir(p); len(dir) > 1 && dir[0] == '/' && dir != r.root; dir = path.Dir(dir) {
		rest := p[len(dir)+1:]
		at := r.standing(rest)
		if at < 0 {
			continue
		}
		if strings.Contains(rest, "/") && r.names(dir) {
			return at
		}
		if at = r.below(rest, dir); at >= 0 {
			return at
		}
	}
	return -1
}

// below is where a bare file name stands in a line that its folder is named
// in, or not far below one.
func (r *reader) below(name, dir string) int {
	var dirs []int
	r.eachFolder(dir, func(at int) bool {
		dirs = append(dirs, r.x.line(at))
		return true
	})
	found := -1
	r.eachPath(name, func(at int) bool {
		l := r.x.line(at)
		for _, d := range dirs {
			if d <= l && l-d <= nearLines {
				found = at
				return false
			}
		}
		return true
	})
	return found
}

// names tells whether the text names a folder, and not only what is in it.
func (r *reader) names(dir string) bool {
	found := false
	r.eachFolder(dir, func(int) bool { found = true; return false })
	return found
}

// eachFolder calls f with every place of a folder, absolute or relative to the
// root, that is not only the beginning of a path.
func (r *reader) eachFolder(dir string, f func(at int) bool) {
	names := []string{dir}
	if rest, ok := strings.CutPrefix(dir, r.root+"/"); ok && r.root != "" {
		names = append(names, rest)
	}
	for _, name := range names {
		more := true
		r.eachPath(name, func(at int) bool {
			rest := r.x.text[min(len(r.x.text), at+len(strings.TrimPrefix(name, "./"))):]
			inside := len(rest) > 1 && rest[0] == '/' && (wordByte(rest[1]) || rest[1] == '.')
			more = inside || f(at)
			return more
		})
		if !more {
			return
		}
	}
}

// standing is where a path stands that is no part of a longer one.
func (r *reader) standing(p string) int {
	found := -1
	r.eachPath(p, func(at int) bool { found = at; return false })
	return found
}

func (r *reader) eachPath(p string, f func(at int) bool) {
	p = strings.TrimPrefix(p, "./")
	r.x.each(p, func(at int) bool {
		return !pathBounded(r.x.text, at, at+len(p), p) || f(at)
	})
}

// pathBounded tells whether text[from:to] is a path of its own. One that is
// relative and has folders may stand in a longer one, and a folder may have
// what is in it behind it.
func pathBounded(text string, from, to int, p string) bool {
	if from > 0 {
		switch c := text[from-1]; {
		case c == '/':
			dot := strings.HasSuffix(text[:from], "./") && !strings.HasSuffix(text[:from], "../")
			if !dot && (p[0] == '/' || !strings.Contains(p, "/")) {
				return false
			}
		case wordByte(c) && !isEscape(text, from-1), c == '-', c == '.', c == '~', c == '+':
			return false
		}
	}
	if to >= len(text) {
		return true
	}
	switch c := text[to]; c {
	case '-', '+', '~':
		return false
	case '/':
		return path.Ext(p) == ""
	case '.':
		return to+1 >= len(text) || !wordByte(text[to+1])
	}
	return true
}
