package extract

import (
	"slices"
	"strings"
)

// key names what a line verifies and where, without the flags that change only
// how much it prints.
func (l *verifyLine) key(dir string) string {
	var b strings.Builder
	b.WriteString(dir)
	for i := range l.Verifiers {
		v := &l.Verifiers[i]
		b.WriteByte(0)
		b.WriteString(v.Name)
		for _, a := range v.Args {
			if !isPresentation(a) {
				b.WriteByte(' ')
				b.WriteString(a)
			}
		}
	}
	return b.String()
}

// isPresentation knows flags that change what is printed, not what is verified.
func isPresentation(flag string) bool {
	switch flag {
	case "-v", "-vv", "-vvv", "-q", "-qq", "--verbose", "--quiet", "-s", "--silent", "-x", "-count=1", "-failfast", "-json",
		"--no-header", "--color=never", "--no-color", "-ra", "-rA", "-tb=short", "--", "-B", "--no-cache", "--nocapture", "--bail":
		return true
	}
	for _, p := range [...]string{"--tb=", "-timeout=", "--timeout=", "--maxfail", "--color", "-parallel", "-p=", "--reporter", "--format=", "-test.v"} {
		if strings.HasPrefix(flag, p) {
			return true
		}
	}
	return false
}

// endsPart tells, for a failed line of several verifications, which of them a
// later pass shows to work now; done is set once none is left.
func (r *evidenceRun) endsPart(pass *evidenceRun, shown []bool) (done bool) {
	if !r.verifies || !pass.verifies || dirOf(r) != dirOf(pass) {
		return false
	}
	done = true
	for i := range r.line.Verifiers {
		for j := range pass.line.Verifiers {
			shown[i] = shown[i] || pass.line.Verifiers[j].covers(&r.line.Verifiers[i])
		}
		done = done && shown[i]
	}
	return done
}

// dirOf is where the first verifier of a run ran.
func dirOf(r *evidenceRun) string { return resolvePath(r.dir, r.line.Dir) }

// covers compares what two runs of the same verifier select. In doubt it says no.
func (v *verifier) covers(old *verifier) bool {
	if v.Name != old.Name {
		return false
	}
	mine, minePaths, ok := selection(v)
	if !ok {
		return false
	}
	theirs, theirPaths, _ := selection(old)
	// Flags that change what is built or run must be there again; those that
	// narrow the run need not.
	for _, f := range theirs {
		if !narrows(f) && !slices.Contains(mine, f) {
			return false
		}
	}
	for _, f := range mine {
		if narrows(f) && !slices.Contains(theirs, f) {
			return false
		}
	}
	if len(minePaths) == 0 {
		return len(theirPaths) == 0 || !strings.HasPrefix(v.Name, "go ")
	}
	for _, p := range theirPaths {
		found := false
		for _, q := range minePaths {
			found = found || pathCovers(q, p)
		}
		if !found {
			return false
		}
	}
	return len(theirPaths) > 0
}

// selection splits arguments into flags, with their values, and paths.
func selection(v *verifier) (flags, paths []string, ok bool) {
	for i := 0; i < len(v.Args); i++ {
		a := v.Args[i]
		switch {
		case isPresentation(a):
		case strings.HasPrefix(a, "-"):
			name := a
			if takesValue(a) && i+1 < len(v.Args) {
				i++
				a += " " + v.Args[i]
			}
			if !isOneOf(name, "-timeout", "--timeout", "-count", "-parallel") { // how long and how often, not what
				flags = append(flags, a)
			}
		case strings.ContainsAny(a, "$`"):
			return flags, paths, false
		default:
			paths = append(paths, a)
		}
	}
	return flags, paths, true
}

func takesValue(flag string) bool {
	switch flag {
	case "-run", "-skip", "-bench", "-timeout", "--timeout", "-tags", "-count", "-parallel", "-k", "-m", "-t", "--grep", "-g",
		"--filter", "-p", "--project", "-c", "--config", "-e", "--testNamePattern", "-n", "--tests", "--package", "-R", "-f", "-o", "-coverprofile", "--test":
		return true
	}
	return false
}

// narrows knows flags that leave out a part of the tests.
func narrows(flag string) bool {
	name, _, _ := strings.Cut(flag, " ")
	name, _, _ = strings.Cut(name, "=")
	switch name {
	case "-run", "-skip", "-short", "-bench", "-k", "-m", "-t", "--grep", "-g", "--filter", "--testNamePattern", "--tests", "--lf", "--last-failed", "--ff",
		"--deselect", "--ignore", "--test", "--lib", "--changed", "--onlyChanged", "-o", "--new", "--new-from-rev", "-p", "--package", "-R", "--exclude", "--skip", "--only":
		return true
	}
	return false
}

// pathCovers tells whether the packages or files of p all belong to q.
func pathCovers(q, p string) bool {
	if q == p || q == "." && strings.HasSuffix(p, ".py") {
		return true
	}
	q, p = strings.TrimPrefix(q, "./"), strings.TrimPrefix(p, "./")
	if base, ok := strings.CutSuffix(q, "..."); ok {
		base = strings.TrimSuffix(base, "/")
		return base == "" && !strings.HasPrefix(p, "..") && !strings.HasPrefix(p, "/") || p == base || strings.HasPrefix(p, base+"/")
	}
	q = strings.TrimSuffix(q, "/")
	return q == p || strings.HasPrefix(p, q+"::") || strings.HasPrefix(p, q+"/") && !strings.Contains(p, "...") && strings.Contains(p, ".")
}
