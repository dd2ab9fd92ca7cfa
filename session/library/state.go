package library

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path/filepath"

	"midwire/session/safefile"
)

const (
	stateName = "screen.json"
	maxState  = 1 << 20
)

// State is the file that keeps the layout of the screen: sizes of panes, orders,
// groups. Names and values are the screen's. Nothing depends on it: what cannot be
// read counts as nothing. One goroutine at a time may use it.
type State struct{ path string }

// StateIn returns the file in a folder; neither has to exist.
func StateIn(dir string) *State { return &State{filepath.Join(dir, stateName)} }

// Load returns what was kept last.
func (s *State) Load() map[string]string {
	kept := map[string]string{}
	data, err := safefile.Read(s.path, maxState)
	if err != nil || json.Unmarshal(data, &kept) != nil {
		return map[string]string{}
	}
	return kept
}

// Keep puts values in place of those of the same names. Others stay: another version
// may have written them.
func (s *State) Keep(values map[string]string) error {
	all := s.Load()
	maps.Copy(all, values)
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := safefile.Own(filepath.Dir(s.path)); err != nil && !errors.Is(err, safefile.ErrShared) {
		return err // what others put into a shared one is not read
	}
	return safefile.Replace(s.path, func(w io.Writer) error { _, err := w.Write(append(data, '\n')); return err })
}
