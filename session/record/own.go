package record

import (
	"os"
	"path/filepath"

	"midwire/session/safefile"
)

// Own reports whether the recording at path was made here, as far as that can be
// known: it is a file of this user's, lies in dir itself and names this machine.
// A file that another user gave to the user, and that the user put there, can
// say so as well: what is done on the word of a recording has to be shown first.
func Own(dir, path string) bool {
	info, err := os.Lstat(path)
	if err != nil || HostOf(filepath.Base(path)) != "" || !info.Mode().IsRegular() || !safefile.IsOurs(info) {
		return false
	}
	if !safefile.Same(dir, filepath.Dir(path)) {
		return false
	}
	host, err := os.Hostname()
	e := entry(path)
	return err == nil && e.Err == nil && host != "" && e.Header.Host == host
}
