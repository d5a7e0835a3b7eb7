package extract

import "strings"

// script reads the files that an inline Python, Node or Ruby script opens under
// literal names.
func (l *shellLine) script(cmd *simpleCommand, argv []string, hidden bool) {
	code := cmd.Here
	for i := 1; i+1 < len(argv); i++ {
		if a := argv[i]; a == "-c" || a == "-e" || a == "--eval" || a == "-p" || a == "-pe" {
			code = argv[i+1]
			break
		}
	}
	if code == "" {
		return
	}
	scan := scriptScan{code: code}
	scan.run()
	for _, f := range scan.files {
		switch {
		case !looksLikeFile(f.path):
		case f.op != opRead:
			l.add(cmd, f.path, f.op)
		case scan.prints && !hidden:
			l.add(cmd, f.path, opRead)
		}
	}
}

// scriptScan finds string literals that stand where a path is opened.
type scriptScan struct {
	code   string
	files  []scriptFile
	prints bool
	// names are the variables that hold a path.
	names map[string]string
}

type scriptFile struct {
	path string
	op   touchOp
}

func (s *scriptScan) run() {
	s.prints = strings.Contains(s.code, "print") || strings.Contains(s.code, "console.log") || strings.Contains(s.code, "puts ") ||
		strings.Contains(s.code, "stdout.write")
	s.names = map[string]string{}
	code := s.code
	for i := 0; i < len(code); i++ {
		q := code[i]
		if q == '#' && (i == 0 || code[i-1] == '\n') {
			i = lineEnd(code, i)
			continue
		}
		if q != '\'' && q != '"' {
			continue
		}
		if strings.HasPrefix(code[i:], strings.Repeat(string(q), 3)) {
			end := strings.Index(code[i+3:], strings.Repeat(string(q), 3))
			if end < 0 {
				return
			}
			i += end + 5
			continue
		}
		end := literalEnd(code, i)
		if end < 0 {
			continue
		}
		s.literal(i, end)
		i = end
	}
	s.variables()
}

// literalEnd is the closing quote of the literal that opens at i, on the same line.
func literalEnd(code string, i int) int {
	for j := i + 1; j < len(code) && j < i+2000; j++ {
		switch code[j] {
		case '\\':
			j++
		case '\n':
			return -1
		case code[i]:
			return j
		}
	}
	return -1
}

// literal reads code[i:end], a literal with its opening quote, and what stands
// around it.
func (s *scriptScan) literal(i, end int) {
	text := s.code[i+1 : end]
	if !looksLikeFile(text) {
		return
	}
	before := strings.TrimRight(s.code[max(0, i-60):i], " rRfFbB")
	after := s.code[end+1 : min(len(s.code), end+60)]
	if line := lineEnd(after, 0); line < len(after) && !strings.HasPrefix(strings.TrimLeft(after, ") \n"), ".") {
		after = after[:line]
	}
	if op, ok := openCall(before, after); ok {
		s.files = append(s.files, scriptFile{text, op})
	}
	if name := assigned(before); name != "" {
		s.names[name] = text
	}
}

// openCall tells from the words around a path what is done to it.
func openCall(before, after string) (touchOp, bool) {
	after = strings.TrimLeft(after, " \n")
	for _, f := range [...]string{"writeFileSync(", "writeFile(", "write_text(", "File.write("} {
		if strings.HasSuffix(before, f) {
			return opRewrite, true
		}
	}
	for _, f := range [...]string{"unlinkSync(", "os.remove(", "os.unlink(", "rmSync("} {
		if strings.HasSuffix(before, f) {
			return opDelete, true
		}
	}
	for _, f := range [...]string{"appendFileSync(", "appendFile("} {
		if strings.HasSuffix(before, f) {
			return opEdit, true
		}
	}
	if strings.HasSuffix(before, "readFileSync(") || strings.HasSuffix(before, "readFile(") || strings.HasSuffix(before, "File.read(") {
		return opRead, true
	}
	if strings.HasSuffix(before, "Path(") {
		rest := strings.TrimLeft(strings.TrimPrefix(after, ")"), " \n")
		switch {
		case strings.HasPrefix(rest, ".write_"):
			return opRewrite, true
		case strings.HasPrefix(rest, ".read_"), strings.HasPrefix(rest, ".open()"):
			return opRead, true
		case strings.HasPrefix(rest, ".unlink"):
			return opDelete, true
		}
		return 0, false
	}
	if strings.HasSuffix(before, "open(") {
		if op, ok := openMode(after); ok {
			return op, true
		}
		return opRead, true
	}
	return 0, false
}

// openMode reads the mode of open(path, 'w').
func openMode(after string) (touchOp, bool) {
	rest, ok := strings.CutPrefix(after, ",")
	if !ok {
		return 0, false
	}
	rest = strings.TrimPrefix(strings.TrimLeft(rest, " "), "mode=")
	if len(rest) < 2 || rest[0] != '"' && rest[0] != '\'' {
		return 0, false
	}
	switch rest[1] {
	case 'w', 'x':
		return opRewrite, true
	case 'a':
		return opEdit, true
	}
	return 0, false
}

// assigned is the variable that a literal is assigned to, as it is or as a Path.
func assigned(before string) string {
	for _, w := range [...]string{"pathlib.Path(", "Path("} {
		before = strings.TrimSuffix(before, w)
	}
	before = strings.TrimRight(before, " ")
	before, ok := strings.CutSuffix(before, "=")
	if !ok {
		return ""
	}
	before = strings.TrimRight(before, " ")
	i := len(before)
	for i > 0 && isWordByte(before[i-1]) {
		i--
	}
	return before[i:]
}

// variables looks for what the script does to the paths that it holds in variables.
func (s *scriptScan) variables() {
	for i := 0; i < len(s.code) && len(s.names) > 0; i++ {
		if !isWordByte(s.code[i]) {
			continue
		}
		j := i
		for j < len(s.code) && isWordByte(s.code[j]) {
			j++
		}
		if path, ok := s.names[s.code[i:j]]; ok {
			before, after := s.code[max(0, i-60):i], s.code[j:min(len(s.code), j+40)]
			if strings.HasPrefix(after, ".write_") || strings.HasPrefix(after, ".read_") || strings.HasPrefix(after, ".unlink") {
				before = "Path("
			}
			if op, ok := openCall(before, after); ok {
				s.files = append(s.files, scriptFile{path, op})
			}
		}
		i = j
	}
}
