package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pith-memory/pith/contracts/schemas"
)

// Validate holds a document against the JSON Schema of the working state and
// returns the first violation of every slot. Resolving the schema takes some
// milliseconds, so only verifying does this; Check runs always.
func Validate(b []byte) []Problem { return validateAs("compact-working-state", b) }

// ValidateCompact does the same for an 8-field memory.
func ValidateCompact(b []byte) []Problem { return validateAs("compact-memory", b) }

// ValidateTask does the same for a task that hands a state over.
func ValidateTask(b []byte) []Problem { return validateAs("a2a-task-compaction", b) }

// validateAs holds a document against the contract of the given name.
func validateAs(name string, b []byte) []Problem {
	all, err := contracts()
	if err == nil && all[name] == nil {
		err = fmt.Errorf("there is no contract %q", name)
	}
	if err != nil {
		return []Problem{{ruleSchema, "", err.Error()}}
	}
	var doc any
	if err := json.Unmarshal(b, &doc); err != nil {
		return []Problem{{ruleSchema, "", "is not JSON: " + err.Error()}}
	}
	first := all[name].Validate(doc)
	if first == nil {
		return nil
	}
	object, ok := doc.(map[string]any)
	if !ok {
		return []Problem{{ruleSchema, "", explain(first)}}
	}
	problems := memberProblems(name, all[name].Schema(), object)
	if len(problems) == 0 {
		problems = []Problem{{ruleSchema, "", explain(first)}} // about the document as a whole
	}
	return problems
}

// memberProblems validates each member by itself: the library stops at the
// first violation, and a person wants to mend more than one thing at a time.
func memberProblems(name string, contract *jsonschema.Schema, object map[string]any) []Problem {
	var problems []Problem
	for _, member := range slices.Sorted(maps.Keys(object)) {
		r, err := memberContract(name, member, contract)
		if err == nil {
			err = r.Validate(map[string]any{member: object[member]})
		}
		if err != nil {
			problems = append(problems, Problem{ruleSchema, pointer(member), explain(err)})
		}
	}
	for _, member := range contract.Required {
		if _, ok := object[member]; !ok {
			problems = append(problems, Problem{ruleSchema, pointer(member), "is missing"})
		}
	}
	return problems
}

// memberContracts keeps what memberContract resolved, by contract and member.
var memberContracts sync.Map

// memberContract is a contract that speaks of one member alone.
func memberContract(name, member string, contract *jsonschema.Schema) (*jsonschema.Resolved, error) {
	key := name + "#" + member
	if r, ok := memberContracts.Load(key); ok {
		return r.(*jsonschema.Resolved), nil
	}
	part := contract.CloneSchemas()
	part.Required, part.AllOf, part.If, part.Then, part.Else = nil, nil, nil, nil, nil
	part.Properties = map[string]*jsonschema.Schema{}
	p := contract.Properties[member]
	if p == nil {
		return resolveContract(part) // the name is the document's own: nothing to keep
	}
	part.Properties[member] = p.CloneSchemas()
	r, err := resolveContract(part)
	if err == nil {
		memberContracts.Store(key, r)
	}
	return r, err
}

// base is what the contracts' relative names are resolved against; nothing is
// ever fetched.
const base = "https://pith.invalid/"

func resolveContract(s *jsonschema.Schema) (*jsonschema.Resolved, error) {
	return s.Resolve(&jsonschema.ResolveOptions{BaseURI: base, Loader: func(u *url.URL) (*jsonschema.Schema, error) {
		return readContract(strings.TrimPrefix(u.Path, "/"))
	}})
}

// readContract reads the JSON Schema of contracts/schemas with the given name.
func readContract(name string) (*jsonschema.Schema, error) {
	b, ok := schemas.Read(name)
	if !ok {
		return nil, errors.New("the contract " + name + " is not embedded")
	}
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("read contract %s: %w", name, err)
	}
	return s, nil
}

// contracts are the resolved contracts by name.
var contracts = sync.OnceValues(func() (map[string]*jsonschema.Resolved, error) {
	all := map[string]*jsonschema.Resolved{}
	for _, name := range schemas.Names() {
		s, err := readContract(name)
		if err != nil {
			return nil, err
		}
		if s.Schema == "" {
			continue // the mapping table is no schema
		}
		if all[name], err = resolveContract(s); err != nil {
			return nil, fmt.Errorf("resolve contract %s: %w", name, err)
		}
	}
	return all, nil
})

// explain says a violation in one line: the library's last word, after the
// place in the contract that it is about.
func explain(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	place := ""
	for {
		head, rest, ok := strings.Cut(text, ": ")
		if !ok || !strings.HasPrefix(head, "validating ") {
			break
		}
		place, text = strings.TrimPrefix(head, "validating "), rest
	}
	if strings.HasPrefix(text, "pattern: ") {
		// The pattern itself is full of invisible characters.
		text = "has another form than the contract wants, or holds a control or invisible character"
	}
	return clip(text, 300) + " (contract: " + place + ")"
}

// clip shortens a text to n characters.
func clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count++; count == n {
			return s[:i] + "…"
		}
	}
	return s
}
