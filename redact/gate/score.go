package gate

import (
	"math"
	"strings"
)

// Share is how many of how many.
type Share struct{ Hit, Of int }

// Add counts one more, a hit or not.
func (s *Share) Add(hit bool) {
	s.Of++
	if hit {
		s.Hit++
	}
}

// Rate is the share as a number from 0 to 1; of nothing it is 0.
func (s Share) Rate() float64 {
	if s.Of == 0 {
		return 0
	}
	return float64(s.Hit) / float64(s.Of)
}

// Interval is Wilson's, in which the true share lies with 95 % confidence.
func (s Share) Interval() (low, high float64) {
	if s.Of == 0 {
		return 0, 1
	}
	const z = 1.959964
	n, p := float64(s.Of), s.Rate()
	centre := p + z*z/(2*n)
	margin := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return max(0, (centre-margin)/scale), min(1, (centre+margin)/scale)
}

// Gone tells whether a redacted text tells nothing of use of a secret: of no
// line of it does half stand there in one piece, or six characters where that
// is more.
func Gone(redacted, secret string) bool {
	lines := strings.FieldsFunc(strings.ReplaceAll(secret, `\n`, "\n"), func(r rune) bool { return r == '\n' || r == '\r' })
	for _, line := range lines {
		if len(lines) > 1 {
			line = line[strings.LastIndexByte(line, ':')+1:] // behind what grep wrote
			if len(line) < 12 || strings.Contains(line, "-----") {
				continue // a frame, or the rest of a key's last line
			}
		}
		size := max(len(line)/2, min(6, len(line)))
		for i := 0; i+size <= len(line); i++ {
			if strings.Contains(redacted, line[i:i+size]) {
				return false
			}
		}
	}
	return true
}

// Whole tells whether a redacted text is what it was but for the secrets: where
// one stood there are markers only. A secret that still stands there is missed,
// which is another matter.
func Whole(redacted string, parts []string) bool {
	for i := 0; i < len(parts); i += 2 {
		rest, ok := strings.CutPrefix(redacted, parts[i])
		if !ok {
			return false
		}
		if redacted = rest; i+1 == len(parts) {
			break
		}
		if rest, missed := strings.CutPrefix(redacted, parts[i+1]); missed {
			redacted = rest
			continue
		}
		markers := 0
		for strings.HasPrefix(redacted, "[REDACTED:") {
			redacted = redacted[strings.IndexByte(redacted, ']')+1:]
			markers++
		}
		if markers == 0 {
			return false
		}
	}
	return redacted == ""
}

// HighEntropy replaces every run of 20 characters or more, of those that
// base64, names and paths are written with, whose entropy is above 4.5 bits per
// character: the rule that other detectors consist of, as a control.
func HighEntropy(text, by string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && inRun(text[j]) {
			j++
		}
		if j == i {
			b.WriteByte(text[i])
			i++
			continue
		}
		if run := text[i:j]; len(run) >= 20 && entropy(run) > 4.5 {
			b.WriteString(by)
		} else {
			b.WriteString(run)
		}
		i = j
	}
	return b.String()
}

func inRun(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("+/=_-.", c) >= 0
}

// entropy is Shannon's, in bits for each character.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	h := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}
