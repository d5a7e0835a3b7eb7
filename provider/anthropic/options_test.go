package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/compactor"
	"github.com/pith-memory/pith/provider/anthropic"
)

func TestOptionsAreChecked(t *testing.T) {
	for name, o := range map[string]anthropic.Options{
		"no model":       {Key: key},
		"no key":         {Model: "claude-haiku-4-5"},
		"line break":     {Model: "claude-haiku-4-5", Key: key + "\n"},
		"no scheme":      {Model: "claude-haiku-4-5", Key: key, BaseURL: "user:" + key + "@example.com"},
		"no host":        {Model: "claude-haiku-4-5", Key: key, BaseURL: "https://"},
		"time":           {Model: "claude-haiku-4-5", Key: key, Timeout: -time.Second},
		"window":         {Model: "claude-haiku-4-5", Key: key, Window: -1},
		"header no key":  {Model: "claude-haiku-4-5", Header: map[string][]string{"X-Team": {"a"}}},
		"header of none": {Model: "claude-haiku-4-5", Header: map[string][]string{"X-Api-Key": nil}},
	} {
		_, err := anthropic.New(o)
		if pith.KindOf(err) != pith.KindUsage || pith.HintOf(err) == "" || strings.Contains(err.Error()+pith.HintOf(err), key) {
			t.Errorf("%s: %v (%s)", name, err, pith.HintOf(err))
		}
	}
	for name, o := range map[string]anthropic.Options{
		"header": {Model: "m", Header: map[string][]string{"authorization": {"Bearer x"}}},
		"client": {Model: "m", Client: []option.RequestOption{option.WithAuthToken("x")}},
	} {
		if _, err := anthropic.New(o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeyIsNeverPrinted(t *testing.T) {
	o := anthropic.Options{
		Model: "claude-haiku-4-5", Key: key, BaseURL: "https://user:" + key + "@example.com/x",
		Header: map[string][]string{"X-Secret": {key}},
	}
	m := newModel(t, o)
	var out bytes.Buffer
	for _, v := range []any{o, &o, m, *m, []any{o, m}, map[string]any{"o": &o}} {
		fmt.Fprintf(&out, "%v %+v %#v %s\n", v, v, v, v)
	}
	slog.New(slog.NewJSONHandler(&out, nil)).Info("set up", "options", o, "pointer", &o, "model", m)
	slog.New(slog.NewTextHandler(&out, nil)).Info("set up", "options", o, "pointer", &o, "model", m)
	o.BaseURL = ""
	raw, _ := json.Marshal(o)
	out.Write(raw)
	if strings.Contains(out.String(), key) {
		t.Errorf("the key is in\n%s", out.String())
	}
	if !strings.Contains(out.String(), "claude-haiku-4-5") || !strings.Contains(out.String(), "X-Secret") {
		t.Errorf("it says nothing:\n%s", out.String())
	}
}

// What the SDK would read by itself is not read: neither variables nor, with
// none of them set, the profile on the disk.
func TestEnvironmentIsNotRead(t *testing.T) {
	variables := map[string]string{
		"ANTHROPIC_API_KEY": "from-env", "ANTHROPIC_AUTH_TOKEN": "from-env", "ANTHROPIC_BASE_URL": "TRAP", "ANTHROPIC_PROFILE": "trap",
		"ANTHROPIC_CUSTOM_HEADERS": "X-Trap: from-env", "ANTHROPIC_WORKSPACE_ID": "from-env",
		"ANTHROPIC_FEDERATION_RULE_ID": "from-env", "ANTHROPIC_ORGANIZATION_ID": "from-env", "ANTHROPIC_IDENTITY_TOKEN": "from-env",
	}
	for name, set := range map[string]bool{"variables": true, "files": false} {
		t.Run(name, func(t *testing.T) {
			trap, trapped := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { writeJSON(w, 200, answerJSON) })
			for name, value := range variables {
				t.Setenv(name, strings.ReplaceAll(value, "TRAP", trap))
				if !set {
					os.Unsetenv(name)
				}
			}
			t.Setenv("ANTHROPIC_CONFIG_DIR", trapFolder(t, trap))
			checkUntouched(t)
			if len(trapped.bodies) > 0 {
				t.Error("a host from the environment was asked")
			}
		})
	}
}

// trapFolder is a folder with a profile that the SDK would take.
func trapFolder(t *testing.T, trap string) string {
	t.Helper()
	folder := t.TempDir()
	profile := `{"authentication":{"type":"user_oauth"},"base_url":"` + trap + `","workspace_id":"wrkspc_trap"}`
	for path, content := range map[string]string{
		"configs/default.json": profile, "configs/trap.json": profile, "active_config": "trap",
		"credentials/default.json": `{"type":"oauth_token","access_token":"from-disk"}`,
		"credentials/trap.json":    `{"type":"oauth_token","access_token":"from-disk"}`,
	} {
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func checkUntouched(t *testing.T) {
	t.Helper()
	url, got := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { writeJSON(w, 200, answerJSON) })
	if _, err := anthropic.New(anthropic.Options{Model: "m"}); pith.KindOf(err) != pith.KindUsage {
		t.Errorf("without a key: %v", err)
	}
	for name, o := range map[string]anthropic.Options{
		"key":    {Key: key, BaseURL: url},
		"header": {Header: map[string][]string{"Authorization": {"Bearer " + key}}, Client: []option.RequestOption{}, BaseURL: url},
		"client": {Client: []option.RequestOption{option.WithBaseURL(url)}},
	} {
		m := newModel(t, o)
		if _, err := m.Complete(t.Context(), compactor.Request{Prompt: "Hi"}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		h := got.requests[len(got.requests)-1].Header
		if name != "client" && h.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s: Authorization is %q", name, h.Get("Authorization"))
		}
		if all := fmt.Sprint(h); strings.Contains(all, "from-") || strings.Contains(all, "trap") {
			t.Errorf("%s: the headers are %s", name, all)
		}
	}
	// Without BaseURL the host is Anthropic's, whatever the environment says.
	host := ""
	m := newModel(t, anthropic.Options{Key: key, MaxRetries: -1, Client: []option.RequestOption{
		option.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			host = r.URL.String()
			return nil, errors.New("no network in tests")
		})}),
	}})
	if _, err := m.Complete(t.Context(), compactor.Request{Prompt: "Hi"}); err == nil || host != "https://api.anthropic.com/v1/messages" {
		t.Errorf("the host is %s, the error %v", host, err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
