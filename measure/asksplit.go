package measure

import "strings"

// shellLine is a command line in simple commands.
type shellLine struct {
	commands []shellCommand
	// complex: one of them is inside a loop or a substitution, so its words may
	// stand for others.
	complex bool
}

type shellCommand struct {
	words []string
	// writes are the files behind > and >>.
	writes []string
	// piped: its input is the output of the one before.
	piped bool
	// inner: it stands in parentheses or in a substitution.
	inner bool
}

// shellSplitter walks a command line once.
type shellSplitter struct {
	text  string
	line  shellLine
	now   shellCommand
	word  []byte
	began bool
	// target: the next word is the file of a redirection; drop: it is one that
	// writes nothing, or a name of input.
	target, drop bool
	depth        int
	// quoted: a substitution goes on inside double quotes.
	quoted bool
	// data are the words that end here-documents.
	data []string
}

// splitShell splits at ; & | and line ends, outside of quotes. The insides of
// substitutions are commands of their own.
func splitShell(text string) shellLine {
	s := &shellSplitter{text: text}
	for i := 0; i < len(text); {
		i = s.step(i)
	}
	s.endCommand(false)
	for i := range s.line.commands {
		if w := s.line.commands[i].words; len(w) > 0 && (w[0] == "for" || w[0] == "while" || w[0] == "case" || w[0] == "if") {
			s.line.complex = true
		}
	}
	return s.line
}

func (s *shellSplitter) step(i int) int {
	c := s.text[i]
	switch c {
	case '\\':
		if i+1 < len(s.text) && s.text[i+1] != '\n' {
			s.add(s.text[i+1])
		}
		return i + 2
	case '\'':
		s.began = true
		end := strings.IndexByte(s.text[i+1:], '\'')
		if end < 0 {
			end = len(s.text) - i - 1
		}
		s.word = append(s.word, s.text[i+1:i+1+end]...)
		return i + end + 2
	case '"':
		s.quoted, s.began = !s.quoted, true
		return i + 1
	case '`':
		return s.substitution(i+1, s.depth == 0)
	case '$':
		if i+1 < len(s.text) && s.text[i+1] == '(' {
			return s.substitution(i+2, true)
		}
	}
	if s.quoted && s.depth == 0 {
		s.add(c)
		return i + 1
	}
	return s.plain(i)
}

// plain reads a character that no quote protects.
func (s *shellSplitter) plain(i int) int {
	switch c := s.text[i]; c {
	case ' ', '\t':
		s.endWord()
	case '\n':
		s.endCommand(false)
		return s.skipData(i + 1)
	case ';':
		s.endCommand(false)
	case '(':
		return s.substitution(i+1, true)
	case ')':
		s.endCommand(false)
		s.depth = max(0, s.depth-1)
	case '|', '&':
		return s.operator(i)
	case '>', '<':
		return s.redirection(i)
	case '#':
		if !s.began {
			if end := strings.IndexByte(s.text[i:], '\n'); end >= 0 {
				return i + end
			}
			return len(s.text)
		}
		s.add(c)
	default:
		s.add(c)
	}
	return i + 1
}

func (s *shellSplitter) substitution(next int, opens bool) int {
	s.line.complex = true
	s.endCommand(false)
	if opens {
		s.depth++
	} else {
		s.depth = max(0, s.depth-1)
	}
	return next
}

func (s *shellSplitter) operator(i int) int {
	c := s.text[i]
	two := i+1 < len(s.text) && s.text[i+1] == c
	if c == '&' && i+1 < len(s.text) && s.text[i+1] == '>' {
		return s.redirection(i + 1)
	}
	s.endCommand(c == '|' && !two)
	if two {
		return i + 2
	}
	return i + 1
}

// redirection reads > >> < << <<< and the numbers of files before them.
func (s *shellSplitter) redirection(i int) int {
	c := s.text[i]
	if len(s.word) == 1 && (s.word[0] == '1' || s.word[0] == '2') {
		s.word, s.began = s.word[:0], false
	}
	s.endWord()
	n := 1
	for i+n < len(s.text) && s.text[i+n] == c {
		n++
	}
	switch rest := s.text[i+n:]; {
	case strings.HasPrefix(rest, "&"):
		n++
		s.drop = true
	case c == '<' && n == 2:
		word := strings.Trim(strings.TrimLeft(rest, "- "), " ")
		if end := strings.IndexAny(word, " \n;|&>)"); end >= 0 {
			word = word[:end]
		}
		s.data = append(s.data, strings.Trim(word, `'"\`))
		s.drop = true
	case c == '<':
		s.drop = true
	default:
		s.target = true
	}
	return i + n
}

// skipData goes past the here-documents that the last line opened.
func (s *shellSplitter) skipData(i int) int {
	for _, end := range s.data {
		for i < len(s.text) {
			line, _, _ := strings.Cut(s.text[i:], "\n")
			i = min(len(s.text), i+len(line)+1)
			if strings.TrimSpace(line) == end {
				break
			}
		}
	}
	s.data = nil
	return i
}

func (s *shellSplitter) add(c byte) {
	s.word, s.began = append(s.word, c), true
}

func (s *shellSplitter) endWord() {
	if !s.began {
		return
	}
	w := string(s.word)
	switch {
	case s.drop:
	case s.target:
		if !strings.HasPrefix(w, "/dev/") {
			s.now.writes = append(s.now.writes, w)
		}
	default:
		s.now.words = append(s.now.words, w)
	}
	s.word, s.began, s.drop, s.target = s.word[:0], false, false, false
}

func (s *shellSplitter) endCommand(pipes bool) {
	s.endWord()
	s.now.inner = s.depth > 0
	if len(s.now.words) > 0 || len(s.now.writes) > 0 {
		s.line.commands = append(s.line.commands, s.now)
	}
	s.now, s.drop, s.target = shellCommand{piped: pipes}, false, false
}
