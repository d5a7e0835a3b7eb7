package extract

import "strings"

// patchTouches reads the files of a patch: the format of apply_patch, and
// unified diffs. Paths are as the patch writes them, without a/ and b/.
func patchTouches(patch string) []touch {
	var out []touch
	old := ""
	unified := false
	stars := hasPatchLine(patch)
	for rest := patch; rest != ""; {
		end := lineEnd(rest, 0)
		l := strings.TrimRight(rest[:end], "\r")
		rest = rest[min(end+1, len(rest)):]
		if len(l) < 5 {
			continue
		}
		switch head := l[:4]; {
		case stars:
			if head == "*** " {
				out = patchLine(out, l[4:])
			}
		case head == "--- ":
			old, unified = diffPath(l[4:]), true
		case head == "+++ " && unified:
			unified = false
			path := diffPath(l[4:])
			switch {
			case path == "/dev/null":
				out = append(out, touch{path: old, op: opDelete})
			case old == "/dev/null":
				out = append(out, touch{path: path, op: opCreate})
			default:
				out = append(out, touch{path: path, op: opEdit})
			}
		}
	}
	return out
}

// patchLine reads one "*** Verb File: path" line.
func patchLine(out []touch, l string) []touch {
	verb, path, ok := strings.Cut(l, ": ")
	path = strings.TrimSpace(path)
	if !ok || path == "" {
		return out
	}
	switch verb {
	case "Update File":
		return append(out, touch{path: path, op: opEdit})
	case "Add File":
		return append(out, touch{path: path, op: opCreate})
	case "Delete File":
		return append(out, touch{path: path, op: opDelete})
	case "Move to":
		if n := len(out); n > 0 && out[n-1].op == opEdit {
			out[n-1] = touch{path: path, op: opRename, from: out[n-1].path}
		}
	}
	return out
}

// diffPath is the path of a "--- a/x" or "+++ b/x" line.
func diffPath(l string) string {
	if tab := strings.IndexByte(l, '\t'); tab >= 0 {
		l = l[:tab]
	}
	l = strings.Trim(strings.TrimSpace(l), `"`)
	if strings.HasPrefix(l, "a/") || strings.HasPrefix(l, "b/") {
		return l[2:]
	}
	return l
}

// hasPatchLine tells whether a text holds a line of apply_patch's format.
func hasPatchLine(v string) bool {
	for _, w := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
		if strings.Contains(v, w) {
			return true
		}
	}
	return false
}
