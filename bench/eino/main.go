// Command eino runs the compaction middlewares of cloudwego/eino's ADK on
// conversations: each line of standard input is a request, each line of
// standard output what the middlewares would have the model read next.
//
// It is a module of its own, so that pith's go.mod does not name eino.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/cloudwego/eino/adk"
)

// message is a message as bench exchanges it with every peer.
type message struct {
	Role   string `json:"role"`
	Text   string `json:"text,omitempty"`
	Calls  []call `json:"calls,omitempty"`
	CallID string `json:"call_id,omitempty"`
	Name   string `json:"name,omitempty"`
}

type call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// request asks for one compaction. Summary is what the summarizing model
// answers, "" where there is no answer. Where Runs is set, the compaction is
// timed that often and its messages are not written.
type request struct {
	Messages []message `json:"messages"`
	Summary  string    `json:"summary"`
	Runs     int       `json:"runs"`
}

type reply struct {
	Versions map[string]string `json:"versions"`
	Results  []result          `json:"results"`
}

// result is what one set-up made of the conversation.
type result struct {
	Of       string    `json:"of"`
	Absent   string    `json:"absent,omitempty"`
	Messages []message `json:"messages,omitempty"`
	// Shown counts the bytes of the history that the summarizing model was given.
	Shown int     `json:"shown,omitempty"`
	Nanos []int64 `json:"nanos"`
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "eino:", err)
		os.Exit(1)
	}
}

func serve(r io.Reader, w io.Writer) error {
	in, out := json.NewDecoder(bufio.NewReader(r)), json.NewEncoder(w)
	for {
		var q request
		if err := in.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer := reply{Versions: versions()}
		for _, s := range setups {
			answer.Results = append(answer.Results, s.compact(&q))
		}
		if err := out.Encode(&answer); err != nil {
			return err
		}
	}
}

// compact runs one set-up on fresh copies of the messages: the middlewares
// change what they are given.
func (s setup) compact(q *request) result {
	r := result{Of: s.of}
	if s.wantsSummary && q.Summary == "" {
		r.Absent = "it asks a model, and there is no summary of this history"
		return r
	}
	ctx := context.Background()
	for range max(q.Runs, 1) {
		m := &recorded{summary: q.Summary}
		middleware, err := s.make(ctx, m)
		if err != nil {
			r.Absent = err.Error()
			return r
		}
		state := &adk.ChatModelAgentState{Messages: toEino(q.Messages)}
		began := time.Now()
		_, state, err = middleware.BeforeModelRewriteState(ctx, state, &adk.ModelContext{})
		r.Nanos = append(r.Nanos, time.Since(began).Nanoseconds())
		if err != nil {
			r.Absent = err.Error()
			return r
		}
		r.Shown = m.shown
		if q.Runs == 0 {
			r.Messages = fromEino(state.Messages)
		}
	}
	return r
}

// versions are those that this program was built with.
func versions() map[string]string {
	out := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	for _, d := range info.Deps {
		if d.Path == "github.com/cloudwego/eino" {
			out[d.Path] = d.Version
		}
	}
	return out
}
