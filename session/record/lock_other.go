//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package record

import (
	"bytes"
	"os"
)

func lock(*os.File) bool { return true }

// isLocked asks whether the process in the recording's header still exists and
// did not finish the recording: there are no locks to ask.
func isLocked(f *os.File) bool {
	h, err := readHeader(f)
	if err != nil || h.Pid == 0 || isFinished(f) {
		return false
	}
	if host, err := os.Hostname(); err == nil && h.Host != "" && h.Host != host {
		return false
	}
	p, err := os.FindProcess(h.Pid)
	if err != nil {
		return false
	}
	p.Release()
	return true
}

// isRemoved reports whether the open file has no name any longer. Windows does not
// remove a file that is open.
func isRemoved(*os.File) bool { return false }

// isFinished reports whether the recording's last line is its end frame.
func isFinished(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	tail := make([]byte, 256)
	n, _ := f.ReadAt(tail, max(0, info.Size()-int64(len(tail))))
	return bytes.Contains(tail[:n], []byte(`"k":"end"`))
}
