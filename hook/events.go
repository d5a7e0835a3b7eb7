package hook

// handlers answer the events.
var handlers = map[Event]func(*turn) (Output, error){
	SessionCompact:     (*turn).sessionCompact, // compact.go
	SessionStart:       (*turn).sessionStart,   // start.go
	PreCompact:         (*turn).preCompact,     // steer.go
	PostCompact:        (*turn).postCompact,    // lost.go
	PostToolUse:        (*turn).afterTool,      // watch.go
	PostToolUseFailure: (*turn).afterTool,      // watch.go
	Stop:               (*turn).stop,           // watch.go
	UserPromptSubmit:   (*turn).prompt,         // prompt.go
	SubagentStart:      (*turn).subagentStart,  // subagent.go
	SubagentStop:       (*turn).subagentStop,   // subagent.go
	SessionEnd:         (*turn).sessionEnd,     // watch.go
}
