package pith

// EachSource calls f with every source of the state, in the order of the
// slots. It is the one list of the places that point into the transcript.
func (s *State) EachSource(f func(Source)) {
	f(s.Goal.Source)
	for i := range s.Goal.Amendments {
		f(s.Goal.Amendments[i].Source)
	}
	for i := range s.Constraints {
		f(s.Constraints[i].Source)
	}
	for i := range s.Files.Modified {
		f(s.Files.Modified[i].Source)
	}
	for i := range s.Files.Inspected {
		f(s.Files.Inspected[i].Source)
	}
	for i := range s.Decisions {
		f(s.Decisions[i].Source)
	}
	for i := range s.Evidence {
		f(s.Evidence[i].Source)
		if c := s.Evidence[i].CallSource; c != nil {
			f(*c)
		}
	}
	for i := range s.Failed {
		f(s.Failed[i].Source)
	}
	for i := range s.Invariants {
		f(s.Invariants[i].Source)
	}
	f(s.Next.Source)
	s.Context.eachSource(f)
	for _, list := range [][]Identifier{
		s.Identifiers.Tests, s.Identifiers.Symbols, s.Identifiers.Commits, s.Identifiers.Refs, s.Identifiers.Paths,
	} {
		for i := range list {
			f(list[i].Source)
		}
	}
	for i := range s.Security.Quarantined {
		f(s.Security.Quarantined[i].Source)
	}
	if x := s.Extensions; x != nil {
		for i := range x.Support {
			f(x.Support[i].Source)
		}
	}
}

func (c *Context) eachSource(f func(Source)) {
	for i := range c.Todo {
		f(c.Todo[i].Source)
	}
	for i := range c.PendingCalls {
		f(c.PendingCalls[i].Source)
	}
	for _, quotes := range [][]Quote{c.OpenQuestions, c.Environment, c.URLs, c.Done, c.Unverified} {
		for i := range quotes {
			f(quotes[i].Source)
		}
	}
	if c.LastWords != nil {
		f(c.LastWords.Source)
	}
	if c.Plan != nil {
		f(c.Plan.Source)
	}
	if c.Summary != nil {
		f(*c.Summary)
	}
	for i := range c.KeyLines {
		f(c.KeyLines[i].Source)
	}
}
