package notes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Format is the version of the file that is written, and the newest that is
// read.
const Format = 1

// ErrNewer means that a file has a later version.
var ErrNewer = errors.New("written by a newer midwire: please update midwire")

// file is the file of notes: texts by the names of their keys.
type file struct {
	Format   int               `json:"midwire_notes"`
	Name     string            `json:"name,omitempty"`
	Sessions map[string]string `json:"sessions,omitempty"`
	Marks    map[string]string `json:"marks,omitempty"`
	Comments map[string]string `json:"comments,omitempty"`
	Proofs   map[string]string `json:"proofs,omitempty"`
}

// tables are the members with entries by key.
func (f *file) tables() [kinds]*map[string]string {
	return [kinds]*map[string]string{Session: &f.Sessions, Mark: &f.Marks, Comment: &f.Comments, Proof: &f.Proofs}
}

// Parse reads a file of notes.
func Parse(data []byte) (*Notes, error) {
	var f file
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields() // what is not understood is not written over
	err := in.Decode(&f)
	switch {
	case f.Format > Format:
		return nil, fmt.Errorf("version %d: %w", f.Format, ErrNewer)
	case err != nil:
		return nil, fmt.Errorf("not midwire notes: %w", err)
	case f.Format < 1:
		return nil, errors.New(`not midwire notes: "midwire_notes" must be a version, 1 or later`)
	}
	n := New()
	n.set(Key{}, f.Name)
	for kind, table := range f.tables() {
		if table == nil {
			continue
		}
		for name, text := range *table {
			k, ok := parseKey(Kind(kind), name)
			if !ok {
				return nil, fmt.Errorf("not midwire notes: %q is no place in a recording", name)
			}
			n.set(k, text)
		}
	}
	return n, nil
}

// parseKey reads "25", or "25/2" for the third message of a batch.
func parseKey(kind Kind, name string) (Key, bool) {
	frame, part, batch := strings.Cut(name, "/")
	n, err := strconv.ParseUint(frame, 10, 64)
	p, err2 := uint64(0), error(nil)
	if batch {
		p, err2 = strconv.ParseUint(part, 10, 16)
	}
	k := Key{kind, n, uint16(p)}
	return k, err == nil && err2 == nil && k.name() == name
}

func (k Key) name() string {
	name := strconv.FormatUint(k.Frame, 10)
	if k.Part > 0 {
		name += "/" + strconv.Itoa(int(k.Part))
	}
	return name
}

// Encode writes the file: the same notes give the same bytes.
func (n *Notes) Encode() ([]byte, error) {
	f := file{Format: Format}
	tables := f.tables()
	for k, text := range n.texts {
		if k.Kind == Name {
			f.Name = text
			continue
		}
		table := tables[k.Kind]
		if *table == nil {
			*table = map[string]string{}
		}
		(*table)[k.name()] = text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(f); err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	return b.Bytes(), nil
}
