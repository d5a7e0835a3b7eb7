package schema

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/contracts/schemas"
)

type anyObject map[string]any

// TestContractFollowsTypes compares the members of each object of the contract
// with the Go struct that is written there: the same names, in the same order
// of need, and required exactly where the struct always writes them.
func TestContractFollowsTypes(t *testing.T) {
	seen := 0
	for name, typ := range map[string]reflect.Type{
		"compact-working-state": reflect.TypeFor[pith.State](),
		"compact-memory":        reflect.TypeFor[pith.Compact](),
	} {
		raw, _ := schemas.Read(name)
		var root anyObject
		if err := json.Unmarshal(raw, &root); err != nil {
			t.Fatal(err)
		}
		compareObject(t, root, root, typ, name, &seen)
	}
	if seen < 30 {
		t.Errorf("only %d objects were compared", seen)
	}
}

func compareObject(t *testing.T, root, node anyObject, typ reflect.Type, at string, seen *int) {
	t.Helper()
	node = resolve(root, node)
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch {
	case typ.Kind() == reflect.Slice:
		items, _ := node["items"].(map[string]any)
		compareObject(t, root, items, typ.Elem(), at+"[]", seen)
		return
	case typ.Kind() == reflect.Map:
		if values, ok := node["additionalProperties"].(map[string]any); ok {
			compareObject(t, root, values, typ.Elem(), at+"{}", seen)
		}
		return
	case typ.Kind() != reflect.Struct || node["properties"] == nil:
		return
	}
	*seen++
	props := node["properties"].(map[string]any)
	var required []string
	if list, ok := node["required"].([]any); ok {
		for _, r := range list {
			required = append(required, r.(string))
		}
	}
	if closed, ok := node["additionalProperties"].(bool); !ok || closed {
		t.Errorf("%s is not closed", at)
	}
	fields := 0
	for i := range typ.NumField() {
		name, option, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		fields++
		child, ok := props[name].(map[string]any)
		if !ok {
			t.Errorf("%s: the contract lacks %s", at, name)
			continue
		}
		if slices.Contains(required, name) == (option == "omitempty") {
			t.Errorf("%s: %s is required by one of contract and struct only", at, name)
		}
		compareObject(t, root, child, typ.Field(i).Type, at+"/"+name, seen)
	}
	if fields != len(props) {
		t.Errorf("%s: the contract has %d members, the struct %d", at, len(props), fields)
	}
}

// resolve follows references and takes the object out of "it or null".
func resolve(root, node anyObject) anyObject {
	for {
		if ref, ok := node["$ref"].(string); ok {
			node = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
			continue
		}
		list, ok := node["anyOf"].([]any)
		if !ok {
			list, ok = node["allOf"].([]any)
			if !ok || node["properties"] != nil {
				return node
			}
		}
		node = list[0].(map[string]any)
	}
}

// TestForbiddenAgrees holds the pattern of the contract against Forbidden, for
// every code point.
func TestForbiddenAgrees(t *testing.T) {
	s := example()
	for _, block := range []rune{0, 0x2000, 0x3100, 0xfe00, 0xff80, 0x1f300, 0xe0000, 0x10ff00} {
		for r := block; r < block+0x300 && r <= 0x10ffff; r++ {
			s.Phase.Name = string(r)
			b, err := Marshal(s, false)
			if err != nil {
				t.Fatal(err)
			}
			if got := cleanBytes(b) == false; got != forbidden(r) {
				t.Fatalf("U+%04X: found %v, forbidden %v", r, got, forbidden(r))
			}
			if r%9 > 0 && forbidden(r) == forbidden(r-1) && forbidden(r) == forbidden(r+1) {
				continue // the JSON Schema is slow: it is asked at the edges
			}
			if got := len(Validate(b)) > 0; got != (forbidden(r) || r == '\n') {
				t.Fatalf("U+%04X: refused by the contract %v, forbidden %v", r, got, forbidden(r))
			}
		}
	}
}

// TestEnvelopeExamples makes the signed envelope of the example state and the
// task that carries it, with a key that is no secret.
func TestEnvelopeExamples(t *testing.T) {
	payload, err := Canonical(example())
	if err != nil {
		t.Fatal(err)
	}
	key := sha256.Sum256([]byte("the key of pith's examples"))
	keyID := sha256Hex(key[:])[:16]
	const payloadType, created = "application/vnd.compact-working-state+json", "2026-11-29T10:00:00Z"
	nonce := strings.Repeat("0", 32)
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte("CWSv1"))
	for _, field := range []string{payloadType, keyID, "5d1f2c3e-session", "0", "", "self", nonce, created, "", string(payload)} {
		fmt.Fprintf(mac, "%d %s", len(field), field)
	}
	type envelope struct {
		Version       int     `json:"envelope_version"`
		PayloadType   string  `json:"payload_type"`
		Payload       string  `json:"payload"`
		PayloadSHA256 string  `json:"payload_sha256"`
		SessionID     string  `json:"session_id"`
		Seq           int     `json:"seq"`
		ParentMAC     *string `json:"parent_mac"`
		Audience      string  `json:"audience"`
		Nonce         string  `json:"nonce"`
		CreatedAt     string  `json:"created_at"`
		ExpiresAt     *string `json:"expires_at"`
		Alg           string  `json:"alg"`
		KeyID         string  `json:"key_id"`
		MAC           string  `json:"mac"`
	}
	e := envelope{
		Version: 1, PayloadType: payloadType, Payload: base64.StdEncoding.EncodeToString(payload), PayloadSHA256: sha256Hex(payload),
		SessionID: "5d1f2c3e-session", Audience: "self", Nonce: nonce, CreatedAt: created, Alg: "HMAC-SHA256", KeyID: keyID,
		MAC: hex.EncodeToString(mac.Sum(nil)),
	}
	task := map[string]any{
		"task_id": "t-1", "delegator": "main", "assignee_role": "tester", "task_description": "Run the race test",
		"output_schema_ref": "contracts/schemas/a2a-artifact.json", "success_criteria": []string{"exit code 0"}, "risk_tier": "engineering",
		"input_data": map[string]any{
			"compact_working_state": e,
			"permissions":           map[string]any{"tools": []string{"run_tests"}, "paths": []string{"internal/auth"}},
		},
	}
	for name, doc := range map[string]any{"checkpoint-envelope": e, "a2a-task-compaction": task} {
		b, err := encode(doc, true, false)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, '\n')
		golden(t, name+".example.json", b)
		noProblems(t, validateAs(name, b))
		if p := validateAs(name, bytes.Replace(b, []byte(`"HMAC-SHA256"`), []byte(`"none"`), 1)); len(p) == 0 {
			t.Errorf("%s: the contract accepts an envelope without a signature", name)
		}
	}
}

func TestValidateSays(t *testing.T) {
	tests := []struct{ name, doc, want string }{
		{"no JSON", "{", "is not JSON"},
		{"control", strings.Replace(string(exampleJSON(t, false)), "Do not change", `Do\u001b not change`, 1), `schema /current_goal: has another form`},
		{"label", strings.Replace(string(exampleJSON(t, false)), `"TOOL_OUTPUT"`, `"ASSISTANT"`, 1), `schema /verification_and_evidence: enum: ASSISTANT does not equal any of: [TOOL_OUTPUT HARNESS PEER_AGENT UNVERIFIED_IMPORT]`},
		{"missing", strings.Replace(string(exampleJSON(t, false)), `"work_type":"bugfix",`, ``, 1), "/work_type: is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problems := Validate([]byte(tt.doc))
			text := fmt.Sprint(problems)
			if !strings.Contains(text, tt.want) || strings.Contains(text, "\n") {
				t.Errorf("got %s, want %s", text, tt.want)
			}
		})
	}
	if p := validateAs("invoice", []byte("{}")); len(p) != 1 {
		t.Errorf("an unknown contract gives %v", p)
	}
}
