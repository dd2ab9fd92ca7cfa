package detail

import (
	"slices"
	"strings"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

const (
	maxScan   = 200_000 // rows that are looked at for what is around a message
	maxAround = 6
)

// Page is a message on a screen of its own, but for the two sides, which scroll:
// the card above them, the timing, and what is around it.
type Page struct {
	m      *Message
	slots  []term.Slot
	at     int   // the slot of the message
	around []int // rows
	same   int   // calls like it
	title  safe.Text
}

// PageOf looks at the rows around a message.
func PageOf(m *Message) *Page {
	p := &Page{m: m, slots: make([]term.Slot, 120), title: "Around it: calls like it"}
	rows := m.Rec.Tracker.Rows()
	end := int64(1)
	if n := len(m.Rec.Frames); n > 0 {
		end = max(m.Rec.Frames[n-1].T, 1)
	}
	slot := func(t int64) int { return min(int(t*int64(len(p.slots))/(end+1)), len(p.slots)-1) }
	p.at = slot(m.Row.T)
	proof := m.proof()
	first := max(0, min(m.ID-maxScan/2, rows-maxScan))
	for i := first; i < min(rows, first+maxScan); i++ {
		row := m.Rec.Tracker.Row(i)
		s := &p.slots[slot(row.T)]
		s.N++
		s.Failed = s.Failed || m.Rec.Texts.Of(i).Result != "" && (&Message{Row: row}).failed()
		alike := row.Kind == m.Row.Kind && row.Name == m.Row.Name && toolOf(m.Rec, i) == toolOf(m.Rec, m.ID)
		if alike {
			p.same++
		}
		if proof != nil && slices.Contains(proof, i) || proof == nil && alike {
			p.around = append(p.around, i)
		}
	}
	if proof != nil {
		p.title = "Around it: what proves the finding"
	}
	k, _ := slices.BinarySearch(p.around, m.ID)
	from := max(0, min(k-maxAround/2, len(p.around)-maxAround))
	p.around = p.around[from:min(from+maxAround, len(p.around))]
	return p
}

// proof are the rows that a finding about the message rests on, nil for none.
func (m *Message) proof() (rows []int) {
	if all := m.findings(); len(all) > 0 {
		for _, n := range all[0].Frames {
			if i := m.Rec.RowAt(n); i >= 0 && !slices.Contains(rows, i) {
				rows = append(rows, i)
			}
		}
	}
	return rows
}

// toolOf is what a row is about: the first word of it.
func toolOf(rec *library.Recording, row int) string {
	tool, _, _ := strings.Cut(rec.Texts.Of(row).Target, " ")
	return tool
}

// Title names the message for the frame: outcome, tool, method, number, who.
func (m *Message) Title(sc *library.Scene) []term.Seg {
	th := sc.Theme
	sign, st := sc.Verdict(m.Row)
	out := []term.Seg{term.S(st, sign+" ")}
	if tool := toolOf(m.Rec, m.ID); tool != "" {
		out = append(out, term.S(th.Title, safe.Line(tool)+"  "))
	}
	method := safe.Line(library.ShortMethod(m.Row, m.Rec.Tracker.Name(m.Row.Name)))
	out = append(out, term.S(th.Dim, method+" "), term.S(th.Title, "#"+safe.Int(m.Row.Request)))
	if s := m.Rec.Session(int(m.Row.Session)); s != nil {
		server := string(sc.Glyphs.Arrow) + " " + s.Server.Name + " " + s.Server.Version
		who := safe.Line(strings.TrimSpace(s.Client.Version + " " + server))
		out = append(out, term.S(m.Rec.Hue(th, s.Index)+term.Bold, "   "+m.Rec.SessionName(s.Index)), term.S(th.Dim, " "+who))
	}
	if n := len(m.findings()); n > 0 {
		out = append(out, term.S(th.Dim, "   finding 1 of "+safe.Int(n)))
	}
	return out
}

// Top draws what came back beside the verdict.
func (p *Page) Top(sc *library.Scene, w int) []string {
	left, right := document.Doc{Width: w/2 - 3}, document.Doc{Width: w - w/2 - 2}
	p.m.Verdict(&right, sc)
	if len(right.Lines) == 0 {
		left.Width = w - 3
	}
	p.m.Outcome(&left, sc)
	p.m.beside(&left, sc)
	p.m.facts(&left, sc)
	if len(right.Lines) == 0 {
		return left.All(&sc.Screen, w, 1)
	}
	return columns(sc, left, right, w/2, w-w/2)
}

// Timing draws the recording with the message in it, and its parts.
func (p *Page) Timing(sc *library.Scene, w int) []string {
	th, row := sc.Theme, p.m.Row
	whole := term.NewLine(w, sc.Glyphs).Gap(1).Put(th.Faint, "whole     ")
	n := min(len(p.slots), w-30)
	slots := term.Fold(p.slots, n)
	at := p.at * n / len(p.slots)
	whole.Segs(term.Spark(&sc.Screen, th.Dim, slots[:at], true))
	whole.Segs(term.Spark(&sc.Screen, p.m.Rec.Hue(th, int(row.Session))+term.Reverse, slots[at:at+1], true))
	whole.Segs(term.Spark(&sc.Screen, th.Dim, slots[at+1:], true))
	call := term.NewLine(w, sc.Glyphs).Gap(1).Put(th.Faint, "this call ")
	hue := p.m.Rec.Hue(th, int(row.Session))
	call.Put(hue, sc.Glyphs.Edge).Put(th.Dim, " request ").Put(term.Plain, amount(int64(row.Len))+" ")
	bar := max((w-100)/2, 6)
	wait := term.Duration(row.Latency())
	if row.End == 0 {
		wait = "so far " + term.Duration(library.Elapsed(sc.Now, p.m.Rec, row.T))
		if !p.m.Rec.Live {
			wait = "without an end"
		}
	}
	if row.First > 0 && row.First < row.End {
		call.Fill(hue, sc.Glyphs.Full, call.Used+bar).Put(th.Dim, " first byte after ").
			Put(term.Plain, term.Duration(row.First-row.T)+" ")
	}
	call.Fill(hue, sc.Glyphs.Full, call.Used+bar).Put(th.Dim, " waiting ").Put(term.Plain, wait+" ")
	for range min(int(row.Count), 12) {
		call.Put(hue, sc.Glyphs.Tick)
	}
	if row.Response > 0 {
		call.Fill(hue, sc.Glyphs.Full, call.Used+bar).Put(th.Dim, " response ").
			Put(term.Plain, amount(int64(row.RLen))+" ").Put(hue, sc.Glyphs.Edge)
	}
	if p.same > 1 {
		call.Gap(3).Put(th.Dim, term.Count(p.same, "call")+" like it")
	}
	return []string{whole.Finish(), call.Finish()}
}

// Around draws the rows around the message, and says what they are.
func (p *Page) Around(sc *library.Scene, w int) (title safe.Text, lines []string) {
	rec, th := p.m.Rec, sc.Theme
	for _, i := range p.around {
		row := rec.Tracker.Row(i)
		l := sc.Row(w, i == p.m.ID, false)
		l.Put(rec.Hue(th, int(row.Session)), sc.Glyphs.Edge).Gap(1)
		l.Cell(rec.Hue(th, int(row.Session)), rec.SessionName(int(row.Session)), 18)
		l.Right(th.Key, "#"+safe.Int(row.Request), 8).Gap(2)
		l.Right(th.Dim, term.Seconds(max(0, row.T-sc.Base)), 9).Gap(2)
		sign, st := sc.Verdict(row)
		l.Cell(st, sign, 2)
		t := rec.Texts.Of(i)
		tool, args, _ := strings.Cut(t.Target, " ")
		if tool == "" {
			tool = library.ShortMethod(row, rec.Tracker.Name(row.Name))
		}
		l.Cell(term.Bold, safe.Line(tool), 18).Gap(1)
		room := max(w-l.Used-10, 20)
		l.Cell(th.JSONString, safe.Line(args), room/2-1).Gap(1)
		result := term.Plain
		if (&Message{Row: row}).failed() {
			result = th.Err
		}
		l.Cell(result, safe.Line(t.Result), room-room/2).Gap(1)
		if row.End > 0 {
			l.Right(term.Plain, term.Duration(row.Latency()), 7)
		}
		lines = append(lines, l.Finish())
	}
	return p.title, lines
}

// Sides are what was asked and what came back, for two panes beside each other.
func (m *Message) Sides(sc *library.Scene, w int) (request, response Side) {
	request, response = Side{Doc: document.Doc{Width: w}}, Side{Doc: document.Doc{Width: w}}
	ask := m.part(sc, "JSON", m.Row.Request, w)
	if path := m.writeArguments(&request.Doc, sc); path != nil {
		ask.Shown = [][]string{path}
	}
	shown := m.writeResult(&response.Doc, sc)
	request.Parts = []document.Part{ask, m.transportPart(sc, w)}
	if m.Row.Response > 0 {
		p := m.responsePart(sc, shown, w)
		p.Lines = m.part(sc, "JSON", m.Row.Response, w).Lines
		response.Parts = []document.Part{p}
	}
	return request, response
}

// Side is one of two documents: its words, and the parts that follow.
type Side struct {
	Doc   document.Doc
	Parts []document.Part
}

func (m *Message) transportPart(sc *library.Scene, w int) document.Part {
	d := document.Doc{Width: w}
	label(&d, sc, "TRANSPORT")
	m.transport(&d, sc)
	return document.Part{Lines: d.Lines}
}
