package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"midwire/session/safefile"
)

// Record says how to undo one change of a file.
type Record struct {
	Client  string  `json:"client"`
	File    string  `json:"file"`
	Project bool    `json:"project,omitempty"`
	At      Address `json:"at"`
	Mark    Mark    `json:"mark"`
	Before  string  `json:"before"` // hash of the file as it was
	After   string  `json:"after"`  // and as it was left
}

// journal is the file of the records, in midwire's own folder.
type journal string

const journalVersion = 1

type journalFile struct {
	Version int      `json:"midwire_wrapped"`
	Records []Record `json:"records"`
}

// read returns the records; there may be none.
func (j journal) read() ([]Record, error) {
	data, err := safefile.ReadOwn(string(j), 16<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var in journalFile
	if err == nil {
		err = json.Unmarshal(data, &in)
	}
	if err == nil && in.Version > journalVersion {
		err = errors.New("a newer midwire wrote it")
	}
	if err != nil {
		return nil, fmt.Errorf("the record of what was wrapped cannot be read: %s: %w", string(j), err)
	}
	return in.Records, nil
}

// folder makes the folder of the record. Who could write to it could say what unwrap
// puts into the files of clients.
func (j journal) folder() error {
	if err := safefile.OwnFolder(filepath.Dir(string(j))); err != nil {
		return fmt.Errorf("the record of what was wrapped: %w", err)
	}
	return nil
}

// put replaces the record of an entry; nil removes it.
func (j journal) put(file string, at Address, r *Record) error {
	all, err := j.read()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(o Record) bool { return o.is(file, at) })
	if r != nil {
		all = append(all, *r)
	}
	if err := j.folder(); err != nil {
		return err
	}
	sweep(string(j))
	return safefile.Replace(string(j), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(journalFile{journalVersion, all})
	})
}

func (j journal) find(file string, at Address) (*Record, error) {
	all, err := j.read()
	if i := slices.IndexFunc(all, func(o Record) bool { return o.is(file, at) }); i >= 0 {
		return &all[i], nil
	}
	return nil, err
}

func (r Record) is(file string, at Address) bool {
	return r.File == file && r.At.Name == at.Name && slices.Equal(r.At.Path, at.Path)
}
