package hook

import (
	"github.com/pith-memory/pith/meter"
	"github.com/pith-memory/pith/trigger"
)

// gauge is how a session stands, for the policy.
type gauge struct {
	Reading meter.Reading
	// Turns counts the model's requests over the whole session.
	Turns int
	// Failures are the tool executions at the end that failed alike.
	Failures trigger.FailureRun
}

// follow reads what came to the session file since it was followed last. It
// does not touch the store.
func (t *turn) follow() (gauge, error) {
	return gauge{}, nil
}
