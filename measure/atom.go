package measure

// Kind is a kind of atom.
type Kind string

// The kinds. A path is counted with what was done to it, a run with its exit
// code and its counts: half of either is another fact.
const (
	KindModified   Kind = "modified_path"
	KindInspected  Kind = "inspected_path"
	KindRun        Kind = "run"        // failing or last run of a command + exit + counts
	KindError      Kind = "error"      // the line that names a failure
	KindRule       Kind = "rule"       // a sentence in which the user set a rule
	KindDecision   Kind = "decision"   // what the user chose, answered or rejected
	KindTodo       Kind = "todo"       // an entry of the latest list, with its status
	KindRequest    Kind = "request"    // the user's current request
	KindTest       Kind = "test"       // names of tests
	KindCommit     Kind = "commit"     // SHAs
	KindSymbol     Kind = "symbol"     // names of functions, types, variables
	KindIdentifier Kind = "identifier" // UUIDs, ports, versions, numbers of issues
)

// Atom is one fact that a transcript holds, read off its records.
type Atom struct {
	Kind Kind
	// Text is the path, the command, the sentence or the name.
	Text string
	// Exit and Counts are those of a run, Status that of a todo entry.
	Exit   *int
	Counts []string
	Status string
	// Was are the values that this one superseded.
	Was []string
	// Message and Line are where it was stated last.
	Message, Line int

	// packages are a run's counts of packages, which may stand for its counts
	// of tests; verifies is set where success says as much as exit 0 does.
	packages []string
	verifies bool
}
