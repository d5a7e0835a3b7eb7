package agent

const (
	// breakAfter is how many compactions in a row the model may earn nothing.
	breakAfter = 3
	// restFor is how many compactions are made without it then.
	restFor = 5
)

// breaker keeps a model that fails from being asked again and again.
type breaker struct {
	failures int
	// rest counts down the compactions that are made without the model.
	rest int
}

// allows tells whether the model may be asked, and counts a compaction.
func (b *breaker) allows() bool {
	if b.rest > 0 {
		b.rest--
		return false
	}
	return true
}

// failed takes in that nothing was earned. It reports whether that is news.
func (b *breaker) failed() bool {
	if b.failures++; b.failures >= breakAfter {
		b.rest = restFor
	}
	return b.failures == 1
}

func (b *breaker) succeeded() { *b = breaker{} }
