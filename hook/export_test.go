package hook

import (
	"os"
	"path/filepath"
	"testing"
)

// TestForgetTakesPlaced holds that the memory which a plugin keeps goes with its session.
func TestForgetTakesPlaced(t *testing.T) {
	dir := t.TempDir()
	kept, gone := filepath.Join(dir, placedFolder, "ses_b.json"), filepath.Join(dir, placedFolder, "ses_a__c.json")
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{kept, gone} {
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second finds nothing, which is none of anybody's errors
		if err := Forget(dir, "ses_a/.c"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(gone); !os.IsNotExist(err) {
		t.Errorf("%s: %v, want it gone", gone, err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}
