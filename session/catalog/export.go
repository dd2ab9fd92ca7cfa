package catalog

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/export"
	"midwire/session/record"
	"midwire/session/wire"
)

// Export is a recording to be exported. Its file is read several times, so that
// no more of it than needed is in memory.
type Export struct {
	Sessions int // how many it has

	path   string
	read   *record.Reader
	source export.Source
	names  export.Names
	single *record.Masker
	err    error // of reading
}

// NewExport reads a recording that is to be given away: secrets are masked as
// options say, session ids unless keepIDs. The caller closes it.
func NewExport(path, version string, options record.Options, keepIDs bool) (*Export, error) {
	r, err := record.Open(path)
	if err != nil {
		return nil, err
	}
	e := &Export{path: path, read: r, single: record.NewMasker(options)}
	h := r.Header()
	id := h.ID
	if id == "" {
		id = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	tracker, checker := diagnose.New(session.Options{Tap: h.Tap}, rules.All())
	var names export.Names
	masker := e.single.Again()
	err = ahead(r, func(f *wire.Frame) {
		masker.Frame(f)
		names.Watch(f)
		tracker.Apply(f)
	})
	if err != nil {
		r.Close()
		return nil, err
	}
	checker.Finish()
	if !keepIDs {
		names.Finish(tracker.Sessions())
		e.names = names
	}
	e.Sessions = len(tracker.Sessions())
	e.source = export.Source{
		Recording: export.Recording{ID: id, Label: h.Label, Tap: h.Tap, Started: h.Started},
		Command:   h.Command, Target: e.target(h.Target), Version: version,
		Frames: e.frames, Load: e.load, Clean: e.clean, Findings: e.findings(checker),
	}
	if _, bad := r.Bad(); bad > 0 {
		e.source.Trouble = unreadable(bad)
	}
	return e, nil
}

// Close closes the recording.
func (e *Export) Close() error { return e.read.Close() }

// Write writes the recording in one of export.Formats, all of it or with
// session, from 1, that alone.
func (e *Export) Write(w io.Writer, format string, one int) error {
	s := e.source
	s.Session = one
	if err := export.Write(w, format, &s); err != nil {
		return err
	}
	return e.err
}

// frames reads the file once more, as far as it was read at first.
func (e *Export) frames(yield func(*wire.Frame) bool) {
	r, err := record.Open(e.path)
	if err != nil {
		e.err = err
		return
	}
	defer r.Close()
	masker := e.single.Again()
	var f wire.Frame
	for range e.read.Count() {
		switch err := r.Next(&f); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			e.err = fmt.Errorf("export: %w", err)
			return
		}
		masker.Frame(&f)
		e.names.Frame(&f)
		if !yield(&f) {
			return
		}
	}
}

// load returns a frame out of its order. Rows name the first part of a long
// message, so that none begins within a secret.
func (e *Export) load(n uint64) *wire.Frame {
	f, err := e.read.Frame(n)
	if err != nil {
		return nil
	}
	e.single.Single(&f)
	f.Data = append([]byte(nil), f.Data...) // two frames are in use at once
	e.names.Frame(&f)
	return &f
}

// clean masks a text that no frame held as it is. JSON is masked as JSON.
func (e *Export) clean(text string) string {
	f := wire.Frame{Kind: wire.KindBody, Data: []byte(text), Len: len(text)}
	e.single.Single(&f)
	return e.names.Text(string(f.Data))
}

// target masks the URL of a server, as in the head of a request.
func (e *Export) target(target string) string {
	const before, after = "GET ", " HTTP/1.1\r\n\r\n"
	f := wire.Frame{Kind: wire.KindRequest, Data: []byte(before + target + after)}
	e.single.Single(&f)
	masked := strings.TrimSuffix(strings.TrimPrefix(string(f.Data), before), after)
	return e.names.Text(masked)
}

// findings are what was found, with the stand-ins in the place of ids.
func (e *Export) findings(c *diagnose.Checker) []*diagnose.Finding {
	var all []*diagnose.Finding
	for _, f := range c.Findings() {
		masked := *f
		masked.Message, masked.Cause, masked.Fix = e.names.Text(f.Message), e.names.Text(f.Cause), e.names.Text(f.Fix)
		all = append(all, &masked)
	}
	return all
}
