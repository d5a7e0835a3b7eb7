package redact

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHostileText holds the bound on work: half a megabyte of anything is done
// at once, where a quadratic scan would run into the timeout of the test.
func TestHostileText(t *testing.T) {
	for _, unit := range []string{
		"token=", "token: ", "password=\"", "a_token==", "Bearer ", "://a:b@", "://", "@tcp(", "Cookie: a=b;", "Authorization: Bearer ",
		"-----BEGIN RSA PRIVATE KEY-----\n", "-----END RSA PRIVATE KEY-----\n", "-----BEGIN RSA PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAA\n", "AAAA\n",
		"[REDACTED:a:1]", "[REDACTED:", "[", "data:\n", "data:\n kind: Secret\n", "kind: Secret\n", "value: ", "name: token\nvalue: ", "eyJhbGciOiJIUzI1NiJ9.",
		"sk-", "eyJ-", "authorization=bearer%20", "key-", "hooks.slack.com/services/", "ghp_\\\n", "\\", "\\\\\"", "%3D", "%3Dtoken", "--password ", "-u a:", "curl -u ", "mysql -p", "machine login password ", "identified by '",
		"identified with ", "password ", "token is ", "5432:", "a:5432:", "<password>", "{\"password\":", "QUFB", "\x1b[", "\x1b]", "\u200b", "é", "export A_TOKEN=a,",
		"A_TOKEN=p@s(x", "token=(", "1:AA", "pass:", "key_key_key_key=", "tokenToken=abc\n",
		"ghp_a1B2c3D4e5F6g7\n", "ghp_a1B2c3D4e5F6g7 ", "a1B2c3D4e5F6g7\n", "ENV A_TOKEN ", "set -x token ", "password is for ", "密码", "пароль — ", "Private-Lines: 9999\n", "echo a1b2c3 | chpasswd ", "echo 'x:abcd1' | sudo -S ",
		"%41", "WithToken(\"", "$6$aaaaaaaaaaaaaaaaaaaaaaaaaaa$", "sqlplus a/b@", "net use \\\\a b ", "htpasswd -b a b c1c1 ", "openssl -pass pass:", "a.go:12:", "credentials: a / ",
		"secret set a --body ", "a_key=\"a.b.c1.", "token: !a ",
	} {
		text := strings.Repeat(unit, 1<<19/len(unit))
		if out := New().Text(text); !utf8.ValidString(out) || out == "" {
			t.Errorf("%q: what is left is no text", unit)
		} else if again := New().Text(out); again != out {
			t.Errorf("%q: redacted twice it is another text", unit)
		}
		New().JSON([]byte("[\"" + text))
	}
}
