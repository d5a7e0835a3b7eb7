package install_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/pith-memory/pith/provider/providertest"
)

// TestRealClaudeImage compacts behind a look at an image: the plugin cannot write
// it again, and says so in its place.
func TestRealClaudeImage(t *testing.T) {
	t.Parallel()
	s := &script{}
	r := newClaude(t, s)
	r.write("shot.png", string(shot(t)))
	p := plant(r)
	s.then(p.turns(r, 40_000)...)
	look := providertest.Use("Read", string(mustJSON(map[string]string{"file_path": r.Work + "/shot.png"})))
	look.Usage = used(full)
	s.then(look, fill(20_000), providertest.Say("All is done."))
	r.valid(r.claude("current", "-p", p.Prompt))
	_, requests := behind(t, s.Main())
	if text := spoken(&requests[0]); !strings.Contains(text, "shot.png") || !strings.Contains(text, "not carried over by the compaction") {
		t.Errorf("the image went without a word:\n%s", text)
	}
}

// TestRealClaudeKeepsImage compacts behind a prompt with an image: it stays, also
// for a session that is resumed.
func TestRealClaudeKeepsImage(t *testing.T) {
	t.Parallel()
	s := &script{}
	r := newClaude(t, s)
	p := plant(r)
	s.then(p.turns(r, 40_000)...)
	s.then(providertest.Say("Done so far."), fill(full), fill(20_000), providertest.Say("All is done."), providertest.Say("Once more."))
	r.valid(r.chat("current", p.Prompt, []map[string]any{
		{"type": "text", "text": "It is to look like this."},
		{"type": "image", "source": map[string]string{"type": "base64", "media_type": "image/png", "data": base64.StdEncoding.EncodeToString(shot(t))}},
	}))
	r.valid(r.claude("current", "--continue", "-p", "Go on."))
	_, requests := behind(t, s.Main())
	for i := range requests {
		memoryFirst(t, &requests[i])
		if n := bytes.Count(requests[i].Body, []byte(`"type":"image"`)); n != 1 || !strings.Contains(spoken(&requests[i]), "It is to look like this.") {
			t.Errorf("request %d has %d images", requests[i].N, n)
		}
	}
	if len(requests) != 3 || s.Summaries() != 0 {
		t.Errorf("%d requests behind the compaction, %d for a summary", len(requests), s.Summaries())
	}
}

// shot is a small picture.
func shot(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
