package insight

import (
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// drawCalls draws how the calls of the selected item went: the latest of them,
// how long they took, and what share they have; or why there are none.
func (v *toolsView) drawCalls(sc *library.Scene, w, h int) []string {
	it := v.selected()
	if it == nil {
		return term.Blanks(h, w)
	}
	var p term.Panel
	iw, ih := p.Inner(&sc.Screen, w, h)
	var body []string
	if it.Calls == 0 {
		body = v.whyNever(sc, it, iw)
	}
	for i, f := range it.found {
		if i == 3 {
			more := []term.Seg{term.S(sc.Theme.Dim, term.Number(len(it.found)-i)+" more findings")}
			body = append(body, card(sc, more, sc.Theme.Dim, iw)...)
			break
		}
		sign, st := sc.Severity(f.at)
		segs := []term.Seg{
			term.S(st, sign+" "+view.Times(sc, f.n)+space(f.n > 1)), term.S(term.Plain, safe.Line(f.rule.Title)),
		}
		body = append(body, card(sc, segs, st, iw)...)
	}
	last := it.Last[max(len(it.Last)-max(ih-len(body)-1, 1), 0):]
	p.Name = title(sc, v.callsOf(it, len(last))+term.Shorten(it.label, w/2, sc.Glyphs))
	if it.Calls == 0 {
		return p.Draw(&sc.Screen, w, h, body)
	}
	p.State = v.shares(sc, it)
	body = append(body, v.lastCalls(sc, it, last, iw)...)
	if it.Max > 0 && ih > len(body) {
		state := []term.Seg{
			term.S(sc.Theme.Dim, "p50 "), term.S(term.Plain, term.Duration(it.P50)), term.S(sc.Theme.Dim, "   p95 "),
			term.S(term.Plain, term.Duration(it.P95)), term.S(sc.Theme.Dim, "   max "),
			term.S(term.Plain, term.Duration(it.Max)),
		}
		body = append(body, term.Section(&sc.Screen, iw, title(sc, "Latency"), state))
	}
	return p.Draw(&sc.Screen, w, h, body)
}

// callsOf begins the title of the calls of an item, of which so many of the
// latest are shown.
func (v *toolsView) callsOf(it *itemRow, shown int) safe.Text {
	if it.Calls > shown {
		return "Latest " + term.Number(shown) + [...]safe.Text{" calls of ", " requests for ", " reads of "}[v.kind]
	}
	return [...]safe.Text{"Calls of ", "Requests for ", "Reads of "}[v.kind]
}

// shares says how much of all time and of all bytes the calls of an item have.
func (v *toolsView) shares(sc *library.Scene, it *itemRow) []term.Seg {
	out := []term.Seg{term.S(term.Plain, term.Number(it.Calls)), term.S(sc.Theme.Dim, sc.Glyphs.Times)}
	if it.Bad() > 0 {
		out = append(out, term.S(term.Plain, "  "), sc.Theme.Badge(sc.Theme.Err, term.Number(it.Bad())+" failed"))
	}
	if t := share(it.Took, v.list.Took); t != "" {
		out = append(out, term.S(sc.Theme.Dim, "   time "), term.S(term.Plain, t))
	}
	if t := share(it.Bytes, v.list.ResultBytes); t != "" {
		out = append(out, term.S(sc.Theme.Dim, "   result bytes "), term.S(term.Plain, t))
	}
	return out
}

// lastCalls lists the latest calls, the newest last.
func (v *toolsView) lastCalls(sc *library.Scene, it *itemRow, last []uint64, w int) []string {
	var all []library.Brief
	for _, n := range last {
		if i := sc.Rec.RowAt(n); i >= 0 && i < sc.Rec.Texts.Len() {
			b := sc.BriefOf(sc.Rec, i)
			b.Slow = it.P95 > 0 && b.Row.Latency()/1000 > it.P95/1000
			all = append(all, b)
		}
	}
	without := []safe.Text{"TIME", "TOOL"}
	if !slices.ContainsFunc(all, func(b library.Brief) bool { return b.Session != all[0].Session }) {
		without = append(without, "SESSION")
	}
	return sc.Briefs(without...).Fit(w, len(all), func(i int) *library.Brief { return &all[i] }).Lines()
}

// whyNever says why an item was never asked for, where no finding does: clients
// drop a whole list for the sake of one item.
func (v *toolsView) whyNever(sc *library.Scene, it *itemRow, w int) []string {
	segs := []term.Seg{term.S(term.Bold, "Never "+v.used()+".")}
	switch listed := term.S(sc.Theme.Key, view.FrameRef(it.Listed)); {
	case it.Gone:
		segs = append(segs, term.S(term.Plain, " Listed in "), listed, term.S(term.Plain, "; a later list does not hold it."))
	case len(it.found) == 0:
		segs = append(segs, term.S(term.Plain, " Listed in "), listed, term.S(term.Plain, ", no client asked for it."))
	}
	out := card(sc, segs, sc.Theme.Warn, w)
	for i := range v.rows {
		o := &v.rows[i]
		if o.Listed != it.Listed || len(o.found) == 0 || o.found[0].at != diagnose.Error || len(it.found) > 0 {
			continue
		}
		sign, st := sc.Severity(o.found[0].at)
		about := []term.Seg{
			term.S(sc.Theme.Dim, "In the same list: "), term.S(term.Bold, o.label), term.S(st, " "+sign+" "),
			term.S(term.Plain, safe.Line(o.found[0].rule.Title)),
		}
		return append(out, card(sc, about, st, w)...)
	}
	return out
}

// drawDefinition draws what the server said of the selected item.
func (v *toolsView) drawDefinition(sc *library.Scene, w, h int) []string {
	it := v.selected()
	if it == nil {
		return term.Blanks(h, w)
	}
	name := "Definition of " + term.Shorten(it.label, w/2, sc.Glyphs)
	p := term.Panel{Name: title(sc, name), Focus: v.Reading}
	iw, ih := p.Inner(&sc.Screen, w, h)
	v.layDefinition(sc, it, iw-2)
	v.Below.Page = true
	body := view.Text(sc, &v.defDoc, &v.Below, iw, ih)
	if it.Size > 0 {
		p.State = append(p.State, term.S(sc.Theme.Dim, term.Bytes(it.Size)))
	}
	p.State = view.Join(p.State, v.Below.Seen(sc))
	return p.Draw(&sc.Screen, w, h, body)
}

const maxDefinitionShown = 128 << 10

// layDefinition lays the definition out: what it says in words, and all of it.
func (v *toolsView) layDefinition(sc *library.Scene, it *itemRow, w int) {
	of := itemDefinition{it.Name, it.Listed, w, sc.Look}
	if v.defOf == of {
		return
	}
	if v.defOf.name != it.Name {
		v.Below.Top = 0
	}
	v.defOf = of
	d := document.Doc{Width: w}
	if it.Definition == nil {
		if it.Listed == 0 {
			d.Text(term.Plain, "It is in no list of the server: nothing says how it is defined.")
		} else {
			d.Text(term.Plain, "It is too long to be kept here; it stands in "+view.FrameRef(it.Listed)+".")
		}
		v.defDoc = d
		return
	}
	for _, name := range []string{"title", "description"} {
		if t := wire.Text(wire.Get(it.Definition, name)); t != "" {
			d.WrapLine(safe.Marked(words.Clip(t, 4<<10)), w, false)
		}
	}
	if said := session.ReadApp(it.Definition).Words(); said != "" {
		d.WrapLine(safe.Marked(said), w, false)
	}
	dim, size := sc.Theme.Dim, v.approx(sc)+" "+term.Number(it.Cost.All())+" tokens"
	if it.Cost.Schema > 0 {
		size += " (description " + term.Number(it.Cost.Description) + ", schema " + term.Number(it.Cost.Schema) + ")"
	}
	if it.Tokens > 0 {
		size += ", its results " + v.approx(sc) + " " + term.Number(it.Tokens)
	}
	d.Add(term.S(dim, "listed in "), term.S(sc.Theme.Note, view.FrameRef(it.Listed)), term.S(dim, ", "+size))
	d.Blank()
	if len(it.Definition) > maxDefinitionShown {
		d.Text(sc.Theme.Warn, "It has "+term.Size(int64(it.Size))+" bytes; this is the beginning.")
		d.Wrapped(sc.Theme, it.Definition[:maxDefinitionShown], w)
	} else {
		d.Body(sc.Theme, it.Definition, w)
	}
	v.defDoc = d
}
