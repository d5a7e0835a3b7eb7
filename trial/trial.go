// Package trial tries compactions on sessions that are over: it cuts a session
// where its client compacted it, or at shares of its length, lets candidates
// make what would have stood for the part before the cut, and has package
// measure judge that by what came before and by what the agent really did next.
package trial
