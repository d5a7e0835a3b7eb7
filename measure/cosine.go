package measure

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// buckets is into how many the features of a text are hashed.
const buckets = 1 << 18

// vector is a text as counts of hashed features.
type vector struct {
	counts []float32
	norm   float64
}

// Cosine is how much two texts share in letters and words, from 0 to 1. The
// features are single words and pairs of neighbours, and sequences of 3 to 5
// letters inside a word, in lower case, hashed with FNV-1a into 2^18 buckets;
// each counts 1 + ln(its number). Words that say nothing in English ("the",
// "please") are no features: they would make any two long texts alike. So the
// order of words matters through pairs only, and what stands between words not
// at all. It is lexical: the same thought in other words scores low. Equal
// texts give 1, two texts without words 1, one without words 0.
func Cosine(a, b string) float64 {
	if a == b {
		return 1
	}
	return cosine(features(a), features(b))
}

func cosine(a, b vector) float64 {
	if a.norm == 0 && b.norm == 0 {
		return 1
	}
	if a.norm == 0 || b.norm == 0 {
		return 0
	}
	var dot float64
	for i, x := range a.counts {
		if x != 0 {
			dot += float64(x) * float64(b.counts[i])
		}
	}
	return min(1, dot/(a.norm*b.norm))
}

func features(text string) vector {
	v := vector{counts: make([]float32, buckets)}
	var before uint32
	var word []rune
	for i := 0; i <= len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if i < len(text) && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			word = append(word, unicode.ToLower(r))
			i += n
			continue
		}
		if len(word) > 0 && !saysNothing(string(word)) {
			before = v.word(word, before)
		}
		word = word[:0]
		i += max(n, 1)
	}
	var sum float64
	for i, c := range v.counts {
		if c > 0 {
			w := 1 + math.Log(float64(c))
			v.counts[i] = float32(w)
			sum += w * w
		}
	}
	v.norm = math.Sqrt(sum)
	return v
}

// word counts a word, the pair with the one before, and the sequences inside
// it. It returns the word's own hash.
func (v *vector) word(word []rune, before uint32) uint32 {
	whole := hash('w', word)
	v.counts[whole%buckets]++
	if before != 0 {
		v.counts[(before*31+whole)%buckets]++
	}
	for n := 3; n <= 5; n++ {
		for i := 0; i+n <= len(word); i++ {
			v.counts[hash('c', word[i:i+n])%buckets]++
		}
	}
	return whole
}

// hash is FNV-1a over the letters, after a mark that tells the kinds apart.
func hash(kind byte, letters []rune) uint32 {
	h := (uint32(2166136261) ^ uint32(kind)) * 16777619
	for _, r := range letters {
		for ; r > 0; r >>= 8 {
			h = (h ^ uint32(r&0xff)) * 16777619
		}
	}
	return h
}

// saysNothing tells the words that stand in any English request.
func saysNothing(word string) bool {
	switch word {
	case "a", "an", "and", "any", "are", "as", "at", "be", "but", "by", "can", "could", "do", "does", "for", "from", "get",
		"had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "just", "let", "like", "ll", "me", "my", "no",
		"not", "now", "of", "ok", "on", "or", "our", "please", "s", "should", "so", "some", "t", "that", "the", "their",
		"them", "then", "there", "these", "they", "this", "to", "up", "us", "was", "we", "were", "what", "when", "where",
		"which", "will", "with", "would", "yes", "you", "your":
		return true
	}
	return false
}
