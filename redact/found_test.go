package redact

import (
	"encoding/json"
	"strings"
	"testing"
)

// leaks are the ways in which secrets get into an agent's session.
var leaks = []struct{ name, text string }{
	{"environment", "HOME=/root\nGITHUB_TOKEN=«ghp_{36}»\nLANG=C"},
	{"environment, no prefix", "PATH=/bin\nSTRIPE_WEBHOOK_SECRET=«{28}»\n"},
	{"dotenv with punctuation", "DB_PASSWORD=«p@ss,w0rd;x&y(z)»\nPORT=1"},
	{"dotenv in quotes", `SECRET_KEY_BASE="«{h64}»"`},
	{"dotenv letters", "POSTGRES_PASSWORD=«sunflower»\nPOSTGRES_DB=app"},
	{"set -x", "+ export API_TOKEN=«{24}»\n+ ./run"},
	{"export in a command", "export NPM_TOKEN=«npm_{36}» && npm publish"},
	{"inline variable", "PGPASSWORD=«{l9}» psql -h db -U app"},
	{"docker -e", "docker run -e MYSQL_ROOT_PASSWORD=«{12}» -p 3306:3306 mysql:8"},
	{"url", "postgres://app:«{10}»@db.example.test:5432/shop"},
	{"url letters", "redis://:«{l8}»@cache:6379/0"},
	{"url escaped", "mongodb+srv://svc:«p%40ss%2F{6}»@cluster0.example.test/db"},
	{"url with an at sign", "amqp://svc:«p@ss{4}»@mq:5672/"},
	{"git with a token", "https://x-access-token:«ghs_{36}»@github.com/acme/shop.git"},
	{"git with a token alone", "git clone https://«{32}»@git.example.test/acme/shop.git"},
	{"oauth basic", "https://«{h40}»:x-oauth-basic@github.com/acme/shop"},
	{"go dsn", `dsn := "app:«{10}»@tcp(127.0.0.1:3306)/shop?parseTime=true"`},
	{"bearer", `curl -H "Authorization: Bearer «{40}»" https://api.example.test`},
	{"bearer in JSON", `{"headers": {"Authorization": "Bearer «{40}»"}}`},
	{"bearer in Python", `headers={'Authorization': 'Bearer «{40}»'}`},
	{"basic", "Authorization: Basic «{b:user:{10}}»"},
	{"token scheme", "Authorization: token «{h40}»"},
	{"no scheme", "authorization: «{40}»"},
	{"basic in a log", "sending Basic «{b:deploy:{10}}» to registry"},
	{"api key header", "curl -H 'X-Api-Key: «{h32}»' localhost"},
	{"cookie", "Cookie: theme=dark; sessionid=«{32}»; lang=en"},
	{"set-cookie", "< Set-Cookie: sid=«s%3A{24}.{20}»; Path=/; HttpOnly; SameSite=Lax"},
	{"curl -u", "curl -u admin:«{12}» https://example.test/api"},
	{"curl --user", `curl -s --user "ci:«{l10}»" https://example.test/api`},
	{"mysql -p", "mysql -u root -p«{10}» shop -e 'select 1'"},
	{"sshpass", "sshpass -p «{10}» ssh root@10.0.0.1"},
	{"sshpass quoted", "sshpass -p '«{10}»' ssh root@10.0.0.1"},
	{"redis-cli -a", "redis-cli -a «{16}» ping"},
	{"docker login", "docker login -u ci -p «{16}» registry.example.test"},
	{"password flag", "./admin create --password «{12}» --role owner"},
	{"token flag", "vault login --token «{24}»"},
	{"passphrase flag", "gpg --batch --passphrase «{l10}» -d x.gpg"},
	{"flag with equals", "helm upgrade --set auth.password=«{12}» chart"},
	{"flag continued", "tool push \\\n  --api-key \\\n  «{24}»"},
	{"netrc", "machine api.example.test\n  login ci\n  password «{12}»\n"},
	{"netrc in a line", "machine api.example.test login ci password «{12}»"},
	{"pgpass", "db.example.test:5432:shop:app:«{10}»"},
	{"npmrc", "//registry.npmjs.org/:_authToken=«{36}»"},
	{"pypirc", "[pypi]\nusername = __token__\npassword = «pypi-AgEIcHlwaS5vcmc{60}»"},
	{"docker auth", `{"auths": {"registry.example.test": {"auth": "«{b:ci:{12}}»"}}}`},
	{"kubernetes yaml", "apiVersion: v1\ndata:\n  license: «{b:{20}}»\n  url: «{b:{24}}»\nkind: Secret\n"},
	{"kubernetes yaml, kind first", "kind: Secret\nmetadata:\n  name: x\nstringData:\n  license: \"«{20}»\"\n"},
	{"kubernetes env", "        - name: DB_PASSWORD\n          value: «{12}»\n"},
	{"container env", `{"name": "API_TOKEN", "value": "«{24}»"}`},
	{"jwt", "id_token=«eyJ{30}.eyJ{60}.{43}»"},
	{"jwt alone", "got «eyJ{30}.eyJ{60}.{43}» from issuer"},
	{"jwt cut", "got «eyJ{30}.eyJ{30}»"},
	{"json in json", `{"body": "{\"user\": \"a\", \"password\": \"«{12}»\"}"}`},
	{"json in json in json", `"{\\\"client_secret\\\": \\\"«{20}»\\\"}"`},
	{"json escaped newline", `"out": "done\n«ghp_{36}»\nnext"`},
	{"base64 of a line", "echo «{b:DB_PASSWORD={14}}» | base64 -d"},
	{"base64 of base64", "payload «{b:x {b:export API_TOKEN={24}}}»"},
	{"hexadecimal of a line", "xxd: «{x:API_TOKEN={24}}»"},
	{"query", "GET /cb?state=x&access_token=«{32}»&v=2"},
	{"query escaped", "redirect=https%3A%2F%2Fx%2F%3Faccess_token%3D«{32}»%26v%3D2"},
	{"azure", "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=«{64}+/{20}==»;EndpointSuffix=core.windows.net"},
	{"sql server", "Server=db;Database=shop;User Id=sa;Password=«{12}»;Encrypt=true"},
	{"shared access signature", "https://x.blob.core.windows.net/c?sv=2022-11-02&sig=«{40}%2B{4}%3D»&se=2026"},
	{"slack webhook", "curl https://«hooks.slack.com/services/T{u8}/B{u8}/{24}»"},
	{"aws", "aws_access_key_id = «AKIA{u16}»\naws_secret_access_key = «{40}»"},
	{"aws secret with slashes", "AWS_SECRET_ACCESS_KEY=«{12}/K7MDENG/{20}»"},
	{"yaml short", "db:\n  user: app\n  password: «hunter2»\n"},
	{"yaml letters", "services:\n  db:\n    password: «sunflower»\n    port: 5432\n"},
	{"yaml list", "- password: «{10}»\n- x: 1"},
	{"toml", "[db]\npassword = \"«{l9}»\"\n"},
	{"ini", "[client]\npassword = «hunter2x»\n"},
	{"python", "conn = connect(user='app', password='«{l9}»', host='db')"},
	{"python annotated", "password: str = \"«{10}»\""},
	{"go", `cfg.ClientSecret = "«{24}»"`},
	{"go constant", `const apiKey string = "«{24}»"`},
	{"javascript", "const client = new Client({ apiKey: '«{24}»', region: 'eu' });"},
	{"camel case", `{"dbPassword":"«{l10}»","port":1}`},
	{"php", `$password = '«{10}»';`},
	{"ruby", `password: "«{10}»",`},
	{"hash rocket", `:secret => "«{24}»"`},
	{"xml", "<server><id>x</id><password>«{10}»</password></server>"},
	{"pw", "PW: «{10}»"},
	{"pswd", "pswd=«{10}»"},
	{"identified by", "CREATE USER 'app'@'%' IDENTIFIED BY '«{l10}»';"},
	{"identified with", "ALTER USER x IDENTIFIED WITH mysql_native_password BY '«{10}»';"},
	{"create role", "CREATE ROLE app LOGIN PASSWORD '«{l10}»';"},
	{"continued token", "curl -H 'X-Token: «ghp_{12}\\\n  {24}»'"},
	{"totp seed", "TOTP_SEED=«{u16}»"},
	{"otp secret", `"otp_secret": "«{u32}»"`},
	{"telegram", "https://api.telegram.org/bot«{d9}:AA{33}»/getMe"},
	{"allow comment", `token = "«{24}»" # gitleaks:allow`},
	{"spoken", "the password is «{10}», please log in"},
	{"spoken token", "Use the token «{32}» for it"},
	{"in Chinese", "密码是 password: «{12}»。"},
	{"set in the environment", `os.environ["DB_PASSWORD"] = "«{12}»"`},
	{"escaped colour", `"\u001b[32mghp\u001b[0m \u001b[31m«ghp_{36}»\u001b[0m"`},
	{"discord", "login «MTA{21}.G{5}.{38}»"},
	{"age", "# key\n«AGE-SECRET-KEY-1{u58}»"},
	{"heredoc", "cat > .env <<'EOF'\nJWT_SECRET=«{l20}»\nEOF"},
	{"passphrase of words", `passphrase: "«correct horse battery staple»"`},
	{"hexadecimal key", "ENCRYPTION_KEY=«{h64}»"},
	{"vendor key", "ALGOLIA_ADMIN_KEY=«{h32}»"},
	{"github output", "::add-mask::x\nsecret=«{20}»"},
	{"after a line number", "    12→DB_PASSWORD=«{12}»"},
	{"in a diff", "+  client_secret: «{24}»"},
	{"setting of terraform", `  master_password = "«{12}»"`},
	{"java properties", "spring.datasource.password=«{10}»"},
	{"powershell", `$env:API_TOKEN = "«{24}»"`},
	{"dockerfile", "FROM x\nENV SECRET_KEY_BASE «{h64}»\nRUN y"},
	{"fish", "set -gx API_TOKEN «{24}»"},
	{"github secret", `gh secret set NPM_TOKEN --body "«{32}»"`},
	{"session cookie of a flag", "curl -b connect.sid=«s%3A{24}.{20}» https://example.test"},
	{"cookie flag", "curl --cookie 'session=«{30}»' https://example.test"},
	{"netrc default", "default login me password «{10}»\n"},
	{"connection string in code", `var cs = "Server=.;User Id=sa;Pwd=«x8{l6}»;";`},
	{"aws configure", "aws configure set aws_secret_access_key «{40}»"},
	{"keystore", "keytool -storepass «k9{l8}» -list"},
	{"seed phrase", `mnemonic: "«apple brick cloud dance eagle frost grape house ivory jelly kite lemon»"`},
	{"vendor key with parts", `licenseKey: "«{u8}-{u8}-{u8}-{u8}»"`},
	{"windows", "set API_TOKEN=«{24}»"},
	{"pass", "DB_PASS=«{l8}»"},
	{"pass with a space", "SMTP_PASS='«p@ss w{4}»'"},
	{"digits", "PASSWORD=«{d8}»"},
	{"common", "ADMIN_PASSWORD=«admin123»"},
	{"words", "JWT_SECRET=«supersecretkey»"},
	{"setenv", `os.Setenv("DB_PASSWORD", "«{10}»")`},
	{"setx", "setx API_KEY «{12}»"},
	{"letters of both cases", "api_key: «AbCdEfGhIjKlMnOpQrSt»"},
	{"private key in JSON", `{"private_key": "«-----BEGIN PRIVATE KEY-----\nMII{60}\n{64}\n{20}==\n-----END PRIVATE KEY-----»\n"}`},
	{"private key", "cat id\n«-----BEGIN OPENSSH PRIVATE KEY-----\nb3B{67}\n{70}\n{12}=\n-----END OPENSSH PRIVATE KEY-----»\n$ ls"},
	{"encrypted key", "«-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{h32}\n\n{64}\n{64}\n-----END RSA PRIVATE KEY-----»"},
	{"key without its end", "«-----BEGIN EC PRIVATE KEY-----\n{64}\n{64}\n{64}»\n... [20 lines omitted] ...\nok"},
	{"key without its beginning", "... [20 lines omitted] ...\n«{64}\n{64}\n{30}==\n-----END EC PRIVATE KEY-----»\nok"},
}

func TestLeaks(t *testing.T) {
	for _, c := range leaks {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				filled := fill(c.text, seed)
				text, secrets := parts(filled)
				got := New().Text(text)
				for _, s := range secrets {
					if strings.Contains(got, s) {
						t.Fatalf("seed %d: %q stays in\n%s", seed, s, got)
					}
				}
				for _, o := range outside(filled) {
					if !strings.Contains(got, o) {
						t.Fatalf("seed %d: %q is lost from\n%s\nwhich was\n%s", seed, o, got, text)
					}
				}
				if again := New().Text(got); again != got {
					t.Fatalf("seed %d: once\n%s\ntwice\n%s", seed, got, again)
				}
				body, _ := json.Marshal(map[string]string{"text": got})
				if f := Dirty(body); len(f) > 0 {
					t.Fatalf("seed %d: dirty %v: %s", seed, f, body)
				}
			}
		})
	}
}

// A secret that a terminal folded is redacted with the rest of it; what else may
// stand on the next line stays.
func TestFolded(t *testing.T) {
	const line = "2026-01-02T03:04:05Z DEBUG client: used ghp_{36}\n"
	for _, c := range []struct {
		next  string
		stays bool
	}{
		{"B7{30}c", false}, {"  B7{30}c", false}, {"B7{30}c\nnext", false}, {"B7{30}c' https://x.test", false},
		{"{h40}", true}, {"B7{30}c next", true}, {"NEXT_LINE=1", true}, {"TestFolded", true}, {"{h8}-{h4}-{h4}-{h4}-{h12}", true},
		{"", true},
	} {
		for seed := range uint64(20) {
			text := fill(line+c.next, seed)
			_, next, _ := strings.Cut(text, "\n")
			got := New().Text(text)
			if strings.Contains(got, "ghp_") {
				t.Fatalf("%q stays", text)
			}
			if stays := strings.Contains(got, next); stays != c.stays {
				t.Fatalf("%q became\n%q", text, got)
			}
		}
	}
	two := fill(line+line, 1)
	if got := New().Text(two); strings.Count(got, "DEBUG") != 2 || strings.Count(got, markerStart) != 2 {
		t.Errorf("two lines became %q", got)
	}
	list := strings.Repeat("- ", 20) + fill("ghp_{36}\nghp_{36}\nghp_{36}\n", 3)
	if got := New().Text(list); strings.Count(got, markerStart) != 3 {
		t.Errorf("a list became %q", got)
	}
}

func TestNumberedKey(t *testing.T) {
	for seed := range uint64(5) {
		lines := []string{fill("{64}", seed), fill("{64}", seed+100), fill("{40}==", seed+200)}
		text := "     1\t-----BEGIN RSA PRIVATE KEY-----\n     2\t" + lines[0] + "\n     3\t" + lines[1] + "\n     4\t" + lines[2] + "\n     5\t-----END RSA PRIVATE KEY-----\n     6\t# end"
		cut := strings.Index(text, lines[1])
		for _, part := range []string{text, text[:cut+30], text[cut+30:], strings.ReplaceAll(text, "\t", "→"), strings.ReplaceAll(text, "\t", ": ")} {
			got := New().Text(part)
			for _, l := range lines {
				for _, piece := range []string{l[:28], l[len(l)-28:]} {
					if strings.Contains(got, piece) {
						t.Fatalf("%q stays in\n%s", piece, got)
					}
				}
			}
			if strings.Contains(part, "# end") && !strings.Contains(got, "# end") {
				t.Fatalf("too much is gone:\n%s", got)
			}
		}
	}
}

func TestPrefixes(t *testing.T) {
	for i, p := range prefixes {
		if i > 0 && prefixes[i-1].prefix >= p.prefix {
			t.Errorf("%q is out of order", p.prefix)
		}
		tail := "{44}"
		switch {
		case p.need == exactHex32 || p.need == hexOnly:
			tail = "{h32}"
		case p.need == dotted:
			tail = "{22}.{43}"
		case p.need == triple && p.min > 50:
			tail = "{22}.{24}.{20}"
		case p.need == airtable:
			tail = "{14}.{h64}"
		case p.need == triple:
			tail = "{21}.{6}.{38}"
		case p.chars == upperDigit || p.chars == upperDigit|dash:
			tail = "{u40}"
		case p.min > 44:
			tail = "{120}"
		}
		for seed := range uint64(10) {
			for _, around := range []string{"«%»", "see «%» there", `key="«%»",`, "(«%»)", "«%».\n", "x\n«%»\n", "/«%»/"} {
				filled := fill(strings.Replace(around, "%", p.prefix+tail, 1), seed)
				text, secrets := parts(filled)
				got := New().Text(text)
				if strings.Contains(got, secrets[0]) {
					t.Errorf("%s: %q stays", p.rule, text)
				}
			}
		}
		if got := New().Text("see " + p.leaves + " there"); got != "see "+p.leaves+" there" {
			t.Errorf("%s: %q became %q", p.rule, p.leaves, got)
		}
	}
}
