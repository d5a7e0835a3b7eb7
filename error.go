package pith

import (
	"errors"
	"strings"
)

// Kind says to a program what went wrong; each adapter maps it once, to an
// exit code, an HTTP status or a protocol error.
type Kind uint8

// The kinds of error.
const (
	KindUnexpected Kind = iota
	// KindUsage: the caller asked for something that cannot be meant.
	KindUsage
	// KindInput: the input cannot be read as what it should be.
	KindInput
	// KindDeclined: there was nothing to gain, so nothing was done.
	KindDeclined
	// KindCheck: a state or block does not hold what it claims.
	KindCheck
	// KindStore: a checkpoint could not be kept or fetched.
	KindStore
	// KindModel: a model that had to answer gave no answer that can be used.
	KindModel
)

// Error is the error that leaves a package: what was being done, why it did
// not work, and what a person can do about it.
type Error struct {
	// Op is the action and its object, as in "read session.jsonl".
	Op   string
	Kind Kind
	Err  error
	// Hint is one sentence for people, "" where there is nothing useful to say.
	Hint string
}

func (e *Error) Error() string {
	parts := make([]string, 0, 2)
	if e.Op != "" {
		parts = append(parts, e.Op)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the outermost Error in err's chain.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindUnexpected
}

// HintOf returns the outermost hint in err's chain.
func HintOf(err error) string {
	var e *Error
	for errors.As(err, &e) {
		if e.Hint != "" {
			return e.Hint
		}
		err = e.Err
		if err == nil {
			break
		}
	}
	return ""
}
