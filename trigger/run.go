package trigger

import "strconv"

// FailureRun counts the tool executions in a row, up to now, that failed with
// the same class of error: what Input.FailureRun and Input.FailureClass are.
type FailureRun struct {
	N     int    `json:"n,omitempty"`
	Class string `json:"class,omitempty"`
}

// See takes in how the next execution ended: the class of its error, "" where
// it did not fail.
func (f *FailureRun) See(class string) {
	switch {
	case class == "":
		*f = FailureRun{}
	case class == f.Class:
		f.N++
	default:
		*f = FailureRun{N: 1, Class: class}
	}
}

// FailureClass names how an execution of a tool failed, "" where it did not.
// exit is nil where the tool reported no exit code.
func FailureClass(tool string, exit *int, isError bool) string {
	switch {
	case exit != nil && *exit != 0:
		return tool + ": exit code " + strconv.Itoa(*exit)
	case isError:
		return tool + ": error"
	}
	return ""
}
