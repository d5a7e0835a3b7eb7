package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"image/png"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/trial"
)

var pictures = flag.Bool("pictures", false, "take the pictures in docs anew")

// browser is a headless Chromium that is spoken to over a pipe, in the
// protocol of its developer tools.
type browser struct {
	t       *testing.T
	in      *os.File
	answers chan browserMessage
	mu      sync.Mutex
	errors  []string // what the page's console complained of
	loaded  chan struct{}
	id      int
	session string
}

type browserMessage struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// startBrowser skips the test where there is no Chromium: all but the looks of
// the page is tested without.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	program := "/usr/bin/chromium"
	if _, err := os.Stat(program); err != nil {
		t.Skip("no browser: install it with apt-get install -y chromium")
	}
	fromUs, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile := t.TempDir()
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb",
		"--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+profile)
	cmd.ExtraFiles = []*os.File{fromUs, fromBrowser}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	fromBrowser.Close()
	b := &browser{t: t, in: in, answers: make(chan browserMessage, 16), loaded: make(chan struct{}, 16)}
	go b.listen(out)
	t.Cleanup(func() {
		b.command("Browser.close", nil)
		in.Close()
		done := make(chan struct{})
		go func() { cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			cmd.Process.Kill()
			<-done
		}
		out.Close()
		// Its children may still write for a moment.
		for range 50 {
			if os.RemoveAll(profile) == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	b.openTab()
	return b
}

// listen sorts what the browser says into answers, and complaints of the page.
func (b *browser) listen(out *os.File) {
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes(0)
		if err != nil {
			close(b.answers)
			return
		}
		var m browserMessage
		if json.Unmarshal(line[:len(line)-1], &m) != nil {
			continue
		}
		switch m.Method {
		case "":
			b.answers <- m
		case "Page.loadEventFired":
			b.loaded <- struct{}{}
		case "Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled":
			b.mu.Lock()
			b.errors = append(b.errors, m.Method+" "+string(m.Params))
			b.mu.Unlock()
		}
	}
}

func (b *browser) command(method string, params any) json.RawMessage {
	b.t.Helper()
	b.id++
	body, err := json.Marshal(map[string]any{"id": b.id, "method": method, "params": params, "sessionId": b.session})
	if b.session == "" {
		body, err = json.Marshal(map[string]any{"id": b.id, "method": method, "params": params})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(body, 0)); err != nil {
		b.t.Fatalf("%s: the browser is gone: %v", method, err)
	}
	limit := time.After(60 * time.Second)
	for {
		select {
		case m, ok := <-b.answers:
			switch {
			case !ok:
				if method != "Browser.close" {
					b.t.Fatalf("%s: the browser ended", method)
				}
				return nil
			case m.ID != b.id:
			case m.Error != nil:
				b.t.Fatalf("%s: %s", method, m.Error.Message)
			default:
				return m.Result
			}
		case <-limit:
			b.t.Fatalf("%s: no answer", method)
		}
	}
}

func (b *browser) openTab() {
	var tab struct {
		TargetID string `json:"targetId"`
	}
	json.Unmarshal(b.command("Target.createTarget", map[string]any{"url": "about:blank"}), &tab)
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	json.Unmarshal(b.command("Target.attachToTarget", map[string]any{"targetId": tab.TargetID, "flatten": true}), &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.command(domain+".enable", nil)
	}
}

// open shows a file at a width and in a scheme.
func (b *browser) open(file string, width int, scheme string) {
	b.t.Helper()
	b.command("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
	b.command("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
	b.mu.Lock()
	b.errors = nil
	b.mu.Unlock()
	for len(b.loaded) > 0 {
		<-b.loaded
	}
	b.command("Page.navigate", map[string]any{"url": (&url.URL{Scheme: "file", Path: file}).String()})
	select {
	case <-b.loaded:
	case <-time.After(60 * time.Second):
		b.t.Fatal("the page did not load")
	}
}

// eval runs an expression in the page and decodes what it gives into out.
func (b *browser) eval(expression string, out any) {
	b.t.Helper()
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	err := json.Unmarshal(b.command("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}), &answer)
	if err != nil || answer.Exception != nil {
		b.t.Fatalf("%v in %s: %s", err, expression, answer.Exception)
	}
	if err := json.Unmarshal(answer.Result.Value, out); err != nil {
		b.t.Fatalf("%s gave %s: %v", expression, answer.Result.Value, err)
	}
}

// screenshot takes a picture of the page from its top to a height.
func (b *browser) screenshot(file string, height int) {
	b.t.Helper()
	var shot struct{ Data string }
	var width int
	b.eval("innerWidth", &width)
	json.Unmarshal(b.command("Page.captureScreenshot", map[string]any{
		"format": "png", "captureBeyondViewport": true, "clip": map[string]any{"x": 0, "y": 0, "width": width, "height": height, "scale": 1},
	}), &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	// The browser writes fast, not small.
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		b.t.Fatal(err)
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, picture); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, small.Bytes(), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// complaints are what the console said since the page was opened.
func (b *browser) complaints() []string {
	b.eval("new Promise(done => setTimeout(() => done(1), 50))", new(int))
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.errors
}

func pageFile(t *testing.T, name string, page string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPageInABrowser(t *testing.T) {
	b := startBrowser(t)
	pages := map[string]string{
		"sessions": pageOf(t, sessionReports(t)), "made": pageOf(t, madeReports()), "none": pageOf(t, nil), "hostile": pageOf(t, hostileReports()), "many": pageOf(t, manyReports()),
	}
	for _, name := range []string{"sessions", "made", "none", "hostile", "many"} {
		file := pageFile(t, name, pages[name])
		for _, width := range []int{1280, 768, 390, 320} {
			for _, scheme := range []string{"light", "dark"} {
				if large := name == "many" || name == "hostile"; large && (testing.Short() || width != 1280 && width != 390 || (width == 1280) != (scheme == "light")) {
					continue // they take seconds to lay out
				}
				t.Run(fmt.Sprintf("%s %d %s", name, width, scheme), func(t *testing.T) {
					b.t = t
					b.open(file, width, scheme)
					checkLayout(t, b)
					if name != "many" && (width == 1280 || width == 390) {
						checkContrast(t, b)
					}
					checkLinks(t, b)
					if c := b.complaints(); len(c) > 0 {
						t.Errorf("the console says %s", strings.Join(c, "\n"))
					}
				})
			}
		}
	}
	b.t = t
	file := pageFile(t, "made", pages["made"])
	t.Run("filter", func(t *testing.T) { b.t = t; checkFilter(t, b, file) })
	t.Run("link", func(t *testing.T) { b.t = t; checkLinkIntoFolded(t, b, file) })
	t.Run("no script", func(t *testing.T) { b.t = t; checkWithoutScript(t, b, file) })
	t.Run("policy", func(t *testing.T) { b.t = t; checkPolicy(t, b, pages["made"]) })
	b.t = t
}

// sessionReports measures the repository's own sessions, without a clock.
func sessionReports(t *testing.T) []measure.Report {
	t.Helper()
	var candidates []trial.Candidate
	for _, spec := range []string{"pith", "client", "keep-last:10", "mask:5"} {
		c, err := trial.ParseCandidate(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		candidates = append(candidates, c)
	}
	var out []measure.Report
	for _, name := range []string{"claude-code.jsonl", "codex.jsonl"} {
		file := filepath.Join("..", "..", "testdata", "sessions", name)
		reports, err := trial.Run(t.Context(), trial.Options{
			File: "testdata/sessions/" + name, Open: func() (io.ReadSeekCloser, error) { return os.Open(file) },
			Candidates: candidates, Cuts: []trial.Place{trial.Boundaries, 50, 75, trial.End}, Rounds: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, reports...)
	}
	return out
}

// TestPictures takes the pictures that the documents show.
func TestPictures(t *testing.T) {
	if !*pictures {
		t.Skip("-pictures takes them")
	}
	b := startBrowser(t)
	file := pageFile(t, "sessions", pageOf(t, sessionReports(t)))
	for width, height := range map[int]int{1280: 1690, 390: 1980} {
		b.open(file, width, "light")
		b.screenshot(filepath.Join("..", "..", "docs", fmt.Sprintf("measure-%d.png", width)), height)
	}
}

// checkLayout wants no horizontal scrolling and nothing that sticks out.
func checkLayout(t *testing.T, b *browser) {
	t.Helper()
	for _, open := range []bool{false, true} {
		if open {
			b.eval("document.querySelectorAll('details').forEach(d => d.open = true), 1", new(int))
		}
		var got struct {
			Width, Window int
			Out           []string
		}
		b.eval(`({Width: document.documentElement.scrollWidth, Window: innerWidth,
			Out: [...document.querySelectorAll('body *')].filter(e => !e.closest('.wide, .vh, .defs, pre, svg, .skip, .stack thead') &&
				e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map(e => e.outerHTML.slice(0, 120))})`, &got)
		if got.Width > got.Window || len(got.Out) > 0 {
			t.Errorf("%d wide in a window of %d: %s", got.Width, got.Window, strings.Join(got.Out, "\n"))
		}
	}
}

// checkContrast wants 4.5 to 1 for every text, and 3 to 1 for every mark.
func checkContrast(t *testing.T, b *browser) {
	t.Helper()
	var low []string
	b.eval(`(() => {
		const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
		const rgb = c => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
		const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
		const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
		const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255]; };
		const bad = new Set(), seen = new Set();
		for (const e of document.querySelectorAll('body *')) {
			if (e.closest('script, .defs, svg title, svg desc')) continue;
			const style = getComputedStyle(e);
			const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
			const mark = e.matches('svg.m, .s');
			if (!own && !mark) continue;
			const colour = e instanceof SVGElement && !mark ? style.fill : style.color;
			const back = behind(e), key = colour + back + mark;
			if (seen.has(key)) continue;
			seen.add(key);
			const r = ratio(rgb(colour), back);
			if (r < (mark ? 3 : 4.5)) bad.add(r.toFixed(2) + ' ' + e.outerHTML.slice(0, 80));
		}
		return [...bad];
	})()`, &low)
	if len(low) > 0 {
		t.Errorf("too little contrast: %s", strings.Join(low, "\n"))
	}
}

// checkLinks wants every lost fact to link to a place that is there.
func checkLinks(t *testing.T, b *browser) {
	t.Helper()
	var got struct {
		Items, Links int
		Broken       []string
	}
	b.eval(`({Items: document.querySelectorAll('#lost .kind li').length, Links: document.querySelectorAll('#lost .kind li a.to').length,
		Broken: [...document.querySelectorAll('a[href]')].filter(a => !a.hash || !document.getElementById(a.hash.slice(1))).map(a => a.outerHTML)})`, &got)
	if got.Links != got.Items || len(got.Broken) > 0 {
		t.Errorf("%d links of %d lost facts, broken: %v", got.Links, got.Items, got.Broken)
	}
}

func checkFilter(t *testing.T, b *browser, file string) {
	b.open(file, 1280, "light")
	visible := `[...document.querySelectorAll('#lost .kind li')].filter(li => !li.hidden).length`
	set := func(id, property, value string) int {
		var n int
		b.eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.%s = %s; e.dispatchEvent(new Event('input', {bubbles: true})); return %s; })()`, id, property, value, visible), &n)
		return n
	}
	if n := set("f-needed", "checked", "true"); n != 3 {
		t.Errorf("%d needed facts, not 3", n)
	}
	if n := set("f-text", "value", "'PART0'"); n != 3 {
		t.Errorf("%d needed facts with part0, not 3", n)
	}
	if n := set("f-needed", "checked", "false"); n != 6 {
		t.Errorf("%d facts with part0, not 6", n)
	}
	if n := set("f-text", "value", "'nothing has this'"); n != 0 {
		t.Errorf("%d facts with words that none has", n)
	}
	var count string
	b.eval("document.getElementById('f-count').textContent", &count)
	if count != "0 of 27 shown" {
		t.Errorf("the count says %q", count)
	}
	// A link to what the filter hides shows it.
	var hidden bool
	b.eval(`new Promise(done => { location.hash = '#l1'; setTimeout(() => done(document.getElementById('l1').hidden), 100); })`, &hidden)
	if hidden {
		t.Error("a link leads to a hidden fact")
	}
}

func checkLinkIntoFolded(t *testing.T, b *browser, file string) {
	b.open(file, 390, "light")
	var got struct {
		Place string
		Top   float64
		Back  bool
	}
	b.eval(`new Promise(done => {
		const a = document.querySelector('#lost .rest a.to');
		document.querySelector(a.hash + ' .back a').click();
		setTimeout(() => { const back = document.querySelector('li:target');
			const open = back && back.checkVisibility();
			a.click();
			setTimeout(() => { const li = document.querySelector('li:target');
				done({Place: li.closest('section').id, Top: li.getBoundingClientRect().top, Back: open}); }, 100); }, 100); })`, &got)
	if got.Place != "places" || got.Top < -1 || got.Top > 900 || !got.Back {
		t.Errorf("the link leads to %+v", got)
	}
}

// checkWithoutScript wants the whole content, and no form that does nothing.
func checkWithoutScript(t *testing.T, b *browser, file string) {
	b.command("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
	defer b.command("Emulation.setScriptExecutionDisabled", map[string]any{"value": false})
	b.open(file, 1280, "light")
	var got struct {
		Form  bool
		Items int
	}
	b.eval(`({Form: document.getElementById('filter').checkVisibility(), Items: document.querySelectorAll('#lost .kind li').length})`, &got)
	if got.Form || got.Items != 27 {
		t.Errorf("without script: %+v", got)
	}
}

// checkPolicy plants a script in the page: even then it must not run.
func checkPolicy(t *testing.T, b *browser, page string) {
	page = strings.Replace(page, "<main id=\"main\">", `<main id="main"><script>document.title = "owned"</script><img src="x" onerror="document.title='owned'">`, 1)
	b.open(pageFile(t, "planted", page), 1280, "light")
	var title string
	b.eval("document.title", &title)
	if title == "owned" {
		t.Error("a planted script ran")
	}
	if len(b.complaints()) == 0 {
		t.Error("the browser did not complain: this test cannot see complaints")
	}
}
