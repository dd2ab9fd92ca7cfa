package ask

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/wire"
	"midwire/ui/query"
)

// Messages asks for the messages of a session, a line each.
type Messages struct {
	Session string `json:"session" word:"arg" jsonschema:"RECORDING.NUMBER, or RECORDING for all of it"`
	Filter  string `json:"filter,omitempty" word:"--filter" jsonschema:"is:error, method:tools/call, tool:search, lat>500ms, finding:any, some text; joined by blanks, or, !"`
	Around  uint64 `json:"around,omitempty" word:"--around" jsonschema:"frame to stand in the middle"`
	Limit   int    `json:"limit,omitempty" word:"--limit" jsonschema:"how many, default 40, at most 100"`
	Cursor  string `json:"cursor,omitempty" word:"--cursor" jsonschema:"from next of the page before"`
}

// Line is a message in a line: a request with its response, a notification, or
// something else that happened.
type Line struct {
	Frame    uint64   `json:"frame"`
	Response uint64   `json:"response,omitempty"` // frame of the response
	Seconds  float64  `json:"seconds"`            // since the recording began
	Session  int      `json:"session"`            // from 1; 0 for none
	Kind     string   `json:"kind"`               // call, notification, response, noise, stderr, http, process or tap
	Dir      string   `json:"direction,omitempty"`
	Name     string   `json:"name"` // method, or what else it is
	ID       string   `json:"id,omitempty"`
	Target   string   `json:"target,omitempty"` // tool and arguments, in short
	Result   string   `json:"result,omitempty"` // what came of it, in short
	Outcome  string   `json:"outcome"`          // ok, error, pending, warn, cancelled, lost or ""
	MS       float64  `json:"ms,omitempty"`     // until the response
	Status   int      `json:"http_status,omitempty"`
	Code     int      `json:"code,omitempty"` // of a JSON-RPC error, or exit code
	Findings []string `json:"findings,omitempty"`
}

// MessagePage is a page of messages.
type MessagePage struct {
	Session string `json:"session"`
	Lines   []Line `json:"messages" least:"1"`
	Total   int    `json:"total"` // that match
	From    int    `json:"from"`  // how many of them stand before this page
	Live    bool   `json:"live"`  // there may be more soon
	Leads

	ask Messages
}

// Ask implements Question.
func (q Messages) Ask(ctx context.Context, r *Recordings) (*MessagePage, error) {
	f, err := filter(q.Filter)
	if err != nil {
		return nil, err
	}
	at, err := r.find(q.Session)
	if err != nil {
		return nil, err
	}
	p := &MessagePage{Session: at.ref(), Lines: []Line{}, ask: q}
	return p, r.use(ctx, at, func(o *opened) error {
		rows, err := o.matching(ctx, f, o.scope(at.session))
		if err != nil {
			return err
		}
		cursor := q.Cursor
		if q.Around > 0 {
			cursor = strconv.Itoa(max(0, o.nearest(rows, q.Around)-bounded(q.Limit, 40, 100)/2))
		}
		from, to, err := window(len(rows), cursor, q.Limit, 40, 100)
		if err != nil {
			return err
		}
		p.Live, p.Total, p.From = o.rec.Live, len(rows), from
		for _, i := range rows[from:to] {
			p.Lines = append(p.Lines, o.line(i))
		}
		return nil
	})
}

func (o *opened) matching(ctx context.Context, f *query.Query, rows []int) ([]int, error) {
	if f == nil {
		return rows, nil
	}
	var all []int
	for _, i := range rows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		has, err := f.Holds(ctx, o.rec, i, o.load)
		if err != nil {
			return nil, fmt.Errorf("filter: at frame %d: %w", o.row(i).Request, err)
		}
		if has {
			all = append(all, i)
		}
	}
	return all, nil
}

// nearest is the place among rows of the one that a frame belongs to, or of the
// first behind it.
func (o *opened) nearest(rows []int, frame uint64) int {
	if i := slices.Index(rows, o.rec.RowAt(frame)); i >= 0 {
		return i
	}
	i := slices.IndexFunc(rows, func(i int) bool { return uint64(o.row(i).Request) >= frame })
	if i < 0 {
		return len(rows)
	}
	return i
}

// line puts a row into a line. Its texts hold bytes from the wire.
func (o *opened) line(i int) Line {
	row := o.row(i)
	load := func(n uint32) *wire.Frame {
		if n == 0 {
			return nil
		}
		f := o.load(uint64(n))
		const most = 256 << 10
		if f != nil && len(f.Data) < most { // words are cut: half a token would not be known for one
			f.Data = []byte(o.mask(string(f.Data)))
		}
		return f
	}
	l := Line{
		Frame: uint64(row.Request), Response: uint64(row.Response), Seconds: seconds(row.T),
		Session: int(row.Session) + 1, Kind: query.RowKindNames()[row.Kind], Dir: direction(row.Dir),
		Name: o.rec.Tracker.Name(row.Name), ID: strings.Trim(wire.ID([]byte(o.rec.Tracker.Name(row.ID))), `"`),
		Outcome: row.Ending.Word(), Status: int(row.Status), Code: int(row.Code),
	}
	l.Target, l.Result = describe.Row(o.rec.Tracker, row, load(row.Request), load(row.Response))
	if row.Kind == session.RowCall && row.End != 0 {
		l.MS = float64(row.Latency()/1000) / 1000
	}
	for _, f := range o.rec.Findings.OfRow(i) {
		if !slices.Contains(l.Findings, f.Rule.ID) {
			l.Findings = append(l.Findings, f.Rule.ID)
		}
	}
	return l
}

// seconds are nanoseconds as such, to the millisecond.
func seconds(ns int64) float64 { return float64(ns/int64(time.Millisecond)) / 1000 }

func (p *MessagePage) lead() {
	p.restart(toolMessages, p.ask, p.From+len(p.Lines), p.Total)
	if len(p.Lines) > 0 {
		worst := slices.IndexFunc(p.Lines, func(l Line) bool { return l.Outcome == "error" || l.Outcome == "lost" })
		l := p.Lines[max(worst, 0)]
		p.add(toolMessage, "a message whole", map[string]any{"session": p.Session, "frame": cmp.Or(l.Response, l.Frame)})
	}
}

func (p *MessagePage) cutFront(n int) bool {
	at := slices.IndexFunc(p.Lines, func(l Line) bool { return l.Frame >= p.ask.Around })
	front := p.ask.Around > 0 && at > len(p.Lines)/2
	if front {
		p.Lines, p.From = p.Lines[n:], p.From+n
	}
	return front
}
