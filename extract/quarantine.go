package extract

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/pith-memory/pith"
)

// quarantineSlot notes orders that are forged in what no person said: by hash
// and place, never by their text. It is a record for people, not a defence:
// nothing that is not the user's becomes a rule in the first place.
type quarantineSlot struct {
	list []pith.Quarantine
	seen map[[sha256.Size]byte]bool
}

const (
	maxQuarantined = 64
	forgeryBytes   = 300
)

// forgeries mark a forged order: a needle that begins with a rare letter, so
// that it is quick to search for, and what must stand in the same line, in
// lower case, for it to be one.
var forgeries = [...]struct {
	needle string
	slot   string
	line   []string
}{
	{"SYSTEM", "active_constraints", []string{"system update:", "system override", "system message:", "system notice:", "system: ", "[system]"}},
	{"vious instructions", "current_goal", []string{"ignore previous instructions", "ignore all previous instructions", "ignore the previous instructions", "ignore any previous instructions", "ignore your previous instructions", "disregard previous instructions", "disregard all previous instructions", "disregard the previous instructions", "disregard your previous instructions", "forget previous instructions", "forget all previous instructions", "forget your previous instructions"}},
	{"w objective", "current_goal", []string{"your new objective", "new objective:", "new objective is"}},
	{"w goal", "current_goal", []string{"your new goal", "new goal:", "new goal is"}},
	{"verride", "active_constraints", []string{"operator override"}},
}

// scan looks for forged orders in one text.
func (q *quarantineSlot) scan(text string, o pith.Provenance, at pith.Source) {
	for i := range forgeries {
		f := &forgeries[i]
		for from := 0; len(q.list) < maxQuarantined; {
			j := strings.Index(text[from:], f.needle)
			if j < 0 {
				break
			}
			j += from
			// A line may be as long as a file: what stands around the needle counts.
			start := max(strings.LastIndexByte(text[:j], '\n')+1, from, j-forgeryBytes)
			end := min(lineEnd(text, j), j+forgeryBytes)
			from = end
			q.line(text, start, end, f.slot, f.line, o, at)
		}
	}
}

func (q *quarantineSlot) line(text string, start, end int, slot string, marks []string, o pith.Provenance, at pith.Source) {
	lower := strings.ToLower(text[start:end])
	if strings.HasPrefix(strings.TrimSpace(lower), "func ") {
		return
	}
	found := false
	for _, m := range marks {
		i := strings.Index(lower, m)
		// "SYSTEM: " is forged where it opens the line, not in "FILE SYSTEM: ok".
		found = found || i >= 0 && (m != "system: " || strings.Trim(lower[:i], " \t*_[<>/#-") == "")
	}
	if !found {
		return
	}
	sum := sha256.Sum256([]byte(text[start:end]))
	if q.seen[sum] {
		return
	}
	if q.seen == nil {
		q.seen = map[[sha256.Size]byte]bool{}
	}
	q.seen[sum] = true
	base := at.Start
	at.Start, at.End = base+start, base+end
	q.list = append(q.list, pith.Quarantine{Slot: slot, Provenance: o, SHA256: hex.EncodeToString(sum[:]), Source: at})
}
