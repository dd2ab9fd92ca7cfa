// Package notebook keeps notes in a file next to their recording, and deletes
// recordings with their notes and summaries.
package notebook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"midwire/session/library/noted"
	"midwire/session/library/summary"
	"midwire/session/notes"
	"midwire/session/record"
	"midwire/session/safefile"
)

const (
	learned  = ".ignore"       // what a replay is not to compare, as its user said
	patience = 2 * time.Second // how long another writer may take
	queue    = 5 * patience    // how long all of them may take
	retry    = 10 * time.Millisecond
)

// Write applies changes to the notes that are in the file by now, replaces it, and
// returns what it holds then. A file that cannot be read is left alone.
func Write(recording string, changes notes.Changes) (*notes.Notes, error) {
	path := noted.File(recording)
	draft, err := reserve(path + ".new")
	if err != nil {
		return nil, err
	}
	done := false
	defer func() {
		if !done {
			draft.Close()
			os.Remove(draft.Name())
		}
	}()
	all, err := noted.Read(recording)
	if err != nil {
		return nil, err
	}
	all.Apply(changes)
	data, err := all.Encode()
	if err != nil {
		return nil, err
	}
	if _, err = draft.Write(data); err == nil {
		err = draft.Sync()
	}
	if err = errors.Join(err, draft.Close()); err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	done = true
	return all, nil
}

// reserve creates the file that will take the place of the notes. While it is
// there no other process writes, so that no notes are lost; one that was left
// behind is removed.
func reserve(path string) (*os.File, error) {
	for until := time.Now().Add(queue); ; {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case err == nil:
			return f, nil
		case errors.Is(err, fs.ErrPermission), isReadOnly(err), errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w: %w", notes.ErrNotKept, err)
		case !errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("notes: %w", err)
		}
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > patience {
			os.Remove(path)
			continue
		}
		if time.Now().After(until) {
			return nil, fmt.Errorf("notes: %s exists: another midwire is writing; if none is, remove the file", path)
		}
		time.Sleep(retry)
	}
}

// Book keeps the notes of the recordings that a screen shows. Its methods
// may be called from any goroutine.
type Book struct {
	Path    func(id string) string // where the recording of an id is
	Library string                 // the folder of recordings
	Passing func(path string) bool // says that a recording is removed when the program exits: notes are not kept
}

// In makes the notebook of a screen over the recordings in a library, and those
// that path knows besides. With piped set, one of them came from standard input
// and lies in a file that goes with the program.
func In(library string, path func(id string) string, piped bool) Book {
	return Book{Path: path, Library: library, Passing: func(path string) bool {
		return piped && filepath.Dir(path) == filepath.Clean(os.TempDir()) && strings.HasPrefix(filepath.Base(path), "midwire-")
	}}
}

// Load returns the notes of a recording.
func (b Book) Load(id string) (*notes.Notes, error) {
	path := b.Path(id)
	if b.passing(path) {
		return notes.New(), nil
	}
	return noted.Read(path)
}

// Save keeps changes and returns the notes, with those that others wrote.
func (b Book) Save(id string, changes notes.Changes) (*notes.Notes, error) {
	path := b.Path(id)
	if b.passing(path) {
		return nil, fmt.Errorf("%w: the recording came from standard input", notes.ErrNotKept)
	}
	return Write(path, changes)
}

func (b Book) passing(path string) bool { return b.Passing != nil && b.Passing(path) }

// Find says where a recording is, how long it is, and whether it lies outside
// the folder of recordings.
func (b Book) Find(id string) (path string, size int64, outside bool, err error) {
	path = b.Path(id)
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	info, err := os.Stat(path)
	if err != nil {
		return path, 0, false, fmt.Errorf("recording: %w", err)
	}
	return path, info.Size(), !safefile.SamePath(b.Library, filepath.Dir(path)), nil
}

// Delete removes a recording, its notes and its summary. path must be what Find said: the
// user agreed to no other. One that a tap is writing stays.
func (b Book) Delete(id, path string) error {
	if at, _, _, err := b.Find(id); err != nil || at != path {
		return errors.Join(fmt.Errorf("recording %s is no longer at %s; nothing was deleted", id, path), err)
	}
	return remove(path)
}

// remove deletes a recording that no proxy writes, and what is beside it.
func remove(path string) error {
	if record.IsLive(path) {
		return ErrLive
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	if err := os.Remove(noted.File(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deleted the recording, but not its notes: %w", err)
	}
	return summary.Remove(path)
}

// Why a recording cannot be deleted, or not without being asked for by name.
var (
	ErrLive  = errors.New("a proxy is still writing this recording; delete it when the proxy has ended")
	ErrNoted = errors.New("this recording is named, marked or commented, or has rules of a replay")
)

// Disposable returns nil when Dispose would delete a recording.
func Disposable(path string) error {
	if record.IsLive(path) {
		return ErrLive
	}
	n, err := noted.Read(path)
	if err != nil || n.Total() > 0 { // notes that cannot be read may say anything
		return ErrNoted
	}
	if _, err := os.Lstat(path + learned); !errors.Is(err, fs.ErrNotExist) {
		return ErrNoted
	}
	return nil
}

// Dispose deletes a recording that no proxy writes and that has no notes. A
// note that is being written at this moment keeps it.
func Dispose(path string) error {
	draft, err := reserve(noted.File(path) + ".new")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	defer draft.Close()
	if err := Disposable(path); err != nil {
		return err
	}
	return remove(path)
}
