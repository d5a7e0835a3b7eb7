package extract

import "strings"

// resultFactor is how much more the verdict on a test counts than its name elsewhere.
const resultFactor = 4

// testResults reads which tests failed and which passed.
func (n *nameSlot) testResults(c *Call, m *mention) {
	text := bothEnds(c.Result.Text)
	for _, cue := range [...]struct {
		text    string
		failing bool
	}{
		{"--- FAIL: ", true}, {"--- PASS: ", false}, {"FAILED ", true}, {"PASSED ", false},
		{"✕ ", true}, {"✗ ", true}, {"× ", true}, {"● ", true}, {"✓ ", false}, {"✔ ", false},
	} {
		for at := 0; ; {
			i := strings.Index(text[at:], cue.text)
			if i < 0 {
				break
			}
			at += i + len(cue.text)
			begin := strings.LastIndexByte(text[:at], '\n') + 1
			if strings.TrimSpace(text[begin:at-len(cue.text)]) != "" {
				continue
			}
			if name := testTitle(text[at:lineEnd(text, at)]); name != "" {
				n.testResult(name, cue.failing, m)
			}
		}
	}
}

func (n *nameSlot) testResult(name string, failing bool, m *mention) {
	if !failing {
		if i, ok := n.tests.index[name]; ok {
			n.tests.uses[i].failing = false
		}
		return
	}
	u := n.tests.add(n, name, m, resultFactor)
	u.failing = true
}

// testTitle is the name of a test in a line of results, without its duration
// and without the reason.
func testTitle(l string) string {
	if i := strings.LastIndex(l, " ("); i > 0 {
		l = l[:i]
	}
	if i := strings.Index(l, " - "); i > 0 {
		l = l[:i]
	}
	l = strings.TrimSpace(l)
	if len(l) < 4 || len(l) > 160 || !isLetter(l[0]) && l[0] < 0x80 {
		return ""
	}
	return l
}
