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
// they are written: an absolute one and a relative one share nothing, and one
// that climbs with ".." is never granted.
func (p Permissions) Within(allowed Permissions) Permissions {
	out := Permissions{Tools: []string{}, Paths: []string{}}
	for _, t := range p.Tools {
		if slices.Contains(allowed.Tools, t) {
			out.Tools = append(out.Tools, t)
		}
	}
	for _, a := range p.Paths {
		for _, b := range allowed.Paths {
			switch {
			case climbs(a) || climbs(b):
			case contains(b, a):
				out.Paths = append(out.Paths, path.Clean(a))
			case contains(a, b):
				out.Paths = append(out.Paths, path.Clean(b))
			}
		}
	}
	return Permissions{Tools: normal(out.Tools), Paths: normal(out.Paths)}
}

func climbs(p string) bool {
	return p == "" || slices.Contains(strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// contains tells whether inner is outer or lies in it.
func contains(outer, inner string) bool {
	outer, inner = path.Clean(outer), path.Clean(inner)
	switch {
	case path.IsAbs(outer) != path.IsAbs(inner):
		return false
	case outer == "." || outer == "/" || outer == inner:
		return true
	}
	return strings.HasPrefix(inner, outer+"/")
}
