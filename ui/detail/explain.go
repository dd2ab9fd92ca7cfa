package detail

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
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
		{"What happened", "", happened},
		{"Meaning", "means", safe.Line(r.Help().Means)},
		{"Cause", "", safe.Line(f.Cause)},
		{"Responsible", "", responsible(f)},
		{"How to fix it", "", safe.Line(f.Fix())},
		{"Specification", "spec", safe.Line(r.Help().Spec)},
		{"Applies to", "for", appliesText(f.Finding)},
	}
	return slices.DeleteFunc(all, func(e Explanation) bool { return e.Text == "" })
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

// Account is what is to be said of what went wrong with a message, nil for nothing: of its session
// where that says why, or of the worst that is found about the message, or what was seen of it.
func (m *Message) Account() *Account {
	i, frames := int(m.Row.Session), []uint64{uint64(m.Row.Request), uint64(m.Row.Response)}
	var f *diagnose.Finding
	if all := m.findings(); len(all) > 0 && m.Rec.ShowsAtRow(all[0], m.ID) {
		f = cmp.Or(m.Rec.Findings.Causes[all[0]], all[0]) // the session is judged by the cause
	}
	v, seen := m.Rec.VerdictOf(i), linesOn(m.Rec.CardOf(i), frames)
	switch {
	case len(seen) > 0 && !v.NamesCause():
		return AccountOf(m.Rec, i)
	case f != nil:
		return Found(library.Located{Rec: m.Rec, Finding: f})
	case len(seen) > 0:
		line := RowText(m.Rec, m.Row, m.Rec.Texts.Of(m.ID))
		v = diagnose.Verdict{Outcome: diagnose.Impaired, Line: line}
		return &Account{Rec: m.Rec, Verdict: v, Session: m.Rec.Session(i), Lines: seen}
	}
	return nil
}

// Verdict adds the account of a message, or what it is evidence of.
func (m *Message) Verdict(d *document.Doc, sc *library.Scene) {
	a := m.Account()
	if a == nil {
		m.evidenceOf(d, sc)
		return
	}
	if !a.Verdict.NamesCause() {
		d.AddLike(document.Card(&sc.Screen, sc.Theme.Steel()), 0, a.Title(sc)...)
	}
	a.Write(d, sc, Whole)
}

// evidenceOf adds what a message is evidence of.
func (m *Message) evidenceOf(d *document.Doc, sc *library.Scene) {
	if all := m.findings(); len(all) > 0 {
		sign, st := sc.Severity(all[0].Severity)
		d.AddAtMost(1, sc.Glyphs, document.Line{}, 0, term.S(sc.Theme.Dim, "evidence of "), term.S(st, sign+" "),
			term.S(sc.Theme.Dim, safe.Line(all[0].Rule.Title)), term.S(sc.Theme.Key, "   !"), term.S(sc.Theme.Dim, " why"))
	}
}

// Said is a text about a finding, with places to go to and the id of its session in
// the colour of that.
func Said(sc *library.Scene, f library.Located, st term.Style, text string) (out []term.Seg) {
	id := ""
	if f.Rec != nil {
		if s := f.Rec.Session(f.Session); s != nil {
			id = s.ID
		}
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
