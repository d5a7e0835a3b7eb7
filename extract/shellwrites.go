package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// writes records files that a command wrote, whatever they look like.
func (l *shellLine) writes(cmd *simpleCommand, args []operand, op touchOp) {
	for _, p := range l.expand(args) {
		if isPathWord(p) {
			l.add(cmd, p, op)
		}
	}
}

func teeOp(argv []string) touchOp {
	for _, a := range argv {
		if a == "-a" || a == "--append" {
			return opEdit
		}
	}
	return opCreate
}

// remove records deletions: files, and every known file in a directory.
func (l *shellLine) remove(cmd *simpleCommand, paths []string) {
	for _, p := range paths {
		if dir, ok := l.dir(cmd); ok {
			l.s.under(resolvePath(dir, p), func(u *fileUse) {
				l.s.add(l.c, touch{path: u.file.Path, op: opDelete, via: "shell"})
			})
		}
		l.write(cmd, p, opDelete)
	}
}

// transfer records copies, links and renames. A last operand without an
// extension is a directory where the first one has an extension.
func (l *shellLine) transfer(cmd *simpleCommand, name string, paths []string) {
	if len(paths) < 2 {
		return
	}
	target := paths[len(paths)-1]
	moves := name == "mv" || strings.HasPrefix(name, "mov") || strings.HasPrefix(name, "ren")
	into := strings.HasSuffix(target, "/") || len(paths) > 2 || target == "." || target == ".."
	for _, p := range paths[:len(paths)-1] {
		to := target
		if into || looksLikeFile(p) && !looksLikeFile(target) {
			to = strings.TrimSuffix(target, "/") + "/" + baseName(strings.TrimRight(p, "/"))
		}
		if moves && l.moveDirectory(cmd, p, to) || !looksLikeFile(p) && !looksLikeFile(to) && !l.known(cmd, p) {
			continue
		}
		if moves {
			l.addTouch(cmd, touch{path: to, op: opRename, via: "shell", from: p})
		} else if !strings.Contains(to, ":") || isWindowsPath(to) {
			l.add(cmd, to, opCreate)
		}
	}
}

// moveDirectory renames the known files in a directory that was moved.
func (l *shellLine) moveDirectory(cmd *simpleCommand, from, to string) bool {
	dir, ok := l.dir(cmd)
	if !ok || looksLikeFile(from) {
		return false
	}
	old, moved := resolvePath(dir, from), resolvePath(dir, to)
	var names []string
	l.s.under(old, func(u *fileUse) { names = append(names, u.file.Path) })
	for _, n := range names {
		u := l.s.byPath[n]
		if !u.modified {
			continue
		}
		l.s.add(l.c, touch{path: moved + n[len(old):], asUsed: to, op: opRename, via: "shell", from: n})
	}
	return len(names) > 0
}

// patch reads apply_patch and patch: from a here document or from its argument.
func (l *shellLine) patch(cmd *simpleCommand, argv []string) {
	text := cmd.Here
	if text == "" && len(argv) > 1 && strings.Contains(argv[1], "\n") {
		text = argv[1]
	}
	for _, t := range patchTouches(text) {
		t.via = "shell"
		if cmd.Name() != "patch" {
			t.via = "apply_patch"
		}
		l.addTouch(cmd, t)
	}
}

// format records the files that a formatter rewrote: those that it names, and
// of a directory those that the agent has changed since.
func (l *shellLine) format(cmd *simpleCommand, name string, argv []string, args []operand) {
	if !isFormatter(name, argv) {
		return
	}
	named := false
	for _, p := range l.expand(args) {
		if looksLikeFile(p) {
			named = true
			l.add(cmd, p, opRewrite)
		}
	}
	dir, ok := l.dir(cmd)
	if named || !ok {
		return
	}
	l.s.under(dir, func(u *fileUse) {
		if u.modified && u.shown && u.file.Op != pith.FileDeleted {
			u.file.Stale = true
		}
	})
}
