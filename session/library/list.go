package library

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"midwire/session"
	"midwire/session/export"
	"midwire/session/library/notebook"
	"midwire/session/notes"
	"midwire/session/record"
)

// readers is how many recordings are read at the same time. Each costs the
// memory of one recording's sessions, so there are few.
const readers = 4

// List describes the sessions of every recording in dir, newest first. One that
// cannot be read is listed with what is wrong with it.
func List(dir string) ([]export.Listed, error) {
	entries, err := record.List(dir)
	if err != nil {
		return nil, err
	}
	listed := make([][]export.Listed, len(entries))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(readers, len(entries)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(entries)); i = next.Add(1) - 1 {
				listed[i] = describe(&entries[i])
			}
		})
	}
	wg.Wait()
	all := []export.Listed{}
	for _, l := range listed {
		all = append(all, l...)
	}
	return all, nil
}

// describe reads one recording for List.
func describe(e *record.Entry) []export.Listed {
	started := e.Header.Started
	if started.IsZero() {
		started = e.Modified.UTC()
	}
	list := export.Recording{ID: e.ID, Label: e.Header.Label, Tap: e.Header.Tap, Started: started, Live: e.Live}
	if e.Err != nil {
		list.Trouble = strings.TrimPrefix(e.Err.Error(), e.Path+": ")
		return export.List(list, nil)
	}
	r, err := Read(e.Path)
	if err != nil {
		list.Trouble = strings.TrimPrefix(err.Error(), e.Path+": ")
		return export.List(list, nil)
	}
	defer r.Reader.Close()
	_, bad := r.Reader.Bad()
	switch {
	case bad > 0:
		list.Trouble = unreadable(bad)
	case r.Reader.Torn() && !e.Live:
		list.Trouble = "its last line is not complete"
	}
	all := export.List(list, r.Tracker)
	name(all, e.Path, r.Tracker)
	return all
}

// name gives sessions the names that the user gave them, or the recording.
// Notes that cannot be read name nothing: the screen complains about them.
func name(all []export.Listed, path string, t *session.Tracker) {
	n, err := notebook.Read(path)
	if err != nil || n.Total() == 0 {
		return
	}
	sessions := t.Sessions()
	for i := range all {
		all[i].Name = n.Text(notes.Key{})
		if s := all[i].Session - 1; s >= 0 && s < len(sessions) {
			if k, ok := notes.SessionKey(t, sessions[s]); ok {
				all[i].Name = cmp.Or(n.Text(k), all[i].Name)
			}
		}
	}
}

// unreadable says how many lines are lost to the reader.
func unreadable(lines int) string {
	if lines == 1 {
		return "1 line of it could not be read"
	}
	return fmt.Sprintf("%d lines of it could not be read", lines)
}
