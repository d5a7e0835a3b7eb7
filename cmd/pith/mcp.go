package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/handoff"
	"github.com/pith-memory/pith/mcpserver"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/store/sqlite"
	"github.com/pith-memory/pith/workspace"
)

type mcpFlags struct{ http, tokenFile, project, session string }

func mcpCommand(c *console) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the memory to an agent over the Model Context Protocol",
		Long: `Serve the memory to an agent over the Model Context Protocol: tools to see the
working state, to recall and to search what was compacted away, to keep a
checkpoint or a pin, and to hand work over. An agent starts it by itself; "pith
install" sets that up.

It speaks over standard input and output, or with --http over HTTP at /mcp of an
address of this machine alone. Every HTTP request needs a token: a new one is
made each time and printed once on standard error, or written to --token-file,
for its owner alone; a file that is there already keeps its token.

The session is the one that an agent names in its call, else the client's own
(CLAUDE_CODE_SESSION_ID, or the one that it went on to with /clear), else the
latest of the project. What belongs to another project or another account is
refused.

Exit codes: 0 stopped, 1 unexpected, 2 usage.`,
		Example: `  pith mcp
  pith mcp --http 127.0.0.1:0 --token-file ~/.pith-token`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.serveMCP(cmd.Context(), &f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.http, "http", "", "serve HTTP on this address of this machine, as 127.0.0.1:0, instead of standard input and output")
	fl.StringVar(&f.tokenFile, "token-file", "", "with --http: keep the token in this file instead of printing it")
	fl.StringVar(&f.project, "project", "", "the project's folder (default: CLAUDE_PROJECT_DIR, else the current folder)")
	fl.StringVar(&f.session, "session", "", "the session that calls are about where they name none (default: CLAUDE_CODE_SESSION_ID)")
	return cmd
}

// mcpMemory bounds what the server may hold before it collects garbage more
// often. Units: bytes.
const mcpMemory = 256 << 20

func (c *console) serveMCP(ctx context.Context, f *mcpFlags) error {
	if f.tokenFile != "" && f.http == "" {
		return usage("add --http 127.0.0.1:0", "--token-file is for --http")
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	debug.SetMemoryLimit(mcpMemory)
	c.progress = false
	server := mcpserver.New(c.mcpConfig(f))
	if f.http == "" {
		return server.ServeLines(ctx, c.in, c.out)
	}
	l, err := mcpserver.Listen(ctx, f.http)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // serving closes it as well
	token, where, err := mcpToken(f.tokenFile)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.err, "pith: serving http://%s%s\npith: token: %s\n", l.Addr(), mcpserver.Path, where)
	return server.ServeHTTP(ctx, l, token)
}

// mcpToken is the token of an HTTP server, and what is said of it: the token
// itself, or the file that keeps it.
func mcpToken(file string) (token, said string, err error) {
	if file == "" {
		token = mcpserver.NewToken()
		return token, token, nil
	}
	info, err := os.Stat(file)
	var old []byte
	if err == nil && !info.Mode().IsRegular() {
		return "", "", usage("name a file, or one that is not there yet", "%s is no file", file) // a pipe has no end
	}
	if err == nil {
		old, err = os.ReadFile(file)
	}
	switch {
	case err == nil:
		token = strings.TrimSpace(string(old))
		if info.Mode().Perm()&0o077 != 0 || len(token) < 32 {
			return "", "", usage("remove it, and a new one is made", "%s is no token for its owner alone (mode 0600, 32 characters or more)", file)
		}
		return token, "in " + file, nil
	case !os.IsNotExist(err):
		return "", "", openError(file, err)
	}
	token = mcpserver.NewToken()
	return token, "in " + file, replaceFile(file, []byte(token+"\n"))
}

func (c *console) mcpConfig(f *mcpFlags) mcpserver.Config {
	return mcpserver.Config{
		Memory:   c.settings.memory(),
		Open:     func(ctx context.Context) (pith.Store, func(), error) { return c.openStore(ctx) },
		Look:     workspace.Look,
		Owner:    owner(),
		Project:  projectFolder,
		Now:      time.Now,
		Version:  programVersion(),
		Session:  or(f.session, os.Getenv("CLAUDE_CODE_SESSION_ID")),
		Folder:   projectFolder(or(f.project, os.Getenv("CLAUDE_PROJECT_DIR"))),
		Calling:  callingSession,
		Sessions: mcpSessions{c},
		Work:     mcpWork{c},
		OpenFile: openSession,
		Log:      slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

// mcpSessions finds sessions for the server as the commands do.
type mcpSessions struct{ c *console }

func (m mcpSessions) Pick(ctx context.Context, store pith.Store, what, folder string) (*pith.Saved, error) {
	saved, err := m.c.pickIn(ctx, store, what, folder)
	if err == nil {
		err = checkOwner(saved)
	}
	if err == nil {
		err = checkProject(saved, projectFolder(folder))
	}
	return saved, err
}

func (m mcpSessions) Mine(e *pith.Entry, folder string) bool {
	return mine(e.Owner, owner()) && belongs(projectFolder(folder), e.Project)
}

func (m mcpSessions) File(client, folder, session string) (string, error) {
	if session != "" {
		return sessionNamed(clientOf(client), folder, session)
	}
	file, err := latestFileIn(clientOf(client), folder)
	if err != nil {
		return "", err
	}
	return file.path, nil
}

func (m mcpSessions) Allowed(path, folder string) (string, error) {
	return allowedSession(path, folder)
}

// mcpWork does for the server what the commands do.
type mcpWork struct{ c *console }

func (m mcpWork) Transcript(saved *pith.Saved, s *pith.State) (io.ReadCloser, error) {
	return m.c.openTranscript(&knownState{Saved: saved}, s, &recallFlags{})
}

func (m mcpWork) Search(ctx context.Context, store pith.Store, saved *pith.Saved, q mcpserver.Query) ([]mcpserver.Hit, error) {
	k := &knownState{Saved: saved, parent: func(id string) (*pith.Saved, error) { return store.Get(ctx, id) }}
	k.archive, _ = store.(pith.Archive) // not every store is one
	hits, err := m.c.hits(ctx, m.c.partsOf(k, &recallFlags{}), q.Words, sqlite.SearchOptions{Limit: q.Limit, Offset: q.Offset})
	if err != nil {
		return nil, err
	}
	out := make([]mcpserver.Hit, len(hits))
	for i := range hits {
		out[i] = mcpserver.Hit{Passage: *fromIndex(&hits[i]), Snippet: hits[i].Snippet}
	}
	return out, nil
}

func (m mcpWork) Pin(ctx context.Context, store pith.Store, last *pith.Saved, text string, remove bool) (*pith.Saved, bool, error) {
	if !remove {
		return m.c.addPin(ctx, store, last, text, "agent")
	}
	at := pinNumber(last.State.Context.Pins, strings.TrimSpace(redact.New().Text(text)))
	if at < 0 {
		return last, false, nil
	}
	if by := last.State.Context.Pins[at].By; by != "agent" {
		return nil, false, usage("ask the user, who can run `pith unpin`", "the pin was made by the %s, and only an agent's own is taken back here", by)
	}
	saved, err := m.c.takePin(ctx, store, last, at)
	return saved, true, err
}

func (m mcpWork) Handoff(s *pith.State, h mcpserver.Handoff) (doc []byte, left []string, err error) {
	ring, err := readKeys()
	if err != nil {
		return nil, nil, err
	}
	key, ok := ring.Current()
	if !ok {
		return nil, nil, errNoKey()
	}
	f := handoffFlags{
		to: h.To, from: "main", task: h.Task, risk: "engineering", criteria: h.Criteria, tools: h.Tools, paths: h.Paths,
		expires: time.Hour, budget: int(handoff.DefaultBudget),
	}
	b, err := f.build(s, key)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range b.Snapshot.Drops {
		left = append(left, fmt.Sprintf("%d of %s", d.Count, d.What))
	}
	return b.JSON, left, nil
}
