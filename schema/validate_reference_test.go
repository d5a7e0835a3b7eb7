package schema

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pith-memory/pith/contracts/schemas"
)

// referenceProblems validates with a second, independent implementation, whose
// verdict the contracts are kept by.
func referenceProblems(name string, b []byte) []Problem {
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
	return []Problem{{ruleSchema, "", invalid.Error()}}
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
