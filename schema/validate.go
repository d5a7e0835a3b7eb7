package schema

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/pith-memory/pith/contracts/schemas"
)

// Validate holds a document against the JSON Schema of the working state and
// returns every violation. Compiling the schema takes some milliseconds, so
// only verifying does this; Check runs always.
func Validate(b []byte) []Problem { return ValidateAs("compact-working-state", b) }

// ValidateCompact does the same for an 8-field memory.
func ValidateCompact(b []byte) []Problem { return ValidateAs("compact-memory", b) }

// ValidateAs holds a document against the contract of the given name.
func ValidateAs(name string, b []byte) []Problem {
	all, err := compiled()
	if err != nil {
		return []Problem{{ruleSchema, "", "the contracts cannot be compiled: " + err.Error()}}
	}
	contract := all[name]
	if contract == nil {
		return []Problem{{ruleSchema, "", fmt.Sprintf("there is no contract %q", name)}}
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return []Problem{{ruleSchema, "", "is not JSON: " + err.Error()}}
	}
	var invalid *jsonschema.ValidationError
	if err := contract.Validate(doc); !errors.As(err, &invalid) {
		return nil
	}
	var problems []Problem
	leaves(invalid, &problems)
	slices.SortStableFunc(problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(problems)
}

// compiled are the JSON Schemas of contracts/schemas by name.
var compiled = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	var names []string
	for _, name := range schemas.Names() {
		b, _ := schemas.Read(name)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("read contract %s: %w", name, err)
		}
		if m, ok := doc.(map[string]any); !ok || m["$schema"] == nil {
			continue // the mapping table is no schema
		}
		if err := c.AddResource(name, doc); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	all := make(map[string]*jsonschema.Schema, len(names))
	for _, name := range names {
		s, err := c.Compile(name)
		if err != nil {
			return nil, err
		}
		all[name] = s
	}
	return all, nil
})

// leaves gathers the violations themselves, without the groups around them.
func leaves(e *jsonschema.ValidationError, out *[]Problem) {
	if len(e.Causes) == 0 {
		*out = append(*out, Problem{ruleSchema, pointer(e.InstanceLocation...), explain(e.ErrorKind)})
		return
	}
	for _, cause := range e.Causes {
		leaves(cause, out)
	}
}

// explain says a violation in one line. The library's own words serve, except
// where they repeat a pattern full of invisible characters or whole texts.
func explain(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Pattern:
		for _, r := range k.Got {
			if Forbidden(r) {
				return fmt.Sprintf("holds the code point U+%04X; write it as \\u{%04X}", r, r)
			}
		}
		if strings.Contains(k.Got, "\n") {
			return "must be one line"
		}
		return fmt.Sprintf("%s does not have the form %s", clip(strconv.Quote(k.Got), 80), k.Want)
	case *kind.Enum:
		return fmt.Sprintf("is %s, want one of %s", clip(fmt.Sprintf("%#v", k.Got), 60), listing(k.Want))
	case *kind.Const:
		return fmt.Sprintf("is %s, want %#v", clip(fmt.Sprintf("%#v", k.Got), 60), k.Want)
	case *kind.Not:
		return "holds what is not allowed here"
	case *kind.Contains:
		return "lacks an entry that the rest of the document asks for"
	}
	return strings.ReplaceAll(k.LocalizedString(message.NewPrinter(language.English)), "\n", " ")
}

func listing(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = fmt.Sprint(v)
		if v == nil {
			parts[i] = "null"
		}
	}
	return strings.Join(parts, ", ")
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
