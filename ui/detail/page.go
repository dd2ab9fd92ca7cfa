package detail

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

const (
	maxAround = 6
	pageSlots = 512 // of the time line, an even number
	pageStep  = 8192
)

// Page is a message on a screen of its own, but for the two sides, which scroll:
// the card above them, the timing, and what is around it. It reads the rows of the
// recording step by step.
type Page struct {
	m      *Message
	next   int // row that is read next
	past   term.Profile
	same   int   // calls like it
	before []int // of them, the nearest, and the message itself
	after  []int
	proof  []int       // rows that prove a finding, nil for none
	peers  []int       // sessions of the same client that the finding is about, nil for none
	calls  map[int]int // the row of each of those that is shown
}

// PageOf is the page of a message. It is was, with what that knows already, when that
// is about the same one.
func PageOf(m *Message, was *Page) *Page {
	if was != nil && was.m.Rec == m.Rec && was.m.ID == m.ID {
		was.m = m
		was.judge()
		return was
	}
	p := &Page{m: m, past: term.NewProfile(pageSlots)}
	p.judge()
	return p
}

func (p *Page) judge() {
	had := p.peers != nil
	p.proof, p.peers = p.m.proof()
	if had != (p.peers != nil) { // the rows of their sessions were not looked for
		*p = Page{m: p.m, past: term.NewProfile(pageSlots), proof: p.proof, peers: p.peers}
	}
}

// Step reads some more rows and says whether there is anything new.
func (p *Page) Step() bool {
	rec := p.m.Rec
	to := min(rec.Tracker.Rows(), p.next+pageStep)
	if p.next == to {
		return false
	}
	tool := toolOf(rec, p.m.ID)
	for i := p.next; i < to; i++ {
		row := rec.Tracker.Row(i)
		p.past.Add(row.T, 1, row.Ending.Bad())
		if row.Kind == p.m.Row.Kind && row.Name == p.m.Row.Name && toolOf(rec, i) == tool {
			p.same++
			p.near(i)
		}
		p.call(i, row)
	}
	p.next = to
	return true
}

// Done says that there is nothing left to read.
func (p *Page) Done() bool { return p.next >= p.m.Rec.Tracker.Rows() }

func (p *Page) near(i int) {
	switch {
	case i > p.m.ID && len(p.after) < maxAround:
		p.after = append(p.after, i)
	case i <= p.m.ID:
		if p.before = append(p.before, i); len(p.before) > maxAround {
			p.before = p.before[1:]
		}
	}
}

// call keeps what stands for a session: its first call of a tool, one that failed
// before others, the message itself before all.
func (p *Page) call(i int, row *session.Row) {
	s := int(row.Session)
	if row.Kind != session.RowCall || p.m.Rec.Tracker.Name(row.Name) != mcp.ToolsCall || !slices.Contains(p.peers, s) {
		return
	}
	old, ok := p.calls[s]
	worse := ok && row.Ending.Bad() && !p.m.Rec.Tracker.Row(old).Ending.Bad()
	if !ok || i == p.m.ID || old != p.m.ID && worse {
		if p.calls == nil {
			p.calls = map[int]int{}
		}
		p.calls[s] = i
	}
}

func (p *Page) around() (title safe.Text, rows []int) {
	title, rows = "Around it: calls like it", slices.Concat(p.before, p.after)
	switch {
	case len(p.peers) > 1:
		client := safe.Line(p.m.Rec.Session(p.peers[0]).Client.Name)
		title, rows = "Around it: "+term.Count(len(p.peers), "session")+" of "+client, nil
		for _, s := range p.peers {
			if i, ok := p.calls[s]; ok {
				rows = append(rows, i)
			}
		}
	case p.proof != nil:
		title, rows = "Around it: what proves the finding", p.proof
	}
	k, _ := slices.BinarySearch(rows, p.m.ID)
	from := max(0, min(k-maxAround/2, len(rows)-maxAround))
	return title, rows[from:min(from+maxAround, len(rows))]
}

// proof are the rows that the finding about the message rests on, nil for none, and
// the sessions of its client where they are of several of them: then its cause is
// not in this one.
func (m *Message) proof() (rows, peers []int) {
	all := m.findings()
	if len(all) == 0 {
		return nil, nil
	}
	several := false
	for _, n := range all[0].Frames {
		if i := m.Rec.RowAt(n); i >= 0 && !slices.Contains(rows, i) {
			rows = append(rows, i)
			several = several || m.Rec.Tracker.Row(i).Session != m.Rec.Tracker.Row(rows[0]).Session
		}
	}
	slices.Sort(rows)
	mine := m.Rec.Session(int(m.Row.Session))
	if !several || mine == nil || mine.Client.Name == "" {
		return rows, nil
	}
	for _, s := range m.Rec.Tracker.Sessions() {
		if s.Client.Name == mine.Client.Name {
			peers = append(peers, s.Index)
		}
	}
	if len(peers) < 2 {
		return rows, nil
	}
	return rows, peers
}

// toolOf is what a row is about: the first word of it.
func toolOf(rec *library.Recording, row int) string {
	tool, _, _ := strings.Cut(rec.Texts.Of(row).Target, " ")
	return tool
}

// Title names the message for the frame: outcome, tool, method, number, and who said it
// where that is asked for.
func (m *Message) Title(sc *library.Scene, who bool) []term.Seg {
	th := sc.Theme
	sign, st := sc.Ending(m.Row)
	out := []term.Seg{term.S(st, sign+" ")}
	if tool := toolOf(m.Rec, m.ID); tool != "" && m.Row.Kind == session.RowCall {
		out = append(out, term.S(th.Title, safe.Line(tool)+"  "))
	}
	method := safe.Line(library.ShortMethod(m.Row, m.Rec.Tracker.Name(m.Row.Name)))
	out = append(out, term.S(th.Dim, method+" "), term.S(th.Title, "#"+safe.Int(m.Row.Request)))
	if s := m.Rec.Session(int(m.Row.Session)); who && s != nil {
		server := string(sc.Glyphs.Arrow) + " " + s.Server.Name + " " + s.Server.Version
		who := safe.Line(strings.TrimSpace(s.Client.Version + " " + server))
		out = append(out, term.S(m.Rec.Hue(th, s.Index)+term.Bold, "   "+m.Rec.SessionName(s.Index)), term.S(th.Dim, " "+who))
	}
	if all := m.findings(); len(all) > 0 { // what follows from another one is told with it
		follows := func(f *diagnose.Finding) bool { return slices.Contains(all, m.Rec.Findings.Causes[f]) }
		n := len(slices.DeleteFunc(slices.Clone(all), follows))
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
	p.m.travelled(&left, sc)
	p.m.beside(&left, sc)
	if len(right.Lines) == 0 {
		return left.All(&sc.Screen, w, 1)
	}
	return columns(sc, left, right, w/2, w-w/2)
}

// Timing draws the recording with the message in it, and its parts.
func (p *Page) Timing(sc *library.Scene, w int) []string {
	th, row := sc.Theme, p.m.Row
	whole := term.NewLine(w, sc.Glyphs).Gap(1).Put(th.Faint, "whole     ")
	last := row.T
	if n := len(p.m.Rec.Frames); n > 0 {
		last = max(last, p.m.Rec.Frames[n-1].T)
	}
	used := p.past.Until(last)
	n := max(min(len(used), w-30), 1)
	slots := term.Fold(used, n)
	at := min(p.past.At(row.T)*len(slots)/len(used), len(slots)-1)
	whole.Segs(term.Spark(&sc.Screen, th.Dim, slots[:at]))
	whole.Put(p.m.Rec.Hue(th, int(row.Session))+term.Bold, sc.Glyphs.Here)
	whole.Segs(term.Spark(&sc.Screen, th.Dim, slots[at+1:]))
	hue := p.m.Rec.Hue(th, int(row.Session))
	if p.m.OneSided() {
		at := term.Seconds(max(0, row.T-sc.Base)) + " s"
		one := term.NewLine(w, sc.Glyphs).Gap(1).Put(th.Faint, "this one  ").Put(hue, sc.Glyphs.Edge)
		return []string{whole.Finish(), one.Put(th.Dim, " at ").Put(term.Plain, at).Finish()}
	}
	call := term.NewLine(w, sc.Glyphs).Gap(1).Put(th.Faint, "this call ")
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
	title, rows := p.around()
	all := make([]library.Brief, len(rows))
	for i, row := range rows {
		all[i] = sc.BriefOf(p.m.Rec, row)
	}
	t := sc.Briefs().Fit(w, len(all), func(i int) *library.Brief { return &all[i] })
	for i := range all {
		lines = append(lines, t.Row(&all[i], rows[i] == p.m.ID, false))
	}
	return title, lines
}

// OneSided says that there is nothing but one message: no response belongs to it.
func (m *Message) OneSided() bool {
	return m.Row.Kind != session.RowCall && m.Row.Kind != session.RowHTTP
}

// Sides are what was asked and what came back, for two panes beside each other of w
// cells each: their words and JSON, or for these tabs their heads or bytes.
func (m *Message) Sides(sc *library.Scene, t Tab, w int) (request, response Side) {
	request, response = Side{Doc: document.Doc{Width: w}}, Side{Doc: document.Doc{Width: w}}
	if t == TabHeaders || t == TabRaw {
		request.Parts, response.Parts = m.wire(t)
		return request, response
	}
	if m.OneSided() {
		request.Parts = m.alone(sc, w)
		m.events(&request.Doc, sc)
	} else {
		ask := m.part(sc, "JSON", m.Row.Request, w)
		if path := m.writeArguments(&request.Doc, sc); path != nil {
			ask.Shown = [][]string{path}
		}
		request.Parts = []document.Part{ask}
	}
	shown := m.writeResult(&response.Doc, sc)
	m.events(&response.Doc, sc)
	if m.Row.Response > 0 {
		p := m.responsePart(sc, shown, w)
		p.Lines = m.part(sc, "JSON", m.Row.Response, w).Lines
		response.Parts = []document.Part{p}
	}
	for _, side := range []*Side{&request, &response} {
		for i := range side.Parts {
			side.Parts[i].Numbered = true
		}
	}
	return request, response
}

// wire are the heads of both sides, or all of their bytes.
func (m *Message) wire(t Tab) (request, response []document.Part) {
	a, b := HeadsOf(m.Rec, m.Row)
	side := func(head, body uint64, absent safe.Text) (out []document.Part) {
		for _, n := range CompactNumbers(head, body) {
			if f, ok := m.Got[n]; ok && (t == TabRaw || n == head) {
				out = append(out, document.Part{Title: RawTitle(&f), Data: f.Data, Head: t == TabHeaders})
			}
		}
		if len(out) == 0 {
			out = []document.Part{{Absent: absent}}
		}
		return out
	}
	no := absentText(m.Rec, m.Row, t)
	return side(a, uint64(m.Row.Request), no), side(b, uint64(m.Row.Response), no)
}

// Side is one of two documents: its words, and the parts that follow.
type Side struct {
	Doc   document.Doc
	Parts []document.Part
}
