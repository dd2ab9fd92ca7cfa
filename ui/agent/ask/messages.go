package ask

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/export"
	"midwire/session/wire"
	"midwire/ui/query"
)

// Messages asks for the messages of a session, a line each.
type Messages struct {
	Session string `json:"session" jsonschema:"RECORDING.NUMBER, or RECORDING for all of it"`
	Filter  string `json:"filter,omitempty" jsonschema:"is:error, method:tools/call, tool:search, lat>500ms, finding:any, some text; joined by blanks, or, !"`
	Around  uint64 `json:"around,omitempty" jsonschema:"frame to stand in the middle"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many, 40 unless told, at most 100"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"from next of the page before"`
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
	Lines   []Line `json:"messages"`
	Total   int    `json:"total"` // that match
	From    int    `json:"from"`  // how many of them stand before this page
	Live    bool   `json:"live"`  // there may be more soon
	Next    []Call `json:"next,omitempty"`

	ask Messages
}

const mostLines = 100

// Ask implements the question.
func (q Messages) Ask(ctx context.Context, r *Recordings) (*MessagePage, error) {
	from, err := offset(q.Cursor)
	if err != nil {
		return nil, err
	}
	f, err := filter(q.Filter)
	if err != nil {
		return nil, err
	}
	at, err := r.find(q.Session)
	if err != nil {
		return nil, err
	}
	p := &MessagePage{Session: at.ref(), Lines: []Line{}, From: from, ask: q}
	limit := min(max(cmp.Or(q.Limit, 40), 1), mostLines)
	err = r.use(ctx, at, func(o *opened) error {
		p.Live = o.rec.Live
		rows, err := o.matching(ctx, f, o.scope(at.session))
		if err != nil {
			return err
		}
		p.Total = len(rows)
		if q.Around > 0 {
			p.From = max(0, o.nearest(rows, q.Around)-limit/2)
		}
		for _, i := range rows[min(p.From, len(rows)):min(p.From+limit, len(rows))] {
			p.Lines = append(p.Lines, o.line(i))
		}
		return nil
	})
	p.lead()
	return p, err
}

// matching are those of the rows that pass a filter.
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
		Name: o.rec.Tracker.Name(row.Name), ID: strings.Trim(o.rec.Tracker.Name(row.ID), `"`),
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

// lead says what to ask next.
func (p *MessagePage) lead() {
	p.Next = nil
	if n := p.From + len(p.Lines); n < p.Total {
		args := arguments(p.ask)
		delete(args, "around")
		args["cursor"] = fmt.Sprint(n)
		p.Next = append(p.Next, Call{Tool: toolMessages, Arguments: args, Why: fmt.Sprintf("%d more", p.Total-n)})
	}
	if len(p.Lines) > 0 {
		worst := slices.IndexFunc(p.Lines, func(l Line) bool { return l.Outcome == "error" || l.Outcome == "lost" })
		l := p.Lines[max(worst, 0)]
		frame := cmp.Or(l.Response, l.Frame)
		args := map[string]any{"session": p.Session, "frame": frame}
		p.Next = append(p.Next, Call{Tool: toolMessage, Arguments: args, Why: "a message whole"})
	}
}

// Shrink implements Result.
func (p *MessagePage) Shrink() bool {
	n := len(p.Lines)
	if n < 2 {
		return false
	}
	keep := n - 1 - n/8
	at := slices.IndexFunc(p.Lines, func(l Line) bool { return l.Frame >= p.ask.Around })
	if drop := n - keep; p.ask.Around > 0 && at > n/2 { // what was asked for stays
		p.Lines, p.From = p.Lines[drop:], p.From+drop
	} else {
		p.Lines = p.Lines[:keep]
	}
	p.lead()
	return true
}

// Markdown implements Result.
func (p *MessagePage) Markdown(shell bool) string {
	b := page{shell: shell}
	live := ""
	if p.Live {
		live = " The recording grows."
	}
	b.line(fmt.Sprintf("Messages %d to %d of %d.%s", min(p.From+1, p.Total), p.From+len(p.Lines), p.Total, live))
	if len(p.Lines) > 0 {
		b.line("Frame, seconds, direction, outcome, method, target → result, time. ", data)
		var rows strings.Builder
		for i := range p.Lines {
			rows.WriteString(p.Lines[i].text() + "\n")
		}
		b.fence(rows.String())
	}
	b.calls(p.Next)
	return b.String()
}

// text is the line for people.
func (l *Line) text() string {
	arrow := map[string]string{"to server": "→", "to client": "←"}[l.Dir]
	text := fmt.Sprintf("#%d %.3f %s %s %s", l.Frame, l.Seconds, cmp.Or(arrow, "·"), cmp.Or(l.Outcome, l.Kind), l.Name)
	if l.Target != "" {
		text += " " + l.Target
	}
	if l.Result != "" {
		text += " → " + l.Result
	}
	if l.Response != 0 && l.Response != l.Frame {
		text += fmt.Sprintf(" (#%d)", l.Response)
	}
	if l.MS > 0 {
		text += " " + export.Duration(int64(l.MS*float64(time.Millisecond)))
	}
	if len(l.Findings) > 0 {
		text += " [" + strings.Join(l.Findings, " ") + "]"
	}
	return strings.ReplaceAll(text, "\n", " ")
}
