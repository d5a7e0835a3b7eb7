package install_test

import (
	"bytes"
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
	var shot bytes.Buffer
	if err := png.Encode(&shot, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	r.write("shot.png", shot.String())
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
