package main

import (
	"bytes"
	"fmt"
)

const limits = `- **Few sessions.** The intervals are over sessions and wide; a kind with few facts says little.
- **The summaries are other people's.** No model runs here. Where eino or langchain asks one, the answer is the summary
  that the client's model wrote of the same history for the client's own instruction: a real one, but not the one that
  it would have written for theirs. At cuts without a recorded summary they have no figure.
- **What the model was shown** is not what the summary knows: %s
- **Facts are found by patterns** in structured records and in the text. What no pattern finds is not counted, and a
  fact in other words counts as lost, which is harder on summaries than on what copies.
- **What was needed** is read off what the agent did after the client's own compaction, so it leans to what the client's
  summary held; a different memory might have led to other calls.
- **No agent goes on from any of this.** Whether it solves more, or for less, only a live trial can tell.
- **What can be fetched again** (pith's recall, eino's cleared files, the transcript) is not counted for anybody.
- **Thinking** of the live context is part of what is stood for; no candidate but raw, keep-last and mask sends it again.
- pith was developed on sessions like these, and its authors wrote the yardstick, which shares no code with the
  extraction.
- **Speed** is of the code alone. A summary that a model writes takes seconds to minutes more, and is paid for.
`

// writeLimits says what the figures do not show.
func writeLimits(b *bytes.Buffer, c *Comparison) {
	b.WriteString("## Limits\n\n")
	seen := ""
	for i := range c.AtSummaries.Rows {
		r := &c.AtSummaries.Rows[i]
		if r.Shown == 0 || r.History == 0 {
			continue
		}
		if seen != "" {
			seen += ", "
		}
		seen += fmt.Sprintf("%s gave it %.0f %% of the history", r.Of, min(100, 100*float64(r.Shown)/float64(r.History)))
	}
	if seen == "" {
		seen = "no candidate asked one in this run"
	}
	fmt.Fprintf(b, limits, seen+".")
}
