package extract

import "strings"

// resolvePath turns a path as it was used into an absolute one where the
// directory is known. Separators stay as they were written, ~ stays, "." and
// ".." go.
func resolvePath(dir, p string) string {
	if p == "" {
		return dir
	}
	if isAbsolute(p) || dir == "" {
		return cleanPath(p)
	}
	sep := "/"
	if isWindowsPath(dir) && !strings.Contains(dir, "/") {
		sep = `\`
	}
	return cleanPath(strings.TrimRight(dir, `/\`) + sep + p)
}

func isAbsolute(p string) bool {
	return p != "" && (p[0] == '/' || p[0] == '~') || isWindowsPath(p)
}

// isWindowsPath tells whether a path begins with a drive or a share.
func isWindowsPath(p string) bool {
	return len(p) > 2 && p[1] == ':' && isLetter(p[0]) && (p[2] == '\\' || p[2] == '/') || strings.HasPrefix(p, `\\`)
}

// cleanPath takes "." and ".." and doubled separators out of a path.
func cleanPath(p string) string {
	windows := isWindowsPath(p) || !strings.Contains(p, "/") && strings.Contains(p, `\`)
	if !needsCleaning(p, windows) {
		if len(p) > 1 && !(windows && len(p) == 3) {
			return strings.TrimRight(p, separators(windows))
		}
		return p
	}
	var parts []string // each with the separator before it
	root := ""
	rest := p
	if isAbsolute(p) {
		root = rest[:1]
		if windows {
			root = rest[:2]
		}
		rest = rest[len(root):]
	}
	if root == "/" {
		root, rest = "", "/"+rest
	}
	for rest != "" {
		end := strings.IndexAny(rest[1:], separators(windows)) + 1
		if end == 0 {
			end = len(rest)
		}
		part := rest[:end]
		rest = rest[end:]
		switch name := strings.TrimLeft(part, separators(windows)); {
		case name == "" || name == ".":
		case name == ".." && len(parts) > 0 && strings.TrimLeft(parts[len(parts)-1], separators(windows)) != "..":
			parts = parts[:len(parts)-1]
		case name == ".." && (root != "" || isAbsolute(p)) && root != "~":
		default:
			parts = append(parts, part)
		}
	}
	out := root + strings.Join(parts, "")
	if root == "" && !isAbsolute(p) {
		out = strings.TrimLeft(out, separators(windows))
	}
	if out == "" {
		if isAbsolute(p) {
			return "/"
		}
		return "."
	}
	return out
}

func separators(windows bool) string {
	if windows {
		return `/\`
	}
	return "/"
}

// needsCleaning looks for "." or ".." as a whole part, or a doubled separator.
func needsCleaning(p string, windows bool) bool {
	sep := func(i int) bool {
		return i < 0 || i >= len(p) || p[i] == '/' || windows && p[i] == '\\'
	}
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '.' && sep(i-1) && (sep(i+1) || p[i+1] == '.' && sep(i+2)):
			return true
		case i > 1 && sep(i) && sep(i-1):
			return true
		}
	}
	return strings.HasPrefix(p, "//")
}

// pathWithin tells whether an absolute path lies in a directory.
func pathWithin(dir, p string) bool {
	if dir == "" || !strings.HasPrefix(p, dir) {
		return false
	}
	return len(p) == len(dir) || dir == "/" || p[len(dir)] == '/' || p[len(dir)] == '\\'
}

// isPathWord tells whether a literal word can be the path of a file at all.
// Spaces are part of names; quotes, line breaks and shell signs are not.
func isPathWord(p string) bool {
	if p == "" || len(p) > 1024 || p[0] == '-' || p == "." || p == ".." || p == "/" || p == "~" {
		return false
	}
	if strings.ContainsAny(p, "\n\r\t\x00`*?<>|;\"'{}^!") || strings.Contains(p, "://") || strings.Contains(p, "...") {
		return false
	}
	if strings.HasPrefix(p, "/dev/") || strings.HasPrefix(p, "/proc/") || strings.HasPrefix(p, "/sys/") {
		return false
	}
	if strings.Contains(p, "[REDACTED") {
		return false
	}
	c := strings.IndexByte(p, ':')
	if c >= 0 && !(c == 1 && isWindowsPath(p)) {
		return false
	}
	return strings.Trim(p, "0123456789.,-_%+ ") != ""
}

// looksLikeFile tells whether a word is a file name in all likelihood: it has an
// extension or a name that is known to have none. A directory is not.
func looksLikeFile(p string) bool {
	if !isPathWord(p) || strings.HasSuffix(p, "/") || strings.HasSuffix(p, `\`) {
		return false
	}
	base := baseName(p)
	if dot := strings.LastIndexByte(base, '.'); dot == 0 {
		return isDotFile(base)
	} else if dot > 0 && dot < len(base)-1 {
		return isExtension(base[dot+1:]) && !isVersion(base)
	}
	switch base {
	case "Makefile", "Dockerfile", "LICENSE", "README", "CODEOWNERS", "Gemfile", "Rakefile", "Procfile", "Justfile",
		"justfile", "makefile", "Vagrantfile", "Jenkinsfile", "Brewfile", "NOTICE", "CHANGELOG", "VERSION", "Caddyfile",
		"BUILD", "WORKSPACE", "Tiltfile", "Containerfile", "CONTRIBUTING", "AUTHORS", "OWNERS", "GNUmakefile":
		return true
	}
	return false
}

// isDotFile tells .gitignore and .env from directories such as .github.
func isDotFile(base string) bool {
	for _, end := range [...]string{"ignore", "rc", "env", "attributes", "config", "modules", "keep", "profile", "version", "lock"} {
		if strings.HasSuffix(base, end) {
			return base != ".config"
		}
	}
	return false
}

// isExtension tells the end of a file name from the end of a version or of a
// sentence.
func isExtension(e string) bool {
	if len(e) > 12 || strings.Contains(e, " ") {
		return false
	}
	letters := 0
	for i := 0; i < len(e); i++ {
		if !isWordByte(e[i]) && e[i] != '-' && e[i] != '~' && e[i] < 0x80 {
			return false
		}
		if isLetter(e[i]) {
			letters++
		}
	}
	return letters > 0 || len(e) == 1 && isDigit(e[0])
}

// baseName is the last part of a path, with either separator.
func baseName(p string) string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] == '/' || p[i] == '\\' {
			return p[i+1:]
		}
	}
	return p
}
