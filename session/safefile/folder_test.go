//go:build unix

package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What another user of the machine has prepared is not used: a folder, a link, and
// a folder above in which ours could be replaced.
func TestPreparedFoldersAreRefused(t *testing.T) {
	const nobody = 65534
	other := os.Geteuid() == 0 // only root can act for another user
	for _, tc := range []struct {
		name    string
		prepare func(above, dir string) error
		own     bool // still good for files that are their owner's alone
		private bool
		asOther bool
	}{
		{"nothing", func(string, string) error { return nil }, true, true, false},
		{"ours", func(_, dir string) error { return os.Mkdir(dir, 0o700) }, true, true, false},
		{"readable", func(_, dir string) error { return os.Mkdir(dir, 0o755) }, true, false, false},
		{"0777", func(_, dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777)) }, false, false, false},
		{"0777 above", func(above, _ string) error { return os.Chmod(above, 0o777) }, false, false, false},
		{"sticky above", func(above, _ string) error { return os.Chmod(above, 0o777|os.ModeSticky) }, true, true, false},
		{"a link of ours", func(above, dir string) error { return os.Symlink(mkdir(above, "real"), dir) }, true, true, false},
		{"group above", func(above, _ string) error {
			return errors.Join(os.Chown(above, os.Geteuid(), nobody), os.Chmod(above, 0o770))
		}, false, false, true},
		{"of another user", func(_, dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, nobody, nobody)) }, false, false, true},
		{"a link of another user", func(above, dir string) error {
			return errors.Join(os.Symlink(mkdir(above, "real"), dir), os.Lchown(dir, nobody, nobody))
		}, false, false, true},
		{"a link in a folder of all", func(above, dir string) error {
			all := mkdir(above, "all")
			link := filepath.Join(all, "link")
			return errors.Join(os.Chmod(all, 0o777), os.Symlink(mkdir(above, "real"), link), os.Symlink(link, dir))
		}, false, false, false},
	} {
		if tc.asOther && !other {
			continue
		}
		for name, try := range map[string]struct {
			make func(string) error
			good bool
		}{"Own": {OwnFolder, tc.own}, "Private": {Private, tc.private}} {
			above := t.TempDir()
			dir := filepath.Join(above, "d")
			if err := tc.prepare(above, dir); err != nil {
				t.Fatal(err)
			}
			err := try.make(dir)
			if try.good != (err == nil) || err != nil && !errors.Is(err, ErrShared) {
				t.Errorf("%s, %s: %v", tc.name, name, err)
			}
			if info, e := os.Stat(dir); tc.name == "nothing" && (e != nil || info.Mode().Perm() != 0o700) {
				t.Errorf("%s: %v, %v", name, info, e)
			}
		}
	}
}

func mkdir(above, name string) string {
	dir := filepath.Join(above, name)
	_ = os.Mkdir(dir, 0o700)
	return dir
}

// A folder for a time is not made where others could put another in its place.
func TestTemp(t *testing.T) {
	above := t.TempDir()
	dir, err := Temp(above, "x-")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info, err)
	}
	if err := os.Chmod(above, 0o777); err != nil {
		t.Fatal(err)
	}
	if dir, err := Temp(above, "x-"); !errors.Is(err, ErrShared) {
		t.Errorf("%s, %v", dir, err)
	}
	if left, _ := os.ReadDir(above); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
