package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/restore"
)

// Speed is how long one compaction takes, without any model.
type Speed struct {
	Of       string  `json:"of"`
	Bytes    int     `json:"bytes"`
	Messages int     `json:"messages"`
	Runs     int     `json:"runs"`
	Least    float64 `json:"least_ms"`
	Median   float64 `json:"median_ms"`
}

// MBPerSecond is by the text of the messages.
func (s *Speed) MBPerSecond() float64 { return float64(s.Bytes) / 1e3 / max(s.Median, 1e-6) }

// measureSpeed times every candidate that works without a recorded summary or
// with any text in its place, on made sessions of about 1 MB and 10 MB.
func measureSpeed(peers map[string]*peer) ([]Speed, error) {
	var out []Speed
	for _, size := range []struct{ bytes, runs int }{{1e6, 9}, {10e6, 3}} {
		messages := made(size.bytes)
		s := Speed{Of: "pith", Bytes: len(sent(messages)), Messages: len(messages), Runs: size.runs}
		nanos, err := timePith(messages, size.runs)
		if err != nil {
			return nil, err
		}
		s.Least, s.Median = spread(nanos)
		out = append(out, s)
		for _, runner := range []string{runnerEino, runnerJS} {
			p := peers[runner]
			if p == nil {
				continue
			}
			r, err := p.compact(request{Messages: messages, Summary: madeSummary, Runs: size.runs})
			if err != nil {
				return nil, err
			}
			for _, o := range r.Results {
				if o.Absent != "" {
					return nil, fmt.Errorf("%s on a made session: %s", o.Of, o.Absent)
				}
				s.Of = o.Of
				s.Least, s.Median = spread(o.Nanos)
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// timePith times what `pith` does with a request body: decode, redact,
// extract, check, render, and build the messages to send. The peers are given
// messages that are decoded already.
func timePith(messages []message, runs int) ([]int64, error) {
	body, err := asBody(messages)
	if err != nil {
		return nil, err
	}
	var out []int64
	for range runs {
		m := memory.New(memory.Config{})
		began := time.Now()
		s, err := m.Read(bytes.NewReader(body), memory.ReadOptions{KeepLive: true})
		if err != nil {
			return nil, err
		}
		r, err := m.Compact(s, pith.ReasonManual)
		if err != nil {
			return nil, err
		}
		if _, err := m.Apply(s.Conversation(), r, restore.ApplyOptions{Force: true}); err != nil {
			return nil, err
		}
		out = append(out, time.Since(began).Nanoseconds())
	}
	return out, nil
}

// spread gives the least and the median of times in nanoseconds, in milliseconds.
func spread(nanos []int64) (least, median float64) {
	if len(nanos) == 0 {
		return 0, 0
	}
	sorted := slices.Sorted(slices.Values(nanos))
	return float64(sorted[0]) / 1e6, float64(sorted[len(sorted)/2]) / 1e6
}

const madeSummary = "The user asked for a faster parser. The first half of the files is done; the tests of the second half still fail."

// made is a session of about so many bytes: an order, then rounds of reading,
// editing and testing with answers of 2 to 9 KB, and a word of the user at
// every twentieth.
func made(size int) []message {
	out := []message{{Role: "user", Text: "Make the parser faster. Never change the public API, and always run the tests before you say that it is done."}}
	for n, written := 0, 0; written < size; n++ {
		if n%20 == 19 {
			out = append(out, message{Role: "assistant", Text: fmt.Sprintf("Part %d is done and its tests pass.", n/20)},
				message{Role: "user", Text: fmt.Sprintf("Good. Go on with part %d, and do not touch testdata.", n/20+1)})
		}
		m, result := round(n)
		written += len(m.Text) + len(m.Calls[0].Arguments) + len(result.Text)
		out = append(out, m, result)
	}
	return append(out, message{Role: "assistant", Text: "All parts are done."})
}

// round is a call and its result.
func round(n int) (message, message) {
	file := fmt.Sprintf("/home/dev/parser/internal/part%d/lexer_%d.go", n/20, n)
	c := call{ID: fmt.Sprintf("call_%06d", n)}
	var text string
	switch n % 4 {
	case 0, 1:
		c.Name, c.Arguments = "Read", json.RawMessage(fmt.Sprintf(`{"file_path":%q}`, file))
		text = source(n, 60+n%7*30)
	case 2:
		c.Name = "Edit"
		c.Arguments = json.RawMessage(fmt.Sprintf(`{"file_path":%q,"old_string":"return scanAll%d(s)","new_string":"return scanLine%d(s)"}`, file, n, n))
		text = "The file " + file + " has been updated.\n" + source(n, 40)
	default:
		c.Name, c.Arguments = "Bash", json.RawMessage(fmt.Sprintf(`{"command":"go test ./internal/part%d/ -run TestLexer%d -v"}`, n/20, n))
		text = strings.Repeat(fmt.Sprintf("=== RUN   TestLexer%d\n--- PASS: TestLexer%d (0.01s)\n", n, n), 40) + "PASS\nok\n"
	}
	return message{Role: "assistant", Text: fmt.Sprintf("Now step %d.", n), Calls: []call{c}},
		message{Role: "tool", Text: text, CallID: c.ID, Name: c.Name}
}

func source(n, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%5d\tfunc scan%dLine%d(s string) string { return s[%d:] }\n", i+1, n, i, i%9)
	}
	return b.String()
}
