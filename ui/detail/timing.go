package detail

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

const (
	timedFrames = 400    // that are listed
	timedScan   = 50_000 // frames that are looked at for them
)

// Timing says when everything about a row happened. row may be nil.
func Timing(sc *library.Scene, rec *library.Recording, self, w int) document.Doc {
	d := document.Doc{Width: w}
	if self < 0 {
		d.Text(sc.Theme.Dim, "This frame belongs to no message.")
		return d
	}
	row := rec.Tracker.Row(self)
	frames, more := exchangeFrames(rec, self)
	writeMoments(&d, sc, rec, row, frames)
	d.Blank()
	d.Add(term.S(sc.Theme.Dim, cellsOf("#", "offset", "gap", "", "frame", "bytes", "")))
	prev := row.T
	if len(frames) > 0 {
		prev = min(prev, frames[0].T)
	}
	for _, f := range frames {
		writeTimed(&d, sc, rec, row, f, prev, w)
		prev = f.T
	}
	if more {
		d.Text(sc.Theme.Dim, "  … more frames than are listed here; f and v show them all")
	}
	return d
}

func writeMoments(d *document.Doc, sc *library.Scene, rec *library.Recording,
	row *session.Row, frames []*library.FrameInfo,
) {
	at := func(name safe.Text, t int64, what safe.Text) {
		if t <= 0 && name != "sent" {
			return
		}
		segs := []term.Seg{term.S(term.Plain, padLeft(term.Seconds(max(0, t-sc.Base)), 9)), term.S(sc.Theme.Dim, " s")}
		if t != row.T {
			segs = append(segs, term.S(term.Plain, padLeft("+"+term.Duration(t-row.T), 9)))
		} else {
			segs = append(segs, term.S(sc.Theme.Dim, "         "))
		}
		if !term.Narrow(d.Width) {
			segs = append(segs, term.S(sc.Theme.Dim, "  "+what))
		}
		d.Field(sc.Theme, name, segs...)
	}
	h := rec.Heads[row.X]
	if m := rec.Frame(h.Req); m != nil && h.Req != uint64(row.Request) {
		at("head", m.T, "the HTTP request began")
	}
	at("sent", row.T, "the "+senderOf(row)+"'s message was complete")
	if m := rec.Frame(h.Resp); m != nil {
		at("head", m.T, "the HTTP response began")
	}
	if row.First > 0 && row.First != row.End {
		at("first byte", row.First, "the first byte of the response (TTFB)")
	}
	last := safe.Text("the response was complete")
	if row.Kind == session.RowHTTP {
		last = "the exchange was over"
	}
	at("response", row.End, last)
	if fate := rec.Tracker.Fate(row, row.Dir); fate == wire.GateDrop {
		d.Field(sc.Theme, "response", term.S(sc.Theme.Warn, "none: the gate dropped the request"))
	} else if row.End == 0 && row.Kind == session.RowCall {
		d.Field(sc.Theme, "response", term.S(sc.Theme.Pend, "not yet, or never"))
	}
	progress, bytes := 0, int64(0)
	for _, f := range frames {
		bytes += int64(f.Len)
		if f.Row >= 0 && rec.Tracker.Name(rec.Tracker.Row(int(f.Row)).Name) == mcp.NotifyProgress {
			progress++
		}
	}
	d.Field(sc.Theme, "sizes", term.S(term.Plain, term.Size(int64(row.Len))), term.S(sc.Theme.Dim, " request, "),
		term.S(term.Plain, term.Size(int64(row.RLen))), term.S(sc.Theme.Dim, " response, "), term.S(term.Plain, term.Size(bytes)),
		term.S(sc.Theme.Dim, " in "+term.Count(len(frames), "frame")))
	if progress > 0 {
		d.Field(sc.Theme, "progress", term.S(term.Plain, term.Count(progress, "notification")))
	}
}

func senderOf(row *session.Row) safe.Text {
	from, _ := Sides(row.Dir)
	return from
}

// exchangeFrames are the frames of a row, of what belongs to it, and of its
// HTTP exchange, in order; more when there were too many to look at.
func exchangeFrames(r *library.Recording, self int) (out []*library.FrameInfo, more bool) {
	row := r.Tracker.Row(self)
	root := r.Root(self)
	first := uint64(row.Request)
	if h := r.Heads[row.X]; h.Req != 0 {
		first = min(first, h.Req)
	}
	last := uint64(row.Response)
	if x := r.Heads[row.X]; x.Resp > last {
		last = x.Resp
	}
	i, _ := slices.BinarySearchFunc(r.Frames, first,
		func(m library.FrameInfo, n uint64) int { return cmp.Compare(uint64(m.N), n) })
	for n := 0; i < len(r.Frames); i, n = i+1, n+1 {
		f := &r.Frames[i]
		if n == timedScan || len(out) == timedFrames {
			return out, true
		}
		if row.End > 0 && f.T > row.End && uint64(f.N) > last {
			break
		}
		if f.Row >= 0 && r.Root(int(f.Row)) == root || row.Conn > 0 && row.X > 0 && f.X == row.X {
			out = append(out, f)
		}
	}
	return out, false
}

func writeTimed(d *document.Doc, sc *library.Scene, rec *library.Recording,
	row *session.Row, f *library.FrameInfo, prev int64, w int,
) {
	way := safe.Text(" ")
	switch f.Dir {
	case wire.ToServer:
		way = sc.Glyphs.Req
	case wire.ToClient:
		way = sc.Glyphs.Ans
	}
	what := safe.Line(f.Kind.String())
	words := safe.Text("")
	if f.Row >= 0 {
		about := rec.Tracker.Row(int(f.Row))
		switch {
		case about.Response == f.N:
			words = "response"
		case about.Request == f.N:
			words = safe.Line(library.ShortMethod(about, rec.Tracker.Name(about.Name)))
			if about != row && rec.Texts.Of(int(f.Row)).Target != "" {
				words += " " + safe.Line(rec.Texts.Of(int(f.Row)).Target)
			}
		}
	}
	gap := safe.Text("")
	if f.T > prev {
		gap = "+" + term.Duration(f.T-prev)
	}
	offset := "+" + term.Duration(f.T-row.T)
	if f.T < row.T {
		offset = term.Duration(f.T - row.T)
	}
	cells := cellsOf("#"+safe.Int(int(f.N)), offset, gap, way, what, term.Size(int64(f.Len)), "")
	if room := w - term.Width(cells); room >= 8 && words != "" {
		d.Add(term.S(term.Plain, cells), term.S(sc.Theme.Dim, term.Shorten(words, room, sc.Glyphs)))
		return
	}
	d.Text(term.Plain, cells)
}

// frameColumns are the widths of the columns of frames; negative ones are
// aligned left.
var frameColumns = []int{7, 9, 9, -3, -9, 7, -1}

func cellsOf(texts ...safe.Text) (out safe.Text) {
	for i, t := range texts {
		if n := frameColumns[i]; n < 0 {
			out += "  " + t
			for k := term.Width(t); k < -n; k++ {
				out += " "
			}
		} else {
			out += padLeft(t, n)
		}
	}
	return out
}

func padLeft(t safe.Text, n int) safe.Text {
	for term.Width(t) < n {
		t = " " + t
	}
	return t
}

// waits adds what a message waits for: a line for each debt that it stands on, which
// leads there, and who owes the last of them since when.
func (m *Message) waits(d *document.Doc, sc *library.Scene) {
	if m.atGate(d, sc) {
		return
	}
	chain := m.Rec.Debts(m.ID)
	for i := range max(len(chain)-1, 0) {
		words := ledger.Words(chain[i : i+2])
		words = strings.TrimPrefix(words, chain[i].Method+" (#"+strconv.FormatUint(chain[i].N, 10)+") ")
		d.AddTo(chain[i+1].N, numbered(sc.Theme, words)...)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if chain[i].End.Open() {
			m.owed(d, sc, &chain[i])
			return
		}
	}
}

// atGate says what the gate did to the message, and whether it got no further there:
// then nobody owes anything for it.
func (m *Message) atGate(d *document.Doc, sc *library.Scene) (stays bool) {
	t := m.Rec.Tracker
	if text := describe.Gate(t, m.Row); text != "" {
		deeds := t.Deeds(m.Row)
		d.AddTo(deeds[len(deeds)-1].Frame, term.S(sc.Theme.Faint, "at the gate "), term.S(sc.Theme.Warn, safe.Line(text)))
	}
	fate := t.Fate(m.Row, m.Row.Dir)
	return fate == wire.GateHold || fate == wire.GateDrop
}

// owed says whose turn it is, and for how long.
func (m *Message) owed(d *document.Doc, sc *library.Scene, debt *ledger.Debt) {
	who := safe.Line(debt.Debtor())
	if s := m.Rec.Session(debt.Session); s != nil {
		peer := map[string]session.Peer{"client": s.Client, "server": s.Server}[debt.Debtor()]
		who = PeerOr(peer, who)
	}
	dot, how := " "+sc.Glyphs.Dot+" ", safe.Text("")
	if m.Rec.Live {
		how = "for " + term.Duration(library.Elapsed(sc.Now, m.Rec, debt.T))
	} else if n := len(m.Rec.Frames); n > 0 {
		how = "for " + term.Duration(max(0, m.Rec.Frames[n-1].T-debt.T)) + " until the recording ended"
	}
	d.Add(term.S(sc.Theme.Faint, "owed by "), term.S(term.Plain, who), term.S(sc.Theme.Dim, dot+how))
}

// framed are numbers of frames in a text of ours.
var framed = words.Pattern(`\(?#[0-9]+\)?`)

// numbered is a text with the numbers of frames in the colour of keys.
func numbered(th *term.Theme, text string) (out []term.Seg) {
	for text != "" {
		at := framed().FindStringIndex(text)
		if at == nil {
			return append(out, term.S(term.Plain, safe.Line(text)))
		}
		out = append(out, term.S(term.Plain, safe.Line(text[:at[0]])),
			term.S(th.Key, safe.Line(strings.Trim(text[at[0]:at[1]], "()"))))
		text = text[at[1]:]
	}
	return out
}
