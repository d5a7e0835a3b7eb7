// Command gitleaks measures package redact and gitleaks on the texts of package
// gate: recall and false positives kind by kind, and speed. It writes
// docs/secrets.md.
//
//	go run -C redact/gate/gitleaks . -doc ../../../docs/secrets.md
//
// It exits with 1 where redact is below gitleaks on a kind.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/redact/gate"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// hole stands for what gitleaks or the control found.
const hole = "\u2588"

func main() {
	doc := flag.String("doc", "", "write the document to this file instead of to standard output")
	flag.Parse()
	if err := run(*doc); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(doc string) error {
	leaks, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return err
	}
	leaks.MaxDecodeDepth = 5 // its own default looks through no encoding
	r := &results{
		positives: rows(gate.Positives(), leaks),
		blind:     rows(gate.Blind(), leaks),
		negatives: rows(gate.Negatives(), leaks),
		beside:    rows(gate.Beside(), leaks),
		speeds:    speeds(leaks),
	}
	text := r.document()
	if doc == "" {
		fmt.Print(text)
	} else if err := os.WriteFile(doc, []byte(text), 0o644); err != nil {
		return err
	}
	if below := r.below(); len(below) > 0 {
		return fmt.Errorf("redact is below gitleaks on %s", strings.Join(below, ", "))
	}
	return nil
}

// row is what became of the texts of one kind. Of a text with secrets, hits
// are those in which all of them are gone; of one without, those that changed.
type row struct {
	kind                   string
	redact, leaks, entropy gate.Share
	whole                  gate.Share // texts that redact left as they are but for the secrets

}

func rows(samples []gate.Sample, leaks *detect.Detector) []row {
	var out []row
	for i := range samples {
		s := normal(&samples[i])
		if len(out) == 0 || out[len(out)-1].kind != s.Kind {
			out = append(out, row{kind: s.Kind})
		}
		out[len(out)-1].add(s, leaks)
	}
	return out
}

// normal is the sample without terminal sequences and carriage returns, which
// is what redact compares with; gitleaks is given the same text.
func normal(s *gate.Sample) *gate.Sample {
	n := &gate.Sample{Kind: s.Kind}
	for _, p := range s.Parts {
		p, _ = redact.Normalise(p)
		n.Parts = append(n.Parts, p)
	}
	return n
}

func (r *row) add(s *gate.Sample, leaks *detect.Detector) {
	text := s.Text()
	ours := redact.New().Text(text)
	control := gate.HighEntropy(text, hole)
	findings := leaks.DetectString(text)
	if len(s.Parts) == 1 {
		r.redact.Add(ours != text)
		r.leaks.Add(len(findings) > 0)
		r.entropy.Add(control != text)
		r.whole.Add(ours == text)
		return
	}
	found, chance := true, true
	for _, secret := range s.Secrets() {
		found = found && gate.Gone(ours, secret)
		chance = chance && gate.Gone(control, secret)
	}
	r.redact.Add(found)
	r.entropy.Add(chance)
	r.whole.Add(gate.Whole(ours, s.Parts))
	// gitleaks finds and does not redact: any finding in a text counts for it.
	r.leaks.Add(len(findings) > 0)
}

// speed is how fast a detector goes over ordinary text and over the samples.
type speed struct {
	name         string
	plain, leaky float64 // MB/s
	pieces       string
}

// maxLeaky bounds the text of samples that speed is measured on: gitleaks needs
// seconds for more.
const maxLeaky = 64 << 10

// speeds measures each detector for a second or more on each text, gitleaks in
// the pieces in which it is fastest.
func speeds(leaks *detect.Detector) []speed {
	plain := strings.Repeat(gate.Plain, 400)
	var b strings.Builder
	for i, s := range gate.Positives() {
		if i%10 == 0 && b.Len() < maxLeaky {
			b.WriteString(s.Text())
			b.WriteByte('\n')
		}
	}
	leaky := b.String()
	r := redact.New()
	ours := speed{name: "redact", pieces: "the whole", plain: rate(plain, func(s string) { r.Text(s) }), leaky: rate(leaky, func(s string) { r.Text(s) })}
	theirs := speed{name: "gitleaks"}
	for _, size := range []int{1 << 10, 4 << 10, 16 << 10, 64 << 10} {
		detectIn := func(s string) {
			for len(s) > 0 {
				n := min(size, len(s))
				if nl := strings.LastIndexByte(s[:n], '\n'); n < len(s) && nl > 0 {
					n = nl + 1
				}
				leaks.DetectString(s[:n])
				s = s[n:]
			}
		}
		if p := rate(plain, detectIn); p > theirs.plain {
			theirs.plain, theirs.pieces = p, fmt.Sprintf("%d KB", size>>10)
		}
		if size <= 4<<10 {
			theirs.leaky = max(theirs.leaky, rate(leaky, detectIn))
		}
	}
	control := func(s string) { gate.HighEntropy(s, hole) }
	return []speed{ours, theirs, {name: "entropy alone", pieces: "the whole", plain: rate(plain, control), leaky: rate(leaky, control)}}
}

// rate is the best of several runs, as other work on the machine only slows one.
func rate(text string, f func(string)) float64 {
	best := 0.0
	for start, n := time.Now(), 0; n < 3 || time.Since(start) < 1500*time.Millisecond; n++ {
		run := time.Now()
		f(text)
		best = max(best, float64(len(text))/1e6/time.Since(run).Seconds())
	}
	return best
}
