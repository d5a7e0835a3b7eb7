package providertest

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
)

// Answer is what the server says to one request: thinking, a call of the
// provider's own tool with its result, text and tool calls, in that order. The
// zero Answer is an empty one.
type Answer struct {
	Thinking string
	Server   *ServerCall
	Text     string
	Calls    []Call
	// Refusal is what the model says in the place that the API has for it.
	Refusal string
	// Compaction is the encrypted content of a compaction item, which OpenAI
	// responses give where a request ends with a compaction trigger.
	Compaction string
	// Stop is why the answer ends; the zero value goes by what it holds.
	Stop compactor.Stop
	// Usage is what the answer costs; nil has it counted.
	Usage *pith.Usage
	// Fault happens in place of the answer, or in the middle of it.
	Fault *Fault
	// Wait holds the answer back until it is closed or the client gives up.
	Wait <-chan struct{}
}

// Call is one tool call.
type Call struct {
	// ID is made by the server where it is "".
	ID, Name string
	// Input is a JSON object, nil for an empty one.
	Input json.RawMessage
	// Namespace is the group that the tool is in, which only OpenAI responses
	// have; "" for none.
	Namespace string
	// Text is the input of a tool that takes a text and no object, which only
	// OpenAI responses have.
	Text string
}

// ServerCall is a search that the provider ran by itself. Chat completions have
// no place for one and leave it out.
type ServerCall struct {
	Query, Title, URL string
}

// Say is an answer of text.
func Say(text string) Answer { return Answer{Text: text} }

// Use is an answer that calls one tool. The input is JSON.
func Use(name, input string) Answer {
	return Answer{Calls: []Call{{Name: name, Input: json.RawMessage(input)}}}
}

// UseText is an answer that calls one tool whose input is a text.
func UseText(name, text string) Answer {
	return Answer{Calls: []Call{{Name: name, Text: text}}}
}

// reply is an answer with everything that a provider adds to it.
type reply struct {
	Answer
	n          int
	model      string
	signature  string
	usage      pith.Usage
	usageChunk bool
}

// stop is why the answer ends.
func (r *reply) stop() compactor.Stop {
	switch {
	case r.Stop != compactor.StopOther:
		return r.Stop
	case r.Refusal != "":
		return compactor.StopRefusal
	case len(r.Calls) > 0:
		return compactor.StopToolUse
	}
	return compactor.StopEnd
}

// itemID names a part of an answer: the same request gives the same ids.
func (r *reply) itemID(prefix string, i int) string {
	return fmt.Sprintf("%s_%04d%02d", prefix, r.n, i)
}

func callPrefix(f pith.Format) string {
	if f == pith.FormatAnthropic {
		return "toolu_"
	}
	return "call_"
}

// quote writes a text as JSON, with the characters of HTML as they are.
func quote(text string) string {
	return string(appendQuoted(nil, text))
}

func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c == '\n':
			dst = append(dst, `\n`...)
		case c < ' ':
			dst = append(dst, fmt.Sprintf(`\u%04x`, c)...)
		default:
			dst = append(dst, string(c)...)
		}
	}
	return append(dst, '"')
}

// pieceSizes are the lengths of the pieces that a streamed text comes in.
// Units: characters.
var pieceSizes = [...]int{1, 7, 2, 40, 3, 160, 11, 400}

// pieces splits a text as a model streams it: between characters, at odd places.
func pieces(text string) []string {
	var out []string
	for i := 0; text != ""; i++ {
		size := pieceSizes[min(i, len(pieceSizes)-1)]
		end := len(text)
		n := 0
		for at := range text {
			if n == size {
				end = at
				break
			}
			n++
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	return out
}

// event is one event of a stream. The name is "" where the format has none.
type event struct{ name, data string }

func (e event) String() string {
	if e.name == "" {
		return "data: " + e.data + "\n\n"
	}
	return "event: " + e.name + "\ndata: " + e.data + "\n\n"
}

func itoa(n int) string { return strconv.Itoa(n) }
