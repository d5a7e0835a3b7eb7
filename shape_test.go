package pith_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The size of things (CONTRIBUTING.md). There is no list of exceptions: what
// is over is split by what its parts mean.
const (
	maxFileLines        = 400
	maxFunctionLines    = 60
	maxInterfaceMethods = 4
)

var (
	unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b|(?i)\bnot implemented\b`)
	vagueName  = regexp.MustCompile(`^(util|utils|common|helper|helpers|base|core|misc|types|manager|service|impl)(_test)?$`)
)

func TestShape(t *testing.T) {
	eachGoFile(t, func(path, text string) {
		test := strings.HasSuffix(path, "_test.go")
		if n := strings.Count(text, "\n"); n > maxFileLines && !test {
			t.Errorf("%s has %d lines, over %d", path, n, maxFileLines)
		}
		if m := unfinished.FindString(text); m != "" && !test {
			t.Errorf("%s says %q: finish it or leave it out", path, m)
		}
		if name := strings.TrimSuffix(filepath.Base(path), ".go"); vagueName.MatchString(name) {
			t.Errorf("%s: the name says nothing", path)
		}
		checkDeclarations(t, path, text, test)
	})
}

func checkDeclarations(t *testing.T, path, src string, test bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if vagueName.MatchString(f.Name.Name) {
		t.Errorf("%s: package %s: the name says nothing", path, f.Name.Name)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			lines := fset.Position(n.End()).Line - fset.Position(n.Pos()).Line + 1
			if lines > maxFunctionLines && !test {
				t.Errorf("%s: %s has %d lines, over %d", fset.Position(n.Pos()), n.Name.Name, lines, maxFunctionLines)
			}
		case *ast.TypeSpec:
			if i, ok := n.Type.(*ast.InterfaceType); ok && len(i.Methods.List) > maxInterfaceMethods {
				t.Errorf("%s: interface %s has %d methods, over %d", fset.Position(n.Pos()), n.Name.Name, len(i.Methods.List), maxInterfaceMethods)
			}
		}
		return true
	})
}

// TestPackagesAreDocumented wants a package comment in every package.
func TestPackagesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	eachGoFile(t, func(path, text string) {
		dir := filepath.Dir(path)
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		documented[dir] = documented[dir] || f.Doc != nil
	})
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}
