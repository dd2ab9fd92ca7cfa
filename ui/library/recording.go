// Package library is what the screen knows of recordings: their frames and rows
// in a few bytes each, rows in words, what is found in them, what belongs
// together, and what the user wrote. It reads nothing by itself: frames are
// applied as they come. All of it belongs to the goroutine of the tea.Program.
package library

import (
	"cmp"
	"sort"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/diagnose"
	"midwire/session/library/summary"
	"midwire/session/mcp"
	"midwire/session/notes"
	"midwire/session/oauth"
	"midwire/session/safe"
	"midwire/session/wire"
)

// FrameInfo is what stays in memory of a frame.
type FrameInfo struct {
	T       int64
	N       uint32 // as in rows
	Row     int32  // a row it belongs to, -1 for none
	Session int32
	X       uint32
	Len     uint32
	Kind    wire.Kind
	Dir     wire.Dir
}

// Heads are the frames that hold the HTTP heads of one exchange.
type Heads struct{ Req, Resp uint64 }

// Recording is one recording with everything the model knows of it.
type Recording struct {
	wire.Recording
	Summary      *summary.Recording // nil until there is one; of a recording that has ended
	Tracker      *session.Tracker
	Frames       []FrameInfo
	Texts        RowTexts // by row
	Heads        map[uint32]Heads
	Outcome      *Outcome // of a replay in this process, nil for none
	CalledName   string   // what to call it instead of its label, "" for that
	Opened       bool     // its frames were asked for, or come by themselves
	OpenedBeside bool     // asked for only to compare another with it
	Loading      float64  // 0 to 1 while frames of the past are delivered
	Bytes        int64
	FirstHue     int    // number of the hue of its first session, counted over all recordings
	Widths       Widths // of what the rows say
	heat         heat
	Noted
	identities identities
	verdicts   []judged // by session
	Findings   Findings
	watch      []*diagnose.Rule    // what it is checked for
	Held       map[int]time.Time   // rows that wait at the gate of its tap, and since when
	Mask       func(string) string // masks texts of logins that may quote credentials, nil for none
	AtEnd      bool                // the frame that ends it was read, or its tap has gone
}

// New is a recording of which nothing was read yet. It is checked with these rules from
// its first frame on.
func New(r wire.Recording, rules []*diagnose.Rule) *Recording {
	return &Recording{
		Recording: r, Tracker: session.New(session.Options{Tap: r.Tap}), Heads: map[uint32]Heads{}, Opened: r.Live,
		watch: rules, Noted: Noted{Notes: notes.New()},
	}
}

// begin sets the checker going: with the first frame, since most of the
// recordings that are listed are never read.
func (r *Recording) begin() {
	r.Tracker, r.Findings.checker = diagnose.New(session.Options{Tap: r.Tap}, r.watch)
	opt := oauth.Options{Mask: r.Mask}
	if !r.Started.IsZero() {
		opt.Started = r.Started.UnixNano()
	}
	r.Findings.checker.Began(opt)
}

// Logins is what is known of the logins in the recording, nil when nothing was read.
func (r *Recording) Logins() *oauth.Book {
	if r.Findings.checker == nil {
		return nil
	}
	return r.Findings.checker.Logins()
}

// Outcome counts the calls of a replay by how they compare with the recording.
type Outcome struct{ Broken, Fixed, Changed, Same int }

// Loaded says whether there is anything to show.
func (r *Recording) Loaded() bool { return len(r.Frames) > 0 }

// Broken says whether a recording cannot be read. One that can be read has its
// trouble, if any, only when it was.
func (r *Recording) Broken() bool { return r.Trouble != "" && !r.Loaded() && !r.Live }

// Name is what to call the recording.
func (r *Recording) Name() safe.Text {
	if named := r.Notes.Text(notes.Key{}); named != "" {
		return safe.Line(named)
	}
	name := cmp.Or(r.CalledName, r.ownName())
	if r.Host != "" && name != r.ID {
		name += "@" + r.Host
	}
	return safe.Line(name)
}

// TroubleText is what is wrong with the recording, without the path of its file.
func (r *Recording) TroubleText() safe.Text {
	if _, what, ok := strings.Cut(r.Trouble, ".jsonl: "); ok {
		return safe.Line(what)
	}
	return safe.Line(r.Trouble)
}

// Apply takes in one frame and returns what it did to the rows. The bytes of
// the frame are not kept.
func (r *Recording) Apply(f *wire.Frame) session.Step {
	if n := len(r.Frames); n > 0 && f.N <= uint64(r.Frames[n-1].N) {
		return session.Step{Session: -1, First: -1} // delivered twice
	}
	if r.Findings.checker == nil {
		r.begin()
	}
	r.AtEnd = r.AtEnd || f.Kind == wire.KindEnd
	step := r.Tracker.Apply(f)
	m := FrameInfo{
		N: uint32(f.N), T: f.T, Row: -1, Session: int32(step.Session),
		X: f.X, Len: uint32(f.Len), Kind: f.Kind, Dir: f.Dir,
	}
	if step.First >= 0 && step.Added > 0 {
		m.Row = int32(step.First)
	} else if len(step.Changed) > 0 {
		m.Row = int32(step.Changed[0])
	}
	r.Frames = append(r.Frames, m)
	r.Bytes += int64(f.Len)
	r.noteHead(f)
	for r.Texts.Len() < r.Tracker.Rows() {
		r.Texts.add()
	}
	if step.First >= 0 {
		for i := step.First; i < step.First+step.Added; i++ {
			r.describe(i, f)
		}
	}
	for _, i := range step.Changed {
		r.describe(i, f)
	}
	return step
}

func (r *Recording) noteHead(f *wire.Frame) {
	if f.Kind != wire.KindRequest && f.Kind != wire.KindResponse {
		return
	}
	h := r.Heads[f.X]
	if f.Kind == wire.KindRequest {
		h.Req = f.N
	} else {
		h.Resp = f.N
	}
	r.Heads[f.X] = h
}

// describe puts a row into words with the one frame at hand: the request
// gives the target, the answer the result, and what else happens to a row
// without an answer says why there is none.
func (r *Recording) describe(i int, f *wire.Frame) {
	row := r.Tracker.Row(i)
	var req, resp *wire.Frame
	if uint64(row.Request) == f.N {
		req = f
	}
	if uint64(row.Response) == f.N {
		resp = f
	}
	if req == nil && resp == nil && row.Response != 0 {
		return
	}
	name, more, result := describe.Parts(r.Tracker, row, req, resp)
	r.Widths.measure(row, ShortMethod(row, r.Tracker.Name(row.Name)), name, more)
	if req != nil {
		r.Texts.setTarget(i, name, more)
	}
	if resp != nil && row.Kind == session.RowCall && row.End > 0 {
		r.heat.add(int(row.Session), row.Latency())
	}
	if resp != nil || result != "" {
		r.Texts.setResult(i, result)
	}
}

// Frame returns what is known of frame n, or nil.
func (r *Recording) Frame(n uint64) *FrameInfo {
	if i := r.frameAt(n); i >= 0 {
		return &r.Frames[i]
	}
	return nil
}

// frameAt is the position of frame n, -1 for none.
func (r *Recording) frameAt(n uint64) int {
	i := sort.Search(len(r.Frames), func(i int) bool { return uint64(r.Frames[i].N) >= n })
	if i < len(r.Frames) && uint64(r.Frames[i].N) == n {
		return i
	}
	return -1
}

// Session returns a session by index, or nil.
func (r *Recording) Session(i int) *session.Session {
	if all := r.Tracker.Sessions(); i >= 0 && i < len(all) {
		return all[i]
	}
	return nil
}

// SessionCount is how many sessions the recording has, as far as that is known.
func (r *Recording) SessionCount() int {
	if n := len(r.Tracker.Sessions()); r.Summary == nil || n > r.Summary.Total {
		return n
	}
	return r.Summary.Total
}

// Total adds up what the sessions count.
func (r *Recording) Total() (msgs, errs, pending int) {
	for _, s := range r.Tracker.Sessions() {
		msgs, errs, pending = msgs+s.Messages, errs+s.Errors, pending+s.Pending
	}
	return msgs, errs, pending
}

// Loads says whether frames of the past are still on their way.
func (r *Recording) Loads() bool { return !r.Live && !r.AtEnd && r.Loading < 1 && !r.Broken() }

// ShortMethod is the name of a row for a narrow column.
func ShortMethod(row *session.Row, name string) string {
	switch {
	case row.Kind == session.RowNotification:
		return strings.TrimPrefix(name, mcp.NotificationPrefix)
	case name == mcp.ElicitationCreate || name == mcp.SamplingCreateMessage:
		name, _, _ = strings.Cut(name, "/")
	}
	return name
}
