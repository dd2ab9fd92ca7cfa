package registry

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"midwire/session/safefile"
)

// Journal is a Store in a file: JSON Lines, appended to, so that whatever ends
// the process leaves all that was written before. One process has it at a time.
type Journal struct {
	lock *os.File

	mu      sync.Mutex // guards all below
	file    *os.File
	entries map[string]Entry
	last    uint64
	tell    []func(Entry)
}

// line is a line of the file. Without a value the key is deleted.
type line struct {
	Key      string          `json:"key"`
	Revision uint64          `json:"revision"`
	Value    json.RawMessage `json:"value,omitempty"`
}

// OpenJournal opens the journal at a path, or begins one. It is rewritten without
// what is of the past.
func OpenJournal(path string) (*Journal, error) {
	if err := safefile.OwnFolder(filepath.Dir(path)); err != nil && !errors.Is(err, safefile.ErrShared) {
		return nil, err // a volume of a container belongs to a group
	}
	lock, err := safefile.Create(path+".lock", 0)
	if err != nil {
		return nil, err
	}
	if safefile.IsTaken(lock) {
		lock.Close()
		return nil, fmt.Errorf("another hub has the journal %s. Give this one its own with --store, or both a shared one", path)
	}
	j := &Journal{lock: lock, entries: map[string]Entry{}}
	err = j.load(path)
	if err == nil {
		err = safefile.Replace(path, j.write)
	}
	if err == nil {
		j.file, err = safefile.Create(path, os.O_APPEND)
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return j, nil
}

// load reads the file. A last line that was torn is none.
func (j *Journal) load(path string) error {
	f, err := safefile.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for r := bufio.NewReader(f); ; {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var l line
		if json.Unmarshal(text, &l) != nil || l.Key == "" {
			continue
		}
		j.last = max(j.last, l.Revision)
		if l.Value == nil {
			delete(j.entries, l.Key)
		} else {
			j.entries[l.Key] = Entry{l.Key, l.Value, l.Revision}
		}
	}
}

func (j *Journal) write(w io.Writer) error {
	for _, e := range j.entries {
		if _, err := w.Write(encode(e)); err != nil {
			return err
		}
	}
	return nil
}

func encode(e Entry) []byte {
	b, _ := json.Marshal(line{e.Key, e.Revision, e.Value}) // the value is JSON
	return append(b, '\n')
}

// Get implements Store.
func (j *Journal) Get(_ context.Context, key string) (Entry, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e, ok := j.entries[key]
	if !ok {
		return Entry{}, ErrNotFound
	}
	return e, nil
}

// Put implements Store.
func (j *Journal) Put(_ context.Context, key string, value []byte, seen uint64) (uint64, error) {
	if !json.Valid(value) {
		return 0, errors.New("the value is no JSON")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.entries[key].Revision != seen {
		return 0, ErrConflict
	}
	e := Entry{key, bytes.Clone(value), j.last + 1}
	if err := j.append(e); err != nil {
		return 0, err
	}
	j.entries[key] = e
	return e.Revision, nil
}

// Delete implements Store.
func (j *Journal) Delete(_ context.Context, key string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, ok := j.entries[key]; !ok {
		return nil
	}
	if err := j.append(Entry{Key: key, Revision: j.last + 1}); err != nil {
		return err
	}
	delete(j.entries, key)
	return nil
}

// append writes an entry and tells who watches. The caller holds mu.
func (j *Journal) append(e Entry) error {
	if _, err := j.file.Write(encode(e)); err != nil {
		return err
	}
	j.last = e.Revision
	for _, tell := range j.tell {
		if tell != nil {
			tell(e)
		}
	}
	return nil
}

// List implements Store.
func (j *Journal) List(context.Context) ([]Entry, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := make([]Entry, 0, len(j.entries))
	for _, e := range j.entries {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Entry) int { return int(a.Revision) - int(b.Revision) })
	return all, nil
}

// Watch implements Store. What it is given it must not wait for: it is called
// within Put and Delete.
func (j *Journal) Watch(ctx context.Context, tell func(Entry)) error {
	j.mu.Lock()
	at := len(j.tell)
	j.tell = append(j.tell, tell)
	j.mu.Unlock()
	<-ctx.Done()
	j.mu.Lock()
	j.tell[at] = nil
	j.mu.Unlock()
	return nil
}

// Close implements Store.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.file.Close(), j.lock.Close())
}
