package extract

import "strings"

// The classes of bytes inside a token. A token is a run of bytes that have a
// class; a word is a part of it without slash, dot and sign.
const (
	classLower uint8 = 1 << iota
	classUpper
	classDigit
	classUnder
	classSlash
	classDot
	classSign
	classWord = classLower | classUpper | classDigit | classUnder
)

func (n *nameSlot) initClasses() {
	for c := 'a'; c <= 'z'; c++ {
		n.class[c], n.class[c-'a'+'A'] = classLower, classUpper
	}
	for c := '0'; c <= '9'; c++ {
		n.class[c] = classDigit
	}
	n.class['_'], n.class['/'], n.class['.'] = classUnder, classSlash, classDot
	for _, c := range "-+@~" {
		n.class[c] = classSign
	}
}

// maxTokenSymbols bounds the symbols of one token; longer ones are data.
const maxTokenSymbols = 8

// scan reads a text once and counts the names in it.
func (n *nameSlot) scan(text string, m *mention) {
	class := &n.class
	var symbols [maxTokenSymbols][2]int
	for i := 0; i < len(text); {
		if class[text[i]] == 0 {
			if text[i] == '#' || text[i] == ':' {
				n.sign(text, i, m)
			}
			i++
			continue
		}
		start := i
		if i > 0 && text[i-1] == '\\' {
			start = afterEscape(text, i)
		}
		var all uint8
		found := 0
		for i = start; i < len(text) && class[text[i]] != 0; {
			if k := class[text[i]]; k&classWord == 0 {
				all |= k
				i++
				continue
			}
			word, first := i, class[text[i]]
			var inner uint8 // of the bytes after the first
			for i++; i < len(text) && class[text[i]]&classWord != 0; i++ {
				inner |= class[text[i]]
			}
			if found < maxTokenSymbols && isSymbol(first, inner, i-word) {
				symbols[found] = [2]int{word, i}
				found++
			}
			all |= first | inner
		}
		if n.token(text, start, i, all, m) {
			continue
		}
		if !m.output || m.failing {
			for _, s := range symbols[:found] {
				n.symbol(text[s[0]:s[1]], m)
			}
		}
	}
}

// token reads a token whole, where it is more than its words.
func (n *nameSlot) token(text string, start, end int, all uint8, m *mention) bool {
	if all&(classSlash|classDot) != 0 {
		return n.dotted(text, start, end, all, m)
	}
	return all == classLower|classDigit && n.hexWord(text[start:end], m)
}

// hexWord counts a word that is the id of a commit.
func (n *nameSlot) hexWord(w string, m *mention) bool {
	if !m.hex || len(w) > 12 && len(w) < 40 || !isSHA(w) {
		return false
	}
	n.commits.add(n, w, m, 1)
	return true
}

// isSymbol tells an identifier from a word: it has an inner capital or an
// underscore, and 4 to 60 bytes.
func isSymbol(first, inner uint8, length int) bool {
	if length < 4 || length > 60 {
		return false
	}
	all := first | inner
	return all&classUnder != 0 && all&(classLower|classUpper) != 0 || inner&classUpper != 0 && all&classLower != 0
}

// symbol counts an identifier, or the name of a test.
func (n *nameSlot) symbol(name string, m *mention) {
	if isTestName(name) {
		n.tests.add(n, name, m, 1)
		return
	}
	if isCoined(name) {
		n.symbols.add(n, name, m, 1)
	}
}

// isTestName tells the names of Go and Python tests from other identifiers.
func isTestName(s string) bool {
	for _, p := range [...]string{"Test", "Benchmark", "Fuzz", "Example"} {
		if len(s) > len(p) && strings.HasPrefix(s, p) {
			c := s[len(p)]
			return c >= 'A' && c <= 'Z' || c == '_'
		}
	}
	return strings.HasPrefix(s, "test_") && len(s) > 6
}

// dotted reads a token with dots or slashes: a path, a URL, a subtest, a
// version, a range of commits. It tells whether the token was read whole.
func (n *nameSlot) dotted(text string, start, end int, all uint8, m *mention) bool {
	for end > start && (text[end-1] == '.' || text[end-1] == '-') {
		end--
	}
	t := text[start:end]
	if n.again {
		if isQuoted(text, start, end) && all&classSlash != 0 && isSlashName(t) && !hasKnownExtension(t) {
			n.paths.add(n, t, m, 1)
			return true
		}
		return len(t) > 300 || hasKnownExtension(t)
	}
	if len(t) < 3 || len(t) > 300 {
		return len(t) > 300
	}
	if all&classSlash == 0 {
		switch {
		case t[0] == 'v' && isVersion(t):
			n.refs.add(n, t, m, 0.5)
			return true
		case hasKnownExtension(t):
			if isBareFile(t) {
				n.paths.add(n, t, m, 0.4)
			}
			return true
		case m.hex && strings.Contains(t, ".."):
			return n.commitRange(t, m)
		}
		return false
	}
	if strings.HasPrefix(t, "//") {
		if start > 0 && text[start-1] == ':' {
			n.url(text, start, t, m)
		}
		return true
	}
	if isTestName(t[:strings.IndexByte(t, '/')]) {
		n.tests.add(n, t, m, 1)
		n.tests.add(n, t[:strings.IndexByte(t, '/')], m, 1)
		return true
	}
	if hasKnownExtension(t) && t[0] != '@' {
		if listsFiles(t) {
			return false
		}
		if m.output && (strings.HasPrefix(t, "a/") || strings.HasPrefix(t, "b/")) {
			t = t[2:] // of a diff
		}
		if strings.LastIndexByte(t, '/') > 0 && !strings.HasPrefix(t, "...") {
			n.path(t, m)
		}
		return true
	}
	if m.call && isSlashName(t) && (start == 0 || text[start-1] != '%') && !isChoice(text, start, end) {
		n.paths.add(n, strings.TrimRight(t, "/"), m, 0.5)
		return true
	}
	return false
}

// isQuoted tells whether text[start:end] is all that stands between two quotation marks.
func isQuoted(text string, start, end int) bool {
	return start > 0 && text[start-1] == '"' && end < len(text) && text[end] == '"'
}

// isBareFile tells the name of a file without a directory from a field or
// method: "s.cfg" and "p.log" are code.
func isBareFile(t string) bool {
	dot := strings.LastIndexByte(t, '.')
	switch t[dot+1:] {
	case "r", "m", "c", "h", "log", "cfg", "env", "conf", "el", "pl", "patch", "diff", "lock", "work", "mod", "sum", "tar", "zip":
		return dot >= 4 || t == "go.mod" || t == "go.sum" || t == "go.work"
	}
	return t[0] != '_'
}

// path counts a path that was named.
func (n *nameSlot) path(p string, m *mention) {
	if p = strings.TrimRight(p, "/"); p == "" || p == "." || p == ".." {
		return
	}
	n.paths.add(n, p, m, 1)
}

// url keeps the addresses of issues and pull requests.
func (n *nameSlot) url(text string, start int, t string, m *mention) {
	if !strings.Contains(t, "/pull/") && !strings.Contains(t, "/issues/") && !strings.Contains(t, "/merge_requests/") {
		return
	}
	scheme := start - 1
	for scheme > 0 && isLetter(text[scheme-1]) {
		scheme--
	}
	n.refs.add(n, text[scheme:start]+t, m, 1)
}

// commitRange reads "abc1234..def5678".
func (n *nameSlot) commitRange(t string, m *mention) bool {
	from, to, _ := strings.Cut(t, "..")
	to = strings.TrimPrefix(to, ".")
	found := false
	for _, s := range [...]string{from, to} {
		if isSHA(s) {
			n.commits.add(n, s, m, 1)
			found = true
		}
	}
	return found
}

// sign reads "#123" and "localhost:8080".
func (n *nameSlot) sign(text string, i int, m *mention) {
	j := i + 1
	for j < len(text) && j < i+7 && isDigit(text[j]) {
		j++
	}
	if n.again || j == i+1 || j < len(text) && isWordByte(text[j]) {
		return
	}
	if text[i] == '#' {
		if i > 0 && (isWordByte(text[i-1]) || text[i-1] == '&') {
			return
		}
		n.refs.add(n, text[i:j], m, 1)
		return
	}
	if host := hostBefore(text, i); host != "" && isPort(text[i+1:j]) {
		n.refs.add(n, host+text[i:j], m, 1)
	}
}

// hostBefore is the host that ends at text[i], "" where it is none: a local
// one, or one of an address with a scheme or a user.
func hostBefore(text string, i int) string {
	at := i
	for at > 0 && i-at < 100 && (isWordByte(text[at-1]) || text[at-1] == '.' || text[at-1] == '-') {
		at--
	}
	host := text[at:i]
	switch {
	case host == "localhost" || host == "127.0.0.1" || host == "0.0.0.0":
		return host
	case strings.IndexByte(host, '.') > 0 && at > 0 && (text[at-1] == '@' || strings.HasSuffix(text[:at], "://")):
		return host
	}
	return ""
}

// isVersion tells v1.2 and v1.2.3-rc.1 from other words.
func isVersion(t string) bool {
	if t[0] != 'v' {
		return false
	}
	dots := 0
	for i := 1; i < len(t); i++ {
		switch {
		case isDigit(t[i]):
		case t[i] == '.' && i > 1:
			dots++
		case t[i] == '-' && dots > 1:
			return len(t) < 40
		default:
			return false
		}
	}
	return dots > 0
}

// hasKnownExtension tells a file name from a qualified identifier.
func hasKnownExtension(t string) bool {
	dot := strings.LastIndexByte(t, '.')
	if dot < 1 || len(t)-dot > 9 || t[dot-1] == '/' || t[dot-1] == '.' {
		return false
	}
	switch t[dot+1:] {
	case "go", "md", "py", "ts", "tsx", "js", "jsx", "mjs", "cjs", "json", "jsonl", "yaml", "yml", "toml", "txt", "sh", "bash",
		"rs", "c", "h", "cc", "cpp", "hpp", "cs", "java", "kt", "kts", "swift", "rb", "php", "lua", "zig", "ex", "exs", "erl",
		"hs", "ml", "scala", "clj", "dart", "vue", "svelte", "html", "htm", "css", "scss", "less", "sql", "proto", "graphql",
		"mod", "sum", "work", "lock", "log", "cfg", "conf", "ini", "env", "xml", "csv", "tsv", "png", "jpg", "svg", "gif", "pdf",
		"mp4", "ipynb", "tmpl", "tpl", "gradle", "tf", "hcl", "nix", "mk", "cmake", "patch", "diff", "snap", "golden", "txtar",
		"traj", "bat", "ps1", "plist", "r", "jl", "m", "mm", "pl", "pm", "el", "vim", "rst", "adoc", "tex", "wasm", "zip", "tar", "gz":
		return true
	}
	return false
}
