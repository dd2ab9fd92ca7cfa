package library

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"midwire/session"
	"midwire/session/defect"
	"midwire/session/export"
	"midwire/session/library/noted"
	"midwire/session/library/summary"
	"midwire/session/notes"
	"midwire/session/record"
)

// readers is how many recordings are read at the same time. Each costs the
// memory of one recording's sessions, so there are few.
const readers = 4

// List describes the sessions of every recording in dir, newest first. One that
// cannot be read is listed with what is wrong with it. seen, unless it is nil, is told how
// many of all were read, by one goroutine at a time.
func List(dir string, seen func(done, all int)) ([]export.Listed, error) {
	entries, err := record.List(dir)
	if err != nil {
		return nil, err
	}
	CompareFlows(context.Background(), entries)
	listed := make([][]export.Listed, len(entries))
	var next atomic.Int64
	var wg sync.WaitGroup
	var mu sync.Mutex // guards done
	done := 0
	for range min(readers, len(entries)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(entries)); i = next.Add(1) - 1 {
				listed[i] = describe(&entries[i])
				if mu.Lock(); seen != nil {
					done++
					seen(done, len(entries))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return append([]export.Listed{}, slices.Concat(listed...)...), nil
}

// described is what List says of one recording.
type described struct {
	list     export.Recording
	sessions []*session.Session
	keys     []notes.Key // of the sessions
}

// describe reads one recording for List, or its summary.
func describe(e *record.Entry) []export.Listed {
	started := e.Header.Started
	if started.IsZero() {
		started = e.Modified.UTC()
	}
	d := described{
		list: export.Recording{ID: e.ID, Label: e.Header.Label, Tap: e.Header.Tap, Started: started, Live: e.Live},
	}
	all, err := d.listed(e)
	if err != nil {
		d.list.Trouble, d.list.Unreadable = strings.TrimPrefix(err.Error(), e.Path+": "), true
		all = export.List(d.list, nil)
	}
	return all
}

func (d *described) listed(e *record.Entry) (all []export.Listed, err error) {
	defer defect.Fails(reading, &err)
	if err = e.Err; err == nil && !d.summarised(e) {
		err = d.read(e)
	}
	if err == nil {
		all = export.List(d.list, d.sessions)
		d.name(all, e.Path)
	}
	return all, err
}

// summarised takes what the summary of a recording says. It is false for one
// that is being written, and where a summary does not say enough.
func (d *described) summarised(e *record.Entry) bool {
	if e.Live {
		return false
	}
	s, err := summary.Get(context.Background(), e.Path)
	if err != nil || s.Cut {
		return false
	}
	for i := range s.Sessions {
		one := &s.Sessions[i]
		d.sessions, d.keys = append(d.sessions, one.Session()), append(d.keys, one.Key())
		d.list.Verdicts = append(d.list.Verdicts, one.Result)
	}
	if len(s.Sessions) == 0 && len(s.Findings) > 0 {
		d.list.Alone = s.Account().Verdict
	}
	d.trouble(unreadable(s.Unreadable), s.Torn)
	return true
}

func (d *described) read(e *record.Entry) error {
	r, err := Read(e.Path)
	if err != nil {
		return err
	}
	defer r.Reader.Close()
	d.sessions = r.Tracker.Sessions()
	for _, s := range d.sessions {
		k, _ := notes.SessionKey(r.Tracker, s)
		d.keys = append(d.keys, k)
	}
	d.trouble(unread(r.Reader), r.Reader.Torn() && !e.Live)
	return nil
}

func (d *described) trouble(passed string, torn bool) {
	switch {
	case passed != "":
		d.list.Trouble = passed
	case torn:
		d.list.Trouble = "its last line is incomplete"
	}
}

// name gives sessions the names that the user gave them, or the recording.
// Notes that cannot be read name nothing: the screen complains about them.
func (d *described) name(all []export.Listed, path string) {
	n, err := noted.Read(path)
	if err != nil || d.list.Unreadable || n.Total() == 0 {
		return
	}
	for i := range all {
		all[i].Name = n.Text(notes.Key{})
		if s := all[i].Session - 1; s >= 0 && s < len(d.keys) {
			all[i].Name = cmp.Or(n.Text(d.keys[s]), all[i].Name)
		}
	}
}

// unreadable says how many lines are lost to the reader, "" for none.
func unreadable(lines int) string {
	switch lines {
	case 0:
		return ""
	case 1:
		return "1 line is unreadable"
	}
	return fmt.Sprintf("%d lines are unreadable", lines)
}

// unread says what of a recording was passed over, "" for nothing.
func unread(r *record.Reader) string {
	lines, bad := r.Bad()
	for _, line := range lines {
		if line.Reason == record.ErrLongLine.Error() {
			return fmt.Sprintf("%s: %s (at byte %d)", unreadable(bad), line.Reason, line.Offset)
		}
	}
	return unreadable(bad)
}
