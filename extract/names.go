package extract

import (
	"slices"
	"strings"

	"github.com/pith-memory/pith"
)

// How many names of each kind leave the fold, best first.
const (
	maxTests   = 40
	maxSymbols = 240
	maxCommits = 40
	maxRefs    = 60
	maxPaths   = 110
)

// What a mention weighs by where it stands. A name that the agent used in a
// call comes back in later calls far more often than one that a tool printed.
const (
	weightCall    = 1.0
	weightAgent   = 0.7
	weightUser    = 0.7
	weightHarness = 0.4
	weightFailure = 0.35
	weightOutput  = 0.15
	weightPolicy  = 0.05
)

// outputHead and outputTail bound how much of one result is read for names.
const (
	outputHead = 32 << 10
	outputTail = 32 << 10
	// recentBytes bounds what is kept of one result.
	recentBytes = 32 << 10
)

// recentOutputs is how many of the last results are read for symbols.
const recentOutputs = 64

// output is a result that is kept for its symbols.
type output struct {
	text string
	at   pith.Source
	seq  int32
}

// nameSlot ranks the names that the next calls are likely to need, by a count
// of their uses that decays from call to call.
type nameSlot struct {
	class   [256]uint8
	decay   [1024]float32
	symbols nameTable
	tests   nameTable
	commits nameTable
	refs    nameTable
	paths   nameTable
	// outputs are the results of the last calls. Their symbols are read when
	// the names are ranked: what was printed long ago ranks nowhere.
	outputs [recentOutputs]output
	// block numbers the texts that were read: a name counts once in each.
	block int32
	// now is the number of calls so far.
	now int32
	// again is set while recent results are read again.
	again bool
}

func (n *nameSlot) init() {
	n.initClasses()
	x := float32(1)
	for i := range n.decay {
		n.decay[i] = x
		x *= decayPerCall
	}
	for _, t := range []*nameTable{&n.symbols, &n.tests, &n.commits, &n.refs, &n.paths} {
		t.index = map[string]int32{}
		t.decay = &n.decay
	}
}

// said reads the names of a prompt or of the agent's own text.
func (n *nameSlot) said(s *Said) {
	n.now = int32(s.Call)
	n.block++
	m := mention{at: s.At}
	m.at.Start, m.at.End = 0, 0
	switch s.Origin {
	case pith.Assistant:
		m.weight = weightAgent
	case pith.UserExplicit:
		m.weight = weightUser
	case pith.Harness, pith.PeerAgent:
		m.weight = weightHarness
	case pith.PolicyFile:
		m.weight = weightPolicy
	default:
		return
	}
	m.hex = s.Origin == pith.Assistant || s.Origin == pith.UserExplicit
	n.scan(bothEnds(s.Text), &m)
}

// use reads the names of a call: what its arguments say, and the operands of
// its commands.
func (n *nameSlot) use(c *Call) {
	n.now = int32(c.Seq)
	n.block++
	m := mention{at: c.At, weight: weightCall, hex: true, call: true}
	for i := range c.Use.Args {
		a := &c.Use.Args[i]
		if isPathKey(a.Key) && isToolPath(a.Value) && a.IsString {
			n.path(a.Value, &m)
			continue
		}
		m.call = !isProse(a.Key)
		n.scan(bothEnds(a.Value), &m)
	}
	for i := range c.Shell {
		n.command(&c.Shell[i], &m)
	}
}

// isProse tells the arguments that hold sentences: a slash there joins words.
func isProse(key string) bool {
	switch key {
	case "prompt", "description", "message", "body", "plan", "explanation", "todos", "questions", "text", "title", "thought":
		return true
	}
	return false
}

func isPathKey(k string) bool { return slices.Contains(pathKeys, k) }

// command reads the operands that only the parsed line tells apart:
// directories, branches and ports.
func (n *nameSlot) command(cmd *simpleCommand, m *mention) {
	name := cmd.Name()
	if name == "git" {
		n.branches(cmd, m)
	}
	for i, w := range cmd.Argv[1:] {
		if cmd.Expands[i+1] || len(w) > 300 {
			continue
		}
		switch {
		case (w == "--port" || w == "-port") && i+2 < len(cmd.Argv):
			if p := cmd.Argv[i+2]; isPort(p) {
				n.refs.add(n, "--port "+p, m, 1)
			}
		case w[:min(1, len(w))] == "-", strings.HasPrefix(w, "s/"), isTestName(w):
		case strings.Contains(w, "/") && isPathWord(w) && !strings.ContainsAny(w, " =,@()"):
			n.path(strings.TrimSuffix(strings.TrimSuffix(w, "/..."), "/"), m)
		}
	}
	for _, w := range cmd.Writes {
		if isPathWord(w) {
			n.path(w, m)
		}
	}
}

// branches reads the branch that a git command names.
func (n *nameSlot) branches(cmd *simpleCommand, m *mention) {
	sub, argv, expands, _ := gitCommand(cmd.Argv, cmd.Expands)
	from := 1
	switch sub {
	case "checkout", "switch", "merge", "rebase", "branch":
	case "push", "pull", "fetch":
		from = 2
	default:
		return
	}
	ops := operands(argv, expands, "")
	for i, o := range ops {
		if i+1 >= from && !o.expands && isBranchName(o.text) {
			n.refs.add(n, o.text, m, 1)
		}
	}
}

func isBranchName(w string) bool {
	if len(w) < 2 || len(w) > 120 || isSHA(w) || w == "HEAD" || w == "origin" || strings.HasPrefix(w, "HEAD") {
		return false
	}
	for i := 0; i < len(w); i++ {
		if !isBranchByte(w[i]) {
			return false
		}
	}
	return !looksLikeFile(w)
}

func isPort(p string) bool {
	return len(p) >= 2 && len(p) <= 5 && strings.Trim(p, "0123456789") == ""
}

// call reads the names of a result.
func (n *nameSlot) call(c *Call) {
	if c.Result.Text == "" {
		return
	}
	n.block++
	m := mention{at: c.ResultAt, weight: weightOutput, output: true}
	if !c.OK() {
		m.weight, m.failing = weightFailure, true
	}
	content := showsContent(c) && !m.failing
	if !content {
		n.testResults(c, &m)
	}
	if gitPrints(c) {
		n.gitCommits(c, &m)
		m.hex = true
	}
	text := bothEnds(c.Result.Text)
	if !content {
		n.scan(text, &m)
	}
	if !m.failing {
		n.outputs[c.Seq%recentOutputs] = output{text: text[:min(len(text), recentBytes)], at: m.at, seq: int32(c.Seq)}
	}
}

// showsContent tells whether a result is the content of files. Its names count
// while the call is recent; most of them the agent never comes back to.
func showsContent(c *Call) bool {
	if c.Command == "" {
		return callVerb(c) == "read"
	}
	if len(c.Shell) == 0 {
		return false
	}
	switch c.Shell[0].Name() {
	case "cat", "sed", "nl", "head", "tail", "bat", "less", "get-content":
		return true
	}
	return false
}

// bothEnds bounds how much of a text is read; a long one is read at both ends.
func bothEnds(t string) string {
	if len(t) <= outputHead+outputTail {
		return t
	}
	return t[:outputHead] + "\n" + t[len(t)-outputTail:]
}

// facts lists the names, best first.
func (n *nameSlot) facts(f *Facts) {
	id := &f.Identifiers
	printed := n.readPrinted()
	tests := n.tests.with(&printed.tests, n.now)
	id.Tests = tests.best(n.now, maxTests, nil)
	symbols := n.symbols.with(&printed.symbols, n.now)
	id.Symbols = symbols.best(n.now, maxSymbols, nil)
	var commits []string
	id.Commits = n.commits.best(n.now, maxCommits, func(sha string) bool {
		for _, have := range commits {
			if strings.HasPrefix(sha, have) || strings.HasPrefix(have, sha) {
				return false
			}
		}
		commits = append(commits, sha)
		return true
	})
	id.Refs = n.refs.best(n.now, maxRefs, nil)
	paths := n.paths.with(&printed.paths, n.now)
	id.Paths = paths.best(n.now, maxPaths, n.unlisted(f))
}

// unlisted accepts a path that the files do not hold, once in all its spellings.
func (n *nameSlot) unlisted(f *Facts) func(string) bool {
	root := f.Workspace.Root
	listed := map[string]bool{root: true, f.Workspace.CWD: true}
	bases := map[string]bool{}
	for _, l := range [][]pith.File{f.Files.Modified, f.Files.Inspected} {
		for i := range l {
			listed[l[i].Path] = true
			listed[l[i].AsUsed] = true
			bases[baseName(l[i].Path)] = true
		}
	}
	return func(name string) bool {
		if _, branch := n.refs.index[name]; branch || listed[name] || bases[name] {
			return false
		}
		if _, dotted := n.paths.index["./"+name]; dotted {
			return false // "./pkg" is what a command takes
		}
		p := resolvePath(root, name)
		if listed[p] {
			return false
		}
		listed[p] = true
		return true
	}
}

// readPrinted reads the symbols and the imported packages of the last results.
func (n *nameSlot) readPrinted() *nameSlot {
	printed := &nameSlot{class: n.class, decay: n.decay, again: true}
	for _, t := range []*nameTable{&printed.symbols, &printed.paths, &printed.tests} {
		t.index, t.decay = map[string]int32{}, &printed.decay
	}
	for i := int32(1); i <= recentOutputs; i++ {
		o := &n.outputs[(n.now+i)%recentOutputs]
		if o.text == "" || o.seq+recentOutputs <= n.now {
			continue
		}
		printed.now = o.seq
		printed.block++
		printed.scan(o.text, &mention{at: o.at, weight: weightOutput})
	}
	return printed
}
