package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/contracts/schemas"
)

func TestExample(t *testing.T) {
	s := example()
	b, err := Marshal(s, true)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "compact-working-state.example.json", b)
	noProblems(t, Validate(b))
	noProblems(t, Check(s))
	problems, done := CheckTranscript(s, stream(session()))
	noProblems(t, problems)
	if done.Quotes < 7 || done.Paths != 2 || done.Commands != 1 || done.Outcomes != 1 || done.Identifiers != 1 || done.Blocks != len(s.Blocks) {
		t.Errorf("too little was checked: %+v", done)
	}
	for _, name := range schemas.Names() {
		if _, ok := schemas.Read(name + ".json"); !ok {
			t.Errorf("contract %s cannot be read", name)
		}
	}
}

// negative is a bad state: the good example with a patch, and the rule that
// refuses it. "schema" is the JSON Schema, "code" a structural rule that only
// Check has.
type negative struct {
	Name  string `json:"name"`
	Rule  string `json:"rule"`
	Patch []struct {
		Op     string `json:"op"`
		Path   string `json:"path"`
		Value  any    `json:"value"`
		Repeat int    `json:"repeat"`
	} `json:"patch"`
}

func TestNegativeExamples(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(examples, "compact-working-state.negative.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bad []negative
	if err := json.Unmarshal(raw, &bad); err != nil {
		t.Fatal(err)
	}
	if len(bad) < 60 {
		t.Fatalf("only %d bad examples were read", len(bad))
	}
	good, err := Marshal(example(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range bad {
		t.Run(n.Name, func(t *testing.T) {
			doc := patched(t, good, n)
			if (len(Validate(doc)) == 0) != (len(referenceProblems("compact-working-state", doc)) == 0) {
				t.Error("the two implementations of JSON Schema disagree")
			}
			if n.Rule == "schema" && len(Validate(doc)) == 0 {
				t.Error("the JSON Schema accepts it")
			}
			s, err := Unmarshal(doc)
			if err != nil {
				if pith.KindOf(err) != pith.KindInput {
					t.Errorf("reading it is an error of another kind: %v", err)
				}
				return
			}
			stamp(s) // so that it is not refused for its id alone
			want := n.Rule
			if want == "code" {
				want = ruleSchema
			}
			problems := Check(s)
			// What JSON alone can show, a missing member, leaves nothing for Check.
			if n.Rule == "schema" && strings.Contains(n.Name, "missing") {
				return
			}
			if len(problems) == 0 || n.Rule != "schema" && !slices.ContainsFunc(problems, func(p Problem) bool { return p.Rule == want }) {
				t.Errorf("Check says %v, want a problem of %s", problems, want)
			}
		})
	}
}

// patched applies the operations of RFC 6902 that the examples use.
func patched(t *testing.T, doc []byte, n negative) []byte {
	t.Helper()
	var root any
	if err := json.Unmarshal(doc, &root); err != nil {
		t.Fatal(err)
	}
	for _, op := range n.Patch {
		value := op.Value
		if op.Repeat > 0 {
			value = strings.Repeat(value.(string), op.Repeat)
		}
		parts := strings.Split(op.Path, "/")[1:]
		root = edit(t, root, parts, op.Op, value)
	}
	b, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func edit(t *testing.T, node any, path []string, op string, value any) any {
	t.Helper()
	key := path[0]
	switch n := node.(type) {
	case map[string]any:
		_, there := n[key]
		switch {
		case len(path) > 1:
			n[key] = edit(t, n[key], path[1:], op, value)
		case op == "remove" && there:
			delete(n, key)
		case op == "replace" && there, op == "add":
			n[key] = value
		default:
			t.Fatalf("%s: the example has no member %s", op, key)
		}
		return n
	case []any:
		i := len(n)
		if key != "-" {
			var err error
			if i, err = strconv.Atoi(key); err != nil || i > len(n) || i == len(n) && op != "add" {
				t.Fatalf("%s: the example has no entry %s", op, key)
			}
		}
		switch {
		case len(path) > 1:
			n[i] = edit(t, n[i], path[1:], op, value)
		case op == "add":
			return slices.Insert(n, i, value)
		case op == "replace":
			n[i] = value
		case op == "remove":
			return slices.Delete(n, i, i+1)
		}
		return n
	}
	t.Fatalf("%s: nothing at %v", op, path)
	return nil
}

func TestCheckFinds(t *testing.T) {
	tests := []struct {
		name, rule, path string
		change           func(*pith.State)
	}{
		{"changed after it was made", "V19", "/checkpoint/id", func(s *pith.State) { s.WorkType = pith.WorkFeature; s.Checkpoint.ID = example().Checkpoint.ID }},
		{"no id", "V19", "/checkpoint/id", func(s *pith.State) { s.Checkpoint.ID = "" }},
		{"invalid UTF-8", "V17", "/current_goal/amendments/0/text", func(s *pith.State) { s.Goal.Amendments[0].Text = "caf\xc3" }},
		{"escape in a map key", "V17", "/extensions/tool_results/a\x1b", func(s *pith.State) {
			s.Extensions = &pith.Extensions{ToolResults: map[string]string{"a\x1b": ""}}
		}},
		{"source that cannot be written", "V02", "/next_single_safe_action/source", func(s *pith.State) { s.Next.Source = pith.Source{Message: 8, Start: 9, End: 4} }},
		{"superseded by another command", "V13", "/verification_and_evidence/0/superseded_by", func(s *pith.State) {
			other := s.Evidence[0]
			other.ID, other.Command, other.Verifies, other.Status, other.ExitCode, other.Counts = "ev-0123456789", "go vet", "go vet", "pass", nil, nil
			other.Source = pith.Source{Message: 6, Start: 3, End: 9}
			s.Evidence[0].SupersededBy = &other.ID
			s.Evidence = append(s.Evidence, other)
		}},
		{"too large", "V01", "", func(s *pith.State) { s.Goal.Text = strings.Repeat("x", 5<<20) }},
		{"too much beside the lists", "V01", "", func(s *pith.State) {
			for i := range 3000 {
				f := pith.FailedAttempt{ID: fmt.Sprintf("fa-%010x", i), Attempt: strings.Repeat("y", 400), Occurrences: 1, Provenance: pith.ToolOutput, Source: s.Evidence[0].Source}
				s.Failed = append(s.Failed, f)
			}
			s.EmptySlots = []string{}
		}},
		{"block of no kind", "schema", "/blocks/0.0", func(s *pith.State) {
			s.Blocks["0.0"] = pith.BlockRef{Role: "user", Type: "hologram", Hash: strings.Repeat("0", 16)}
		}},
		{"key that is no block", "schema", "/blocks/00.0", func(s *pith.State) { s.Blocks["00.0"] = s.Blocks["0.0"] }},
		{"outside path", "V10", "/next_single_safe_action/requires_confirmation", func(s *pith.State) { s.Files.Modified[0].Outside = true }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := example()
			tt.change(s)
			if tt.rule != "V19" {
				stamp(s)
			}
			problems := Check(s)
			if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Rule == tt.rule && p.Path == tt.path }) {
				t.Errorf("got %v, want %s at %s", problems, tt.rule, tt.path)
			}
		})
	}
}

// TestCheckAllows holds Check against honest states that look unusual.
func TestCheckAllows(t *testing.T) {
	tests := map[string]func(*pith.State){
		"unknown phase":    func(s *pith.State) { s.Phase = pith.Phase{Status: "in_progress"} },
		"no clock":         func(s *pith.State) { s.Checkpoint.CreatedAt = nil },
		"windows path":     func(s *pith.State) { s.Files.Modified[0].Path = `C:\Users\dev\auth\refresh.go` },
		"emoji and joiner": func(s *pith.State) { s.Phase.Name = "Überarbeitung 👩\u200d💻 ✔\ufe0f می\u200cخواهم" },
		"grown session":    func(s *pith.State) { s.Metrics.TokensAfter = s.Metrics.TokensBefore + 1 },
		"chained":          func(s *pith.State) { s.Checkpoint.Seq, s.Checkpoint.ParentID = 1, ptr(strings.Repeat("ab", 32)) },
		"quoted operator":  func(s *pith.State) { s.Next.Command = `grep -n 'a|b;c' refresh.go` },
		"later failure supersedes": func(s *pith.State) {
			later := s.Evidence[0]
			later.ID, later.Source = "ev-0123456789", pith.Source{Message: 7}
			s.Evidence[0].SupersededBy = &later.ID
			s.Evidence = append(s.Evidence, later)
		},
		"reading outside": func(s *pith.State) {
			s.Files.Modified[0].Outside = true
			s.Next.Kind = "inspect"
		},
		"no step at a result": func(s *pith.State) {
			s.Next = pith.NextAction{Kind: "none", Text: "No step is open.", Basis: "none", Preconditions: s.Next.Preconditions, Provenance: pith.Assistant, Source: s.Evidence[0].Source}
		},
		"confirmed destruction": func(s *pith.State) {
			s.Next.Kind, s.Next.Command = "command", "rm -r build"
			s.Next.Destructive, s.Next.RequiresConfirmation = true, true
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			s := example()
			change(s)
			stamp(s)
			noProblems(t, Check(s))
			b, err := Marshal(s, false)
			if err != nil {
				t.Fatal(err)
			}
			noProblems(t, Validate(b))
		})
	}
}

func TestSeal(t *testing.T) {
	s := example()
	want := s.Checkpoint.ID
	s.Checkpoint.ID = "anything"
	written, problems := Seal(s)
	noProblems(t, problems)
	if s.Checkpoint.ID != want {
		t.Errorf("the id is %s, want %s", s.Checkpoint.ID, want)
	}
	if marshalled, err := Marshal(s, false); err != nil || string(written) != string(marshalled) {
		t.Errorf("%v: Seal wrote\n%s\nand Marshal\n%s", err, written, marshalled)
	}
	s.WorkType = "chore"
	if written, problems := Seal(s); len(problems) != 1 || written != nil {
		t.Error("Seal does not check")
	}
}

func TestProblemsAreInOrder(t *testing.T) {
	s := example()
	for i := range 40 {
		s.Blocks[fmt.Sprintf("%d.9", i)] = pith.BlockRef{Type: "image"}
	}
	first := Check(s)
	for range 5 {
		if !slices.Equal(first, Check(s)) {
			t.Fatal("the same state gives its problems in another order")
		}
	}
}

func TestCommands(t *testing.T) {
	tests := []struct {
		command     string
		composed    string
		destructive bool
	}{
		{"go test ./...", "", false},
		{"go test ./... | tail -5", "|", false},
		{"cd a && make", "&&", false},
		{"a || b", "||", false},
		{`echo "a; b" 'c && d'`, "", false},
		{`echo "$(date)"`, "$(", false},
		{"echo `date`", "`", false},
		{`echo 'a$(b)'`, "", false},
		{"echo a\\;b", "", false},
		{"a\nb", "\n", false},
		{"rm -rf build", "", true},
		{"rm build/a.o", "", false},
		{"rm --recursive x", "", true},
		{"sudo -n rm -R x", "", true},
		{"FOO=1 rm -fr x", "", true},
		{`bash -lc "cd x && rm -rf y"`, "", true},
		{"git reset --hard HEAD~1", "", true},
		{"git reset HEAD~1", "", false},
		{"git push --force-with-lease", "", true},
		{"git push -f", "", true},
		{"git push origin +main", "", true},
		{"git push origin main", "", false},
		{"git clean -fd", "", true},
		{"git clean -n", "", false},
		{"psql -c 'drop table users'", "", true},
		{"psql -c 'select 1'", "", false},
		{"dd if=/dev/zero of=/dev/sda", "", true},
		{"mkfs.ext4 /dev/sda1", "", true},
		{"kubectl delete pod x", "", true},
		{"kubectl get pods", "", false},
		{"terraform destroy", "", true},
		{"terraform plan", "", false},
		{"grep -rn 'rm -rf' .", "", false},
		{"find . -name '*.o' -delete", "", true},
	}
	for _, tt := range tests {
		if got := composed(tt.command); got != tt.composed {
			t.Errorf("Composed(%q) = %q, want %q", tt.command, got, tt.composed)
		}
		if got := destructive(tt.command); got != tt.destructive {
			t.Errorf("Destructive(%q) = %v, want %v", tt.command, got, tt.destructive)
		}
	}
}
