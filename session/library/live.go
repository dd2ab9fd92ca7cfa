package library

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/export"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// Live is a recording that is given away span by span while it is read: masked as
// NewExport does, and with its findings. It is for one goroutine.
type Live struct {
	Tracker *session.Tracker
	Spans   *export.Spans

	cover
	checker *diagnose.Checker
	masker  *redact.Masker
	keepIDs bool
	latest  []*session.Session // those whose ids are replaced
	known   map[*session.Session]string
}

// NewLive begins with the first frame, or with the first of a part; see
// export.NewSpans. frame reads a frame out of its order.
func NewLive(
	h record.Header, version, part string, options record.Options, frame func(n uint64) (wire.Frame, error),
) *Live {
	l := &Live{cover: newCover(options, frame), keepIDs: options.Redact.Keep, known: map[*session.Session]string{}}
	l.masker = l.single.Fresh()
	l.Tracker, l.checker = diagnose.New(session.Options{Tap: h.Tap}, rules.All())
	l.checker.Began(began(h, l.single.Text))
	l.Spans = export.NewSpans(export.Source{
		Recording: export.Recording{ID: h.ID, Label: l.single.Text(h.Label), Tap: h.Tap, Started: h.Started},
		Target:    l.target(h.Target), Version: version, Load: l.load, Clean: l.clean,
	}, l.Tracker, part)
	return l
}

// Apply reads the next frame, whose payload it masks.
func (l *Live) Apply(f *wire.Frame) session.Step {
	l.mask(f, l.masker.Frame)
	step := l.Tracker.Apply(f)
	l.name(l.Tracker.Session(step.Session))
	l.Spans.Take(f, step)
	return step
}

// name has the id of a session replaced, in what follows. Only those of the latest
// sessions are: who makes thousands must not make this slow.
func (l *Live) name(s *session.Session) {
	const latest = 64
	if s == nil || l.keepIDs || s.ID == "" || l.known[s] == s.ID {
		return
	}
	if _, ok := l.known[s]; !ok {
		l.latest = append(l.latest, s)
	}
	if len(l.latest) > latest {
		delete(l.known, l.latest[0])
		l.latest = l.latest[1:]
	}
	l.known[s] = s.ID
	l.names = export.Names{}
	l.names.Finish(l.latest)
}

// Finish is called when there are no more frames.
func (l *Live) Finish() { l.checker.Finish() }

// Row returns the span of a row that has ended.
func (l *Live) Row(at int) []byte {
	l.name(l.Tracker.Session(int(l.Tracker.Row(at).Session)))
	return l.Spans.Row(at)
}

// Session returns the span of a session, with what was found so far.
func (l *Live) Session(s *session.Session) []byte {
	l.name(s)
	found, _ := l.findings(l.checker.Findings())
	return l.Spans.Session(s, found)
}
