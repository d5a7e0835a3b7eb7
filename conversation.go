// Package pith holds the nouns of compact memory for AI agents: a
// conversation, the working state that stands for it, and where each statement
// of that state came from. It turns nothing into anything; the packages below
// it do, and package memory knows their order.
package pith

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// Tokens counts model tokens.
type Tokens int

// Role says whose turn a message takes in the provider's protocol. It never
// says whose words a block holds; Provenance does.
type Role string

// The roles that every provider's own are mapped to: "developer" is system,
// "tool" is user with a tool result.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// BlockKind says what a block of a message is.
type BlockKind uint8

// The kinds of block. Opaque stands for every block that pith does not read:
// unknown types and those that a provider signed; they travel untouched.
const (
	KindText BlockKind = iota
	KindThinking
	KindToolUse
	KindToolResult
	KindImage
	KindOpaque
)

var blockKindNames = [...]string{"text", "thinking", "tool_use", "tool_result", "image", "opaque"}

func (k BlockKind) String() string {
	if int(k) < len(blockKindNames) {
		return blockKindNames[k]
	}
	return "opaque"
}

// Message is one API message: rows of a session file that share a message id
// are one message.
type Message struct {
	// Index numbers the messages of a whole session from 0, in file order.
	// The separate system parameter of an API body has the index SystemIndex.
	Index int
	// ID is the provider's message id, or the client's row id where there is none.
	ID string
	// RowIDs are the client's ids of the rows that the message was made of.
	RowIDs []string
	Role   Role
	Blocks []Block
	// Usage is what the provider reported for the request that this message answered.
	Usage *Usage
	Model string
	Time  time.Time
	// Agent names the sub-agent that the message belongs to; "" is the main thread.
	Agent string
	// Nested: the message tells of a call that another call made. The client
	// recorded it; the model never saw it, and no request holds it.
	Nested bool
	// CWD and Branch are what the client recorded with the message.
	CWD, Branch string
	// Line is the 1-based line of the message's first row, 0 in an API body.
	Line int
	// Raw holds the message's own bytes where it came from an API body.
	Raw json.RawMessage
}

// AbandonedBranch is the Message.Agent of calls that the conversation no longer
// holds: on a branch that the user left, or behind a point that the session was
// rewound to.
const AbandonedBranch = "abandoned-branch"

// SystemIndex is the Message.Index of an API body's separate system parameter.
const SystemIndex = -1

// Block is one content block of a message.
type Block struct {
	Kind BlockKind
	// Text is what the block says. For a tool use it is written by ToolUseText.
	Text string
	// ToolUseID pairs a tool use with its result. Clients reuse ids: pair by
	// the nearest open call, never by a map over the whole session.
	ToolUseID string
	ToolName  string
	// Args are the top-level fields of a tool use's input, in order.
	Args []Arg
	// IsError is set where the client marked a result as failed.
	IsError bool
	// Rejected is set where the user refused the call or interrupted it.
	Rejected bool
	// Exit is the exit code that the result reports, nil where it reports none.
	Exit *int
	// ExpectedNonZero is set where the client itself said that a non-zero exit
	// is no failure (grep without a match).
	ExpectedNonZero bool
	// Running is the id under which the command goes on, "" where it ended.
	Running string
	// MediaType and MediaBytes describe an image; its data is never copied.
	MediaType  string
	MediaBytes int
	// Origin is who said the block, by its type. Text that a harness put into
	// a user block is found by Voices.
	Origin Provenance
	// Hash is the sha256 of Text after normalisation and redaction.
	Hash [32]byte
}

// Arg is one top-level field of a tool use's input.
type Arg struct {
	Key string
	// Value is the decoded string, or the raw JSON of any other value.
	Value string
	// IsString tells a string from other JSON.
	IsString bool
}

// Arg returns the value of the first of the named fields that the tool use has.
func (b *Block) Arg(keys ...string) string {
	for _, k := range keys {
		for i := range b.Args {
			if b.Args[i].Key == k {
				return b.Args[i].Value
			}
		}
	}
	return ""
}

// ToolUseText is the normalised text of a tool use, which sources point into:
// the tool's name, then one "key: value" paragraph for each field of its input.
func ToolUseText(name string, args []Arg) string {
	return string(AppendToolUseText(nil, name, args))
}

// AppendToolUseText appends what ToolUseText returns.
func AppendToolUseText(dst []byte, name string, args []Arg) []byte {
	n := len(name)
	for i := range args {
		n += len("\n: ") + len(args[i].Key) + len(args[i].Value)
	}
	dst = append(slices.Grow(dst, n), name...)
	for i := range args {
		dst = append(dst, '\n')
		dst = append(dst, args[i].Key...)
		dst = append(dst, ": "...)
		dst = append(dst, args[i].Value...)
	}
	return dst
}

// Usage is what a provider reported for one request.
// Units: tokens. Input excludes cached tokens, whatever the provider counts.
type Usage struct {
	Input, CacheRead, CacheWrite, Output int
	// Window is the context window that the client recorded, 0 where it did not.
	Window int
}

// Context is how full the window was after the request: everything that was
// read, from the cache or not, and what the model wrote. 0 means unknown.
func (u *Usage) Context() Tokens {
	if u == nil {
		return 0
	}
	return Tokens(u.Input + u.CacheRead + u.CacheWrite + u.Output)
}

// Conversation is the content of one API request.
type Conversation struct {
	Format   Format
	Model    string
	System   []Block
	Tools    json.RawMessage
	Messages []Message
	// MaxTokens is the output that the request reserves, 0 where it says nothing.
	MaxTokens Tokens
	// Raw is the whole body. What is not replaced in it leaves as it came.
	Raw json.RawMessage
}

// Format names how a session file or an API body is laid out.
type Format string

// The formats that package transcript detects from the content.
const (
	FormatClaudeCode      Format = "claude-code"
	FormatCodex           Format = "codex"
	FormatPi              Format = "pi"
	FormatGemini          Format = "gemini-cli"
	FormatOpencode        Format = "opencode"
	FormatAnthropic       Format = "anthropic"
	FormatOpenAIChat      Format = "openai-chat"
	FormatOpenAIResponses Format = "openai-responses"
	FormatSWEAgent        Format = "swe-agent"
	FormatMiniSWEAgent    Format = "mini-swe-agent"
	FormatOpenHands       Format = "openhands"
	FormatTauBench        Format = "tau-bench"
	// FormatCompactMemory is an 8-field memory that a state was imported from.
	FormatCompactMemory Format = "compact-memory"
)

// Record is one step of a session: exactly one of the fields is set.
type Record struct {
	Message  *Message
	Boundary *Boundary
	Exit     *LateExit
}

// Boundary is a place where the client itself compacted the conversation.
type Boundary struct {
	// N counts the boundaries of the file from 1.
	N    int
	Line int
	// Trigger is "auto", "manual" or "".
	Trigger string
	// Before is the client's own count of the context that it replaced, 0 unknown.
	Before Tokens
	// PreservedRows are the ids of earlier rows that stay in the context.
	PreservedRows []string
	// Replacement is the history that the client goes on with, where the file
	// holds it. It repeats messages, so it is never read as new ones.
	Replacement []Message
}

// LateExit is an exit code that a session file states apart from its result.
type LateExit struct {
	ToolUseID string
	Code      int
}

// HashHex is how a block's hash is written in a state: the first 16 hex digits.
// Finding a second text with the same 64 bits is out of reach for an accident;
// that nobody changed a state is the signature's business, not this hash's.
func HashHex(h [32]byte) string { return hex.EncodeToString(h[:8]) }
