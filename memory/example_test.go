package memory_test

import (
	"fmt"
	"os"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
)

// The whole pipeline: a session file becomes a state and a block.
func Example() {
	file, err := os.Open("../testdata/sessions/claude-code.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()

	m := memory.New(memory.Config{Budget: 4000})
	session, err := m.Read(file, memory.ReadOptions{Name: "session.jsonl"})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := m.Compact(session, pith.ReasonManual)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.State.Next.Text)
	fmt.Println(session.Live() > 3*result.Block.Tokens)
	// Output:
	// Shall I update testdata/golden/2026-03.csv?
	// true
}
