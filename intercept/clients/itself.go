package clients

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"midwire/session/words"
)

// itself tells midwire in command lines, whatever its file is called.
type itself struct {
	path string // of this one, "" when that is not known
	mark *Mark  // of the entry, nil when midwire has not put itself there
}

var (
	errItself = errors.New("it starts midwire itself, with no server behind it")
	errRun    = errors.New("midwire stands in front of it as midwire run, which was put there by hand: take it out by hand")
)

// named are file names of midwire as it is released, with a version or a platform.
func named(name string) bool { return names().MatchString(name) }

var names = words.Pattern(`(?i)^midwire([-_.](v?[0-9]|linux|darwin|macos|windows|freebsd|openbsd|netbsd|amd64|arm64|x86|dev)[\w.+-]*)?(\.exe)?$`)

// starts reports whether a command line starts midwire, in whatever way.
func (m itself) starts(line []string) bool {
	word := line[0]
	switch {
	case named(filepath.Base(strings.ReplaceAll(word, `\`, "/"))), m.path != "" && word == m.path:
		return true
	case m.mark != nil && m.mark.Local == "" && len(m.mark.Line) > 0 && m.mark.Line[0] == hash([]byte(word)):
		return true
	}
	path, err := exec.LookPath(word)
	if err != nil || m.path == "" {
		return false
	}
	one, err1 := os.Stat(path)
	other, err2 := os.Stat(m.path)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}

// words counts the words of a command line that are midwire's, the -- included; 0
// where it has not that form.
func (m itself) words(line []string) int {
	if end := slices.Index(line, "--"); end > 0 && end < len(line)-1 && m.starts(line) {
		return end + 1
	}
	return 0
}

// isInFront reports whether midwire is in front of a server in a command line.
func (m itself) isInFront(line []string) bool { return m.words(line) > 0 || m.runs(line) }

// runs reports whether it is so by midwire run.
func (m itself) runs(line []string) bool {
	i := slices.Index(line, "run")
	return i > 0 && i < len(line)-1 && m.words(line) == 0 && m.starts(line)
}
