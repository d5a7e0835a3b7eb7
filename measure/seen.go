package measure

import "strings"

// sight is an answer that the agent was given.
type sight struct {
	from, to int
	text     string
	// call and segment say when: the number of the call and of the context,
	// which every compaction of the client's begins anew.
	call, segment int
	place         Place
}

// Place is where an answer stands in a transcript.
type Place struct {
	Message, Block, Line int
}

// seen is what the agent was shown and what still holds.
type seen struct {
	files    map[string][]sight
	commands map[string]sight
}

func newSeen() seen { return seen{map[string][]sight{}, map[string]sight{}} }

// forget drops what a deed made untrue.
func (s *seen) forget(d *deed) {
	switch d.effect {
	case anything:
		clear(s.files)
		clear(s.commands)
	case writes:
		clear(s.commands)
		for _, f := range d.files {
			s.forgetFile(f)
		}
	case moves:
		clear(s.commands)
	}
}

// forgetFile drops a file, or all below a directory; with a * in its name, all
// below what stands before it.
func (s *seen) forgetFile(path string) {
	delete(s.files, path)
	below, _, starred := strings.Cut(path, "*")
	if !starred {
		below = strings.TrimSuffix(strings.TrimSuffix(path, "..."), "/") + "/"
	}
	for known := range s.files {
		if strings.HasPrefix(known, below) {
			delete(s.files, known)
		}
	}
}

// learn keeps an answer. A call that asks several things is learned file by
// file with the whole text: what is looked up in it is single lines.
func (s *seen) learn(asks []ask, x sight) {
	for _, a := range asks {
		if a.path == "" {
			s.commands[a.command] = x
			continue
		}
		x.from, x.to = a.from, a.to
		kept := s.files[a.path][:0]
		for _, old := range s.files[a.path] {
			if old.from < x.from || old.to > x.to {
				kept = append(kept, old)
			}
		}
		s.files[a.path] = append(kept, x)
	}
}

// find returns the earlier answers that together hold all that is asked, nil
// where something of it was not seen, does not hold any more, or the answer
// given now says something else.
func (s *seen) find(asks []ask, answer string) []sight {
	var out []sight
	for _, a := range asks {
		var part []sight
		if a.path != "" {
			part = s.covering(a)
		} else if x, ok := s.commands[a.command]; ok && squash(x.text) == squash(answer) {
			out = append(out, x)
			continue
		}
		if len(part) == 0 {
			return nil
		}
		out = append(out, part...)
	}
	if len(asks) > 0 && asks[0].path != "" && !strings.HasPrefix(answer, unchangedNote) && !sameLines(out, answer) {
		return nil
	}
	return out
}

// covering returns sights of a file that leave no line of the ask out.
func (s *seen) covering(a ask) []sight {
	var out []sight
	for need := a.from; need <= a.to; {
		best := -1
		for i, x := range s.files[a.path] {
			if x.from <= need && x.to >= need && (best < 0 || x.to > s.files[a.path][best].to) {
				best = i
			}
		}
		if best < 0 {
			return nil
		}
		out = append(out, s.files[a.path][best])
		need = s.files[a.path][best].to + 1
	}
	return out
}

// sameLines tells whether every line of an answer stands in the earlier ones: a
// file may have changed in ways that no record tells of.
func sameLines(earlier []sight, answer string) bool {
	known := map[string]bool{"": true}
	for _, x := range earlier {
		for line := range strings.SplitSeq(x.text, "\n") {
			known[strings.TrimSpace(withoutNumber(line))] = true
		}
	}
	for line := range strings.SplitSeq(answer, "\n") {
		if !known[strings.TrimSpace(withoutNumber(line))] {
			return false
		}
	}
	return true
}
