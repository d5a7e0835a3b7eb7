package extract

import (
	"strings"
	"unicode/utf8"
)

// kindWords tell what a rule is about; the first kind that matches wins.
var kindWords = []struct {
	kind  string
	words []string
}{
	{"security", []string{"secret", "secrets", "credential", "credentials", "password", "passwords", "token", "tokens", "api key", "api keys", ".env", "sudo", "production", "prod", "encrypt", "private key", "root", "contraseña", "senha", "passwort", "пароль", "密码", "密碼", "パスワード", "비밀번호"}},
	{"process", []string{"commit", "commits", "push", "pushed", "branch", "branches", "pr", "prs", "pull request", "pull requests", "merge", "deploy", "deployed", "deploys", "release", "tag", "review", "wait", "ask", "confirm", "confirmation", "ci", "rebase", "squash", "draft", "stop after", "one at a time", "commite", "envie", "提交", "推送", "コミット", "커밋", "коммит"}},
	{"stack", []string{"dependency", "dependencies", "library", "libraries", "framework", "package", "packages", "module", "modules", "version", "npm", "pnpm", "yarn", "pip", "poetry", "python", "typescript", "javascript", "rust", "golang", "go.mod", "stdlib", "standard library", "third-party", "dependencias", "dependências", "abhängigkeiten", "зависимост", "依赖", "依賴", "依存", "의존성"}},
}

func ruleKind(lower, polarity string) string {
	for _, k := range kindWords {
		for _, w := range k.words {
			if hasPhrase(lower, w) || w[0] >= 0xe3 && strings.Contains(lower, w) {
				return k.kind
			}
		}
	}
	if polarity == forbids {
		return "prohibition"
	}
	if (hasPhrase(lower, "use") || hasPhrase(lower, "prefer")) && (strings.Contains(lower, " not ") || strings.Contains(lower, "instead") || strings.Contains(lower, " over ")) {
		return "stack"
	}
	return "requirement"
}

// preserved are properties that a rule wants to stay as they are.
var preserved = []string{
	"backward compatible", "backwards compatible", "backward-compatible", "backwards-compatible", "backward compatibility", "backwards compatibility", "compatible with",
	"without breaking", "not break", "don't break", "never break", "without dropping", "not drop", "without regress", "without introducing regressions", "no regressions", "no breaking changes",
	"stay the same", "stays the same", "remain the same", "remains the same", "remain unchanged", "stay unchanged", "must not change", "may not change", "should not change", "shouldn't change", "must never change", "keep the same", "stay compatible", "stay stable", "remain stable", "stay green", "keep working", "still work", "must hold", "invariant",
	"não quebr", "sem quebrar", "sin romper", "no rompas", "sans casser", "abwärtskompatibel", "bleibt gleich", "обратн", "не ломай", "向后兼容", "向後相容", "不能破坏", "互換性", "後方互換", "하위 호환",
}

// preserves tells whether a rule is about a property that must be preserved.
func preserves(lower string) bool {
	for _, p := range preserved {
		if strings.Contains(lower, p) {
			return true
		}
	}
	i := phraseAt(lower, "keep")
	if i < 0 || i > 40 {
		return false
	}
	rest := lower[i:]
	for _, p := range [...]string{" working", " passing", " green", " intact", " stable", " format", " public api", " behaviour", " behavior", " interface", " signature", " schema", " compatible", " unchanged", " as is", " as it is"} {
		if strings.Contains(rest, p) {
			return true
		}
	}
	return false
}

// exceptionOf returns the part of a rule that lifts it, up to the end of its clause.
func exceptionOf(text string) string {
	lower := foldCase(text)
	for _, p := range englishExceptions {
		if i := phraseAt(lower, strings.TrimSpace(p)); i > 0 {
			return clauseFrom(text, i)
		}
	}
	language := languageOf(text)
	t := tableFor(language)
	if t == nil {
		return ""
	}
	for _, p := range t.exceptions {
		i := strings.Index(lower, p)
		switch {
		case i < 0 || t.subjects != nil && wordBefore(lower, i):
		case t.subjects == nil && (language != "zh" || !strings.HasPrefix(lower[i:], p) || p == "除外"):
			// In Japanese and Korean the exception stands before the word.
			return clauseUpTo(text, i+len(p))
		default:
			return clauseFrom(text, i)
		}
	}
	return ""
}

// foldCase lowers ASCII and leaves every other byte where it is, so that
// offsets stay those of the text; other letters are lowered where that does
// not change their length.
func foldCase(text string) string {
	if l := strings.ToLower(text); len(l) == len(text) {
		return l
	}
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

const clauseMarks = ",;:，、；：。"

func clauseFrom(text string, i int) string {
	rest := text[i:]
	for j, r := range rest {
		if j > 0 && strings.ContainsRune(clauseMarks, r) && !(r == ',' && j+1 < len(rest) && rest[j+1] != ' ') {
			rest = rest[:j]
			break
		}
	}
	return strings.TrimRight(rest, ".!。！ )\n")
}

func clauseUpTo(text string, end int) string {
	start := 0
	for j, r := range text[:end] {
		if strings.ContainsRune(clauseMarks, r) {
			start = j + utf8.RuneLen(r)
		}
	}
	return strings.TrimSpace(text[start:end])
}

// scopeOf returns the words that say how far a rule reaches.
func scopeOf(text string) string {
	lower := foldCase(text)
	for _, p := range englishScopes {
		if i := phraseAt(lower, p); i >= 0 {
			if p == "for the next" || p == "during this" {
				return clauseFrom(text, i)
			}
			return text[i : i+len(p)]
		}
	}
	t := tableFor(languageOf(text))
	if t == nil {
		return ""
	}
	for _, p := range t.scopes {
		if i := strings.Index(lower, p); i >= 0 {
			return text[i : i+len(p)]
		}
	}
	return ""
}
