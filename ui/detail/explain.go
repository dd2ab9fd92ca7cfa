package detail

import (
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// explanation is what there is to say of a finding, in the order of reading.
type explanation struct{ name, text safe.Text }

// Explain puts a finding into words. Its texts may come from the wire.
func Explain(f library.Located, sg *term.Glyphs) []explanation {
	r := f.Rule
	happened := safe.Line(f.Message)
	if f.Count > 1 {
		happened += " Seen " + term.Count(f.Count, "time") + "."
	}
	all := []explanation{
		{"What happened", happened},
		{"Meaning", safe.Line(r.Help().Means)},
		{"Likely cause", safe.Line(f.Cause)},
		{"Responsible", faultText(f.Finding)},
		{"How to fix it", safe.Line(f.Fix)},
		{"Specification", safe.Line(r.Help().Spec)},
		{"Applies to", appliesText(f.Finding)},
	}
	out := all[:0]
	for _, e := range all {
		if e.text != "" {
			out = append(out, e)
		}
	}
	return out
}

func faultText(f *diagnose.Finding) safe.Text {
	sure := safe.Text("certain: it is on the wire")
	switch f.Confidence {
	case diagnose.Likely:
		sure = "likely: all that was seen fits, and little else does"
	case diagnose.Possible:
		sure = "possible: one explanation among several"
	}
	switch f.Side {
	case diagnose.Client:
		return "The client (" + sure + ")."
	case diagnose.Server:
		return "The server (" + sure + ")."
	case diagnose.Gateway:
		return "Something between client and server (" + sure + ")."
	case diagnose.Network:
		return "Neither client nor server: the machine or the network (" + sure + ")."
	}
	return "This recording does not tell (" + sure + ")."
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

// WriteExplained adds the words about a finding, headed by its rule.
func WriteExplained(d *document.Doc, sc *library.Scene, f library.Located) {
	sign, st := sc.Severity(f.Severity)
	d.AddIndented(2, []term.Seg{
		term.S(st, sign+" "), term.S(term.Bold, safe.Line(f.Rule.Title)),
		term.S(sc.Theme.Dim, "  "+safe.Line(f.Rule.ID)),
	})
	const column = 17
	for _, e := range Explain(f, sc.Glyphs) {
		if d.Width < 72 { // a column of names would take too much room
			d.AddIndented(4, []term.Seg{
				term.S(term.Plain, "  "),
				term.S(sc.Theme.Key, e.name+": "), term.S(term.Plain, e.text),
			})
			continue
		}
		pad := safe.Repeat(" ", column-len(e.name))
		d.AddIndented(column+2,
			[]term.Seg{term.S(term.Plain, "  "), term.S(sc.Theme.Key, e.name+pad), term.S(term.Plain, e.text)})
	}
}

// writeEvidence lists the frames of a finding.
func writeEvidence(d *document.Doc, sc *library.Scene, f library.Located) {
	name := safe.Text("Evidence")
	for i, n := range f.Frames {
		if i > 0 {
			name = ""
		}
		pad := safe.Repeat(" ", max(1, 17-len(name)))
		w := EvidenceOf(sc, f, n)
		d.AddIndented(19, []term.Seg{
			term.S(term.Plain, "  "), term.S(sc.Theme.Key, name+pad),
			term.S(term.Plain, w.Num+" "+w.Method+"  "), term.S(sc.Theme.Dim, w.Rest()),
		})
	}
}

// Evidence is a frame of evidence in words.
type Evidence struct {
	Num, Method, ID, Time safe.Text
	Said                  safe.Text
	St                    term.Style
}

// Rest is the evidence without its number and method.
func (p *Evidence) Rest() safe.Text {
	var all []string
	for _, t := range []safe.Text{p.ID, p.Time, p.Said} {
		if t != "" {
			all = append(all, string(t))
		}
	}
	return safe.Line(strings.Join(all, "  "))
}

// EvidenceOf says what a frame of evidence is: the message it belongs to,
// and whether it is the question or the answer.
func EvidenceOf(sc *library.Scene, f library.Located, n uint64) Evidence {
	p := Evidence{Num: "#" + safe.Int(int(n)), Method: "not in the recording"}
	m := f.Rec.Frame(n)
	if m == nil {
		return p
	}
	p.Time = term.Seconds(max(0, m.T-sc.BaseOf(f.Rec))) + " s"
	p.Method = safe.Line(m.Kind.String())
	i := f.Rec.RowAt(n)
	if i < 0 {
		return p
	}
	row := f.Rec.Tracker.Row(i)
	p.Method = safe.Line(library.ShortMethod(row, f.Rec.Tracker.Name(row.Name)))
	if id := f.Rec.Tracker.Name(row.ID); id != "" {
		p.ID = "id " + safe.Line(id)
	}
	w := f.Rec.Texts.Of(i)
	p.Said = safe.Line(w.Target)
	if m.Dir != row.Dir && row.Kind == session.RowCall {
		if p.Said = safe.Line(w.Result); row.Verdict == session.VerdictError {
			p.St = sc.Theme.Err
		}
		p.Said = "response " + p.Said
	}
	return p
}

// Findings is the tab of the detail pane with all findings about a row.
func Findings(sc *library.Scene, rec *library.Recording, row int, w int) document.Doc {
	d := document.Doc{Width: w}
	all := rec.Findings.OfRow(row)
	if len(all) == 0 {
		d.Text(sc.Theme.Dim, "No finding is about this message.")
	}
	for i, f := range all {
		if i > 0 {
			d.Blank()
		}
		one := library.Located{Rec: rec, Finding: f}
		WriteExplained(&d, sc, one)
		writeEvidence(&d, sc, one)
		if rec.Findings.Muted[f.Rule.ID] {
			d.Add(term.S(sc.Theme.Dim, "  This rule is muted."))
		}
	}
	return d
}

// Markdown is a finding as somebody would send it to those who must mend it.
func Markdown(sc *library.Scene, f library.Located) string {
	var b strings.Builder
	of, own := f.Rec.FindingOrigin(f.Finding)
	b.WriteString("### " + f.Severity.String() + ": " + safe.Clean(f.Rule.Title) + "\n\n")
	for _, e := range Explain(library.Located{Rec: of, Finding: own}, sc.Glyphs) {
		b.WriteString("**" + string(e.name) + ".** " + string(e.text) + "\n\n")
	}
	b.WriteString("**Evidence.**\n\n")
	for i, n := range f.Frames {
		p := EvidenceOf(sc, f, n)
		b.WriteString("- #" + strconv.FormatUint(own.Frames[i], 10) + " " + string(p.Method) + ", ")
		b.WriteString(strings.ReplaceAll(string(p.Rest()), "  ", ", ") + "\n")
	}
	b.WriteString("\nRule `" + safe.Clean(f.Rule.ID) + "`, recording " + safe.Clean(of.ID))
	if s := f.Rec.Session(f.Session); s != nil && s.ID != "" {
		b.WriteString(", session " + safe.Clean(s.ID))
	}
	b.WriteString(".\n")
	return b.String()
}
