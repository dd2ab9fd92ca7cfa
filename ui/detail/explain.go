package detail

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/evidence"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Explanation is one thing to say of a finding. Label is what Name is called
// where it stands beside a text, "" for what has a place of its own there.
type Explanation struct{ Name, Label, Text safe.Text }

// Explain puts a finding into words, in the order of reading. Its texts may come
// from the wire.
func Explain(f library.Located) []Explanation {
	r := f.Rule
	happened := safe.Line(f.Message)
	if f.Count > 1 {
		happened += " Seen " + term.Count(f.Count, "time") + "."
	}
	all := []Explanation{
		{"What happened", "what", happened},
		{"Meaning", "why", safe.Line(r.Help().Means)},
		{"Cause", "cause", safe.Line(f.Cause)},
		{"Often", "often", safe.Line(f.Often)},
		{"Responsible", "", responsible(f)},
		{"How to fix it", "fix", safe.Line(f.Fix())},
		{"Specification", "spec", safe.Line(r.Help().Spec)},
		{"Applies to", "for", appliesText(f.Finding)},
	}
	return slices.DeleteFunc(all, func(e Explanation) bool { return e.Text == "" })
}

// Broke is the part of the life cycle of a session that a finding broke: the
// steps before it, and the bad one as the last; nil for none.
func Broke(f library.Located) []session.LifeStep {
	const before = 2
	s := f.Rec.Session(f.Session)
	if s == nil {
		return nil
	}
	v := diagnose.Because(f.Finding)
	steps := LifeCycle(&v, s.Steps, s.Errors, s.Calls, f.Rec.Live)
	for i := range steps {
		if steps[i].Mark != session.StepBad || steps[i].Frame == 0 || i == 0 && s.Steps[i].Mark != session.StepBad {
			continue
		}
		if row := f.Rec.RowAt(steps[i].Frame); row >= 0 && f.Rec.ShowsAtRow(f.Finding, row) {
			steps[i].Note = cmp.Or(s.Steps[i].Note, "#"+strconv.FormatUint(steps[i].Frame, 10))
			return steps[max(i-before, 0) : i+1]
		}
	}
	return nil
}

// DrawStep is a step of the life cycle: its sign, its name and what is noted of it.
func DrawStep(sc *library.Scene, step *session.LifeStep) []term.Seg {
	sign, st := stepSign(sc, step.Mark)
	out := []term.Seg{term.S(st, sign+" "), term.S(stepStyle(sc, step.Mark), safe.Line(step.Name))}
	if step.Mark == session.StepBad && step.Note != "" {
		out = append(out, term.S(sc.Theme.Err, " "+safe.Line(step.Note)))
	}
	return out
}

// HeadsOf are the frames of the HTTP heads that the request and the response of a
// row came with, 0 for none.
func HeadsOf(rec *library.Recording, row *session.Row) (request, response uint64) {
	h := rec.Heads[row.X]
	if row.Conn == 0 {
		return 0, 0
	}
	respHeads := h
	if m := rec.Frame(uint64(row.Response)); m != nil {
		respHeads = rec.Heads[m.X]
	}
	return requestHead(row, h), responseHead(row, h, respHeads)
}

// responsible names the side at fault, and says how sure that is.
func responsible(f library.Located) safe.Text {
	who := safe.Line(f.Side.String())
	if f.Side != diagnose.Midwire && f.Side != diagnose.Unclear {
		who = "The " + who
	}
	if s := f.Rec.Session(f.Session); f.Side == diagnose.Client && s != nil && s.Client.Name != "" {
		who += " " + library.PeerText(s.Client)
	}
	return who + "."
}

func appliesText(f *diagnose.Finding) safe.Text {
	t := safe.Line(f.Rule.Versions())
	switch {
	case t == "all":
		t = "all versions"
	case strings.HasPrefix(string(t), "20"):
		t = "version " + t
	default:
		t = "versions " + t
	}
	if f.ProtocolVersion != "" {
		t += "; here it is " + safe.Line(string(f.ProtocolVersion))
	}
	return t
}

// maxEvidence is how many exchanges are listed in words.
const maxEvidence = 40

// evidence lists what proves a finding in order of time: each exchange once, by
// the frame of its request. more is how many are left out.
func quoted(f library.Located) (ns []uint64, more int) {
	for _, n := range slices.Concat(f.Frames, f.Shows) {
		if i := f.Rec.RowAt(n); i >= 0 {
			n = uint64(f.Rec.Tracker.Row(i).Request)
		}
		ns = append(ns, n)
	}
	slices.Sort(ns)
	ns = slices.Compact(ns)
	if len(f.Shows) == diagnose.MaxShows {
		more = f.Count - len(f.Shows)
	}
	shown := ns[:min(len(ns), maxEvidence)]
	return shown, more + len(ns) - len(shown)
}

// Markdown is a finding as somebody would send it to those who must mend it.
func Markdown(sc *library.Scene, f library.Located) string {
	var b strings.Builder
	b.WriteString("### " + f.Severity.String() + ": " + safe.Clean(f.Rule.Title) + "\n\n")
	for _, e := range Explain(f) {
		b.WriteString("**" + string(e.Name) + ".** " + string(e.Text) + "\n\n")
	}
	b.WriteString("**Evidence.**\n\n")
	all, more := quoted(f)
	for _, n := range all {
		said := "not in the recording"
		if m := f.Rec.Frame(n); m != nil {
			said = safe.Clean(m.Kind.String())
			if i := f.Rec.RowAt(n); i >= 0 {
				said = RowText(f.Rec, f.Rec.Tracker.Row(i), f.Rec.Texts.Of(i))
			}
			said += ", at " + string(term.Seconds(max(0, m.T-sc.BaseOf(f.Rec)))) + " s"
		}
		b.WriteString("- #" + strconv.FormatUint(n, 10) + " " + said + "\n")
	}
	if more > 0 {
		b.WriteString("- and " + string(term.Number(more)) + " more\n")
	}
	b.WriteString("\nRule `" + safe.Clean(f.Rule.ID) + "`, recording " + safe.Clean(f.Rec.ID))
	if s := f.Rec.Session(f.Session); s != nil && s.ID != "" {
		b.WriteString(", session " + safe.Clean(s.ID))
	}
	b.WriteString(".\n")
	return b.String()
}

// Verdict adds the card of what is found about a message, the worst of it: who is
// responsible, what is wrong, what to do. It adds nothing where nothing is found.
func (m *Message) Verdict(d *document.Doc, sc *library.Scene) { m.verdict(d, sc, 2) }

// verdict is Verdict, with so many lines of what is wrong in particular.
func (m *Message) verdict(d *document.Doc, sc *library.Scene, lines int) {
	all := m.findings()
	if len(all) == 0 {
		return
	}
	f, th := all[0], sc.Theme
	shows, follows := m.Rec.ShowsAtRow(f, m.ID), false
	if cause := m.Rec.Findings.Causes[f]; cause != nil { // the session is judged by that
		f, follows = cause, true
	}
	sign, _ := sc.Severity(f.Severity)
	c := NewCard(sc, library.Located{Rec: m.Rec, Finding: f})
	switch {
	case shows && follows:
		c.Head = append(c.Head, term.S(th.Dim, "follows from "))
	case !shows:
		c.Style, c.Head = th.Dim, []term.Seg{term.S(th.Dim, "evidence of "), term.S(th.Dim, sign+" ")}
	}
	if term.Wide(d.Width) {
		c.Right = append(c.Right, term.S(th.Key, "   !"), term.S(th.Dim, " why"))
	}
	title := safe.Line(f.Rule.Title)
	if lines > 0 {
		room := d.Width - term.SegsWidth(c.Head) - term.SegsWidth(c.Right) - 4
		title = Headline(title, max(room, leastTitle), sc.Glyphs)
		c.Happened = Said(sc, library.Located{Rec: m.Rec, Finding: f}, term.Plain, f.Message)
	}
	c.Head = append(c.Head, term.S(term.Bold, title))
	from := len(d.Lines)
	c.Write(d, sc, f)
	if lines > 0 && !f.Known() {
		WriteEvidence(d, sc, document.Card(&sc.Screen, c.Style), m.seen(), cardRows+2-(len(d.Lines)-from))
	}
}

// ofMessage are the labels of lines that belong to what was refused, failed or not answered.
var ofMessage = []string{
	evidence.Refused, evidence.Failed, evidence.Silent, evidence.Odd, evidence.Sent, evidence.Got, evidence.Schema,
	evidence.Served, evidence.Differs, evidence.Asked, evidence.Next,
}

// seen are the lines of evidence that are about the message, and what stands to be read with them.
func (m *Message) seen() (all []evidence.Line) {
	about := false
	for _, l := range m.Rec.CardOf(int(m.Row.Session)) {
		switch l.Label {
		case evidence.Refused, evidence.Failed, evidence.Silent, evidence.Odd, evidence.Asked, evidence.Next:
			about = slices.ContainsFunc(l.Frames, func(n uint64) bool {
				return n == uint64(m.Row.Request) || n == uint64(m.Row.Response)
			})
		}
		if about && slices.Contains(ofMessage, l.Label) {
			all = append(all, l)
		}
	}
	said := func(l evidence.Line) int { // what was asked again stands right behind the words of the peer
		return slices.Index([]string{evidence.Served, evidence.Differs}, l.Label)
	}
	slices.SortStableFunc(all, func(a, b evidence.Line) int { return cmp.Compare(min(said(a), 0), min(said(b), 0)) })
	return all
}

// NewCard begins the card of a finding: in the colour of how bad it is and with who must act, or,
// where the cause is not known, in that of what was seen.
func NewCard(sc *library.Scene, f library.Located) Card {
	if !f.Known() {
		head := []term.Seg{term.S(sc.Theme.Title, "Seen  "), term.S(sc.Theme.Dim, diagnose.NotKnown+"  ")}
		return Card{Style: sc.Theme.Steel(), Head: head}
	}
	_, st := sc.Severity(f.Severity)
	return Card{Style: st, Head: []term.Seg{sc.Theme.Badge(st, library.Fault(f)), term.S(term.Plain, "  ")}}
}

// Card is a finding in at most five rows: who must act and how sure that is, what happened,
// and what each side can do. The first row is two where it says what happened itself.
type Card struct {
	Style       term.Style // of its bar
	Head, Right []term.Seg // the first row
	Happened    []term.Seg // in two rows at most
}

const (
	cardRows, happenedRows = 5, 2
	leastTitle             = 24 // cells
)

// Fits says whether all of what happened has room in so wide a card.
func (c *Card) Fits(sc *library.Scene, w int) bool {
	d := document.Doc{Width: w}
	return d.AddAtMost(happenedRows, sc.Glyphs, document.Card(&sc.Screen, c.Style), 0, c.Happened...)
}

// Write adds the card, and says whether all of what can be done stands in it.
func (c *Card) Write(d *document.Doc, sc *library.Scene, f *diagnose.Finding) (whole bool) {
	like, from := document.Card(&sc.Screen, c.Style), len(d.Lines)
	first := like
	first.Right = c.Right
	if c.Happened == nil {
		d.AddAtMost(happenedRows, sc.Glyphs, first, 0, c.Head...)
	} else {
		d.AddAtMost(1, sc.Glyphs, first, 0, c.Head...)
		d.AddAtMost(happenedRows, sc.Glyphs, like, 0, c.Happened...)
	}
	whole = true
	fixes := f.Fixes()
	for i, do := range fixes {
		label, st, room := safe.Text("fix   "), term.Plain, cardRows-(len(d.Lines)-from)
		if i > 0 {
			label, st = "or    ", sc.Theme.Dim
		} else if len(fixes) > 1 {
			room = max(room-1, 1)
		}
		segs := []term.Seg{term.S(sc.Theme.Faint, label), term.S(st, safe.Line(do))}
		whole = d.AddAtMost(room, sc.Glyphs, like, len(label), segs...) && whole
	}
	return whole
}

// Said is a text about a finding, with places to go to and the id of its session in
// the colour of that.
func Said(sc *library.Scene, f library.Located, st term.Style, text string) (out []term.Seg) {
	id := ""
	if s := f.Rec.Session(f.Session); s != nil {
		id = s.ID
	}
	for p := range f.Parts(text, id) {
		switch {
		case p.Frame != 0:
			out = append(out, term.S(sc.Theme.Key, safe.Line(p.Text)))
		case p.Session:
			out = append(out, term.S(f.Rec.Hue(sc.Theme, f.Session)+term.Underline, term.ShortID(id, sc.Glyphs)))
		default:
			out = append(out, term.S(st, safe.Line(p.Text)))
		}
	}
	return out
}

// Headline cuts a title that is too long at its last comma or colon that fits,
// else between words.
func Headline(t safe.Text, n int, sg *term.Glyphs) safe.Text {
	if term.Width(t) <= n {
		return t
	}
	fits := term.Cut(t, n+1, "")
	for _, sep := range []string{",", ":"} {
		if i := strings.LastIndex(string(fits), sep+" "); i > max(n/3, 0) {
			return t[:i]
		}
		if strings.HasSuffix(string(fits), sep) {
			return fits[:len(fits)-1]
		}
	}
	return term.ShortenWords(t, n, sg)
}

// findings are those about the message; what shows
// here comes first, then what is worst, and a cause comes before what follows from it.
func (m *Message) findings() []*diagnose.Finding {
	all := m.Rec.Findings.OfRow(m.ID)
	weights := map[*diagnose.Finding]int{}
	for _, f := range all {
		weights[f] = int(f.Severity)
		switch {
		case slices.Contains(all, m.Rec.Findings.Causes[f]):
			weights[f] += 2 * library.Severities
		case !m.Rec.ShowsAtRow(f, m.ID) && !m.causes(f, all):
			weights[f] += library.Severities
		}
	}
	byWeight := func(a, b *diagnose.Finding) int { return weights[a] - weights[b] }
	return slices.SortedStableFunc(slices.Values(all), byWeight)
}

// causes says whether one of the findings follows from f.
func (m *Message) causes(f *diagnose.Finding, all []*diagnose.Finding) bool {
	return slices.ContainsFunc(all, func(of *diagnose.Finding) bool { return m.Rec.Findings.Causes[of] == f })
}
