package redact

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Secrets for tests are assembled when the test runs, so that no scanner takes
// this repository for leaky. In a template, {n} is n letters and digits, {hn} n
// hexadecimal digits, {un} upper-case letters and digits, {ln} lower-case
// letters, {dn} digits, {b:...} and {x:...} the base64 and hexadecimal of the
// template inside. The secret stands between « and »; each line may have one.

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func fill(template string, seed uint64) string {
	rnd := rand.New(rand.NewPCG(seed, 7))
	var expand func(s string) string
	expand = func(s string) string {
		var b strings.Builder
		for len(s) > 0 {
			open := strings.IndexByte(s, '{')
			if open < 0 {
				b.WriteString(s)
				break
			}
			b.WriteString(s[:open])
			s = s[open:]
			end := closing(s)
			inner := ""
			if end > 0 {
				inner = s[1:end]
			}
			text, ok := expandOne(inner, rnd, expand)
			if !ok {
				b.WriteByte('{')
				s = s[1:]
				continue
			}
			b.WriteString(text)
			s = s[end+1:]
		}
		return b.String()
	}
	return expand(template)
}

func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func expandOne(inner string, rnd *rand.Rand, expand func(string) string) (string, bool) {
	if rest, ok := strings.CutPrefix(inner, "b:"); ok {
		return base64.StdEncoding.EncodeToString([]byte(expand(rest))), true
	}
	if rest, ok := strings.CutPrefix(inner, "x:"); ok {
		return hex.EncodeToString([]byte(expand(rest))), true
	}
	from, to := 0, len(alphabet)
	chars := alphabet
	if inner != "" {
		switch inner[0] {
		case 'h':
			chars, inner = "0123456789abcdef", inner[1:]
			to = 16
		case 'u':
			from, inner = 26, inner[1:]
		case 'l':
			to, inner = 26, inner[1:]
		case 'd':
			from, inner = 52, inner[1:]
		}
	}
	n, err := strconv.Atoi(inner)
	if err != nil || n > 4000 {
		return "", false
	}
	out := make([]byte, n)
	for i := range out {
		out[i] = chars[from+rnd.IntN(to-from)]
	}
	// Whatever the draw, there is a digit, as in every real key, and it is not first.
	if n > 4 && from < 52 && to > 26 || to == 16 && n > 4 {
		out[2] = '7'
		out[n-1] = '4'
	}
	return string(out), true
}

// parts returns a filled template without its marks, and the secrets in it.
func parts(filled string) (text string, secrets []string) {
	for {
		before, rest, ok := strings.Cut(filled, "«")
		text += before
		if !ok {
			return text, secrets
		}
		secret, after, _ := strings.Cut(rest, "»")
		secrets = append(secrets, secret)
		text += secret
		filled = after
	}
}

// outside returns what stands around the secrets of a filled template.
func outside(filled string) []string {
	var out []string
	for {
		before, rest, ok := strings.Cut(filled, "«")
		out = append(out, before)
		if !ok {
			return out
		}
		_, filled, _ = strings.Cut(rest, "»")
	}
}
