package transcript

import (
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// parts adds a PartListUnion: a string, a part, or a list of either.
func (s *gemini) parts(value []byte) {
	c := jsonscan.New(value)
	if c.Peek() != '[' {
		s.part(&c)
		return
	}
	for c.Array(); c.More(); {
		s.part(&c)
	}
}

func (s *gemini) part(c *jsonscan.Cursor) {
	if c.Peek() == '"' {
		s.write.text(c.Value())
		return
	}
	if !c.Object() {
		return
	}
	var text, inline []byte
	thought := false
	for {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "text":
			text = c.Value()
		case "inlineData":
			inline = c.Value()
		case "thought":
			thought = c.Bool()
		default:
			c.Skip()
		}
	}
	if thought {
		s.write.thinking(text, nil)
		return
	}
	s.write.text(text)
	if inline != nil {
		s.write.image(quoted(member(inline, "mimeType")), quoted(member(inline, "data")))
	}
}

// thoughts adds what the model thought, as the client sums it up.
func (s *gemini) thoughts(value []byte) {
	c := jsonscan.New(value)
	if c.Peek() != '[' {
		return
	}
	for c.Array(); c.More(); {
		t := c.Value()
		text := member(t, "description")
		if subject := member(t, "subject"); subject != "" {
			text = strings.TrimSpace(subject + "\n" + text)
		}
		s.write.thinking(quoted(text), nil)
	}
}

// geminiCall is a call and its result, undecoded.
type geminiCall struct {
	id, name, args, result []byte
	status                 string
	display                []byte
}

func readGeminiCalls(value []byte) (out []geminiCall) {
	c := jsonscan.New(value)
	if c.Peek() != '[' {
		return nil
	}
	for c.Array(); c.More(); {
		if !c.Object() {
			continue
		}
		var g geminiCall
		for {
			key, ok := c.Key()
			if !ok {
				break
			}
			switch string(key) {
			case "id":
				g.id = c.Value()
			case "name":
				g.name = c.Value()
			case "args":
				g.args = c.Value()
			case "result":
				g.result = c.Value()
			case "status":
				g.status = c.String()
			case "resultDisplay":
				g.display = c.Value()
			default:
				c.Skip()
			}
		}
		out = append(out, g)
	}
	return out
}

// ended tells whether a call came to an end that has a result.
func (g *geminiCall) ended() bool {
	return g.status == "success" || g.status == "error" || g.status == "cancelled" || g.status == "" && g.result != nil
}

// results writes the message that answers the calls; nil where none ended.
func (s *gemini) results(calls []geminiCall) *pith.Message {
	s.write.begin(pith.RoleUser)
	for i := range calls {
		if g := &calls[i]; g.ended() {
			s.write.result(g.id, quoted(g.text()), g.status == "error")
		}
	}
	return s.write.message(s.d.opts.KeepRaw)
}

// text is what the model was told: the output or error of the function's
// response and the texts beside it, or else what the client showed.
func (g *geminiCall) text() string {
	var out []string
	add := func(t string) {
		if t != "" {
			out = append(out, t)
		}
	}
	c := jsonscan.New(g.result)
	one := func() {
		if c.Peek() == '"' {
			add(c.String())
			return
		}
		p := c.Value()
		add(member(p, "text"))
		f, ok := jsonscan.Find(p, "functionResponse")
		if !ok {
			return
		}
		response, ok := jsonscan.Find(f.Value(), "response")
		if !ok {
			return
		}
		body := response.Value()
		output, failed := member(body, "output"), member(body, "error")
		add(output)
		add(failed)
		if output == "" && failed == "" && len(body) > 2 && !strings.HasPrefix(string(body), `{"output":""`) {
			add(string(body))
		}
	}
	switch c.Peek() {
	case '[':
		for c.Array(); c.More(); {
			one()
		}
	case '{', '"':
		one()
	}
	if len(out) == 0 {
		add(jsonString(g.display))
	}
	return strings.Join(out, "\n")
}

// finishGemini sets how the calls of a message ended: its status says so, and a
// command's output the exit code.
func finishGemini(messages []*pith.Message, calls []geminiCall) {
	if len(messages) == 0 {
		return
	}
	blocks := messages[len(messages)-1].Blocks
	at := 0
	for i := range calls {
		g := &calls[i]
		if !g.ended() {
			continue
		}
		for at < len(blocks) && blocks[at].Kind != pith.KindToolResult {
			at++
		}
		if at == len(blocks) {
			return
		}
		b := &blocks[at]
		at++
		b.Rejected = b.Rejected || g.status == "cancelled"
		if jsonString(g.name) != "run_shell_command" || b.Rejected {
			continue
		}
		b.Exit = nil
		if n, ok := geminiExit(b.Text); ok {
			b.Exit = &n
		} else if g.status == "success" && !strings.Contains(b.Text, "(background)") && !strings.Contains(b.Text, "moved to background") {
			zero := 0
			b.Exit = &zero
		}
		b.Text = shellOutput(b.Text)
	}
}

// shellOutput takes a command's output out of the labels around it, which
// repeat the command and say what the block says already.
func shellOutput(text string) string {
	const label = "Output: "
	at := 0
	if strings.HasPrefix(text, "Command: ") {
		if at = strings.Index(text, "\n"+label) + 1; at == 0 {
			return text
		}
	}
	out, ok := strings.CutPrefix(text[at:], label)
	if !ok {
		return text
	}
	for {
		i := strings.LastIndexByte(out, '\n')
		if i < 0 || !isShellLabel(out[i+1:]) {
			return out
		}
		out = out[:i]
	}
}

func isShellLabel(line string) bool {
	if line == "Error: (none)" {
		return true
	}
	for _, l := range [...]string{"Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "} {
		if strings.HasPrefix(line, l) {
			return true
		}
	}
	return false
}

// geminiExit reads the line "Exit Code: 1" that the client puts behind an
// output. Newer clients leave it out after a success.
func geminiExit(text string) (int, bool) {
	const label = "Exit Code: "
	i := strings.LastIndex(text, "\n"+label)
	if i < 0 {
		if !strings.HasPrefix(text, label) {
			return 0, false
		}
	} else {
		i++
	}
	line := text[max(i, 0)+len(label):]
	n, err := strconv.Atoi(strings.TrimSpace(line[:lineEnd(line)]))
	return n, err == nil
}

func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

// geminiUsage reads the client's count, in which input holds the cached tokens.
func geminiUsage(tokens []byte) *pith.Usage {
	c := jsonscan.New(tokens)
	if c.Peek() != '{' {
		return nil
	}
	var u pith.Usage
	for c.Object(); ; {
		key, ok := c.Key()
		if !ok {
			break
		}
		n := 0
		switch string(key) {
		case "input":
			n, _ = c.Int()
			u.Input += n
		case "tool":
			n, _ = c.Int()
			u.Input += n
		case "cached":
			u.CacheRead, _ = c.Int()
		case "output", "thoughts":
			n, _ = c.Int()
			u.Output += n
		default:
			c.Skip()
		}
	}
	u.CacheRead = min(u.CacheRead, u.Input)
	u.Input -= u.CacheRead
	if u == (pith.Usage{}) {
		return nil
	}
	return &u
}
