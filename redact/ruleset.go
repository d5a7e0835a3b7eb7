package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
)

// edition changes with the code that the tables do not show.
const edition = "redact/3"

// Ruleset is the sha256, in hexadecimal, of the rules: a state says by it
// which rules its text went through.
func Ruleset() string { return ruleset() }

var ruleset = sync.OnceValue(func() string {
	h := sha256.New()
	fmt.Fprintln(h, edition)
	for _, p := range prefixes {
		fmt.Fprintf(h, "%+v\n", p)
	}
	for _, a := range announcers {
		fmt.Fprintf(h, "%+v\n", a)
	}
	for _, list := range []string{modest, qualifiers, typeWords, stateWords, benignParts, idPrefixes, opaqueKeys, cookieAttributes, copulas, between, algorithms} {
		fmt.Fprintln(h, list)
	}
	for _, list := range [][]string{passwordCommands, foreignWords[:], hashSchemes[:]} {
		fmt.Fprintln(h, list)
	}
	for _, o := range openers {
		fmt.Fprintln(h, o.word)
	}
	return hex.EncodeToString(h.Sum(nil))
})
