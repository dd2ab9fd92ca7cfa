package library

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/defect"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/evidence"
	"midwire/session/export"
	"midwire/session/library/noted"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// Export is a recording to be exported. Its file is read several times, so that
// no more of it than needed is in memory.
type Export struct {
	Sessions int // how many it has

	cover
	path   string
	read   *record.Reader
	source export.Source
	err    error // of reading
}

// cover takes out of a recording what is not given away.
type cover struct {
	frame  func(n uint64) (wire.Frame, error) // reads a frame out of its order
	names  export.Names
	single *redact.Masker
	short  map[uint64]bool // frames that were shortened, by their number
}

// NewExport reads a recording that is to be given away: secrets are masked as
// options say, session ids unless keepIDs. It says to seen how far that has come. The
// caller closes it.
func NewExport(path, version string, options record.Options, keepIDs bool, seen Seen) (_ *Export, err error) {
	defer defect.Fails(reading, &err)
	r, err := record.Open(path)
	if err != nil {
		return nil, err
	}
	e := &Export{path: path, read: r, cover: newCover(options, r.Frame)}
	h := r.Header()
	id := named(h.ID, path)
	tracker, checker := diagnose.New(session.Options{Tap: h.Tap}, rules.All())
	var names export.Names
	masker := e.single.Fresh()
	logins := checker.Logins()
	checker.Began(began(h, e.single.Text))
	at := progressOf(seen, []string{path})
	var f wire.Frame
	for {
		err := r.Next(&f)
		at.report(path, f.N, r.Offset())
		if errors.Is(err, io.EOF) {
			f = wire.Frame{} // it may be huge
			break
		}
		if err != nil {
			r.Close()
			return nil, err
		}
		e.mask(&f, masker.Frame)
		names.Watch(&f)
		tracker.Apply(&f)
	}
	checker.Finish()
	noted.Tell(checker, path)
	if !keepIDs {
		names.Finish(tracker.Sessions())
		e.names = names
	}
	e.Sessions = len(tracker.Sessions())
	roots := checker.Findings()
	findings, masked := e.findings(roots)
	var verdicts []diagnose.Verdict
	for _, s := range tracker.Sessions() {
		v := checker.Verdict(s, roots)
		v.Cause = masked[v.Cause]
		v.Rewrite(e.text)
		verdicts = append(verdicts, v)
	}
	e.source = export.Source{
		Recording: export.Recording{ID: id, Label: e.single.Text(h.Label), Tap: h.Tap, Started: h.Started},
		Command:   e.single.Command(h.Command), Target: e.target(h.Target), Version: version,
		Frames: e.eachFrame, Load: e.load, Clean: e.clean,
		Findings: findings, Verdicts: verdicts, Logins: logins.Account().Flows,
	}
	e.source.Trouble = unread(r)
	if n := len(e.short); n > 0 {
		e.source.Trouble = strings.TrimPrefix(e.source.Trouble+", "+fmt.Sprintf("%d of its messages are longer than %d MiB; what is long in them is left out", n, export.MaxWhole>>20), ", ")
	}
	return e, nil
}

func newCover(options record.Options, frame func(n uint64) (wire.Frame, error)) cover {
	return cover{frame: frame, single: forOthers(options), short: map[uint64]bool{}}
}

// mask takes out of a frame what is not given away: what is too long, and
// secrets. Those may continue in the next part of a message: it is masked whole.
func (e *cover) mask(f *wire.Frame, mask func(*wire.Frame)) {
	parts := f.Part != wire.Whole
	if parts {
		mask(f)
	}
	if export.Shorten(f) {
		e.short[f.N] = true
	}
	if !parts {
		mask(f)
	}
}

// forOthers masks what is passed to others: also what looks like a token and stands
// where a recording keeps it.
func forOthers(options record.Options) *redact.Masker {
	mask := options.Redact
	mask.Shapes = true
	return redact.NewMasker(mask)
}

// Mask masks a text for other people.
func Mask(options record.Options) func(string) string { return forOthers(options).Text }

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

// eachFrame reads the file once more, as far as it was read at first.
func (e *Export) eachFrame(yield func(*wire.Frame) bool) {
	r, err := record.Open(e.path)
	if err != nil {
		e.err = err
		return
	}
	defer r.Close()
	masker := e.single.Fresh()
	var f wire.Frame
	for range e.read.Count() {
		switch err := r.Next(&f); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			e.err = fmt.Errorf("export: %w", err)
			return
		}
		e.mask(&f, masker.Frame)
		e.names.Frame(&f)
		if !yield(&f) {
			return
		}
	}
}

// load returns a frame out of its order. Rows name the first part of a long
// message, so that none begins within a secret.
func (e *cover) load(n uint64) *wire.Frame {
	f, err := e.frame(n)
	if err != nil {
		return nil
	}
	e.mask(&f, e.single.Single)
	f.Data = append([]byte(nil), f.Data...) // two frames are in use at once
	e.names.Frame(&f)
	return &f
}

// clean masks a text that no frame held as it is. JSON is masked as JSON.
func (e *cover) clean(text string) string {
	f := wire.Frame{Kind: wire.KindBody, Data: []byte(text), Len: len(text)}
	e.single.Single(&f)
	return e.names.Text(string(f.Data))
}

// text masks our own text, which may quote the traffic.
func (e *cover) text(s string) string { return e.names.Text(e.single.Text(s)) }

// target masks the URL of a server, as in the head of a request.
func (e *cover) target(target string) string {
	const before, after = "GET ", " HTTP/1.1\r\n\r\n"
	f := wire.Frame{Kind: wire.KindRequest, Data: []byte(before + target + after)}
	e.single.Single(&f)
	masked := strings.TrimSuffix(strings.TrimPrefix(string(f.Data), before), after)
	return e.names.Text(masked)
}

// findings are what was found, with the placeholders instead of ids; of says what became
// of each root.
func (e *cover) findings(roots []*diagnose.Finding) (
	all []*diagnose.Finding, of map[*diagnose.Finding]*diagnose.Finding,
) {
	of = map[*diagnose.Finding]*diagnose.Finding{}
	for _, f := range roots {
		if slices.ContainsFunc(f.Frames, func(n uint64) bool { return e.short[n] }) {
			continue // it may be about what is left out
		}
		masked := *f
		masked.Rewrite(e.text)
		masked.Follows, _ = e.findings(f.Follows)
		of[f] = &masked
		all = append(all, &masked)
	}
	return all, of
}

// MaskFindings masks what is secret in the texts of findings and verdicts that are given
// away.
func MaskFindings(all []export.Found, checked []export.Checked, options record.Options) {
	m := forOthers(options)
	for _, c := range checked {
		for i := range c.Verdicts {
			c.Verdicts[i].Rewrite(m.Text)
		}
		for _, lines := range c.Evidence {
			(&evidence.Block{Lines: lines}).Rewrite(m.Text)
		}
	}
	for i := range all {
		all[i].Each(func(f *export.Found) {
			f.Rewrite(m.Text)
			for k := range f.Proof {
				f.Proof[k] = m.Text(f.Proof[k])
			}
		})
	}
}
