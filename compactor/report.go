package compactor

import (
	"fmt"

	"github.com/pith-memory/pith"
)

// Report is what a compaction took, whether or not it earned a draft.
type Report struct {
	// Model is what answered, as Card.String has it.
	Model string `json:"model"`
	// Calls counts the requests, Retries those that told the model a problem.
	Calls   int `json:"calls"`
	Retries int `json:"retries"`
	// Parts counts the parts of the history that an answer was earned for.
	Parts int `json:"parts"`
	// Messages counts the messages that a part showed, at least in part.
	Messages int `json:"messages"`
	// Unread counts the messages that no part had room for; a problem says why.
	Unread int `json:"unread"`
	// Skipped counts the messages that are not shown on purpose: those of
	// sub-agents, and those that hold only thinking or reminders of the client.
	Skipped int `json:"skipped"`
	// Forked is set where the session's own request was asked.
	Forked bool `json:"forked"`
	// Problems are all that were met, in order.
	Problems []Problem  `json:"problems"`
	Usage    pith.Usage `json:"usage"`
	// Cost is in US dollars, 0 where the price is unknown.
	Cost float64 `json:"cost"`
	// Err says why there is no draft: a Problem, a *Failure, the context's error
	// or that of Input.Next. It is nil where there is one.
	Err error `json:"-"`
}

// Problem is what was wrong with an answer, or kept one from being asked for.
// Its text is for people and for the model: it never holds more than a short,
// redacted excerpt of what the model said.
type Problem struct {
	Kind ProblemKind `json:"kind"`
	Text string      `json:"text"`
}

// Error is the kind and the text.
func (p Problem) Error() string { return string(p.Kind) + ": " + p.Text }

func problemf(kind ProblemKind, format string, args ...any) *Problem {
	return &Problem{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// ProblemKind names a problem.
type ProblemKind string

// The kinds of problem with an answer.
const (
	ProblemEmpty         ProblemKind = "empty"
	ProblemRefused       ProblemKind = "refused"
	ProblemToolCall      ProblemKind = "tool_call"
	ProblemCut           ProblemKind = "cut"      // at max_tokens
	ProblemUnclosed      ProblemKind = "unclosed" // the JSON ends before its end
	ProblemNotJSON       ProblemKind = "not_json"
	ProblemSkeleton      ProblemKind = "skeleton"      // all fields empty, or none of them ours
	ProblemPlaceholder   ProblemKind = "placeholder"   // "<the goal>", or the instruction's own words
	ProblemThinkingOnly  ProblemKind = "thinking_only" // no answer behind the thinking
	ProblemMarkup        ProblemKind = "markup"        // a tool protocol, written as text
	ProblemWrongLanguage ProblemKind = "wrong_language"
	ProblemTooLarge      ProblemKind = "too_large" // not smaller than what it stands for
)

// The kinds of problem with the asking.
const (
	ProblemUnavailable ProblemKind = "unavailable" // the model did not answer
	ProblemNoRoom      ProblemKind = "no_room"     // the window is too small to ask anything
	ProblemUnread      ProblemKind = "unread"      // messages that no part had room for
	ProblemWindow      ProblemKind = "window"      // an unknown window was assumed
	ProblemNoFork      ProblemKind = "no_fork"     // the session's request could not be asked
	ProblemHistory     ProblemKind = "history"     // the history could not be read, or holds nothing
)
