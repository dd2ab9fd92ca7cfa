// Package noted reads the notes beside a recording. Package notebook writes them.
package noted

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/notes"
	"midwire/session/safefile"
)

// MaxSize is the maximum size of a notes file, in bytes.
const MaxSize = 16 << 20

// File returns the path of a recording's notes.
func File(recording string) string {
	return strings.TrimSuffix(recording, ".jsonl") + ".notes.json"
}

// Read returns the notes of the recording in a file; none when there are none.
func Read(recording string) (*notes.Notes, error) {
	path := File(recording)
	data, err := safefile.ReadOwn(path, MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return notes.New(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("notes: %w; the file is unchanged", err)
	}
	n, err := notes.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; the file is unchanged", path, err)
	}
	return n, nil
}

// Tell has the checker of a recording know what is noted of asking its server again.
func Tell(c *diagnose.Checker, recording string) {
	if n, err := Read(recording); err == nil {
		rules.Tell(c, n)
	}
}
