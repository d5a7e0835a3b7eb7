package redact

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-memory/pith"
	"pgregory.net/rapid"
)

func TestMessage(t *testing.T) {
	key, pass := fill("ghp_{36}", 1), fill("{12}", 2)
	m := pith.Message{
		Raw: json.RawMessage(`"` + key + `"`),
		Blocks: []pith.Block{
			{Kind: pith.KindText, Text: "use " + key + "\r\n"},
			{Kind: pith.KindThinking, Text: key},
			{Kind: pith.KindToolUse, ToolName: "login", Text: "old", Args: []pith.Arg{
				{Key: "password", Value: pass, IsString: true},
				{Key: "path", Value: "/srv/shop/token.go", IsString: true},
				{Key: "env", Value: `{"API_TOKEN": "` + key + `", "n": [1, 2.50],` + "\r\n" + `"ok":true}`},
				{Key: "retries", Value: "123456"},
			}},
			{Kind: pith.KindToolResult, Text: "password=" + pass},
			{Kind: pith.KindOpaque, Text: key},
		},
	}
	r := New()
	r.Message(&m)
	want := []string{
		"use [REDACTED:github-token:1]\n",
		key,
		"login\npassword: [REDACTED:password:2]\npath: /srv/shop/token.go\n" +
			`env: {"API_TOKEN": "[REDACTED:github-token:1]", "n": [1, 2.50],` + "\n" + `"ok":true}` + "\nretries: 123456",
		"password=[REDACTED:password:2]",
		key,
	}
	for i, w := range want {
		b := &m.Blocks[i]
		if b.Text != w {
			t.Errorf("block %d: %q, want %q", i, b.Text, w)
		}
		hash := sha256.Sum256([]byte(w))
		if b.Kind == pith.KindThinking || b.Kind == pith.KindOpaque {
			hash = sha256.Sum256(nil)
		}
		if b.Hash != hash {
			t.Errorf("block %d: hash is of something else", i)
		}
	}
	if !strings.Contains(string(m.Raw), key) {
		t.Error("Raw was changed")
	}
	counts := []pith.RuleCount{{Rule: "github-token", Count: 2}, {Rule: "password", Count: 2}}
	if !slices.Equal(r.Counts(), counts) {
		t.Errorf("counts %v, want %v", r.Counts(), counts)
	}
	if s := r.Sanitized(); len(s) != 0 {
		t.Errorf("sanitized %v: CRLF is no character of a class", s)
	}
	for _, f := range Dirty([]byte(m.Blocks[2].Text)) {
		t.Errorf("dirty: %v", f)
	}
}

func TestJSONLeavesTheRest(t *testing.T) {
	key := fill("ghp_{36}", 3)
	for _, c := range []struct{ in, out string }{
		{`{ "a" : "` + key + `" , "n":1.0e5}`, `{ "a" : "[REDACTED:github-token:1]" , "n":1.0e5}`},
		{`{"signature":"` + key + `"}`, `{"signature":"` + key + `"}`},
		{`{"thinking":"` + key + `"}`, `{"thinking":"` + key + `"}`},
		{`{"source":{"type":"base64","data":"` + key + `"}}`, `{"source":{"type":"base64","data":"` + key + `"}}`},
		{"{\"a\":\"\\u001b[1mx\\r\\n\"}\n{\"b\":\"<é>\\u00e9\"}\n", "{\"a\":\"\\u001b[1mx\\r\\n\"}\n{\"b\":\"<é>\\u00e9\"}\n"},
		{`{"password": "hunter2!"}`, `{"password": "[REDACTED:password:1]"}`},
		{`{"password": 1234567, "token": null}`, `{"password": 1234567, "token": null}`},
		{`{"a":"x\n\"` + key + `\"\\é"}`, `{"a":"x\n\"[REDACTED:github-token:1]\"\\é"}`},
		{`["` + key + `"`, `["[REDACTED:github-token:1]"`},
	} {
		r := New()
		if got := string(r.JSON([]byte(c.in))); got != c.out {
			t.Errorf("%s\nbecame %s\nwant   %s", c.in, got, c.out)
		}
	}
}

func TestNumbersFollowAppearance(t *testing.T) {
	a, b := fill("ghp_{36}", 1), fill("ghp_{36}", 2)
	r := New()
	got := r.Text(a+" "+b+" "+a) + r.Text(" "+b)
	want := "[REDACTED:github-token:1] [REDACTED:github-token:2] [REDACTED:github-token:1] [REDACTED:github-token:2]"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNormalise(t *testing.T) {
	for _, c := range []struct {
		in, out string
		class   Class
		n       int
	}{
		{"plain\n\ttext", "plain\n\ttext", 0, 0},
		{"a\r\nb\r\r\nc", "a\nb\nc", 0, 0},
		{"10%\r20%", `10%\u{000D}20%`, C0C1, 1},
		{"\x1b[1;31mred\x1b[0m", "red", ANSI, 2},
		{"\x1b]8;;http://x\x07link\x1b]8;;\x1b\\", "link", ANSI, 2},
		{"\x1b(B\x1b7x", "x", ANSI, 2},
		{"\x1b\x1b[31m[32mx", `\u{001B}[32mx`, C0C1, 1},
		{"\x1b[31", `\u{001B}[31`, C0C1, 1},
		{"a\x1b]0;never ended\nb", "a\\u{001B}]0;never ended\nb", C0C1, 1},
		{"a\u200bb\u00ad", `a\u{200B}b\u{00AD}`, ZeroWidth, 2},
		{"\u202eevil\u2066", `\u{202E}evil\u{2066}`, Bidi, 2},
		{"\U000e0041\U000e007f", `\u{E0041}\u{E007F}`, UnicodeTag, 2},
		{"\U000e0100", `\u{E0100}`, VariationSelector, 1},
		{"👩\u200d💻 ❤\ufe0f é 中", "👩\u200d💻 ❤\ufe0f é 中", 0, 0},
		{"\xff\xe2\x80", "\ufffd\ufffd\ufffd", InvalidUTF8, 3},
		{"\x00\x7f\u0085", `\u{0000}\u{007F}\u{0085}`, C0C1, 3},
	} {
		got, n := Normalise(c.in)
		if got != c.out || n[c.class] != c.n {
			t.Errorf("%q became %q %v, want %q", c.in, got, n.List(), c.out)
		}
	}
}

// TestForbiddenCodePoints holds Normalise against the class that
// contracts/schemas writes down, over all code points.
func TestForbiddenCodePoints(t *testing.T) {
	ranges := [][2]rune{{0, 8}, {0xb, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x180e, 0x180e}, {0x200b, 0x200b}, {0x200e, 0x200f},
		{0x2028, 0x202e}, {0x2060, 0x2069}, {0x3164, 0x3164}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff9, 0xfffb},
		{0xe0000, 0xe007f}, {0xe0100, 0xe01ef}}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		bad := slices.ContainsFunc(ranges, func(x [2]rune) bool { return x[0] <= r && r <= x[1] })
		text := "x" + string(r) + "y"
		got, _ := Normalise(text)
		if (got == text) == bad {
			t.Fatalf("U+%04X: %q", r, got)
		}
		if again, _ := Normalise(got); again != got {
			t.Fatalf("U+%04X: %q then %q", r, got, again)
		}
	}
}

// pieces are what texts for the property tests are put together from.
func pieces() *rapid.Generator[string] {
	var list []string
	for i, l := range leaks {
		text, _ := parts(fill(l.text, uint64(i)))
		list = append(list, text)
	}
	for i, l := range looks {
		for line := range strings.SplitSeq(l.lines, "\n") {
			list = append(list, fill(line, uint64(i)))
		}
	}
	list = append(list, "\n", " ", "\t", "\"", "'", "\\", "\\\n", "=", ":", ": ", "@", "://", "[REDACTED:token:1]", "[REDACTED:", "é", "\u200b", "\x1b[1m", "\xff",
		"-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "{", "}", "password", "token=", "Authorization: ", "Bearer ")
	return rapid.Custom(func(t *rapid.T) string {
		s := rapid.SampledFrom(list).Draw(t, "piece")
		if cut := rapid.IntRange(0, 3).Draw(t, "cut"); cut == 0 && s != "" {
			s = s[:rapid.IntRange(0, len(s)).Draw(t, "at")]
		}
		return s
	})
}

func checkText(t interface {
	Fatalf(string, ...any)
}, text string) {
	once := New().Text(text)
	if again := New().Text(once); again != once {
		t.Fatalf("%q\nonce  %q\ntwice %q", text, once, again)
	}
	normal, _ := Normalise(text)
	end := 0
	for _, f := range Scan(normal) {
		if f.Start < end || f.End <= f.Start || f.End > len(normal) || f.Rule == "" {
			t.Fatalf("%q: finding %+v after %d", normal, f, end)
		}
		if !utf8.ValidString(normal[f.Start:f.End]) || !utf8.ValidString(normal[:f.Start]) {
			t.Fatalf("%q: finding %+v divides a character", normal, f)
		}
		end = f.End
	}
	body, err := json.Marshal(once)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if f := Dirty(body); len(f) > 0 {
		t.Fatalf("%q is dirty: %v", once, f)
	}
}

func TestTextProperties(t *testing.T) {
	piece := pieces()
	rapid.Check(t, func(t *rapid.T) {
		checkText(t, strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), ""))
	})
}

func checkJSON(t interface {
	Fatalf(string, ...any)
}, raw []byte) {
	out := New().JSON(slices.Clone(raw))
	if json.Valid(raw) && !json.Valid(out) {
		t.Fatalf("%s\nbecame %s", raw, out)
	}
	if f := Dirty(out); json.Valid(raw) && len(f) > 0 {
		t.Fatalf("%s\nbecame %s\ndirty %v", raw, out, f)
	}
	args := New().json(slices.Clone(raw), true)
	if json.Valid(raw) && !json.Valid(args) {
		t.Fatalf("%s\nbecame %s", raw, args)
	}
}

func TestJSONProperties(t *testing.T) {
	piece := pieces()
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOfN(piece, rapid.SliceOfN(piece, 0, 3), 0, 4).Draw(t, "m")
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("%v", err)
		}
		checkJSON(t, raw)
	})
}

func FuzzText(f *testing.F) {
	for i, l := range leaks {
		text, _ := parts(fill(l.text, uint64(i)))
		f.Add(text)
	}
	for _, l := range looks {
		f.Add(fill(l.lines, 1))
	}
	f.Fuzz(func(t *testing.T, s string) { checkText(t, s) })
}

func FuzzJSON(f *testing.F) {
	for i, l := range leaks {
		text, _ := parts(fill(l.text, uint64(i)))
		raw, _ := json.Marshal(map[string]string{"text": text, "password": text})
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkJSON(t, raw) })
}

func BenchmarkText(b *testing.B) {
	line := "   123\tfunc (s *Store) Put(ctx context.Context, c Checkpoint) error { // see internal/store/file.go:45:12\n" +
		"--- PASS: TestStorePut (0.01s)\nok  \texample.test/shop/internal/store\t0.123s\ncommit 995cfa50ceb30ac3c02f94c1a6b9bd19f36479a9\n" +
		"2026-01-02T03:04:05Z INFO request done method=GET path=/api/items status=200 bytes=1234 took=3ms\n" +
		"The build works now; next I will look at the handler for the items, as the plan says.\n"
	text := strings.Repeat(line, 2000)
	b.Run("clean", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		r := New()
		for b.Loop() {
			r.Text(text)
		}
	})
	b.Run("normalise", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			Normalise(text)
		}
	})
}

func BenchmarkCorpus(b *testing.B) {
	var texts []string
	size := 0
	corpusTexts(b, func(_, text string) {
		text, _ = Normalise(text)
		if len(text) > 40 && size < 64<<20 {
			texts = append(texts, text)
			size += len(text)
		}
	})
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, t := range texts {
			Scan(t)
		}
	}
}
