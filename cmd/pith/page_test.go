package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
)

var updatePage = flag.Bool("update", false, "write the golden page anew")

// hostile are texts that would break a page that does not escape them.
var hostile = []string{
	`<script>alert("one")</script>`,
	`</script><script>alert(2)//`,
	`"><img src=x onerror=alert(3)>`,
	`' onmouseover='alert(4)`,
	`</code></pre></li></ul><h1>owned`,
	"a\x00b\x1b[31mred\x07",
	"\u202egnp.exe\u202c and \u2066isolated",
	"zero\u200bwidth \ufeff bom \U000e0041tag",
	"\xff\xfe not UTF-8",
	`{{.Policy}} {{template "mark"}}`,
	"<!-- --> ]]> <![CDATA[ &amp; &lt; javascript:alert(5)",
	"two\nlines\r\nand\ttabs",
	strings.Repeat("long <b>&\"' ", 8000),
}

func retained(kind measure.Kind, full, half, stale, of int) measure.Retained {
	return measure.Retained{Kind: kind, Full: full, Half: half, Stale: stale, Of: of}
}

// madeReport makes up what one candidate kept; quality is 0 to 10.
func madeReport(file, of string, cut measure.Cut, quality int, text pith.Tokens) measure.Report {
	live := pith.Tokens(90_000 + 1000*cut.Message)
	all := []measure.Retained{
		retained(measure.KindModified, 2*quality, 0, 0, 20), retained(measure.KindInspected, 3*quality, 10-quality, 0, 40),
		retained(measure.KindRun, quality, 0, 10-quality, 11), retained(measure.KindRule, quality, 0, 0, 10),
	}
	needed := []measure.Retained{retained(measure.KindModified, quality, 0, 0, 10), retained(measure.KindTest, quality, 0, 0, 10)}
	if cut.Kind == "end" {
		needed = nil
	}
	r := measure.Report{
		File: file, Cut: cut, Of: of, All: all, Needed: needed,
		Size: measure.Size{
			Tokenizer: "o200k_base", Live: live, Text: text, Tail: 2000, BreakEven: text + 2000,
			TCR: float64(live) / float64(text), Effective: float64(live) / float64(text+2000),
		},
		Precision:        measure.Share{Found: 199, Of: 200, Missed: []string{"internal/nowhere.go"}},
		PrecisionInState: measure.Share{Found: 120, Of: 120},
		Drift:            measure.Drift{Goal: quality > 8, Amendments: quality > 8, GDM: float64(10-quality) / 10, Cosine: float64(quality) / 10, Other: 0.12, Stale: 0.41},
		Waste:            measure.Waste{Calls: 50, Repeated: 6, Answered: 5, Residual: 1, ControlCalls: 400, ControlRepeated: 48},
		Micros:           7400,
	}
	if quality == 10 {
		r.Precision = measure.Share{Found: 200, Of: 200}
		return r
	}
	for i := range 3 {
		r.Lost = append(r.Lost,
			measure.Lost{Kind: measure.KindModified, Text: fmt.Sprintf("internal/ledger/part%d.go", i), Needed: i == 0, Message: 12 + i, Line: 40 + 2*i},
			measure.Lost{Kind: measure.KindRun, Text: fmt.Sprintf("go test ./part%d -> exit 1, 3 failed", i), Stale: i == 1, Message: 15, Line: 52},
			measure.Lost{Kind: measure.KindInspected, Text: fmt.Sprintf("docs/chapter%d.md", i), Half: true, Message: 20 + i, Line: 60 + i})
	}
	return r
}

// madeReports are five candidates over three sessions, and a chain.
func madeReports() []measure.Report {
	var out []measure.Report
	for n, file := range []string{"sessions/ledger.jsonl", "sessions/parser.jsonl", "more/it's a name.jsonl"} {
		for cut := 1; cut <= 3; cut++ {
			c := measure.Cut{Kind: "boundary", N: cut, Message: 40*cut + n}
			if cut == 3 {
				c = measure.Cut{Kind: "end", Message: 130 + n}
			}
			client := madeReport(file, "client", c, 5-n, pith.Tokens(2500+100*cut))
			if cut == 3 {
				client = measure.Report{File: file, Of: "client", Cut: c, Absent: "the client made no summary here"}
			}
			pithReport := madeReport(file, "pith", c, 9+n%2, pith.Tokens(3600+150*cut+40*n))
			pithReport.Planted = &measure.Planted{Seed: 7, Needles: measure.Share{Found: 9, Of: 10}, Rules: measure.Share{Found: 4, Of: 4}}
			out = append(out, pithReport, client,
				madeReport(file, "keep-last:20", c, 2, pith.Tokens(9000+900*cut)), madeReport(file, "mask:10", c, 6, pith.Tokens(30000+900*cut)),
				madeReport(file, "raw", c, 10, pith.Tokens(90_000+1000*c.Message)))
		}
		for round := 1; round <= 3; round++ {
			out = append(out, madeReport(file, "pith", measure.Cut{Kind: "round", N: round, Message: 40 * round}, 10-round, 3900))
		}
	}
	return out
}

// hostileReports carry every hostile text wherever a report has a text.
func hostileReports() []measure.Report {
	out := madeReports()
	for i, text := range hostile {
		r := madeReport("dir/"+text[:min(len(text), 60)]+".jsonl", "file:"+text[:min(len(text), 60)], measure.Cut{Kind: "boundary", N: 1}, 4, 1000)
		r.Session = text[:min(len(text), 40)]
		r.Size.Tokenizer = text[:min(len(text), 40)]
		r.Precision.Missed = hostile
		r.Cut.Kind = text[:min(len(text), 40)]
		for j, kind := range []measure.Kind{measure.KindError, measure.Kind(text[:min(len(text), 40)])} {
			r.Lost = append(r.Lost, measure.Lost{Kind: kind, Text: text, Needed: i%2 == 0, Message: i - 1, Line: j * i})
		}
		r.All = append(r.All, retained(measure.Kind(text[:min(len(text), 40)]), 1, 0, 0, 2))
		out = append(out, r, measure.Report{File: text[:min(len(text), 60)], Of: "client", Absent: text[:min(len(text), 60)]})
	}
	return out
}

// manyReports lose ten thousand facts, with long texts.
func manyReports() []measure.Report {
	out := madeReports()
	for i := range 10_000 {
		r := &out[i%len(out)]
		kind := kinds[i%len(kinds)]
		text := fmt.Sprintf("%d %s", i, strings.Repeat("a long text with <angles> & \"quotes\" ", i%60))
		r.Lost = append(r.Lost, measure.Lost{Kind: kind, Text: text, Needed: i%3 == 0, Message: i, Line: i + 1})
	}
	return out
}

func pageOf(t *testing.T, reports []measure.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := writePage(&b, reports); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pageContent is the page without its style and script, which are looked at in a browser.
func pageContent(page string) string {
	page = regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAllString(page, "<style></style>")
	page = strings.Replace(page, pageScript, "", 1)
	return regexp.MustCompile(`'sha256-[^']*'`).ReplaceAllString(page, "'sha256'")
}

func TestPageGolden(t *testing.T) {
	for name, reports := range map[string][]measure.Report{"made": madeReports(), "none": nil} {
		t.Run(name, func(t *testing.T) {
			got := pageContent(pageOf(t, reports))
			golden := filepath.Join("testdata", "page", name+".html")
			if *updatePage {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the page is not that of %s; if it should be, run go test ./cmd/pith -run TestPageGolden -update", golden)
			}
		})
	}
}

func TestPageIsTheSameEachTime(t *testing.T) {
	want := pageOf(t, hostileReports())
	for range 5 {
		if got := pageOf(t, hostileReports()); got != want {
			t.Fatal("two pages of the same reports differ")
		}
	}
}

func TestPageEscapesHostileTexts(t *testing.T) {
	page := pageContent(pageOf(t, hostileReports()))
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d script elements, of which one is the page's own", n)
	}
	for _, bad := range []string{"<img", "<h1>owned", "javascript:alert(5)\"", "onerror=alert(3)>", "\x00", "\x1b", "\u202e", "\u2066", "\u200b", "\ufeff", "\U000e0041", "\xff"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if got := strings.Count(page, "<h1"); got != 1 {
		t.Errorf("%d headings of the first order", got)
	}
	for _, want := range []string{"⟨U&#43;202E⟩gnp.exe", "a␀b␛[31mred␇", "zero⟨U&#43;200B⟩width", "&lt;script&gt;alert(&#34;one&#34;)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	checkWellFormed(t, page)
}

// checkWellFormed reads the page's elements: what is opened is closed, in order.
func checkWellFormed(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict = false
	d.AutoClose = []string{"meta", "link", "input", "br"}
	d.Entity = xml.HTMLEntity
	ids := map[string]bool{}
	var links []string
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			open = append(open, x.Name.Local)
			for _, a := range x.Attr {
				switch {
				case a.Name.Local == "id" && ids[a.Value]:
					t.Errorf("two elements are called %s", a.Value)
				case a.Name.Local == "id":
					ids[a.Value] = true
				case a.Name.Local == "href" && strings.HasPrefix(a.Value, "#"):
					links = append(links, a.Value[1:])
				case a.Name.Local == "href" && a.Value != "data:,", a.Name.Local == "src", strings.HasPrefix(a.Name.Local, "on"), a.Name.Local == "style":
					t.Errorf("%s has %s=%q", x.Name.Local, a.Name.Local, a.Value)
				}
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != x.Name.Local {
				t.Fatalf("</%s> closes %v", x.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
	for _, l := range links {
		if !ids[l] {
			t.Errorf("a link leads to #%s, which is not there", l)
		}
	}
}

func TestPageOfManyLostFactsStaysSmall(t *testing.T) {
	page := pageOf(t, manyReports())
	if len(page) > 3<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	t.Logf("%d bytes", len(page))
	if want := regexp.MustCompile(`1800 of 10027 are listed`); !want.MatchString(page) {
		t.Errorf("the page does not say %q", want)
	}
	checkWellFormed(t, pageContent(page))
}

// Everything at its worst: many sessions, many candidates, long texts of which
// every character is escaped.
func TestPageOfHugeTextsStaysSmall(t *testing.T) {
	var reports []measure.Report
	text := strings.Repeat(`"`, 3000)
	for i := range 200 {
		for j := range 8 {
			r := madeReport(fmt.Sprintf("s%d.jsonl", i), fmt.Sprintf("mask:%d", j), measure.Cut{Kind: "end", Message: 10}, j, 1000)
			for k, kind := range kinds {
				r.Lost = append(r.Lost, measure.Lost{Kind: kind, Text: fmt.Sprint(i, j, k, text), Message: i, Line: i})
			}
			reports = append(reports, r)
		}
	}
	page := pageOf(t, reports)
	t.Logf("%d bytes", len(page))
	if len(page) > 6<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

func TestLostFactsAreJoinedAndOrdered(t *testing.T) {
	v := tallyOf(madeReports()).lost()
	var modified *lostKind
	for _, k := range v.Kinds {
		if k.Name == "Modified paths" {
			modified = k
		}
	}
	if modified == nil || len(modified.Needed) != 3 || len(modified.Other) != 6 {
		t.Fatalf("modified paths: %+v", modified)
	}
	first := modified.Needed[0]
	if first.Short != "internal/ledger/part0.go" || first.Where() != "message 12, line 40" {
		t.Errorf("the first is %q at %s", first.Short, first.Where())
	}
	if got := first.Bits(); got != "0 1 2 3" {
		t.Errorf("lost by %s", got)
	}
	if got := first.By[1].Cuts; got != "client's compaction 1, client's compaction 2" {
		t.Errorf("the client lost it at %s", got)
	}
	if got := first.Place.Show(); got != "sed -n 40p sessions/ledger.jsonl" {
		t.Errorf("shown by %q", got)
	}
	if got := modified.Needed[2].Place.Show(); got != `sed -n 40p 'more/it'\''s a name.jsonl'` {
		t.Errorf("shown by %q", got)
	}
}

func TestShellWord(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.jsonl": "a/b.jsonl", "-rf": "./-rf", "a b": "'a b'", "$(id)": "'$(id)'", "it's": `'it'\''s'`,
		"": "", "a\nb": "", "a\u202eb": "", "a\x00b": "", "\xff": "", "héé": "'héé'",
	} {
		if got, ok := shellWord(name); got != want || ok != (want != "") {
			t.Errorf("shellWord(%q) = %q, %v, not %q", name, got, ok, want)
		}
	}
}

func TestFiguresNeverRoundToAll(t *testing.T) {
	for _, x := range []struct {
		f    fraction
		want string
	}{
		{fraction{9999, 10000}, "99.9 %"}, {fraction{10000, 10000}, "100 %"}, {fraction{1, 100000}, "< 0.1 %"},
		{fraction{0, 5}, "0 %"}, {fraction{0, 0}, "–"}, {fraction{0.5, 3}, "16.7 %"},
	} {
		if got := x.f.Percent(); got != strings.ReplaceAll(x.want, " ", "\u00a0") {
			t.Errorf("%v is %s, not %s", x.f, got, x.want)
		}
	}
	if got := (fraction{1234.5, 5000}).Count(); got != "1234.5 of 5,000" {
		t.Error(got)
	}
}
