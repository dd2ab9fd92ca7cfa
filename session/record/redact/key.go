package redact

import (
	"crypto/rand"
	"os"
	"path/filepath"

	"midwire/session/safefile"
)

const (
	keyFile = ".key"
	keySize = 32
)

// Key returns the key of this installation, with which the same credential
// gets the same mask in every recording of the folder. Where none can be kept
// it is a key for this run.
func Key(dir string) []byte {
	path := filepath.Join(dir, keyFile)
	if key, err := safefile.ReadOwn(path, keySize); err == nil && len(key) == keySize {
		return key
	}
	key := RunKey()
	tmp, err := os.CreateTemp(dir, keyFile+"-*")
	if err != nil {
		return key
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(key)
	if e := tmp.Close(); err != nil || e != nil {
		return key
	}
	// A link appears whole or not at all, and the first of two taps that start
	// together wins.
	if os.Link(tmp.Name(), path) != nil {
		if kept, err := safefile.ReadOwn(path, keySize); err == nil && len(kept) == keySize {
			return kept
		}
		_ = os.Rename(tmp.Name(), path) // no links here, or a broken key, or one that another user knows
	}
	return key
}

// RunKey returns a key for one run: in a folder that others may write to, they
// could have put one there that they know.
func RunKey() []byte {
	key := make([]byte, keySize)
	rand.Read(key) // never fails
	return key
}
