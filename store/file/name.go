package file

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

const (
	// plainName bounds an id that is a folder's name as it is.
	plainName = 100
	// mark begins the hash in the name of any other folder; no plain name has it.
	mark = "~"
	// markedHash is how many digits of the hash a name holds.
	markedHash = 32
	// legible is how many characters of an id its folder's name still shows.
	legible = 40
)

// folderName is the folder of a session: its id where every file system takes
// that as a name and keeps it apart from all others, else what can be read of
// it and its hash. Capital letters are no plain names, since to some file
// systems they are small ones.
func folderName(session string) string {
	if isPlain(session) {
		return session
	}
	var shown strings.Builder
	for _, r := range session {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_':
			shown.WriteRune(r)
		case r >= 'A' && r <= 'Z':
			shown.WriteRune(r + 'a' - 'A')
		default:
			shown.WriteByte('-')
		}
		if shown.Len() == legible {
			break
		}
	}
	name := strings.Trim(shown.String(), "-_")
	if name == "" {
		name = "session"
	}
	sum := sha256.Sum256([]byte(session))
	return name + mark + hex.EncodeToString(sum[:])[:markedHash]
}

func isPlain(session string) bool {
	if session == "" || len(session) > plainName || !isAlphanumeric(session[0]) || session[len(session)-1] == '.' {
		return false
	}
	for i := range len(session) {
		if b := session[i]; !isAlphanumeric(b) && b != '.' && b != '_' && b != '-' {
			return false
		}
	}
	device, _, _ := strings.Cut(session, ".")
	return !isDevice(device)
}

func isAlphanumeric(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

// isDevice tells the names that Windows keeps for devices, with any extension.
func isDevice(name string) bool {
	switch name {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	return len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) && name[3] >= '0' && name[3] <= '9'
}

// isFolderName tells a session's folder from whatever else lies there.
func isFolderName(name string) bool {
	if isPlain(name) {
		return true
	}
	shown, hash, ok := strings.Cut(name, mark)
	return ok && shown != "" && isPlain("x"+shown) && len(hash) == markedHash && strings.Trim(hash, "0123456789abcdef") == ""
}

// recordName is the file of a checkpoint, whose place in the session is in it:
// two children of one parent want the same.
func recordName(seq int) string { return fmt.Sprintf("%08d.json", seq) }

// seqOf reads the place from a file's name.
func seqOf(name string) (int, bool) {
	digits, ok := strings.CutSuffix(name, ".json")
	if !ok || len(digits) < 8 {
		return 0, false
	}
	seq, err := strconv.Atoi(digits)
	return seq, err == nil && seq >= 0 && recordName(seq) == name
}
