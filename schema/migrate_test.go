package schema

import (
	"strings"
	"testing"

	"github.com/pith-memory/pith"
)

// TestMigrate holds that a state of an earlier version is read, under the id
// of its new content, and that its old id can still be checked.
func TestMigrate(t *testing.T) {
	for _, version := range []string{"2.1.0", "2.2.0"} {
		t.Run(version, func(t *testing.T) { migrate(t, version) })
	}
}

func migrate(t *testing.T, version string) {
	t.Helper()
	present := exampleJSON(t, false)
	s, err := Unmarshal(present)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(string(present), `"schema_version":"`+pith.SchemaVersion+`"`, `"schema_version":"`+version+`"`, 1)
	oldID, err := DocumentID([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	old = strings.Replace(old, s.Checkpoint.ID, oldID, 1)
	if again, err := DocumentID([]byte(old)); err != nil || again != oldID || oldID == s.Checkpoint.ID {
		t.Errorf("the id of the old document is %s, then %s (%v)", oldID, again, err)
	}
	migrated, from, err := Migrate([]byte(old))
	if err != nil || from != version {
		t.Fatalf("migrated from %q: %v", from, err)
	}
	if string(migrated) != string(present) {
		t.Errorf("the migrated state is\n%s\nwant\n%s", migrated, present)
	}
	read, err := Unmarshal([]byte(old))
	if err != nil || read.SchemaVersion != pith.SchemaVersion || len(Check(read)) > 0 {
		t.Errorf("reading the old state: %v, %v", err, Check(read))
	}
	if id, err := DocumentID(present); err != nil || id != s.Checkpoint.ID {
		t.Errorf("the id of the present document is %s (%v), want %s", id, err, s.Checkpoint.ID)
	}
	for _, bad := range []string{"", "[]", `{"contract_type":"compact-working-state","schema_version":"9.0.0"}`, `{"schema_version":"` + version + `","checkpoint":3}`} {
		if _, _, err := Migrate([]byte(bad)); pith.KindOf(err) != pith.KindInput {
			t.Errorf("%q gives %v, want an error of the input", bad, err)
		}
	}
}
