package record

import (
	"fmt"
	"io"
	"os"
)

// Spool copies a recording from a stream to a temporary file, which the caller
// removes.
func Spool(in io.Reader) (path string, err error) {
	f, err := os.CreateTemp("", "midwire-*.jsonl")
	if err != nil {
		return "", fmt.Errorf("copy of the recording: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(f, in); err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("copy of the recording: %w", err)
	}
	return f.Name(), nil
}
