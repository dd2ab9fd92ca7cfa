package record

import (
	"os"
	"path/filepath"

	"midwire/session/safefile"
)

// IsOwn reports whether the recording at path was made here, as far as that can be
// known: it is a file of this user's, lies in dir itself and names this machine.
// A file that another user gave to the user, and that the user put there, can
// say so as well: what is done on the word of a recording has to be shown first.
func IsOwn(dir, path string) bool {
	e := entry(path)
	return e.isOwn(dir)
}

func (e *Entry) isOwn(dir string) bool {
	info, err := os.Lstat(e.Path)
	if err != nil || HostOf(e.ID) != "" || !info.Mode().IsRegular() || !safefile.IsOurs(info) {
		return false
	}
	host, err := os.Hostname()
	return err == nil && e.Err == nil && host != "" && e.Header.Host == host &&
		safefile.SamePath(dir, filepath.Dir(e.Path))
}
