package pith_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	ticked = regexp.MustCompile("`([^`\n]+)`")
	// pathLike is a thing in backticks that claims to be a file or folder of this repository.
	pathLike = regexp.MustCompile(`^\.?[a-z0-9_.-]+(/[A-Za-z0-9_.-]+)*(/|\.(go|md|json|jsonl|txtar|yml|yaml|toml|sum|mod|tmpl))$`)
	// outside are names of files that the docs speak of and that are not ours.
	outside = regexp.MustCompile(`^(go\.sum|CLAUDE\.md|AGENTS\.md|session\.jsonl|state\.json|block\.md|config\.toml|hooks\.json|settings\.json|plugins/known_marketplaces\.json|opencode\.json|body\.json|a2a-task\.json)$`)
	// forbiddenWords would tie the project to where it was made.
	forbiddenWords = regexp.MustCompile(`\.\./shared|/work/(main|shared)|\bissue tracker\b`)
)

// TestDocsNameFilesThatExist keeps the documents true: every path in backticks exists.
func TestDocsNameFilesThatExist(t *testing.T) {
	docs := 0
	eachFile(t, ".md", func(path, text string) {
		docs++
		for _, m := range ticked.FindAllStringSubmatch(text, -1) {
			name := m[1]
			if !pathLike.MatchString(name) || outside.MatchString(name) || strings.Contains(name, "..") {
				continue
			}
			if _, err := os.Stat(name); err == nil {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), name)); err != nil {
				t.Errorf("%s names `%s`, which is not there", path, name)
			}
		}
	})
	if docs < 4 {
		t.Fatalf("only %d documents were read: the walk is broken", docs)
	}
}

// TestProjectSpeaksOfItselfAlone keeps the place where it is developed out of it.
func TestProjectSpeaksOfItselfAlone(t *testing.T) {
	for _, ext := range []string{".md", ".go", ".yml", ".toml"} {
		eachFile(t, ext, func(path, text string) {
			if path == "docs_test.go" {
				return
			}
			if m := forbiddenWords.FindString(text); m != "" {
				t.Errorf("%s says %q", path, m)
			}
		})
	}
}

func eachFile(t *testing.T, ext string, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "dist") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ext {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f(path, string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestExtractMap keeps the map in extract/doc.go true: every file is on it,
// and every file on it is there.
func TestExtractMap(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("extract", "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{"doc.go": true}
	for _, name := range regexp.MustCompile(`[a-z_]+\.go`).FindAllString(string(doc), -1) {
		named[name] = true
		if _, err := os.Stat(filepath.Join("extract", name)); err != nil {
			t.Errorf("extract/doc.go names %s, which is not there", name)
		}
	}
	files, err := filepath.Glob(filepath.Join("extract", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, f := range files {
		if name := filepath.Base(f); !strings.HasSuffix(name, "_test.go") && !named[name] {
			t.Errorf("extract/doc.go does not say what %s is for", name)
		}
	}
}
