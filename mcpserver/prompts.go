package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-memory/pith"
)

// addPrompts offers what a person starts: going on, and handing over.
func (s *Server) addPrompts() {
	session := &mcp.PromptArgument{Name: "session", Title: "Session", Description: "An id, its beginning, or latest (default: the current session)."}
	s.mcp.AddPrompt(&mcp.Prompt{
		Name: "resume", Title: "Go on with earlier work", Description: "The working state of a session and its next step.",
		Arguments: []*mcp.PromptArgument{session},
	}, s.resumePrompt)
	s.mcp.AddPrompt(&mcp.Prompt{
		Name: "handoff", Title: "Hand the work over", Description: "Ask the agent to hand its work to another agent.",
		Arguments: []*mcp.PromptArgument{
			{Name: "to", Title: "Role", Description: "The role that takes over, as tester.", Required: true},
			{Name: "task", Title: "Task", Description: "What to do (default: the next step)."}, session,
		},
	}, s.handoffPrompt)
}

func (s *Server) resumePrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if err := only(req.Params.Arguments, "session"); err != nil {
		return nil, err
	}
	text, err := s.remembered(ctx, req)
	if err != nil {
		return nil, err
	}
	return said("The working state of earlier work", "Go on with the earlier work that this state describes. Look into what changed on disk first, then take the next step that it names; ask where it says that the user decides.\n\n"+text), nil
}

func (s *Server) handoffPrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	a := req.Params.Arguments
	if err := only(a, "to", "task", "session"); err != nil {
		return nil, err
	}
	if strings.TrimSpace(a["to"]) == "" {
		return nil, protocol(usage("to is the role that takes over, as tester", "the argument to is missing"))
	}
	text, err := s.remembered(ctx, req)
	if err != nil {
		return nil, err
	}
	task := ""
	if a["task"] != "" {
		task = fmt.Sprintf(" The task: %s.", strings.TrimSuffix(clean(a["task"]), "."))
	}
	return said("Hand the work over", fmt.Sprintf("Hand the work over to the role %q.%s Call the tool handoff of pith with to, task, criteria that can be checked, and no more allow_tools and allow_paths than the task needs; write what it returns to a2a-task.json and say where it is.\n\nThe state that is handed over:\n\n%s", clean(a["to"]), task, text)), nil
}

// longArgument bounds an argument of a prompt. Units: bytes.
const longArgument = 4_000

// only refuses arguments that a prompt does not have, and long ones.
func only(args map[string]string, names ...string) error {
	for name, v := range args {
		if !slices.Contains(names, name) {
			return protocol(usage("it takes "+strings.Join(names, ", "), "the prompt has no argument %.40q", name))
		}
		if len(v) > longArgument {
			return protocol(usage("", "the argument %s is longer than %d bytes", name, longArgument))
		}
	}
	return nil
}

// remembered is the block of the session that a prompt is about.
func (s *Server) remembered(ctx context.Context, req *mcp.GetPromptRequest) (text string, err error) {
	x := s.scopeOf(ctx, req.Session)
	err = s.withStore(ctx, func(store pith.Store) error {
		k, err := s.find(ctx, store, x, req.Params.Arguments["session"])
		if err != nil {
			return err
		}
		state, findings := s.look(ctx, k, x.folder)
		text = shortened(clean(k.head()+s.block(state, findings, blockTokens)), maxPage)
		return nil
	})
	return text, protocol(err)
}

func said(about, text string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Description: about, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}
}

// completions is how many ids are proposed.
const completions = 20

// complete proposes the ids of sessions and checkpoints.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	p := req.Params
	r := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	checkpoints := p.Ref != nil && strings.HasPrefix(p.Ref.URI, checkpointURI)
	if p.Argument.Name != "session" && p.Argument.Name != "id" {
		return r, nil
	}
	all, err := s.entries(ctx, req.Session, "")
	if err != nil {
		return nil, err
	}
	for i := range all {
		id := all[i].SessionID
		if checkpoints {
			id = all[i].ID
		}
		if !strings.HasPrefix(id, p.Argument.Value) || slices.Contains(r.Completion.Values, id) {
			continue
		}
		if len(r.Completion.Values) == completions {
			r.Completion.HasMore = true
			break
		}
		r.Completion.Values = append(r.Completion.Values, id)
	}
	return r, nil
}
