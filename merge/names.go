package merge

import (
	"strings"
)

// token reads one word of a statement: what kind of name or number it is, "" -
// a plain word - claims nothing.
func (x *dissection) token(t string) {
	t = strings.TrimLeft(t, "~+=&!?:")
	if t == "" {
		return
	}
	if t[0] == '~' || strings.HasPrefix(t, "-") && len(t) > 2 && t[1] != '-' && isDigit(t[1]) {
		t = strings.TrimLeft(t, "~-")
	}
	switch {
	case isNumber(t):
		x.number(t, "")
	case isFlag(t):
		flag, _, _ := strings.Cut(t, "=")
		x.plain(kindCommand, flag, edgeWord)
	case strings.Contains(t, "://"):
		x.plain(kindPath, strings.TrimRight(t, "/"), edgePath)
	case isReference(t):
		x.plain(kindID, t, edgeWord)
	case isCommit(t):
		x.plain(kindID, t, edgeHex)
	case isUUID(t), isTicket(t), strings.Contains(t, "@") && len(t) > 3:
		x.plain(kindID, strings.Trim(t, "@"), edgeWord)
	case isDigit(t[0]):
		x.digits(t)
	case strings.ContainsAny(t, `/\`):
		x.slashed(t)
	case strings.Contains(t, "::"), strings.Contains(strings.TrimSuffix(t, "()"), "."):
		x.dotted(strings.TrimSuffix(t, "()"))
	case strings.Contains(t, ":"):
		head, tail, _ := strings.Cut(t, ":")
		x.token(head)
		x.token(strings.TrimLeft(tail, ":"))
	case isFileWord(t):
		x.plain(kindPath, t, edgePath)
	case isCoined(t):
		x.plain(kindSymbol, strings.TrimSuffix(strings.Trim(t, "*$%#-="), "()"), edgeWord)
	case strings.Contains(t, "="):
		key, value, _ := strings.Cut(t, "=")
		x.token(key)
		x.token(value)
	}
}

func isFlag(t string) bool {
	if len(t) < 2 || t[0] != '-' {
		return false
	}
	rest := strings.TrimLeft(t, "-")
	return rest != "" && rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z' && len(t)-len(rest) <= 2
}

// isReference knows #123 and org/repo#123.
func isReference(t string) bool {
	i := strings.IndexByte(t, '#')
	return i >= 0 && i+1 < len(t) && onlyDigits(t[i+1:])
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// isCommit knows the ids of commits, whole or short: hex digits, letters and
// numbers among them.
func isCommit(t string) bool {
	if len(t) < shortSHA || len(t) > 64 {
		return false
	}
	letters, digits := 0, 0
	for i := range len(t) {
		switch {
		case isDigit(t[i]):
			digits++
		case isHexByte(t[i]):
			letters++
		default:
			return false
		}
	}
	return letters > 0 && digits > 0
}

func isUUID(t string) bool {
	return len(t) == 36 && t[8] == '-' && t[13] == '-' && t[18] == '-' && t[23] == '-'
}

// isTicket knows PROJ-123 and CVE-2024-1234, but not the names of encodings
// and hash functions.
func isTicket(t string) bool {
	head, tail, ok := strings.Cut(t, "-")
	if !ok || len(head) < 2 || tail == "" || !isDigit(tail[0]) {
		return false
	}
	for i := range len(head) {
		if (head[i] < 'A' || head[i] > 'Z') && !isDigit(head[i]) {
			return false
		}
	}
	if isDigit(head[0]) { // a date
		return false
	}
	switch head {
	case "UTF", "SHA", "ISO", "AES", "RFC", "HTTP", "TLS", "GPT":
		return false
	}
	return onlyDigits(strings.ReplaceAll(tail, "-", ""))
}

// slashed reads a word with slashes: a path, or two words that stand for one
// another.
func (x *dissection) slashed(t string) {
	if isWindowsPath(t) {
		x.path(t, `\`)
		return
	}
	if !strings.Contains(t, "/") {
		return
	}
	if head, line, ok := strings.Cut(t, ":"); ok && line != "" { // path:line
		x.slashed(head)
		x.token(line)
		return
	}
	t = strings.TrimPrefix(t, "./")
	if strings.Trim(t, "./*") == "" {
		return
	}
	parts := strings.Split(strings.Trim(t, "/"), "/")
	if t[0] != '/' && t[0] != '~' && t[len(t)-1] != '/' && !x.exact && len(parts) == 2 && isProsePair(parts[0], parts[1]) {
		return
	}
	if len(parts) == 2 && isNumber(parts[0]) && isNumber(parts[1]) { // 97/100
		x.number(parts[0], "")
		x.number(parts[1], "")
		return
	}
	x.path(strings.TrimRight(t, "/"), "/")
}

func isWindowsPath(t string) bool {
	return len(t) > 2 && strings.Contains(t, `\`) && !strings.Contains(t, "/")
}

// isProsePair tells two words that a slash joins - staging/committing - from
// the names of folders: the first names no usual one, and neither has a sign
// or a number in it.
func isProsePair(a, b string) bool {
	return !isFolderName(a) && onlyLetters(a) && onlyLetters(b)
}

func isFolderName(s string) bool {
	switch s {
	case "internal", "src", "cmd", "pkg", "lib", "libs", "docs", "doc", "test", "tests", "app", "apps", "packages", "components", "bin", "scripts",
		"config", "configs", "build", "dist", "vendor", "public", "static", "assets", "examples", "tools", "modules", "crates", "home", "usr", "etc", "var", "tmp", "opt", "srv", "work":
		return true
	}
	return false
}

func onlyLetters(s string) bool {
	for i := range len(s) {
		if b := s[i] | 0x20; b < 'a' || b > 'z' {
			return false
		}
	}
	return s != ""
}

// path claims a path: as it is written, as the end of a longer one with the
// same folder, or as the name of a file that stands beside its folder.
func (x *dissection) path(t, sep string) {
	c := claim{kind: kindPath, bare: -1}
	ways := []needle{{text: t, edge: edgePath}}
	cut := strings.LastIndex(t, sep)
	if cut < 0 {
		x.claim(c, ways...)
		return
	}
	base, folder := t[cut+len(sep):], t[:cut]
	if short := strings.LastIndex(folder, sep); short >= 0 && folder[short+len(sep):] != "" {
		ways = append(ways, needle{text: t[short+len(sep):], edge: edgePath})
	}
	if folder != "" && base != "" {
		file := x.index.need(needle{text: base, edge: edgePath})
		dir := x.index.need(needle{text: strings.TrimPrefix(folder, "/"), edge: edgePath})
		if file >= 0 && dir >= 0 && isFileName(base) {
			c.near = append(c.near, [2]int{file, dir})
			c.bare, c.folder = file, folder
		}
	}
	x.claim(c, ways...)
}

// dotted reads a word with dots: the name of a file, a qualified name, an
// abbreviation.
func (x *dissection) dotted(t string) {
	t = strings.Trim(t, "*")
	if head, line, ok := strings.Cut(t, ":"); ok && onlyDigits(strings.ReplaceAll(line, ":", "")) { // file.go:41
		x.dotted(head)
		x.token(line)
		return
	}
	parts := strings.FieldsFunc(t, func(r rune) bool { return r == '.' || r == ':' })
	long := false
	for _, p := range parts {
		long = long || len(p) > 1
	}
	switch {
	case !long || t == "":
		return // e.g., i.e., U.S.
	case strings.HasPrefix(t, ".") && len(parts) == 1:
		x.plain(kindPath, t, edgeWord)
	case isFileName(t):
		x.plain(kindPath, t, edgePath)
	case t[0] == 'v' && isDigit(t[1]):
		x.plain(kindNumber, t, edgeWord)
	default:
		x.qualified(t, parts)
	}
}

// qualified reads Store.Get: as it is, or the method by its declaration or as
// a call of another value's.
func (x *dissection) qualified(t string, parts []string) {
	for _, p := range parts {
		if !isIdentifier(p) {
			return
		}
	}
	ways := []needle{{text: t, edge: edgeWord}}
	if last := parts[len(parts)-1]; len(parts) > 1 && len(last) > 2 {
		ways = append(ways, needle{text: ") " + last + "(", edge: edgeWord}, needle{text: "." + last + "(", edge: edgeWord})
	}
	x.claim(claim{kind: kindSymbol, bare: -1}, ways...)
}

func isIdentifier(p string) bool {
	for i := range len(p) {
		if !isWordByte(p[i]) {
			return false
		}
	}
	return p != "" && !isDigit(p[0])
}

// isFileName knows a name by its extension.
func isFileName(t string) bool {
	dot := strings.LastIndexByte(t, '.')
	return dot > 0 && isExtension(t[dot+1:])
}

// isExtension knows the usual endings of files' names.
func isExtension(e string) bool {
	switch e {
	case "go", "md", "py", "pyi", "ts", "tsx", "js", "jsx", "mjs", "cjs", "json", "jsonl", "yaml", "yml", "toml", "txt", "sh", "bash", "zsh", "ps1",
		"rs", "c", "h", "cc", "cpp", "hpp", "cs", "java", "kt", "kts", "swift", "rb", "php", "lua", "zig", "ex", "exs", "erl", "bat",
		"hs", "ml", "scala", "clj", "dart", "vue", "svelte", "html", "htm", "css", "scss", "less", "sql", "proto", "graphql", "tf", "hcl",
		"mod", "sum", "work", "lock", "log", "cfg", "conf", "ini", "env", "xml", "csv", "tsv", "png", "jpg", "jpeg", "svg", "gif", "pdf",
		"zip", "gz", "tar", "db", "sqlite", "pem", "key", "crt", "ipynb", "r", "m", "mm", "patch", "diff", "tmpl", "tpl", "mdx", "rst", "plist", "gradle", "properties", "service", "wasm", "parquet", "bak":
		return true
	}
	return false
}

// isFileWord knows files that have no extension.
func isFileWord(t string) bool {
	switch t {
	case "Makefile", "Dockerfile", "Jenkinsfile", "Procfile", "Vagrantfile", "Gemfile", "Rakefile", "CODEOWNERS":
		return true
	}
	return false
}

// isCoined tells an identifier from a word: an underscore, an inner capital, a
// pair of parentheses behind it. The names of well-known products have capitals too.
func isCoined(t string) bool {
	t = strings.Trim(t, "*$%#-=")
	if name, ok := strings.CutSuffix(t, "()"); ok {
		return name != ""
	}
	letters, inner, lower := false, false, false
	for i := range len(t) {
		b := t[i]
		if b >= 0x80 || b == '-' || b == '+' {
			return false
		}
		upper := b >= 'A' && b <= 'Z'
		letters = letters || b|0x20 >= 'a' && b|0x20 <= 'z'
		inner = inner || upper && lower
		lower = lower || b >= 'a' && b <= 'z'
	}
	if !letters || len(t) < 3 {
		return false
	}
	if i := strings.IndexByte(t, '_'); i >= 0 && strings.Trim(t, "_") != "" {
		return isIdentifier(t)
	}
	return inner && !isProduct(t)
}

func isProduct(t string) bool {
	switch t {
	case "GitHub", "GitLab", "JavaScript", "TypeScript", "PostgreSQL", "MySQL", "SQLite", "OpenAI", "GraphQL", "OpenTelemetry", "YouTube", "LinkedIn",
		"macOS", "iOS", "iPadOS", "NodeJS", "MongoDB", "DevOps", "WebSocket", "WebSockets", "OAuth", "OpenAPI", "FastAPI", "PowerShell", "JetBrains",
		"VSCode", "IntelliJ", "CircleCI", "CloudFront", "DynamoDB", "BitBucket", "PyTorch", "TensorFlow", "NumPy", "DeepSeek", "LaTeX", "IDs", "APIs", "URLs", "PRs", "VMs", "CLIs", "SDKs", "McDonald":
		return true
	}
	return false
}
