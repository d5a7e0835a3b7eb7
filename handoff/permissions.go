package handoff

import (
	"path"
	"slices"
	"strings"
)

// Permissions list what a delegate may do. The zero value is nothing.
type Permissions struct {
	Tools []string `json:"tools"`
	Paths []string `json:"paths"`
}

// normal sorts a list and takes out what stands in it twice; it is never nil.
func normal(list []string) []string {
	out := append([]string{}, list...)
	slices.Sort(out)
	return slices.Compact(out)
}

// Within keeps of p what allowed allows too: tools of the same name, and of
// two paths one of which lies in the other, the inner. Paths are compared as
// they are written, with no look at a disk: a rooted one and a relative one
// share nothing, and one that climbs with ".." or begins with a tilde is never
// granted.
func (p Permissions) Within(allowed Permissions) Permissions {
	out := Permissions{}
	for _, t := range p.Tools {
		if slices.Contains(allowed.Tools, t) {
			out.Tools = append(out.Tools, t)
		}
	}
	for _, a := range p.Paths {
		for _, b := range allowed.Paths {
			switch {
			case strays(a) || strays(b):
			case contains(b, a):
				out.Paths = append(out.Paths, written(a))
			case contains(a, b):
				out.Paths = append(out.Paths, written(b))
			}
		}
	}
	return Permissions{Tools: normal(out.Tools), Paths: normal(out.Paths)}
}

// strays tells whether a path may mean another place than it seems to.
func strays(p string) bool {
	parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' })
	return p == "" || p[0] == '~' || slices.Contains(parts, "..")
}

// contains tells whether inner is outer or lies in it. A backslash is taken
// for a separator, as it is one on some systems.
func contains(outer, inner string) bool {
	outer, inner = lexical(outer), lexical(inner)
	switch {
	case root(outer) != root(inner):
		return false
	case outer == "." || outer == "/" || outer == inner:
		return true
	}
	return strings.HasPrefix(inner, strings.TrimSuffix(outer, "/")+"/")
}

func lexical(p string) string { return path.Clean(strings.ReplaceAll(p, `\`, "/")) }

// root is what a path begins at: "/", a drive as in "C:", or "" for a relative one.
func root(p string) string {
	switch {
	case p[0] == '/':
		return "/"
	case len(p) > 1 && p[1] == ':':
		return p[:2]
	}
	return ""
}

// written is a path as it is granted: cleaned, but never with other separators,
// which would make it another file on some systems.
func written(p string) string {
	if strings.Contains(p, `\`) {
		return p
	}
	return path.Clean(p)
}
