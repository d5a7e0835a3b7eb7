package extract

import "slices"

// brokenStep is a failed line whose last command takes a step that some later
// line may take another way: git add, git commit, git push, gofmt -w.
type brokenStep struct {
	run  *evidenceRun
	name string
	dir  string
	// left are the files that no later run of the step has taken so far.
	left []string
}

// maxBrokenSteps bounds the failures that wait for another way.
const maxBrokenSteps = 64

// stepFailed notes a failed line that ends in a step. What came before it in
// the line must be quiet, for else it may be what failed.
func (e *evidenceSlot) stepFailed(r *evidenceRun) {
	last := len(r.shell) - 1
	if last < 0 || r.shell[last].Nested || r.shell[last].Op == "|" {
		return
	}
	name, operands, _ := stepOf(&r.shell[last])
	if name == "" {
		return
	}
	for i := range r.shell[:last] {
		if before, _, _ := stepOf(&r.shell[i]); before == "" && !isQuiet(&r.shell[i]) {
			return
		}
	}
	if len(e.steps) == maxBrokenSteps {
		e.steps = append(e.steps[:0], e.steps[1:]...)
	}
	e.steps = append(e.steps, &brokenStep{run: r, name: name, dir: resolvePath(r.dir, r.shell[last].Dir), left: operands})
}

// stepsPassed lets a line that succeeded end the failures of the steps that it
// took. Only commands that the line's own code vouches for count.
func (e *evidenceSlot) stepsPassed(r *evidenceRun, shell []simpleCommand) {
	if len(e.steps) == 0 || r.code == nil || *r.code != 0 {
		return
	}
	for i := len(shell) - 1; i >= 0; i-- {
		cmd := &shell[i]
		if name, operands, all := stepOf(cmd); name != "" && !cmd.Nested && !cmd.Lost {
			e.stepPassed(r, name, resolvePath(r.dir, cmd.Dir), operands, all)
		}
		if cmd.Op != "&&" {
			return
		}
	}
}

func (e *evidenceSlot) stepPassed(r *evidenceRun, name, dir string, operands []string, all bool) {
	open := e.steps[:0]
	for _, s := range e.steps {
		if s.name != name || s.dir != dir {
			open = append(open, s)
			continue
		}
		left := s.left[:0]
		for _, p := range s.left {
			if !all && !slices.Contains(operands, p) {
				left = append(left, p)
			}
		}
		if s.left = left; len(left) > 0 {
			open = append(open, s)
			continue
		}
		if r.key == "" {
			r.key = plainKey(r.dir, squashSpaces(r.item.Command))
		}
		s.run.endedBy, r.ends = r.key, true
	}
	e.steps = open
}

// stepOf names the step that a command takes, the files that it takes it for,
// and whether it takes it for all files.
func stepOf(cmd *simpleCommand) (name string, files []string, all bool) {
	if len(cmd.Argv) < 2 {
		return "", nil, false
	}
	switch program := cmd.Name(); program {
	case "git":
		sub, argv, expands, _ := gitCommand(cmd.Argv, cmd.Expands)
		switch sub {
		case "add":
			for _, o := range operands(argv, expands, "") {
				files = append(files, o.text)
			}
			all = len(files) == 0 || slices.Contains(files, ".") || flagged(argv, "-A", "--all")
			return "git add", files, all
		case "commit", "push", "pull", "fetch", "rebase", "merge", "cherry-pick", "revert", "tag":
			return "git " + sub, nil, true
		}
	case "gh":
		if len(cmd.Argv) > 2 && isOneOf(cmd.Argv[2], "create", "edit", "comment", "merge", "review") {
			return "gh " + cmd.Argv[1] + " " + cmd.Argv[2], nil, true
		}
	case "go":
		if cmd.Argv[1] == "mod" && len(cmd.Argv) == 3 && cmd.Argv[2] == "tidy" {
			return "go mod tidy", nil, true
		}
	default:
		if isFormatter(program, cmd.Argv) {
			for _, o := range operands(cmd.Argv, cmd.Expands, "") {
				files = append(files, o.text)
			}
			return "format " + program, files, len(files) == 0 || slices.Contains(files, ".")
		}
	}
	return "", nil, false
}

// endedStep tells whether a pass is the one that ended an earlier failure.
func (r *evidenceRun) endedStep(pass *evidenceRun) bool {
	return r.endedBy != "" && r.endedBy == pass.key
}
