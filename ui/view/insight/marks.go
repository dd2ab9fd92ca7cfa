package insight

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/jsonpath"
	"midwire/ui/library"
	"midwire/ui/view"
	"midwire/ui/view/reading"
)

// Marks knows which handles the messages of a recording hold, for a pane that
// underlines them. It asks the reader, which reads the recording once more; call
// Refresh after every message while no view of insights is open.
type Marks struct {
	reader *reading.Reader
	rec    *library.Recording
	all    []insight.Handle
	at     map[uint64][]insight.Held

	Stamp int // changes when something else is known
}

// Mark is a handle in a message. The hue of the session that issued it is that
// of its underline.
type Mark struct {
	insight.Use                // where it stands: N is the frame, or that of the message for a header
	Handle      insight.Handle // read only
	Issued      bool           // the message issues it
}

// Session is the session that issued the handle, library.NoSession where that
// was not seen.
func (m *Mark) Session() int { return issuer(&m.Handle) }

// Issuer is the frame that issued the handle, 0 where that was not seen. It is
// where enter goes: Host.Jump shows it.
func (m *Mark) Issuer() uint64 { return m.Handle.From.N }

// In is where the value stands in the payload of frame N; false where it stands
// in a header, or in another payload.
func (m *Mark) In(payload []byte) (from, to int, ok bool) {
	return m.Use.Locate(payload, m.Handle.Value)
}

// Member is the name of the member of JSON that holds the handle, "" for none.
func (m *Mark) Member() string {
	if path, err := jsonpath.Parse(m.Place); err == nil && len(path) > 0 {
		return path.Last()
	}
	return ""
}

// NewMarks knows nothing yet.
func NewMarks(r *reading.Reader) *Marks { return &Marks{reader: r} }

// Refresh takes in what is new of the recording that is shown.
func (m *Marks) Refresh(h view.Host) tea.Cmd {
	if h.Scope().Rec == nil {
		return nil
	}
	return m.reader.Refresh(h, m)
}

// Of lists the handles that a row of a recording holds: what it issues and what
// it uses, in the order in which they were issued. It is nil as long as that is
// not known.
func (m *Marks) Of(rec *library.Recording, row int) []Mark {
	if rec == nil || rec != m.rec {
		return nil
	}
	var out []Mark
	for _, n := range messageFrames(rec, row) {
		for _, x := range m.at[n] {
			one := Mark{Handle: m.all[x.Handle], Issued: x.Use < 0}
			if one.Use = one.Handle.From; !one.Issued {
				one.Use = one.Handle.Uses[x.Use]
			}
			out = append(out, one)
		}
	}
	return out
}

// Question implements reading.Asker: handles go from session to session, so that it is
// always about all of them.
func (m *Marks) Question(h view.Host) reading.Question {
	return reading.Question{Scope: library.Scope{Rec: h.Scope().Rec, Session: library.AllSessions}}
}

func (m *Marks) Ask(q reading.Question, b *insight.Book) func(view.Host) {
	all, _ := b.Handles(insight.Whole)
	at := insight.ByFrame(all)
	return func(view.Host) {
		m.rec, m.all, m.at = q.Rec, all, at
		m.Stamp++
	}
}
