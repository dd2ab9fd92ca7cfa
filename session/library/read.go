// Package library gives readers the recordings on disk: it resolves names,
// lists and checks recordings, reads them as sessions, prints and exports them,
// and keeps the latest filters. Package notebook keeps the notes, prune deletes.
// It writes to its callers' writers, and creates files only where a function
// says so.
package library

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"midwire/session"
	"midwire/session/defect"
	"midwire/session/export"
	"midwire/session/library/prune"
	"midwire/session/record"
	"midwire/session/wire"
)

// Recording is a recording that was read to its end.
type Recording struct {
	Reader  *record.Reader
	Tracker *session.Tracker
}

const reading = "the reading of a recording" // of a defect: others can be read

// Read makes sessions of the recording in a file. The caller closes its Reader.
func Read(path string) (_ *Recording, err error) {
	defer defect.Fails(reading, &err)
	r, err := record.Open(path)
	if err != nil {
		return nil, err
	}
	t := session.New(session.Options{Tap: r.Header().Tap})
	var f wire.Frame
	for {
		switch err := r.Next(&f); {
		case errors.Is(err, io.EOF):
			return &Recording{r, t}, nil
		case err != nil:
			r.Close()
			return nil, err
		}
		t.Apply(&f)
	}
}

// Load is the export.Load of the recording.
func (r *Recording) Load(n uint64) *wire.Frame {
	f, err := r.Reader.Frame(n)
	if err != nil {
		return nil // a line that cannot be read: its row shows without words
	}
	return &f
}

// Show writes a recording as text, safe for a terminal: sessions with their
// rows, or with raw every frame in order. The error is that of w, or of the
// file.
func (r *Recording) Show(w io.Writer, raw bool) error {
	out := bufio.NewWriter(w)
	write := func(text string) bool { _, err := out.WriteString(text); return err == nil }
	if raw {
		if err := r.raw(write); err != nil {
			return err
		}
	} else {
		export.Show(r.Tracker, r.Load, write)
	}
	if trouble := unread(r.Reader); trouble != "" {
		write("the recording: " + trouble + "\n")
	}
	return out.Flush()
}

// raw reads the file once more, which is faster than asking for each frame, and
// does not depend on how frames are numbered.
func (r *Recording) raw(write func(string) bool) error {
	again, err := record.Open(r.Reader.Path())
	if err != nil {
		return err
	}
	defer again.Close()
	export.Raw(func(yield func(*wire.Frame) bool) {
		var f wire.Frame
		for err == nil {
			if err = again.Next(&f); err == nil && !yield(&f) {
				return
			}
		}
	}, write)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// PrintList writes what List returns: as a table for people, or as a JSON array. seen is
// that of List.
func PrintList(w io.Writer, dir string, asJSON bool, seen func(done, all int)) error {
	all, err := List(dir, seen)
	if err != nil {
		return err
	}
	text := ""
	switch {
	case asJSON:
		text, err = export.JSON(all)
	case len(all) == 0:
		text = fmt.Sprintf("No recordings in %s yet. Run midwire demo to make some.\n", dir)
	default:
		text = export.Table(all, time.Local)
		if n, bytes, err := prune.Total(dir); err == nil {
			text += fmt.Sprintf("\n%s in %s. midwire prune deletes old ones.\n", prune.Amount(n, bytes), dir)
		}
	}
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// Resolve finds the files that a user's references name; "-" is what can be
// read from stdin, as a copy that done removes. The caller calls done once the
// files are closed.
func Resolve(dir string, refs []string, stdin io.Reader) (files []string, done func(), err error) {
	copied := ""
	done = func() {
		if copied != "" {
			os.Remove(copied)
		}
	}
	for _, ref := range refs {
		path := copied
		switch {
		case ref != "-":
			path, err = record.Resolve(dir, ref)
		case copied == "": // it can be read once
			copied, err = record.Spool(stdin)
			path = copied
		}
		if err != nil {
			done()
			return nil, func() {}, err
		}
		files = append(files, path)
	}
	return files, done, nil
}
