package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
)

// maxInput bounds what a client may send: a tool's output can be large.
// Units: bytes.
const maxInput = 64 << 20

// Input is what clients send with their events; each fills some of it. Claude
// Code and Codex share the names.
type Input struct {
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path"`
	// CWD is the session's folder, whatever folder the hook itself runs in.
	CWD   string `json:"cwd"`
	Model string `json:"model"`
	// Window is the size of the model's context window in tokens, as the client
	// knows it; 0 unknown.
	Window int `json:"window"`
	// AgentID and AgentType are set for events of a sub-agent.
	AgentID   string `json:"agent_id"`
	AgentType string `json:"agent_type"`
	// AgentTranscript is the sub-agent's own file, where the client names it.
	AgentTranscript string `json:"agent_transcript_path"`
	// Source says why a session starts: startup, resume, clear, compact, fork.
	Source string `json:"source"`
	// Trigger of a compaction: auto, manual, plugin; "" where the client says
	// nothing.
	Trigger string `json:"trigger"`
	// Instructions are what the user asked a compaction to keep.
	Instructions string `json:"custom_instructions"`
	// Summary is the client's own, after its compaction.
	Summary string `json:"compact_summary"`
	Prompt  string `json:"prompt"`

	ToolName     string          `json:"tool_name"`
	ToolInput    json.RawMessage `json:"tool_input"`
	ToolResponse json.RawMessage `json:"tool_response"`
	ToolUseID    string          `json:"tool_use_id"`
	// Error is the message of a tool that failed.
	Error string `json:"error"`

	// Export is the session itself, as the client exports it, of a client that
	// keeps it in no file of its own.
	Export json.RawMessage `json:"export"`
	// Messages outline the conversation that is to be compacted.
	Messages []Outline `json:"messages"`
}

// Outline is a message as a plugin describes it: enough to choose what stays.
type Outline struct {
	// Handle is what the client gives back the whole message for.
	Handle string `json:"handle"`
	Role   string `json:"role"`
	// Chars is the length of its texts, inputs and results together.
	Chars int `json:"chars"`
	// Calls are the ids of the tool calls in it, Results those that it answers.
	Calls   []string `json:"calls"`
	Results []string `json:"results"`
	// Pith is set where it is a memory of pith's own.
	Pith bool `json:"pith"`
}

func (in *Input) read(r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = fmt.Errorf("it is over %d bytes", maxInput)
	}
	if err == nil {
		err = json.Unmarshal(data, in)
	}
	// A field of another type than it used to be costs that field alone.
	if odd := (*json.UnmarshalTypeError)(nil); errors.As(err, &odd) && odd.Field != "" {
		err = nil
	}
	if err != nil {
		return &pith.Error{Op: "read the event", Kind: pith.KindInput, Err: err, Hint: "a client sends one JSON object on standard input"}
	}
	return nil
}

// key names the conversation: a sub-agent's is one of its own.
func (in *Input) key() string {
	if in.AgentID == "" {
		return in.SessionID
	}
	return memory.AgentSession(in.SessionID, in.AgentID)
}
