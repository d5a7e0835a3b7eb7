package transcript

import (
	"strings"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// opencodePart is one part of a message, undecoded.
type opencodePart struct {
	kind, text, callID, tool []byte
	state, mime, url, prompt []byte
	tail, metadata           []byte
	synthetic, ignored, auto bool
}

// readOpencodePart reads the part at the cursor.
func readOpencodePart(c *jsonscan.Cursor) (p opencodePart) {
	if !c.Object() {
		return p
	}
	for {
		key, ok := c.Key()
		if !ok {
			return p
		}
		switch string(key) {
		case "type":
			p.kind, _ = c.Raw()
		case "text":
			p.text = c.Value()
		case "callID":
			p.callID = c.Value()
		case "tool":
			p.tool = c.Value()
		case "state":
			p.state = c.Value()
		case "mime":
			p.mime = c.Value()
		case "url":
			p.url = c.Value()
		case "prompt":
			p.prompt = c.Value()
		case "metadata":
			p.metadata = c.Value()
		case "tail_start_id":
			p.tail = c.Value()
		case "synthetic":
			p.synthetic = c.Bool()
		case "ignored":
			p.ignored = c.Bool()
		case "auto":
			p.auto = c.Bool()
		default:
			c.Skip()
		}
	}
}

// signature is the one that Anthropic gave to a thought; nil of any other.
func (p *opencodePart) signature() []byte {
	c, ok := jsonscan.Find(p.metadata, "anthropic")
	if !ok {
		return nil
	}
	signature, ok := jsonscan.Find(c.Value(), "signature")
	if !ok {
		return nil
	}
	return signature.Value()
}

// opencodeResult is how a call ended.
type opencodeResult struct {
	id, output []byte
	exit       int
	hasExit    bool
	failed     bool
}

// tool adds a call, and keeps its result for the message behind it.
func (s *opencode) tool(p *opencodePart) {
	var status, input, output, failure, metadata []byte
	c := jsonscan.New(p.state)
	for c.Object(); ; {
		key, ok := c.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "status":
			status, _ = c.Raw()
		case "input":
			input = c.Value()
		case "output":
			output = c.Value()
		case "error":
			failure = c.Value()
		case "metadata":
			metadata = c.Value()
		default:
			c.Skip()
		}
	}
	s.write.call(p.callID, p.tool, input)
	r := opencodeResult{id: p.callID, output: output}
	switch string(status) {
	case "completed":
	case "error":
		r.failed, r.output = true, failure
	default: // the call did not come to an end
		return
	}
	if exit, ok := jsonscan.Find(metadata, "exit"); ok && exit.Peek() != 'n' {
		r.exit, r.hasExit = exit.Int()
	}
	s.results = append(s.results, r)
}

// file adds an image. What else is attached stands in a text beside it.
func (s *opencode) file(p *opencodePart) bool {
	mime, url := jsonString(p.mime), jsonString(p.url)
	_, data, ok := strings.Cut(url, ";base64,")
	if !ok || !strings.HasPrefix(mime, "image/") || !strings.HasPrefix(url, "data:") {
		return false
	}
	s.write.image(p.mime, quoted(data))
	return true
}

// answers writes the message that answers the calls, nil where none ended.
func (s *opencode) answers() *pith.Message {
	s.write.begin(pith.RoleUser)
	for i := range s.results {
		r := &s.results[i]
		s.write.result(r.id, orEmpty(r.output), r.failed)
	}
	return s.write.message(s.d.opts.KeepRaw)
}

// outcomes sets what only the parts say of the results: exit codes, and calls
// that the user stopped.
func (s *opencode) outcomes(m *pith.Message) {
	for i := range m.Blocks {
		if i >= len(s.results) {
			return
		}
		b, r := &m.Blocks[i], &s.results[i]
		if r.hasExit {
			code := r.exit
			b.Exit, b.Running = &code, ""
		}
		if b.IsError && (b.Text == "Tool execution aborted" || strings.Contains(b.Text, "user rejected permission") || strings.Contains(b.Text, "user dismissed")) {
			b.Rejected = true
		}
	}
}

// opencodeUsage reads the client's count, in which input excludes the cache.
func opencodeUsage(tokens []byte) *pith.Usage {
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
		switch string(key) {
		case "input":
			u.Input, _ = c.Int()
		case "output", "reasoning":
			n, _ := c.Int()
			u.Output += n
		case "cache":
			cache := c.Value()
			if r, ok := jsonscan.Find(cache, "read"); ok {
				u.CacheRead, _ = r.Int()
			}
			if w, ok := jsonscan.Find(cache, "write"); ok {
				u.CacheWrite, _ = w.Int()
			}
		default:
			c.Skip()
		}
	}
	if u == (pith.Usage{}) {
		return nil
	}
	return &u
}
