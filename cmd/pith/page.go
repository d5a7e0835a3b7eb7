package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the template, its style and its script
	"encoding/base64"
	"html/template"
	"io"
	"sync"

	"github.com/pith-memory/pith/measure"
)

// The page's three sources. Style and script stand in the page itself, which
// allows these two and nothing else by their hashes.
var (
	//go:embed page.html.tmpl
	pageSource string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// pageView is all that the template writes, in the order of the page.
type pageView struct {
	Policy string
	Style  template.CSS
	Script template.JS

	Lead       headline
	Candidates []*candidateView
	Plots      []plotView
	Kinds      []kindView
	Chain      *chainView
	Planted    []plantedView
	Sessions   []*sessionView
	Cut        int // reports that the page has no room for in its table of cuts
	Lost       lostView
	Invented   []inventedView
	Tokenizer  string
}

var parsedPage = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").Parse(pageSource)
})

// writePage writes reports as one HTML page that needs nothing beside it: no
// network, no fonts, no script for its content. Same reports, same bytes.
func writePage(w io.Writer, reports []measure.Report) error {
	t, err := parsedPage()
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := t.Execute(&page, viewOf(reports)); err != nil {
		return err
	}
	_, err = w.Write(page.Bytes())
	return err
}

func viewOf(reports []measure.Report) *pageView {
	all := tallyOf(reports)
	v := &pageView{
		Policy:     policy(),
		Style:      template.CSS(pageStyle),
		Script:     template.JS(pageScript),
		Lead:       all.headline(),
		Candidates: all.candidates(),
		Kinds:      all.kinds(),
		Plots:      all.plots(),
		Chain:      all.chain(),
		Planted:    all.planted(),
		Lost:       all.lost(),
		Invented:   all.invented(),
		Tokenizer:  all.tokenizer(),
	}
	v.Sessions, v.Cut = all.sessions()
	return v
}

// policy allows the page its own style and script and refuses all else, so
// that a text that got through the escaping could still do nothing.
func policy() string {
	return "default-src 'none'; img-src data:; style-src " + hashSource(pageStyle) +
		"; script-src " + hashSource(pageScript) + "; base-uri 'none'; form-action 'none'"
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
