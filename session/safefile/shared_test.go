//go:build unix

package safefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder is shared when others may write to it, or to one that it is in: they
// can put another in its place.
func TestShared(t *testing.T) {
	for _, tt := range []struct {
		above, mode os.FileMode
		who         string
	}{
		{0o755, 0o700, ""},
		{0o755, 0o755, ""},
		{0o777 | os.ModeSticky, 0o700, ""},
		{0o755, 0o777, "everyone"},
		{0o755, 0o777 | os.ModeSticky, "everyone"},
		{0o777, 0o700, "everyone"},
		{0o755, 0o707, "everyone"},
		{0o755, 0o702, "everyone"},
	} {
		above := t.TempDir()
		dir, link := filepath.Join(above, "r"), filepath.Join(t.TempDir(), "link")
		for _, err := range []error{os.Mkdir(dir, 0o700), os.Chmod(dir, tt.mode), os.Chmod(above, tt.above), os.Symlink(dir, link)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{dir, link} {
			if who := Shared(path); !strings.Contains(who, tt.who) || tt.who == "" && who != "" {
				t.Errorf("%v in %v, by way of %s: %q", tt.mode, tt.above, filepath.Base(path), who)
			}
		}
	}
	if who := Shared(filepath.Join(t.TempDir(), "nowhere")); who != "" {
		t.Errorf("a folder that is not there: %q", who)
	}
	if os.Geteuid() != 0 {
		return // no folder of another user can be made
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if who := Shared(dir); !strings.Contains(who, "another user") {
		t.Errorf("a folder of another user: %q", who)
	}
	mine := t.TempDir()
	if err := os.Chown(mine, 0, 65534); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(mine, 0o770); err != nil {
		t.Fatal(err)
	}
	if who := Shared(mine); !strings.Contains(who, "group") {
		t.Errorf("a folder of another group: %q", who)
	}
}
