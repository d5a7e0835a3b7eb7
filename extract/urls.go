package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// urlSlot keeps the addresses of pages that were read, by fetching or searching.
type urlSlot struct {
	list []pith.Quote
	seen map[string]bool
}

const (
	maxURLs = 60
	// maxSearchURLs is how many results of one search are kept.
	maxSearchURLs = 10
)

func (u *urlSlot) call(c *Call) {
	if c.Result.IsError || c.Result.Rejected {
		return
	}
	switch kind := webTool(c.Use.ToolName); kind {
	case "fetch":
		if failedFetch(c.Result.Text) {
			return
		}
		for i := range c.Use.Args {
			if a := &c.Use.Args[i]; strings.Contains(a.Value, "://") {
				u.find(c.Use.Text, a.Value, pith.Assistant, c.At, 3)
			}
		}
		if len(c.Use.Args) == 0 {
			u.find(c.Result.Text, c.Result.Text, pith.ToolOutput, c.ResultAt, 1)
		}
	case "search":
		u.find(c.Result.Text, c.Result.Text, pith.ToolOutput, c.ResultAt, maxSearchURLs)
	}
}

// webTool tells what a tool does with the web, by its name in any client.
func webTool(name string) string {
	if len(name) < 5 || name == "Read" || name == "Edit" {
		return ""
	}
	n := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", ""))
	switch {
	case strings.Contains(n, "websearch"), n == "search", n == "googlewebsearch", strings.HasSuffix(n, "searchweb"):
		return "search"
	case strings.Contains(n, "webfetch"), n == "fetch", strings.HasSuffix(n, "fetch"), n == "readurl", n == "openurl", strings.HasSuffix(n, "navigate"), n == "browse", n == "readwebpage":
		return "fetch"
	}
	return ""
}

func failedFetch(result string) bool {
	head := cutTo(result, 200)
	return strings.HasPrefix(head, "Request failed") || strings.Contains(head, "status code 4") || strings.Contains(head, "status code 5")
}

// find keeps up to limit addresses of value; text is what sources point into.
func (u *urlSlot) find(text, value string, o pith.Provenance, at pith.Source, limit int) {
	for from := 0; limit > 0 && len(u.list) < maxURLs; {
		i := strings.Index(value[from:], "http")
		if i < 0 {
			return
		}
		i += from
		from = i + 4
		rest := value[i:]
		if !strings.HasPrefix(rest, "http://") && !strings.HasPrefix(rest, "https://") {
			continue
		}
		end := strings.IndexAny(rest, " \t\n\"'<>`\\|")
		if end < 0 {
			end = len(rest)
		}
		url := strings.TrimRight(rest[:end], ".,;:)]}*_")
		from = i + end
		if len(url) < 12 || len(url) > 500 || u.seen[url] {
			continue
		}
		if u.seen == nil {
			u.seen = map[string]bool{}
		}
		u.seen[url] = true
		limit--
		q := pith.Quote{Text: url, Provenance: o, Source: at}
		if j := strings.Index(text, url); j >= 0 {
			q.Source.Start, q.Source.End = j, j+len(url)
		}
		u.list = append(u.list, q)
	}
}

func (u *urlSlot) quotes() []pith.Quote { return append([]pith.Quote{}, u.list...) }
