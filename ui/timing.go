package ui

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/wire"
)

const (
	timedFrames = 400    // that are listed
	timedScan   = 50_000 // frames that are looked at for them
)

// timingDoc says when everything about a row happened. row may be nil.
func timingDoc(sc *scene, rec *recording, self, w int) doc {
	d := doc{w: w}
	if self < 0 {
		d.text(sc.th.dim, "This frame belongs to no message.")
		return d
	}
	row := rec.t.Row(self)
	frames, more := rec.exchangeFrames(self)
	d.moments(sc, rec, row, frames)
	d.blank()
	d.add(seg{sc.th.dim, cellsOf(frameColumns(w), "#", "offset", "gap", "", "frame", "bytes", "")})
	prev := row.T
	if len(frames) > 0 {
		prev = min(prev, frames[0].T)
	}
	for _, f := range frames {
		d.timed(sc, rec, row, f, prev, w)
		prev = f.T
	}
	if more {
		d.text(sc.th.dim, "  … more frames than are listed here; f and v show them all")
	}
	return d
}

// moments are the points in time that have names.
func (d *doc) moments(sc *scene, rec *recording, row *session.Row, frames []*meta) {
	at := func(name safe.Text, t int64, what safe.Text) {
		if t <= 0 && name != "sent" {
			return
		}
		segs := []seg{{plain, padLeft(seconds(max(0, t-sc.base)), 9)}, {sc.th.dim, " s"}}
		if t != row.T {
			segs = append(segs, seg{plain, padLeft("+"+duration(t-row.T), 9)})
		} else {
			segs = append(segs, seg{sc.th.dim, "         "})
		}
		if d.w >= 60 {
			segs = append(segs, seg{sc.th.dim, "  " + what})
		}
		d.field(sc.th, name, segs...)
	}
	h := rec.heads[row.X]
	if m := rec.frame(h.req); m != nil && h.req != uint64(row.Request) {
		at("head", m.T, "the HTTP request began")
	}
	at("sent", row.T, "the "+senderOf(row)+"'s message was complete")
	if m := rec.frame(h.resp); m != nil {
		at("answering", m.T, "the HTTP response began")
	}
	if row.First > 0 && row.First != row.End {
		at("first sign", row.First, "the first byte of any answer")
	}
	last := safe.Text("the answer was complete")
	if row.Kind == session.RowHTTP {
		last = "the exchange was over"
	}
	at("answered", row.End, last)
	if row.End == 0 && row.Kind == session.RowCall {
		d.field(sc.th, "answered", seg{sc.th.pend, "not yet, or never"})
	}
	progress, bytes := 0, int64(0)
	for _, f := range frames {
		bytes += int64(f.Len)
		if f.Row >= 0 && rec.t.Name(rec.t.Row(int(f.Row)).Name) == mcp.NotifyProgress {
			progress++
		}
	}
	d.field(sc.th, "sizes", seg{plain, size(int64(row.Len))}, seg{sc.th.dim, " asked, "}, seg{plain, size(int64(row.RLen))}, seg{sc.th.dim, " answered, "}, seg{plain, size(bytes)}, seg{sc.th.dim, " in " + count(len(frames), "frame")})
	if progress > 0 {
		d.field(sc.th, "progress", seg{plain, count(progress, "notification")})
	}
}

func senderOf(row *session.Row) safe.Text {
	from, _ := sides(row.Dir)
	return from
}

// exchangeFrames are the frames of a row, of what belongs to it, and of its
// HTTP exchange, in order; more when there were too many to look at.
func (r *recording) exchangeFrames(self int) (out []*meta, more bool) {
	row := r.t.Row(self)
	root := r.root(self)
	first := uint64(row.Request)
	if h := r.heads[row.X]; h.req != 0 {
		first = min(first, h.req)
	}
	last := uint64(row.Response)
	if x := r.heads[row.X]; x.resp > last {
		last = x.resp
	}
	i, _ := slices.BinarySearchFunc(r.frames, first, func(m meta, n uint64) int { return cmp.Compare(uint64(m.N), n) })
	for n := 0; i < len(r.frames); i, n = i+1, n+1 {
		f := &r.frames[i]
		if n == timedScan || len(out) == timedFrames {
			return out, true
		}
		if row.End > 0 && f.T > row.End && uint64(f.N) > last {
			break
		}
		if f.Row >= 0 && r.root(int(f.Row)) == root || row.Conn > 0 && row.X > 0 && f.X == row.X {
			out = append(out, f)
		}
	}
	return out, false
}

// timed is the line of one frame.
func (d *doc) timed(sc *scene, rec *recording, row *session.Row, f *meta, prev int64, w int) {
	way := safe.Text(" ")
	switch f.Dir {
	case wire.ToServer:
		way = safe.Text(sc.sg.req)
	case wire.ToClient:
		way = safe.Text(sc.sg.ans)
	}
	what := safe.Text(f.Kind.String())
	words := safe.Text("")
	if f.Row >= 0 {
		about := rec.t.Row(int(f.Row))
		switch {
		case about.Response == f.N:
			words = "answer"
		case about.Request == f.N:
			words = safe.Line(shortMethod(about, rec.t.Name(about.Name)))
			if about != row && rec.words.of(int(f.Row)).target != "" {
				words += " " + safe.Line(rec.words.of(int(f.Row)).target)
			}
		}
	}
	gap := safe.Text("")
	if f.T > prev {
		gap = "+" + duration(f.T-prev)
	}
	offset := "+" + duration(f.T-row.T)
	if f.T < row.T {
		offset = duration(f.T - row.T)
	}
	cells := cellsOf(frameColumns(w), "#"+safe.Text(itoa(int(f.N))), offset, gap, way, what, size(int64(f.Len)), "")
	if room := w - width(cells); room >= 8 && words != "" {
		d.add(seg{plain, cells}, seg{sc.th.dim, cutText(words, room, sc.sg)})
		return
	}
	d.text(plain, cells)
}

// frameColumns are the widths of the columns of frames; negative ones are
// aligned left.
func frameColumns(w int) []int {
	if w < 84 {
		return []int{6, 8, 8, -3, -9, 6, -1}
	}
	return []int{8, 10, 10, -3, -10, 7, -2}
}

func cellsOf(columns []int, texts ...safe.Text) (out safe.Text) {
	for i, t := range texts {
		if n := columns[i]; n < 0 {
			out += "  " + t
			for k := width(t); k < -n; k++ {
				out += " "
			}
		} else {
			out += padLeft(t, n)
		}
	}
	return out
}

func padLeft(t safe.Text, n int) safe.Text {
	for width(t) < n {
		t = " " + t
	}
	return t
}
