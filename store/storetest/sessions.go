package storetest

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// Sessions are ids that are hard to be safe with: each is another session.
var Sessions = []string{
	"plain", "Plain", "PLAIN", "a.b", "a..b", ".", "..", "...", "../x", "..\\x", "/etc/passwd", "C:\\x", "C:", "a/b", "a\\b", "a:b",
	"CON", "con", "con.txt", "COM", "com", "Lpt", "NUL", "nul", "AUX", "COM1", "LPT9", "prn", "~", "~root", "-rf", "--", " ", "  ", " lead", "trail ", "trail.", "trail",
	"*", "?", "[a]", "%", "%2e", "%2E%2E", "_", "__", "'", "\"", "';drop table checkpoints;--", "$HOME", "`id`", "a\nb", "a\tb", "\x7f", "\x01",
	"\u00e9", "e\u0301", "\u00df", "SS", "ss", "\u0130", "i\u0307", "\u212a", "K", "k", "会话", "сессия", "\U0001f9ea", "\u200b", "\u202e", "a\u200bb", "ab",
	".hidden", ".lock", ".tmp", "blocks", "00000000.json", "index", "lost+found", "desktop.ini", ".DS_Store", "null", "0", "00",
	strings.Repeat("x", 200), strings.Repeat("x", 201), strings.Repeat("x", 255), strings.Repeat("x", 256), strings.Repeat("long/", 819) + "y",
	strings.Repeat("é", 2048), strings.Repeat("会", 1365),
}

// testAnySession holds that any id of a session is safe and is one session.
func testAnySession(t *testing.T, open func() pith.Store) {
	store := open()
	chains := map[string][]*pith.Saved{}
	for _, session := range Sessions {
		chains[session] = []*pith.Saved{New(t, session, nil, "goal")}
		put(t, store, chains[session][0])
	}
	for _, session := range Sessions {
		c := New(t, session, chains[session][0], "second goal")
		chains[session] = append(chains[session], c)
		put(t, store, c)
	}
	again := open()
	for _, session := range Sessions {
		c, err := again.Latest(t.Context(), session)
		if err != nil {
			t.Errorf("session %.40q: %v", session, err)
			continue
		}
		if err := differ(c, chains[session][1]); err != nil {
			t.Errorf("session %.40q: %v", session, err)
		}
		if l := list(t, again, session); len(l) != 2 || l[0].SessionID != session {
			t.Errorf("session %.40q has %d entries, want 2", session, len(l))
		}
	}
	if l := list(t, again, ""); len(l) != 2*len(Sessions) {
		t.Errorf("%d entries in all, want %d", len(l), 2*len(Sessions))
	}
}
