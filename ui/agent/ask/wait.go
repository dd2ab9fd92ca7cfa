package ask

import (
	"cmp"
	"context"
	"slices"
	"time"

	"midwire/session/diagnose"
	"midwire/session/export"
	"midwire/session/record"
	"midwire/ui/query"
)

// Wait asks for the first message that passes a filter, or the first finding.
type Wait struct {
	Session string `json:"session,omitempty" word:"arg" jsonschema:"default: the newest that is live, or the next to begin"`
	For     string `json:"for,omitempty" word:"--for" jsonschema:"a filter as of midwire_messages, or finding; default: any message"`
	Since   uint64 `json:"since,omitempty" word:"--since" jsonschema:"only after this frame; default: after what is there now"`
	Timeout int    `json:"timeout_s,omitempty" word:"--timeout" jsonschema:"seconds, default 30, at most 50"`

	// Tick is called now and then while it waits, with the seconds so far and those
	// in all; nil for no one.
	Tick func(done, all float64) `json:"-"`
}

// Waited is what came while waiting.
type Waited struct {
	Session string `json:"session,omitempty"`
	Match   *Line  `json:"match,omitempty"`
	Finding *Brief `json:"finding,omitempty"`
	Since   uint64 `json:"since"` // the last frame that was looked at
	Live    bool   `json:"live"`  // more may come
	Leads

	ask Wait
}

const (
	mostWait = 50 * time.Second // clients give up after 60
	pollTime = 150 * time.Millisecond
)

// Ask implements Question.
func (q Wait) Ask(ctx context.Context, r *Recordings) (*Waited, error) {
	text := q.For
	finding := text == "finding"
	if finding {
		text = ""
	}
	f, err := filter(text)
	if err != nil {
		return nil, err
	}
	span := min(time.Duration(max(cmp.Or(q.Timeout, 30), 1))*time.Second, mostWait)
	began, told := time.Now(), time.Now()
	w := waiting{r: r, filter: f, finding: finding, since: q.Since, fixed: q.Since > 0}
	if err := w.begin(ctx, q.Session); err != nil {
		return nil, err
	}
	for {
		out := &Waited{Since: w.since, ask: q}
		if err := w.look(ctx, out); err != nil {
			return nil, err
		}
		done := time.Since(began)
		if out.Match != nil || out.Finding != nil || done >= span || out.Session != "" && !out.Live {
			return out, nil
		}
		if q.Tick != nil && time.Since(told) >= time.Second {
			told = time.Now()
			q.Tick(done.Seconds(), span.Seconds())
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pollTime):
		}
	}
}

type waiting struct {
	r       *Recordings
	filter  *query.Query
	finding bool
	at      place // path is "" while there is no recording
	before  map[string]bool
	since   uint64
	fixed   bool   // since is known
	looked  uint64 // the last frame of the last look
}

func (w *waiting) begin(ctx context.Context, session string) (err error) {
	if session != "" {
		w.at, err = w.r.find(session)
		return err
	}
	w.before = map[string]bool{}
	all, _, err := w.r.entries(false)
	for _, e := range all {
		if w.before[e.ID] = true; e.Live && w.at.path == "" && record.HostOf(e.ID) == "" {
			w.at = placeOf(e.Path, 0)
		}
	}
	return cmp.Or(err, ctx.Err())
}

func (w *waiting) look(ctx context.Context, out *Waited) error {
	if w.at.path == "" {
		if err := w.first(); err != nil || w.at.path == "" {
			return err
		}
	}
	return w.r.use(ctx, w.at, func(o *opened) error {
		last := uint64(o.reader.Count())
		if !w.fixed {
			w.since, w.fixed = last, true
		}
		out.Session, out.Live, out.Since = w.at.ref(), o.rec.Live, max(last, w.since)
		if w.finding {
			w.findings(o, out)
			return nil
		}
		return w.rows(ctx, o, out)
	})
}

// first looks for a recording that has begun since, to wait on from its beginning.
func (w *waiting) first() error {
	dir, err := w.r.Folder()
	if err != nil {
		return err
	}
	files, err := record.List(dir)
	for _, f := range files {
		e := entry{Entry: f}
		if f.Live && !w.before[f.ID] && record.HostOf(f.ID) == "" && !e.ours() {
			w.at, w.fixed = placeOf(f.Path, 0), true
		}
	}
	return err
}

// findings looks for the worst finding that shows behind a frame.
func (w *waiting) findings(o *opened, out *Waited) {
	for _, f := range o.rec.Findings.All {
		shows := slices.ContainsFunc(slices.Concat(f.Shows, f.Frames), func(n uint64) bool { return n > w.since })
		mine := w.at.session == 0 || f.Session < 0 || f.Session == w.at.session-1
		if shows && mine && f.Severity < diagnose.Note {
			one := w.r.brief(&export.Findings(export.Checked{ID: w.at.id, Findings: []*diagnose.Finding{f}})[0])
			out.Finding = &one
			return
		}
	}
}

// rows looks for the first row behind a frame that passes the filter.
func (w *waiting) rows(ctx context.Context, o *opened, out *Waited) error {
	behind := max(w.since, w.looked)
	if w.filter != nil && w.filter.AsksFindings { // a finding may come to an old row
		behind = w.since
	}
	w.looked = out.Since
	rows := slices.DeleteFunc(o.scope(w.at.session), func(i int) bool {
		return uint64(max(o.row(i).Request, o.row(i).Response)) <= behind
	})
	rows, err := o.matching(ctx, w.filter, rows)
	if len(rows) > 0 {
		l := o.line(rows[0])
		out.Match, out.Since = &l, max(l.Frame, l.Response)
	}
	return err
}

func (w *Waited) lead() {
	w.Next = nil
	switch session := map[string]any{"session": w.Session}; {
	case w.Match != nil:
		session["frame"] = cmp.Or(w.Match.Response, w.Match.Frame)
		w.add(toolMessage, "the message whole", session)
	case w.Finding != nil:
		w.add(toolDiagnose, "the cause, and what to change", session)
	case w.Session == "":
		w.add(toolWait, "nothing yet: wait on", again(w.ask))
	case !w.Live:
		w.add(toolDiagnose, "the proxy has ended", session)
	default:
		w.add(toolWait, "nothing yet: wait on", again(w.ask, "session", w.Session, "since", w.Since))
	}
}
