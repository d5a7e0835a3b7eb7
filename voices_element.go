package pith

import "strings"

// maxNesting is how deep elements of one name are followed into one another.
const maxNesting = 16

// closed finds where an element ends. What a client puts between its tags may
// hold the same tags itself - a file, a page, an earlier request - so the
// closing is the one that the openings in between leave for it, or a later one
// that no opening stands before. An element that opens a block which its
// closing ends is the whole block: what seems to stand between two of them is
// more likely to be from inside one.
func (e *element) closed(text string, first bool) bool {
	if first {
		if end := len(strings.TrimRight(text, " \t\r\n")); strings.HasSuffix(text[e.body:end], "</"+e.name+">") {
			e.close, e.end = end-len("</>")-len(e.name), end
			return true
		}
	}
	whole, depth := *e, 1
	for i := e.body; ; {
		j := strings.IndexByte(text[i:], '<')
		if j < 0 {
			break
		}
		i += j + 1
		if tagged(text[i:], e.name) {
			if depth++; depth == 1 || depth > maxNesting {
				break // another element begins
			}
			continue
		}
		if i == len(text) || text[i] != '/' || !tagged(text[i+1:], e.name) {
			continue
		}
		gt := strings.IndexByte(text[i:], '>')
		if gt < 0 {
			break
		}
		if e.end == 0 {
			e.close, e.end = i-1, i+gt+1
		}
		if depth = max(depth-1, 0); depth == 0 {
			whole.close, whole.end = i-1, i+gt+1
		}
	}
	if whole.end > 0 {
		*e = whole
	}
	return e.end > 0
}

// introducesRules tells whether a reminder begins as the one that repeats rules
// files does.
func introducesRules(reminder string) bool {
	reminder = strings.TrimSpace(reminder)
	for _, begins := range [...]string{"# claudeMd", "Contents of /", "As you answer the user's questions, you can use the following context"} {
		if strings.HasPrefix(reminder, begins) {
			return true
		}
	}
	return false
}
