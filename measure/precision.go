package measure

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pith-memory/pith"
)

// Precision is how much of what a text, or without one a state, states occurs
// in what was read: every path as it was used or as it resolves, every command
// with its exit code and counts, every SHA, UUID and quoted sentence.
func (o *Observer) Precision(h Held) Share {
	p := &checker{o: o, x: o.index(), root: strings.TrimSuffix(h.Root, "/"), share: &Share{}, hashes: map[string]bool{}}
	eachHash(p.x.text, func(w string) { p.hashes[w[:7]] = true })
	if h.Text == "" && h.State != nil {
		p.state(h.State)
	} else {
		p.text(h.Text)
	}
	return *p.share
}

// checker looks up statements in what the observer read.
type checker struct {
	o      *Observer
	x      *index
	root   string
	share  *Share
	hashes map[string]bool
}

// state checks every field that states what was done, said or seen.
func (p *checker) state(s *pith.State) {
	p.root = strings.TrimSuffix(s.Checkpoint.Workspace.Root, "/")
	for _, list := range [][]pith.File{s.Files.Modified, s.Files.Inspected} {
		for i := range list {
			f := &list[i]
			p.share.count(f.AsUsed != "" && p.x.has(f.AsUsed) && strings.HasSuffix(f.Path, cleanTail(f.AsUsed)) || p.path(f.Path), f.Path)
		}
	}
	for i := range s.Evidence {
		e := &s.Evidence[i]
		p.run(e.Command, claimsOf(e).numbers())
		p.signature(e.Signature)
	}
	for i := range s.Identifiers.Commits {
		p.hash(s.Identifiers.Commits[i].Name)
	}
	for _, list := range [][]pith.Identifier{s.Identifiers.Tests, s.Identifiers.Symbols, s.Identifiers.Refs} {
		for i := range list {
			p.share.count(p.x.has(list[i].Name), list[i].Name)
		}
	}
	for i := range s.Identifiers.Paths {
		p.share.count(p.path(s.Identifiers.Paths[i].Name), s.Identifiers.Paths[i].Name)
	}
	p.words(s)
}

// words checks what a state gives in somebody's own words.
func (p *checker) words(s *pith.State) {
	if s.Goal.Provenance <= pith.UserExplicit {
		p.quote(s.Goal.Text)
	}
	for i := range s.Goal.Amendments {
		p.quote(s.Goal.Amendments[i].Text)
	}
	for i := range s.Constraints {
		p.quote(s.Constraints[i].Text)
	}
	for i := range s.Decisions {
		if !s.Decisions[i].Drafted {
			p.quote(s.Decisions[i].Decision)
		}
	}
	for i := range s.Failed {
		if !s.Failed[i].Drafted {
			p.signature(s.Failed[i].ErrorSignature)
		}
	}
	for i := range s.Context.Todo {
		p.quote(s.Context.Todo[i].Text)
	}
}

// cleanTail is a path as used without what resolving takes off its head.
func cleanTail(used string) string {
	for {
		rest, ok := strings.CutPrefix(used, "./")
		if !ok {
			rest, ok = strings.CutPrefix(used, "../")
		}
		if !ok {
			return used
		}
		used = rest
	}
}

// numbers are the claims without the counts that are zero: those of a kind
// that a tool does not report.
func (c claims) numbers() claims {
	c.counts = slices.DeleteFunc(c.counts, func(n string) bool { return strings.HasPrefix(n, "0 ") })
	return c
}

// quote checks words that are given as somebody's own, piece by piece where
// some were left out.
func (p *checker) quote(s string) {
	if s = strings.TrimSpace(s); s == "" {
		return
	}
	p.share.count(p.said(s), s)
}

// signature checks the line that names a failure. A long one may end inside a
// word; that a call was refused is told in a state's own words.
func (p *checker) signature(s string) {
	const long = 200
	if len(s) >= long {
		s = wholeWords(s, false, true)
	}
	if s == "rejected by the user" && p.o.refusals > 0 {
		p.share.count(true, s)
		return
	}
	p.quote(s)
}

func (p *checker) said(s string) bool {
	if p.x.has(s) {
		return true
	}
	pieces := gaps().Split(s, -1)
	for i, piece := range pieces {
		piece = wholeWords(squash(piece), i > 0, i+1 < len(pieces))
		if len(tokens(piece)) > 0 && !p.x.has(piece) && !p.escaped(piece) {
			return false
		}
	}
	return true
}

// wholeWords is a piece without the words that a gap may have cut in two.
func wholeWords(s string, cutBefore, cutBehind bool) string {
	for cutBefore && s != "" && wordByte(s[0]) {
		s = s[1:]
	}
	for cutBehind && s != "" && wordByte(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return strings.Trim(s, " `\"“”'")
}

// escaped looks words up as a text that is quoted in a text writes them.
func (p *checker) escaped(s string) bool {
	quoted := strconv.Quote(s)
	return p.x.has(quoted[1 : len(quoted)-1])
}

func (p *checker) hash(w string) {
	if len(w) >= 7 {
		p.share.count(p.hashes[w[:7]] || p.x.has(w) || p.x.has(w[:7]), w)
	}
}

// run checks a command, and its exit code and counts against those of its runs.
func (p *checker) run(command string, c claims) {
	command = squash(command)
	known := p.said(command)
	p.share.count(known, command)
	short := appendShortened(nil, command, 0)
	for _, n := range c.exits {
		p.share.count(p.ended(command, short, func(r *run) bool { return r.exit != nil && *r.exit == n }), command+" exit "+strconv.Itoa(n))
	}
	for _, n := range c.counts {
		ok := p.ended(command, short, func(r *run) bool { return r.counted(n) })
		p.share.count(ok, command+" "+n)
	}
}

// ended tells whether a run of a command ended in some way; "" is any command.
func (p *checker) ended(command string, short []shortened, how func(*run) bool) bool {
	for i := range p.o.runs {
		r := &p.o.runs[i]
		if (command == "" || r.command == command || len(short) > 0 && short[0].of(r.command)) && how(r) {
			return true
		}
	}
	return false
}

func (r *run) counted(n string) bool {
	return slices.Contains(r.counts, n) || slices.Contains(r.packages, n) || slices.Contains(r.stated, n)
}

// path tells whether a path was used as it is, relative to the root, or
// relative to a folder that was named in the same block.
func (p *checker) path(name string) bool {
	if p.o.ledger.paths.known(name) != nil || p.stands(name) {
		return true
	}
	if p.root != "" && !strings.HasPrefix(name, "/") && p.path1(p.root+"/"+strings.TrimPrefix(name, "./")) {
		return true
	}
	return p.path1(name)
}

func (p *checker) path1(name string) bool {
	if p.o.ledger.paths.known(name) != nil || p.stands(name) {
		return true
	}
	for i := min(len(name), maxPath) - 1; i > 0; i-- {
		if name[i] == '/' && p.sameBlock(name[:i], name[i+1:]) {
			return true
		}
	}
	return false
}

func (p *checker) stands(name string) bool {
	found := false
	p.x.each(strings.TrimPrefix(name, "./"), func(at int) bool {
		found = pathBounded(p.x.text, at, at+len(name), name)
		return !found
	})
	return found
}

// maxPlaces is how many places of a name are looked at.
const maxPlaces = 300

// sameBlock tells whether a folder and what is below it are named in one block.
func (p *checker) sameBlock(dir, rest string) bool {
	if rest == "" {
		return false
	}
	blocks := map[int]bool{}
	n := 0
	p.x.each(rest, func(at int) bool {
		if pathBounded(p.x.text, at, at+len(rest), rest) {
			blocks[p.block(at)] = true
		}
		n++
		return n < maxPlaces
	})
	if len(blocks) == 0 {
		return false
	}
	names := []string{dir}
	if base, ok := strings.CutPrefix(dir, p.root+"/"); ok && p.root != "" {
		names = append(names, base)
	}
	found := false
	for _, d := range names {
		n = 0
		p.x.each(d, func(at int) bool {
			found = blocks[p.block(at)]
			n++
			return !found && n < 10*maxPlaces
		})
	}
	return found
}

// block is the number of the block that holds an offset.
func (p *checker) block(at int) int {
	i, found := slices.BinarySearch(p.o.ledger.blocks, p.x.line(at))
	if !found {
		i--
	}
	return i
}
