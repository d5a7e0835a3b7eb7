package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// argumentsError says of the arguments of a call what is wrong with the first
// that does not fit and what to pass, in one line. The SDK checks them too, but
// says it in terms of JSON Schema.
func (s *Server) argumentsError(req mcp.Request) error {
	p, ok := req.GetParams().(*mcp.CallToolParamsRaw)
	if !ok || p == nil {
		return nil
	}
	schema := s.takes[p.Name]
	if schema == nil || len(p.Arguments) == 0 {
		return fitArguments(schema, p.Name, nil)
	}
	in := json.NewDecoder(bytes.NewReader(p.Arguments))
	in.UseNumber()
	var args any
	if err := in.Decode(&args); err != nil {
		return usage("", "%s: the arguments are no JSON; pass an object with %s", p.Name, names(schema))
	}
	object, ok := args.(map[string]any)
	if !ok && args != nil {
		return usage("", "%s: the arguments are %s; pass an object with %s", p.Name, shown(args), names(schema))
	}
	return fitArguments(schema, p.Name, object)
}

// fitArguments finds what is unknown, missing or of a wrong value in the
// arguments of a tool.
func fitArguments(schema *jsonschema.Schema, tool string, args map[string]any) error {
	if schema == nil {
		return nil // no such tool: the SDK says so
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if schema.Properties[name] == nil {
			return usage("", "%s has no argument %q; it takes %s", tool, short(name), names(schema))
		}
	}
	for _, name := range schema.Required {
		if _, ok := args[name]; !ok {
			return usage("", "%s: the argument %s is missing; pass %s", tool, name, allowed(schema.Properties[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		at, what, want := misfit(schema.Properties[name], name, args[name])
		switch {
		case want == nil:
		case slices.Contains(schema.Required, name):
			return usage("", "%s: %s is %s; pass %s", tool, at, what, allowed(want))
		default:
			return usage("", "%s: %s is %s; pass %s, or leave %s out", tool, at, what, allowed(want), name)
		}
	}
	return nil
}

// names lists the arguments of a tool, those first that must be there.
func names(schema *jsonschema.Schema) string {
	var all []string
	for _, name := range schema.Required {
		all = append(all, name+" (required)")
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if !slices.Contains(schema.Required, name) {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}

// misfit says where a value does not fit a schema, what stands there, and the
// schema of that place; nil where all of it fits.
func misfit(s *jsonschema.Schema, at string, v any) (where, what string, want *jsonschema.Schema) {
	fits := false
	switch v := v.(type) {
	case string:
		n := utf8.RuneCountInString(v)
		fits = s.Type == "string" && (s.MinLength == nil || n >= *s.MinLength) && (s.MaxLength == nil || n <= *s.MaxLength) &&
			(s.Enum == nil || slices.Contains(s.Enum, any(v)))
	case json.Number:
		n, err := v.Int64()
		fits = err == nil && s.Type == "integer" && float64(n) >= *s.Minimum && float64(n) <= *s.Maximum
	case bool:
		fits = s.Type == "boolean"
	case []any:
		if s.Type != "array" || len(v) > *s.MaxItems {
			break
		}
		for i := range v {
			if where, what, want = misfit(s.Items, fmt.Sprintf("%s[%d]", at, i), v[i]); want != nil {
				return where, what, want
			}
			if slices.Contains(v[:i], v[i]) {
				return at, "a list with the same text twice", s
			}
		}
		fits = true
	}
	if fits {
		return "", "", nil
	}
	return at, shown(v), s
}

// allowed describes what a schema of an argument takes.
func allowed(s *jsonschema.Schema) string {
	switch {
	case s.Enum != nil:
		var values []string
		for _, v := range s.Enum {
			values = append(values, fmt.Sprint(v))
		}
		return "one of " + strings.Join(values, ", ")
	case s.Type == "string":
		return fmt.Sprintf("a text of %d to %d characters", *s.MinLength, *s.MaxLength)
	case s.Type == "integer":
		return fmt.Sprintf("a whole number from %.0f to %.0f", *s.Minimum, *s.Maximum)
	case s.Type == "array":
		return fmt.Sprintf("a list of up to %d different texts of %d to %d characters", *s.MaxItems, *s.Items.MinLength, *s.Items.MaxLength)
	}
	return "true or false"
}

// longValue is how long a value may be to be quoted in an error. Units: bytes.
const longValue = 40

// shown describes a value that was passed.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		if len(v) <= longValue {
			return fmt.Sprintf("the text %q", v)
		}
		return fmt.Sprintf("a text of %d characters", utf8.RuneCountInString(v))
	case json.Number:
		if len(v) <= longValue {
			return v.String()
		}
		return "a long number"
	case bool:
		return fmt.Sprint(v)
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case nil:
		return "null"
	}
	return "an object"
}
