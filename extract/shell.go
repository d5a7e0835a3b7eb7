package extract

import "github.com/pith-memory/pith"

// simpleCommand is one command of a shell line.
type simpleCommand struct {
	// Argv holds the words after assignments and prefixes such as sudo.
	Argv []string
	// Start and End are the command's bytes in the line.
	Start, End int
	// Writes and Reads are the targets of redirections.
	Writes, Reads []string
	// Here is the body of a here document.
	Here string
	// Op is the operator before the command: "", "|", "&&", "||", ";", "&".
	Op string
}

func shellCommand(b *pith.Block) string      { return "" }
func parseShell(line string) []simpleCommand { return nil }
