package gate

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// draw is a generator of characters (splitmix64): the same numbers give the
// same characters, on every machine.
type draw struct{ state uint64 }

func newDraw(numbers ...uint64) *draw {
	d := &draw{}
	for _, n := range numbers {
		d.state = d.next() ^ (n + 1)
	}
	return d
}

func (d *draw) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1.
func (d *draw) below(n int) int { return int(d.next()>>33) % n }

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

// alphabets are the sets of characters that a template names.
var alphabets = map[string]string{
	"b62":  lowers + uppers + digits,
	"b64":  lowers + uppers + digits + "+/",
	"url":  lowers + uppers + digits + "-_",
	"hex":  digits + "abcdef",
	"HEX":  digits + "ABCDEF",
	"d":    digits,
	"up":   uppers + digits,
	"low":  lowers + digits,
	"bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

// fill turns a template into parts. Between « and » stands a secret, between ‹
// and › something drawn that is none; both are pieces parted by |, each of them
// letters to take as they are or "alphabet:length".
func (d *draw) fill(template string) []string {
	parts := []string{""}
	for template != "" {
		at := strings.IndexAny(template, "«‹")
		if at < 0 {
			parts[len(parts)-1] += template
			break
		}
		parts[len(parts)-1] += template[:at]
		secret := strings.HasPrefix(template[at:], "«")
		open, end := "‹", "›"
		if secret {
			open, end = "«", "»"
		}
		inner, rest, ok := strings.Cut(template[at+len(open):], end)
		// A French quotation mark around a secret is one.
		if spaced := secret && strings.HasPrefix(inner, " "); spaced || !ok {
			parts[len(parts)-1] += open
			template = template[at+len(open):]
			continue
		}
		if text := d.pieces(inner); secret {
			parts = append(parts, text, "")
		} else {
			parts[len(parts)-1] += text
		}
		template = rest
	}
	return parts
}

func (d *draw) pieces(inner string) string {
	var b strings.Builder
	for line := range strings.Lines(inner) {
		body := strings.TrimSuffix(line, "\n")
		for piece := range strings.SplitSeq(body, "|") {
			b.WriteString(d.piece(piece))
		}
		b.WriteString(line[len(body):])
	}
	return b.String()
}

func (d *draw) piece(piece string) string {
	name, length, ok := strings.Cut(piece, ":")
	n, err := strconv.Atoi(length)
	if !ok || length != "" && err != nil {
		return piece
	}
	switch name {
	case "pw":
		return d.password(true)
	case "pw9":
		return d.password(false)
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte("user" + d.chars(lowers, 2) + ":" + d.password(true)))
	case "b64of":
		return base64.StdEncoding.EncodeToString([]byte(d.password(true)))
	case "b64pct":
		return strings.NewReplacer("+", "%2B", "/", "%2F").Replace(d.chars(alphabets["b64"], n))
	case "b32":
		return d.chars(uppers+"234567", n)
	}
	if set := alphabets[name]; set != "" && n > 0 {
		return d.chars(set, n)
	}
	return piece
}

// chars draws n characters; from eight on, a digit is among them, and where the
// set has them, letters of both cases, as in nearly every real key.
func (d *draw) chars(set string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = set[d.below(len(set))]
	}
	if n >= 8 {
		place := d.below(n - 4)
		for i, need := range []string{lowers, digits, uppers} {
			if at := strings.IndexAny(set, need); at >= 0 && len(set) > 10 {
				out[place+i] = set[at+d.below(5)]
			}
		}
	}
	return string(out)
}

var words = strings.Fields("amber falcon kestrel marble kitten harbor velvet copper winter meadow saffron lantern orchid pebble thunder willow")

// password thinks up what a person would. One in twelve has letters only, if
// letters may be.
func (d *draw) password(letters bool) string {
	w, v := words[d.below(len(words))], words[d.below(len(words))]
	switch n := d.below(12); {
	case n < 3:
		return strings.ToUpper(w[:1]) + w[1:] + d.chars(digits, 2+d.below(3))
	case n < 5:
		return strings.NewReplacer("a", "4", "e", "3", "o", "0", "i", "1").Replace(w) + "-" + d.chars(digits, 2)
	case n < 8:
		return d.chars(alphabets["b62"], 10+d.below(7))
	case n < 10:
		return d.chars(alphabets["b62"], 8) + d.chars("!%+=_.^~*", 1) + d.chars(alphabets["b62"], 3)
	case n == 10 || !letters:
		return w + "-" + v + "-" + d.chars(digits, 2)
	}
	return w + v
}
