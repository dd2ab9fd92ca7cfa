package ui

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
)

// explanation is what there is to say of a finding, in the order of reading.
type explanation struct{ name, text safe.Text }

// explain puts a finding into words. Its texts may come from the wire.
func explain(f located, sg *signs) []explanation {
	r := f.Rule
	happened := safe.Line(f.Message)
	if f.Count > 1 {
		happened += " Seen " + count(f.Count, "time") + "."
	}
	all := []explanation{
		{"What happened", happened},
		{"Meaning", safe.Line(r.Help.Means)},
		{"Likely cause", safe.Line(f.Cause)},
		{"Responsible", faultText(f.Finding)},
		{"How to fix it", safe.Line(f.Fix)},
		{"Specification", safe.Line(r.Help.Spec)},
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

// explained adds the words about a finding, headed by its rule.
func (d *doc) explained(sc *scene, f located) {
	sign, st := sc.severity(f.Severity)
	d.addIndented(2, []seg{{st, safe.Text(sign) + " "}, {bold, safe.Line(f.Rule.Title)}, {sc.th.dim, "  " + safe.Line(f.Rule.ID)}})
	const column = 17
	for _, e := range explain(f, sc.sg) {
		if d.w < 72 { // a column of names would take too much room
			d.addIndented(4, []seg{{plain, "  "}, {sc.th.key, e.name + ": "}, {plain, e.text}})
			continue
		}
		pad := safe.Text(strings.Repeat(" ", column-len(e.name)))
		d.addIndented(column+2, []seg{{plain, "  "}, {sc.th.key, e.name + pad}, {plain, e.text}})
	}
}

// evidence lists the frames of a finding.
func (d *doc) evidence(sc *scene, f located) {
	name := safe.Text("Evidence")
	for i, n := range f.Frames {
		if i > 0 {
			name = ""
		}
		pad := safe.Text(strings.Repeat(" ", max(1, 17-len(name))))
		w := evidenceWords(sc, f, n)
		d.addIndented(19, []seg{{plain, "  "}, {sc.th.key, name + pad}, {plain, w.num + " " + w.method + "  "}, {sc.th.dim, w.rest()}})
	}
}

// pointer is a frame of evidence in words.
type pointer struct {
	num, method, id, time safe.Text
	said                  safe.Text
	st                    style
}

func (p *pointer) rest() safe.Text {
	var all []string
	for _, t := range []safe.Text{p.id, p.time, p.said} {
		if t != "" {
			all = append(all, string(t))
		}
	}
	return safe.Text(strings.Join(all, "  "))
}

// evidenceWords says what a frame of evidence is: the message it belongs to,
// and whether it is the question or the answer.
func evidenceWords(sc *scene, f located, n uint64) pointer {
	p := pointer{num: "#" + safe.Text(itoa(int(n))), method: "not in the recording"}
	m := f.rec.frame(n)
	if m == nil {
		return p
	}
	p.time = seconds(max(0, m.T-sc.baseOf(f.rec))) + " s"
	p.method = safe.Text(m.Kind.String())
	i := f.rec.rowAt(n)
	if i < 0 {
		return p
	}
	row := f.rec.t.Row(i)
	p.method = safe.Line(shortMethod(row, f.rec.t.Name(row.Name)))
	if id := f.rec.t.Name(row.ID); id != "" {
		p.id = "id " + safe.Line(id)
	}
	w := f.rec.words.of(i)
	p.said = safe.Line(w.target)
	if m.Dir != row.Dir && row.Kind == session.RowCall {
		if p.said = safe.Line(w.result); row.Verdict == session.VerdictError {
			p.st = sc.th.err
		}
		p.said = "answered " + p.said
	}
	return p
}

// findingsDoc is the tab of the detail pane with all findings about a row.
func findingsDoc(sc *scene, rec *recording, row int, w int) doc {
	d := doc{w: w}
	all := rec.finds.of(row)
	if len(all) == 0 {
		d.text(sc.th.dim, "No finding is about this message.")
	}
	for i, f := range all {
		if i > 0 {
			d.blank()
		}
		one := located{rec, f}
		d.explained(sc, one)
		d.evidence(sc, one)
		if rec.finds.muted[f.Rule.ID] {
			d.add(seg{sc.th.dim, "  This rule is muted."})
		}
	}
	return d
}

// headlines names the findings about a row in the summary of it.
func (d *doc) headlines(sc *scene, rec *recording, row int) {
	const most = 4
	all := rec.finds.loud(rec.finds.of(row))
	for i, f := range all {
		if i == most {
			d.add(seg{sc.th.dim, "  and " + count(len(all)-most, "finding") + " more"})
			return
		}
		segs := sc.headline(rec, f, row)
		n := len("   ! explains")
		for _, s := range segs {
			n += width(s.t)
		}
		if i == 0 && n <= d.w {
			segs = append(segs, seg{sc.th.key, "   !"}, seg{sc.th.dim, " explains"})
		}
		d.addIndented(2, segs)
	}
}

// markdown is a finding as somebody would send it to those who must mend it.
func (m *Model) markdown(f located) string {
	var b strings.Builder
	b.WriteString("### " + f.Severity.String() + ": " + safe.Clean(f.Rule.Title) + "\n\n")
	for _, e := range explain(f, &m.sg) {
		b.WriteString("**" + string(e.name) + ".** " + string(e.text) + "\n\n")
	}
	b.WriteString("**Evidence.**\n\n")
	sc := m.scene()
	for _, n := range f.Frames {
		p := evidenceWords(sc, f, n)
		b.WriteString("- " + string(p.num) + " " + string(p.method) + ", " + strings.ReplaceAll(string(p.rest()), "  ", ", ") + "\n")
	}
	b.WriteString("\nRule `" + safe.Clean(f.Rule.ID) + "`, recording " + safe.Clean(f.rec.ID))
	if s := f.rec.session(f.Session); s != nil && s.ID != "" {
		b.WriteString(", session " + safe.Clean(s.ID))
	}
	b.WriteString(".\n")
	return b.String()
}
