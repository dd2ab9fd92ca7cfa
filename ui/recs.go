package ui

import (
	"sort"
	"strings"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/diagnose"
	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/session/wire"
)

// meta is what stays in memory of a frame.
type meta struct {
	T       int64
	N       uint32 // as in rows
	Row     int32  // a row it belongs to, -1 for none
	Session int32
	X       uint32
	Len     uint32
	Kind    wire.Kind
	Dir     wire.Dir
}

// heads are the frames that hold the HTTP heads of one exchange.
type heads struct{ req, resp uint64 }

const maxMethod = 24 // cells of the column of methods

// recording is one recording with everything the model knows of it.
type recording struct {
	Recording
	t       *session.Tracker
	frames  []meta
	words   wordBook // by row
	heads   map[uint32]heads
	called  string  // what to call it instead of its label, "" for that
	asked   bool    // its frames were asked for, or come by themselves
	beside  bool    // asked for only to compare another with it
	loading float64 // 0 to 1 while frames of the past are delivered
	bytes   int64
	methods int // cells of the longest method
	noted
	finds findings
	watch []*diagnose.Rule // what it is checked for
	atEnd bool             // the frame that ends it was read, or its tap has gone
}

func newRecording(r Recording, rules []*diagnose.Rule, muted map[string]bool) *recording {
	return &recording{
		Recording: r, t: session.New(session.Options{Tap: r.Tap}), heads: map[uint32]heads{}, asked: r.Live,
		watch: rules, finds: findings{muted: muted}, noted: noted{notes: notes.New()},
	}
}

// begin sets the checker going: with the first frame, since most of the
// recordings that are listed are never read.
func (r *recording) begin() {
	r.t, r.finds.checker = diagnose.New(session.Options{Tap: r.Tap}, r.watch)
}

// loaded says whether there is anything to show.
func (r *recording) loaded() bool { return len(r.frames) > 0 }

// broken says whether a recording cannot be read. One that can be read has its
// trouble, if any, only when it was.
func (r *recording) broken() bool { return r.Trouble != "" && !r.loaded() && !r.Live }

// name is what to call the recording.
func (r *recording) name() safe.Text {
	named := r.notes.Text(notes.Key{})
	switch {
	case named != "":
		return safe.Line(named)
	case r.called != "":
		return safe.Line(r.called)
	case r.Label == "":
		return safe.Line(r.ID)
	}
	return safe.Line(r.Label)
}

// trouble is what is wrong with the recording, without the path of its file.
func (r *recording) trouble() safe.Text {
	if _, what, ok := strings.Cut(r.Trouble, ".jsonl: "); ok {
		return safe.Line(what)
	}
	return safe.Line(r.Trouble)
}

// apply takes in one frame and returns what it did to the rows. The bytes of
// the frame are not kept.
func (r *recording) apply(f *wire.Frame) session.Step {
	if n := len(r.frames); n > 0 && f.N <= uint64(r.frames[n-1].N) {
		return session.Step{Session: -1, First: -1} // delivered twice
	}
	if r.finds.checker == nil {
		r.begin()
	}
	step := r.t.Apply(f)
	r.atEnd = r.atEnd || f.Kind == wire.KindEnd
	m := meta{N: uint32(f.N), T: f.T, Row: -1, Session: int32(step.Session), X: f.X, Len: uint32(f.Len), Kind: f.Kind, Dir: f.Dir}
	if step.First >= 0 && step.Added > 0 {
		m.Row = int32(step.First)
	} else if len(step.Changed) > 0 {
		m.Row = int32(step.Changed[0])
	}
	r.frames = append(r.frames, m)
	r.bytes += int64(f.Len)
	r.noteHead(f)
	for r.words.len() < r.t.Rows() {
		r.words.add()
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

func (r *recording) noteHead(f *wire.Frame) {
	if f.Kind != wire.KindRequest && f.Kind != wire.KindResponse {
		return
	}
	h := r.heads[f.X]
	if f.Kind == wire.KindRequest {
		h.req = f.N
	} else {
		h.resp = f.N
	}
	r.heads[f.X] = h
}

// describe puts a row into words with the one frame at hand: the request gives
// the target; the response, or what ended the call without one, the result.
func (r *recording) describe(i int, f *wire.Frame) {
	row := r.t.Row(i)
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
	target, result := describe.Row(r.t, row, req, resp)
	r.measure(row)
	if req != nil {
		r.words.setTarget(i, target)
	}
	if resp != nil || result != "" {
		r.words.setResult(i, result)
	}
}

// measure remembers how much room the names of methods need.
func (r *recording) measure(row *session.Row) {
	n := len(shortMethod(row, r.t.Name(row.Name)))
	if row.Parent >= 0 {
		n += 2
	}
	r.methods = max(r.methods, min(n, maxMethod))
}

// frame returns what is known of frame n, or nil.
func (r *recording) frame(n uint64) *meta {
	i := sort.Search(len(r.frames), func(i int) bool { return uint64(r.frames[i].N) >= n })
	if i < len(r.frames) && uint64(r.frames[i].N) == n {
		return &r.frames[i]
	}
	return nil
}

// session returns a session by index, or nil.
func (r *recording) session(i int) *session.Session {
	if all := r.t.Sessions(); i >= 0 && i < len(all) {
		return all[i]
	}
	return nil
}

// total adds up what the sessions count.
func (r *recording) total() (msgs, errs, pending int) {
	for _, s := range r.t.Sessions() {
		msgs, errs, pending = msgs+s.Messages, errs+s.Errors, pending+s.Pending
	}
	return msgs, errs, pending
}
