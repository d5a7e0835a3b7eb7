package redact

import (
	"strings"
	"testing"
)

// looks are what must stay as it is. Each line is a case of its own.
var looks = []struct{ name, lines string }{
	{"git", `commit {h40}
995cfa50ceb30ac3c02f94c1a6b9bd19f36479a9 refs/heads/token-refresh
index {h7}..{h7} 100644
{h8} (HEAD -> secret-scan) auth: rotate the signing key
Author: A Token <a.token@example.test>
git cat-file -t {h40} && DEPLOY_KEY=$(head -n1 /run/dk) PAGE_TOKEN_LIMIT=40 ./run sk_range_scan
Merge: {h7} {h7}
[main {h7}] secret: rename
From https://github.com/acme/shop
ssh://git@github.com/acme/shop.git
git@github.com:acme/shop.git`},
	{"hashes", `sha256:{h64}  dist.tgz
{h64}  token.txt
"integrity": "sha512-{86}=="
github.com/acme/token v1.2.3 h1:{43}=
github.com/acme/token v1.2.3/go.mod h1:{43}=
FROM alpine@sha256:{h64}
digest: sha256:{h64}
{h32}  ./secret.tar
etag: "{h32}"
ETag: W/"{h32}"
checksum = "{h64}"
resolved "https://registry.npmjs.org/js-tokens/-/js-tokens-4.0.0.tgz#{h40}"
SHA1: {h40}
md5={h32}
cache_key: node-cache-Linux-{h64}`},
	{"ids", `id 2c9e4f10-7a3b-4d21-9f68-0b5e8d1a6c47
"tool_use_id": "toolu_01{22}"
"id": "msg_01{22}"
"request_id": "req_01{22}"
call_{24}
chatcmpl-{29}
"session_id": "{h8}-{h4}-{h4}-{h4}-{h12}"
session: 2026-01-08-{h8}-{h4}-{h4}-{h4}-{h12}
trace_id={h32} span_id={h16}
"token_id": "{h8}-{h4}-{h4}-{h4}-{h12}"
"requestToken": "toolu_01{22}"
arn:aws:secretsmanager:eu-west-1:123456789012:secret:app-db
ami-{h17}
i-{h17} running
pod/shop-{h10}-x7k2p 1/1 Running`},
	{"variables", `env: FILE=$SESSION_KEY_FILE key=${{ secrets.EDGE_CERT }}
token: ${{ secrets.GITHUB_TOKEN }}
password: ${DB_PASSWORD}
password: ${DB_PASSWORD:-postgres}
PASSWORD="$PASSWORD"
export API_TOKEN=$(vault read -field=token secret/app)
TOKEN=` + "`cat /run/token`" + `
password={{ .Values.password }}
password: {{ vault_password }}
token=<your token here>
--password <password>
--token $TOKEN
-H "Authorization: Bearer $TOKEN"
-H "Authorization: Bearer ${API_TOKEN}"
-H "Authorization: Bearer <token>"
Authorization: Bearer {token}
Authorization: Basic {{ credentials }}
https://$USER:$PASS@example.test
https://${USER}:${PASS}@example.test
postgres://user:password@localhost/db
postgres://{user}:{password}@{host}/db
f"postgresql://{u}:{p}@{h}/{d}"
"mysql://%s:%s@%s/%s"
set PGPASSWORD=%DB_PASSWORD%
curl -u "$USER:$PASSWORD" https://example.test
curl -u user:$TOKEN https://example.test
curl -u user:password https://example.test
token: !vault |
password: !secret wifi_password
secret: !Ref DatabaseSecret
apiKey: !reference [.shared, key]
set -x FISH_TOKEN $TOKEN
ENV API_TOKEN $TOKEN
ENV TOKEN_FILE /run/secrets/token
mysql -u root -p"$MYSQL_PASSWORD"
mysql -u root -p shop
$env:API_TOKEN = $token`},
	{"code", `password := os.Getenv("DB_PASSWORD")
token = os.environ["API_TOKEN"]
token = os.environ.get("API_TOKEN", "")
const token = process.env.API_TOKEN;
apiKey: process.env.OPENAI_API_KEY,
apiKey: process.env["OPENAI_API_KEY"],
TokenCount := 5
maxTokens: 4096
max_tokens: 4096,
token: string
token: string;
password: str
password: str | None = None
def login(user: str, password: str) -> Token:
func (c *Client) Token() (*oauth2.Token, error) {
token, err := getToken(ctx)
if token == nil {
if password == "" {
password := getPassword()
self.password = password
this.token = token;
token: token,
Password: user.Password,
secret: config.secret
private readonly secret: SecretValue,
secret = Secret(name)
tokens = tokenizer.encode(text)
next_token = tokens[i + 1]
token = lexer.nextToken();
token_type = TokenType.IDENTIFIER
const secretKey = generateKey(32)
password = forms.CharField(widget=forms.PasswordInput)
type Token struct {
Token Token
Token *Token
	Token     string
	Secret    []byte
password = hashPassword(password, salt)
let token = req.headers.authorization;
const [token, setToken] = useState("");
setPassword(event.target.value)
token_pattern = r"[A-Za-z0-9_]+"
PASSWORD_REGEX = "^(?=.*[a-z]).{8,}$"
password: z.string().min(8),
password: Joi.string().required(),
<input type="password" name="password" placeholder="Password" />
<label for="password">Password</label>
name="token" value={token}
case Token::Identifier => self.token,
use crate::token::Token;
Token::EndOfFile
secretName: my-app-tls
secretKeyRef:
  name: app-secrets
token_url: https://auth.example.test/oauth/token
tokenUrl: "https://auth.example.test/oauth/token"
"token_endpoint": "https://auth.example.test/token",
authorization_endpoint: https://auth.example.test/authorize
auth: required
auth_method = "private_key_jwt"
"auth": "none",
credentials: "include"
credentials: 'same-origin',
passwordMinLength: 12
password_policy: strict
pass = 0
first_pass = optimizer.run(module)
byPass: enabled2
t.Setenv("API_TOKEN", "")
os.Setenv("API_TOKEN", token)
password: 12345678
bypass=true
compass: north-east
keyboard_shortcut = "ctrl+shift+k"
key: "ctrl+k"
<Key key={item.id} />
sort_key = created_at_desc_v2
primary_key = user_id_2024
cacheKey = "user:1234:profile:v2"
partition_key: "tenant#12345678abcdef"
translationKey: "settings.profile2.titleLabel"
fileKey: 'reports-2024-01-15-summary'
messageKey = "order.created.v2.retry3"
redisKey = "sess:user42:profile:2024"
s3_key = "builds/2024-11-30/app-1.2.3.tar.gz"
seed = "deterministic-seed-2024"
export const TOKEN_KEY = 'app.auth.token.v1';
const API_KEY_HEADER = "X-Api-Key-V2"
ACCESS_TOKEN_COOKIE_NAME = "__Host-access_token2"
mnemonic: "BEQZ r1, label2"
Authorization: AWS4-HMAC-SHA256 Credential=...
pageToken: "CAUQAA"
nextPageToken: "eyJvZmZzZXQiOjEwMH0"
eos_token = "<|endoftext|>"
"bos_token": "<s>",
csrf_token = get_token(request)
import { TokenKind as token } from './token'
s.SecretKey = key
secret_key_base = Rails.application.secrets
assert token != other_token
-----BEGIN CERTIFICATE-----
strings.Contains(s, "-----BEGIN RSA PRIVATE KEY-----")
if "PRIVATE KEY" in pem and "-----BEGIN PRIVATE KEY-----" in pem:
password="password"
token: "test-token",
apiKey: "your-api-key"
API_KEY=your_api_key_here
API_KEY=xxxxxxxxxxxxxxxx
OPENAI_API_KEY=sk-...
ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxx
"password": "********",
password = "..."
token: [REDACTED]
secret: null
`},
	{"prose", `the token is expired and must be refreshed
password: required
Password: must be at least 12 characters
Password must not be empty
token: the value that the server returned
Secret: a value that nobody else knows
The secret is to keep the lexer simple
The password is stored in the vault.
Enter passphrase for key '/root/.ssh/id_ed25519':
Password for 'https://git@example.test':
error: unexpected token: IDENTIFIER
SyntaxError: Unexpected token '}'
invalid token: expected 3 parts, got 1
Token: invalid
auth: failed to refresh token: context deadline exceeded
"message": "Invalid password: must contain a digit"
- ` + "`token`" + `: the access token (required)
| password | string | The password of the user |
**Token**: used for all requests
basic authentication is deprecated
the default login page and password reset work
aws configure set region eu-west-1
the default login for every password field
curl -b cookies.txt https://example.test
Bearer authentication (see RFC 6750)
bearer tokens are opaque
use --token to authenticate
  --password string   password of the database user
  --token TOKEN       the token to use
  --password=PASSWORD
the key is in deploy/.env; I will move it
the token count is 12345 of 200000
key is version 1.2.3
token is 0x7fff5fbff8c0
パスワード: 必須です
密码：不能为空
"password": "Contraseña"
"forgot_password": "Forgot password?"
The API key for the service: see docs/keys.md
secret is at /run/secrets/db_password
The password is in ~/.config/app2/password.txt`},
	{"tests", `PASS: TestTokenRefresh
--- PASS: TestTokenRefresh (0.00s)
--- FAIL: TestPasswordHash/bcrypt_12 (0.31s)
=== RUN   TestSecretKeyRotation2024
ok  	example.test/token	0.123s
test_password.py::test_token_v2 PASSED
PASS src/token.test.ts (5.123 s)
✓ password: rejects short ones (12ms)
FAIL: test_secret_token (tests.AuthTest)
Tests: 12 passed, 12 total
coverage: 81.2% of statements
exit status 1
pass: 12 fail: 0
=== CONT  TestSecretStore2/put`},
	{"paths", `/srv/shop/internal/token/token_test.go:12:5: undefined: Token
internal/auth/password.go
-rw------- 1 root root 1679 Jan  2 03:04 id_rsa
src/components/PasswordField/PasswordField.test.tsx
C:\Users\dev\token\secret.txt
token_file: /run/secrets/token
tokenPath = "./secrets/token.txt"
password_file=/run/secrets/db_password
SSL_KEY=/etc/ssl/private/server.key
credentials: ~/.aws/credentials
node_modules/js-tokens/index.js
file:///srv/shop/secret/index.html
https://example.test/token?next=/home#password
/home/dev/work/shop-{h8}/Token4Test/v2Handler9xQ/a1B2c3D4e5F6g7H8.go
secret-detector@1.2.3
https://unpkg.com/react@17.0.2/umd/react.js
--private-key ./keys/deploy.pem
GOOGLE_APPLICATION_CREDENTIALS=/secrets/gcp.json`},
	{"numbers", `token 12345 of 67890
tokens: 123456
password_length=1234567
total_tokens=200000 prompt_tokens=150000
session_timeout: 3600000
key=123456789
   12→	token: string
  1234	password: str
12:34:56 token refreshed
pid 12345 secret 0
seed: 1234567890
random_seed=20240101
SEED=1700000000`},
	{"data", `data:image/png;base64,iVBORw0KGgo{400}=
"data": "iVBORw0KGgo{400}"
<svg d="M10 10L20 20C30 40 50 60 70 80Z"/>
//# sourceMappingURL=data:application/json;base64,{200}
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{43} dev@host
ssh-rsa AAAAB3NzaC1yc2E{300} dev@host
0000000 7f45 4c46 0201 0100 0000 0000 0000 0000
{76}
!function(e,t){"use strict";var n=t.token,r=n.key,o=n.password;return r.secret=o}(a,b)`},
	{"literals", `securityCredentials := AwsSecurityCredentials{
sessionKey := struct{
cmd.Env = append(os.Environ(), "PWD="+dir1)
strings.Cut(authorization[start+len("Credential="):end1])
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
var key openSSHEd25519PrivateKey
the bucket identified by ` + "`index1`" + `, a signed integer
subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token2
token-service:v2.17.0-alpine3.20
apiKeyId: key_prod_42
the password is hashed with argon2id
the password for the host is stored in vault2
password: sha256`},
	{"markers", `token=[REDACTED:token:3]
Authorization: Bearer [REDACTED:authorization:12]
https://bot:[REDACTED:url-password:1]@git.example.test/x.git
password: "[REDACTED:password:2]"
[REDACTED:private-key:6]
{"password": "[REDACTED:password:123456]"}
Cookie: a=[REDACTED:cookie:1]; theme=dark
machine x login y password [REDACTED:netrc:1]
--password [REDACTED:flag-password:1]
-u admin:[REDACTED:flag-password:1]`},
	{"output", `{"level":"info","msg":"token refreshed","expires_in":3600}
time="2026-01-02T03:04:05Z" level=warning msg="token expired"
+++ b/internal/token.go
@@ -12,7 +12,7 @@ func Token() string {
Unable to find image 'postgres:16' locally
NAME   TYPE     DATA   AGE
app-secret   Opaque   3   12d
secret/app-secret configured
"usage": {"input_tokens": 12, "cache_creation_input_tokens": 3456}
{"type":"token","value":"identifier"}
[{"name": "path", "value": "/srv/shop/main.go"}]
user:x:1000:1000:User:/home/user:/bin/bash
*:5432:*:*:
tcp 0 0 127.0.0.1:5432 0.0.0.0:* LISTEN
main.go:5432:12:3: x
docker run -u 1000:1000 -p 8080:80 shop
docker run --user node:node shop
ps -p 12345 -o pid,command
mkdir -p /srv/shop && cp -a x y
npm install -D typescript
redis-cli -p 6379 ping`},
}

func TestLooksLikeASecret(t *testing.T) {
	for _, c := range looks {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(30) {
				r := New()
				for line := range strings.SplitSeq(c.lines, "\n") {
					text := fill(line, seed)
					if got := r.Text(text); got != text {
						t.Errorf("%q became\n%q", text, got)
					}
				}
				whole := fill(c.lines, seed)
				if got := r.Text(whole); got != whole && !t.Failed() {
					t.Errorf("joined, something is lost: %v", r.Counts())
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}
