package redact

import (
	"strings"
	"testing"
	"time"
)

// TestHostileText holds the bound on work: a quarter of a megabyte of anything is done in
// a time that a quadratic scan would pass many times over.
func TestHostileText(t *testing.T) {
	for _, unit := range []string{
		"token=", "token: ", "password=\"", "a_token==", "Bearer ", "://a:b@", "://", "@tcp(", "Cookie: a=b;", "Authorization: Bearer ",
		"-----BEGIN RSA PRIVATE KEY-----\n", "-----END RSA PRIVATE KEY-----\n", "-----BEGIN RSA PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAA\n", "AAAA\n",
		"[REDACTED:a:1]", "[REDACTED:", "[", "data:\n", "data:\n kind: Secret\n", "kind: Secret\n", "value: ", "name: token\nvalue: ", "eyJhbGciOiJIUzI1NiJ9.",
		"sk-", "eyJ-", "authorization=bearer%20", "key-", "hooks.slack.com/services/", "ghp_\\\n", "\\", "\\\\\"", "%3D", "%3Dtoken", "--password ", "-u a:", "curl -u ", "mysql -p", "machine login password ", "identified by '",
		"identified with ", "password ", "token is ", "5432:", "a:5432:", "<password>", "{\"password\":", "QUFB", "\x1b[", "\x1b]", "\u200b", "é", "export A_TOKEN=a,",
		"A_TOKEN=p@s(x", "token=(", "1:AA", "pass:", "key_key_key_key=", "tokenToken=abc\n",
		"ghp_a1B2c3D4e5F6g7\n", "ghp_a1B2c3D4e5F6g7 ", "a1B2c3D4e5F6g7\n", "ENV A_TOKEN ", "set -x token ", "secret set a --body ", "a_key=\"a.b.c1.", "token: !a ",
	} {
		text := strings.Repeat(unit, 1<<18/len(unit))
		start := time.Now()
		New().Text(text)
		New().JSON([]byte("[\"" + text))
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%q: %v", unit, d)
		} else if d > time.Second {
			t.Logf("%q: %v", unit, d)
		}
	}
}
