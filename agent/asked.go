package agent

import "strings"

// split parts a prompt that asks for a compaction: the focus is what stands
// behind the word on its line, and the rest is what is asked besides.
func split(prompt string) (rest, focus string) {
	var keep, foci []string
	fenced := false
	for line := range strings.SplitSeq(prompt, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		before, behind, found := "", "", false
		if !fenced {
			before, behind, found = cutWord(line)
		}
		if !found {
			keep = append(keep, line)
			continue
		}
		if before = strings.TrimSpace(before); before != "" {
			keep = append(keep, before)
		}
		if behind = strings.Trim(behind, " \t.,;:!?)"); behind != "" {
			foci = append(foci, behind)
		}
	}
	return strings.TrimSpace(strings.Join(keep, "\n")), strings.Join(foci, "\n")
}

// cutWord cuts a line at the word that asks for a compaction.
func cutWord(line string) (before, behind string, found bool) {
	for from := 0; ; {
		i := strings.Index(line[from:], "@compact")
		if i < 0 {
			return "", "", false
		}
		i += from
		from = i + len("@compact")
		end := from
		if strings.HasPrefix(line[end:], "-memory") {
			end += len("-memory")
		}
		word := i == 0 || strings.ContainsRune(" \t", rune(line[i-1]))
		next, _, _ := strings.Cut(line[end:], " ")
		if word && strings.Trim(next, ".,;:!?)\t\r") == "" && strings.Count(line[:i], "`")%2 == 0 {
			return line[:i], line[end:], true
		}
	}
}
