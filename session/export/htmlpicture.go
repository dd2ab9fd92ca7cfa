package export

import (
	"fmt"
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/timeline"
	"midwire/session/wire"
	"midwire/session/words"
)

// sequence is a sequence diagram, in the pixels of its picture.
type sequence struct {
	Width, Height int
	Bottom        int
	Lanes         []lane
	Marks         []mark
}

type lane struct {
	X    int
	Name string
}

// mark is an arrow with its text, or a note.
type mark struct {
	Y, From, To, Head     int // the arrow's line, and the x of the back of its head
	TextX, TextY          int
	Anchor, Class, Text   string
	Full, Time            string
	Note, Dashed, Finding bool
	NoteX, NoteW          int
	N                     uint64
	HeadTop, HeadBottom   int
}

const (
	laneWidth  = 250
	laneFirst  = 160
	lanesMost  = 5 // clients; the rest share the last
	markHeight = 30
	letter     = 7 // width of one, about
)

// sequence draws the story. Nil when there is none.
func (s *Source) sequence() *sequence {
	all := s.moments(sequenceFirst, sequenceLast)
	if len(all) == 0 {
		return nil
	}
	d := &sequence{}
	lanes := map[int]int{}
	server := "server"
	for _, m := range all {
		if m.Kind == gap {
			continue
		}
		if _, known := lanes[m.session]; !known {
			at := min(len(d.Lanes), lanesMost-1)
			if len(d.Lanes) < lanesMost {
				d.Lanes = append(d.Lanes,
					lane{laneFirst + at*laneWidth, short(s.clientName(m.session), laneWidth/letter-2)})
			} else {
				d.Lanes[at].Name = "other clients"
			}
			lanes[m.session] = d.Lanes[at].X
		}
		if name := s.serverName(m.session); name != "" {
			server = name
		}
	}
	// One client leaves room for words.
	right := laneFirst + max(len(d.Lanes)*laneWidth, 2*laneWidth+60)
	d.Lanes = append(d.Lanes, lane{right, short(server, 30)})
	d.Width = right + 150
	y := 64
	for i := range all {
		k := draw(&all[i], lanes[all[i].session], right, y)
		d.Marks = append(d.Marks, k)
		y += markHeight
		if k.Finding {
			y += 6
		}
	}
	d.Height, d.Bottom = y+16, y
	return d
}

// draw places one moment between its client and the server.
func draw(m *moment, client, server, y int) mark {
	k := mark{Y: y, N: m.N, Time: fmt.Sprintf("%.3f", float64(m.T)/1e9), Full: safe.Clean(m.text), TextY: y - 5}
	if m.Bad {
		k.Class = "bad"
	}
	switch m.Kind {
	case gap, timeline.Note, finding:
		k.Note, k.Finding = true, m.Kind == finding
		if client == 0 || m.Kind == gap {
			client = laneFirst
		}
		k.NoteX, k.NoteW, k.Y = client-40, server-client+80, y-16
		k.TextX, k.TextY, k.Anchor = client+(server-client)/2, y, "middle"
		k.Text = short(m.text, (k.NoteW-20)/letter)
		if k.Finding {
			k.Class = severityClass(m.Bad)
		}
		return k
	}
	k.From, k.To, k.Head, k.Anchor, k.TextX = client, server, server-9, "start", client+12
	if m.Dir == '<' {
		k.From, k.To, k.Head, k.Anchor, k.TextX = server, client, client+9, "end", server-12
	}
	k.HeadTop, k.HeadBottom = y-4, y+4
	k.Dashed = m.Kind == timeline.Response
	k.Text = short(m.text, (server-client-30)/letter)
	return k
}

// waterfall shows calls over time.
type waterfall struct {
	Width, Height, Bottom, Left int
	Ticks                       []tick
	Bars                        []bar
}

type tick struct {
	X    int
	Name string
}

type bar struct {
	Y, TextY, X, W    int
	Name, Class, Took string
	TookX             int
	Full              string
	N                 uint64
	Open              bool
}

const (
	waterLabel = 300
	waterWidth = 700
	waterRow   = 22
)

// waterfall draws the calls. Nil when there are none.
func (s *Source) waterfall() *waterfall {
	rows, gap, skipped := s.some(waterFirst, waterLast, func(r *session.Row) bool {
		return r.Kind == session.RowCall || r.Kind == session.RowHTTP
	})
	if len(rows) == 0 {
		return nil
	}
	begin, end := s.tracker.Row(rows[0]).T, int64(0)
	for _, at := range rows {
		r := s.tracker.Row(at)
		begin, end = min(begin, r.T), max(end, r.T, r.End)
	}
	span := max(end-begin, 1)
	place := func(t int64) int { return waterLabel + int(float64(t-begin)/float64(span)*waterWidth) }
	w := &waterfall{Left: waterLabel, Width: waterLabel + waterWidth + 90}
	for i := range 5 {
		t := span * int64(i) / 4
		w.Ticks = append(w.Ticks, tick{place(begin + t), "+" + Duration(t)})
	}
	y := 34
	for i, at := range rows {
		if i == gap && skipped > 0 {
			w.Bars = append(w.Bars, bar{Y: y, TextY: y + 12, Name: "… " + words.Count(skipped, "call") + " left out", Class: "dim"})
			y += waterRow
		}
		w.Bars = append(w.Bars, s.bar(s.tracker.Row(at), y, place))
		y += waterRow
	}
	w.Bottom, w.Height = y, y+10
	return w
}

func (s *Source) bar(r *session.Row, y int, place func(int64) int) bar {
	target, result := s.words(r)
	name := words.Join(s.clean(s.tracker.Name(r.Name)), target)
	if r.Kind == session.RowHTTP {
		name = target
	}
	b := bar{
		Y:     y,
		TextY: y + 12,
		N:     uint64(r.Request),
		Class: endingClass(r.Ending),
		Name:  short(name, waterLabel/letter-1),
		Full:  short(strings.TrimSpace(name+" → "+result), 300),
	}
	until, took := r.End, Duration(r.Latency())
	switch {
	case s.tracker.Fate(r, r.Dir) == wire.GateDrop:
		b.Open, until, took = true, max(r.End, r.T), "dropped by the gate"
	case r.End == 0:
		b.Open, until, took = true, r.T, "no response"
	}
	b.X = place(r.T)
	b.W = max(place(until)-b.X, 3)
	b.TookX, b.Took = b.X+b.W+6, took
	return b
}
