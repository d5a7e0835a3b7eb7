package redact

import "testing"

// An announcer that the quick test does not let through would never be found.
func TestAnnouncersAreReached(t *testing.T) {
	for _, a := range announcers {
		for _, name := range []string{"app_" + a.parts, "APP-" + a.parts, a.parts + "2"} {
			if !mayAnnounce(name) {
				t.Errorf("%q is not looked at", name)
			}
		}
		if kind, _ := announced("app_" + a.parts); (kind == ordinary) != (a.kind == ordinary) {
			t.Errorf("app_%s announces nothing", a.parts)
		}
	}
}

func TestAnnounced(t *testing.T) {
	for name, want := range map[string]nameKind{
		"DB_PASSWORD": spoken, "dbpassword": spoken, "apiKey": strong, "API-KEY": strong, "accessToken": strong, "Authorization": credentials,
		"Set-Cookie": jar, "vendor_key": weak, "SMTP_PASS": spoken, "api_key_prod": strong, "TOKEN_HEADER": weak,
		"key": ordinary, "sort_key": ordinary, "next_token": ordinary, "first_pass": ordinary, "second_pass": weak, "connect.sid": weak, "keyboard": ordinary, "monkey": ordinary, "": ordinary, "author": ordinary,
		"apiKeyId": ordinary, "token_ids": ordinary, "secret_id": weak, "contrasena": spoken, "MOT_DE_PASSE": spoken, "publicKeyToken": ordinary,
		"password_reset_url": weak, "tokenizer": ordinary, "compass": ordinary,
	} {
		if kind, rule := announced(name); kind != want || (rule == "") != (want == ordinary) {
			t.Errorf("%q announces %d by %q, want %d", name, kind, rule, want)
		}
	}
}
