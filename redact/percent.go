package redact

// maxPercent bounds a run that is read as percent-encoded.
const maxPercent = 64 << 10

// percent looks at the run that the escape at s[i] belongs to as it reads
// decoded, and records what is found there where it stands encoded. A run of
// which this was done, or which has no escape, is stepped over byte by byte.
func (sc *scanner) percent(i int) int {
	s := sc.s
	if i < sc.unescaped || !escapedAt(s, i) {
		return i
	}
	start := i
	for start > sc.unescaped && i-start < maxPercent && inEncoded(s[start-1]) {
		start--
	}
	text, places, end := unescape(s, start)
	sc.unescaped = end
	if sc.depth >= maxDepth {
		return i
	}
	for _, f := range new(scanner).scan(text, sc.depth+1) {
		sc.add(places[f.Start], places[f.End], f.Rule)
	}
	return i
}

func escapedAt(s string, i int) bool {
	return i+2 < len(s) && s[i] == '%' && isHex(s[i+1]) && isHex(s[i+2])
}

// inEncoded tells whether a byte may stand in a percent-encoded run; what a
// marker consists of may, what parts a query's values may not.
func inEncoded(c byte) bool {
	return c > ' ' && c < 0x7f && c != '&' && c != '?' && c != '"' && c != '\'' && c != '`' && c != '<' && c != '>' && c != '\\'
}

// unescape decodes the run that begins at s[start]: the text, for each of its
// bytes and for its end where that stands in s, and where the run ends.
func unescape(s string, start int) (text string, places []int, end int) {
	decoded := make([]byte, 0, 256)
	i := start
	for i < len(s) && i-start < 2*maxPercent && inEncoded(s[i]) {
		places = append(places, i)
		switch {
		case escapedAt(s, i):
			decoded = append(decoded, hexValue(s[i+1])<<4|hexValue(s[i+2]))
			i += 3
		case s[i] == '+':
			decoded = append(decoded, ' ')
			i++
		default:
			decoded = append(decoded, s[i])
			i++
		}
	}
	return string(decoded), append(places, i), i
}

func hexValue(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return lowerByte(c) - 'a' + 10
}
