package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// itemColumns says how wide the columns of the list of tools are; 0 leaves one
// out. What is left of a line is for the notes.
type itemColumns struct {
	name, calls, bad, p50, p95, most, spark, tokens int
}

func (v *toolsView) columns(w int) itemColumns {
	c := itemColumns{calls: 6, bad: 5}
	longest := 10
	for i := range v.rows {
		longest = max(longest, min(len(v.rows[i].Name), 60)+1)
	}
	c.name = min(longest, max(w/4, 14))
	if v.kind == insight.Resource {
		c.name = min(longest, max(w/3, 14))
	}
	if w >= 60 {
		c.p95 = 8
	}
	if w >= 76 {
		c.p50, c.tokens = 8, 7
	}
	if w >= 100 {
		c.most, c.spark = 8, insight.Buckets+2
	}
	return c
}

// draw draws the list, and the definition of the selected one below it or in
// its place.
func (v *toolsView) draw(_ host, sc *library.Scene, w, h int) []string {
	v.h = h
	if !v.open {
		return v.drawList(sc, w, h)
	}
	if h < 16 {
		return v.drawDefinition(sc, w, h)
	}
	top := min(len(v.rows)+2, h/2)
	return append(v.drawList(sc, w, top), v.drawDefinition(sc, w, h-top)...)
}

func (v *toolsView) drawList(sc *library.Scene, w, h int) []string {
	title := titleLine(sc, w, v.title(), !v.reading || !v.open, join(v.foot(sc), v.reader.state(sc))...).Finish()
	body := v.banner(sc, w)
	if len(v.rows) == 0 {
		v.fit(0, h-1)
		d := v.emptyDoc(sc, w-6)
		return pageOf(w, h, title, words(sc, w, &d))
	}
	c := v.columns(w)
	if h > 3 {
		body = append(body, v.header(sc, w, &c))
	}
	v.fit(len(v.rows), h-1-len(body))
	for i := v.top; i < min(v.top+v.height, len(v.rows)); i++ {
		body = append(body, v.line(sc, w, &c, i))
	}
	return pageOf(w, h, title, body)
}

func (v *toolsView) title() safe.Text {
	return [...]safe.Text{"Tools", "Prompts", "Resources"}[v.kind]
}

// foot says what stands at the right of the title.
func (v *toolsView) foot(sc *library.Scene) []term.Seg {
	if !v.answered || len(v.rows) == 0 {
		return nil
	}
	var out []term.Seg
	if v.list.Never > 0 {
		out = append(out, term.S(sc.Theme.Warn, term.Number(v.list.Never)+" never "+v.used()), term.S(term.Plain, "   "))
	}
	if v.list.LeftOut > 0 {
		out = append(out, term.S(sc.Theme.Warn, term.Number(v.list.LeftOut)+" more are not kept"), term.S(term.Plain, "   "))
	}
	if sc.Width >= 60 {
		out = append(out, term.S(sc.Theme.Dim, v.order.String()))
	}
	return out
}

func (v *toolsView) used() safe.Text {
	return [...]safe.Text{"called", "asked for", "read"}[v.kind]
}

// banner is a line above the list about a list that never came.
func (v *toolsView) banner(sc *library.Scene, w int) []string {
	if !v.answered || v.list.Response != 0 || len(v.rows) == 0 {
		return nil
	}
	l := term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Warn+term.Bold, safe.Text(sc.Glyphs.Warn)+" "+v.unlisted(sc))
	return []string{l.Finish()}
}

// unlisted says why nothing is known of what the server offers.
func (v *toolsView) unlisted(sc *library.Scene) safe.Text {
	method := itemWord(v.kind) + "s/list"
	l := &v.list.Listing
	switch {
	case l.Refused > l.Request && l.Code != 0:
		return "the server refused " + method + " with error " + safe.Int(int(l.Code)) + " (" + frameRef(l.Refused) + ")"
	case l.Refused > 0:
		return "the server refused " + method + " (" + frameRef(l.Refused) + ")"
	case l.Request > 0:
		return method + " (" + frameRef(l.Request) + ") was never answered"
	}
	return "the client never asked for " + method
}

func (v *toolsView) emptyDoc(sc *library.Scene, w int) document.Doc {
	d := document.Doc{Width: w}
	what := v.name()
	if unread(sc, &d, sc.Rec, v.answered) {
		return d
	}
	switch {
	case v.list.Response != 0:
		d.Text(term.Plain, "The server has no "+what+": its list ("+frameRef(v.list.Response)+") is empty.")
	case v.list.Refused != 0 || v.list.Request != 0:
		d.Text(term.Plain, "No "+what+" are known: "+v.unlisted(sc)+".")
	default:
		d.Text(term.Plain, "No "+what+": "+v.unlisted(sc)+", and asked for none by name.")
		if sc.Rec.Live {
			d.Text(sc.Theme.Dim, "they appear here as soon as it does")
		}
	}
	d.Blank()
	key, dim, next := sc.Theme.Key, sc.Theme.Dim, itemWord((v.kind+1)%insight.Kinds)+"s"
	d.Add(term.S(key, "v"), term.S(dim, " shows "+next), term.S(key, "   esc"), term.S(dim, " goes back"))
	return d
}

func (v *toolsView) header(sc *library.Scene, w int, c *itemColumns) string {
	l := term.NewLine(w, sc.Glyphs).Gap(3)
	st := sc.Theme.Dim
	l.Cell(st, "name", c.name)
	for _, one := range []struct {
		t safe.Text
		n int
	}{{"calls", c.calls}, {"err", c.bad}, {"p50", c.p50}, {"p95", c.p95}, {"max", c.most}} {
		if one.n > 0 {
			l.Right(st, one.t, one.n)
		}
	}
	if c.spark > 0 {
		l.Gap(2).Cell(st, "last 60 s", insight.Buckets)
	}
	if c.tokens > 0 {
		l.Right(st, v.approx(sc)+"tokens", c.tokens+1)
	}
	return l.Gap(2).Put(st, "notes").Finish()
}

// approx marks an estimate.
func (v *toolsView) approx(sc *library.Scene) safe.Text {
	if sc.ASCII {
		return "~"
	}
	return "≈"
}

// tokens is about how many tokens so many bytes of JSON are.
func tokens(bytes int) int { return (bytes + 3) / 4 }

func (v *toolsView) line(sc *library.Scene, w int, c *itemColumns, i int) string {
	it := &v.rows[i]
	l := rowLine(sc, w, i == v.sel, !v.open || !v.reading)
	sign, st := it.sign(sc)
	name := term.Plain
	if it.Never() {
		name = sc.Theme.Dim
	}
	l.Put(st, safe.Text(sign)).Gap(3-l.Used).Cell(name, safe.Line(it.Name), c.name-1).Gap(1)
	calls := sc.Theme.Dim
	if it.Calls > 0 {
		calls = term.Plain
	}
	l.Right(calls, term.Number(it.Calls), c.calls)
	bad, badSt := safe.Text(""), sc.Theme.Err
	if it.Bad() > 0 {
		bad = term.Number(it.Bad())
	}
	l.Right(badSt, bad, c.bad)
	for _, one := range []struct {
		ns int64
		n  int
	}{{it.P50, c.p50}, {it.P95, c.p95}, {it.Max, c.most}} {
		if one.n > 0 {
			l.Right(term.Plain, it.took(one.ns), one.n)
		}
	}
	if c.spark > 0 {
		l.Gap(2).Cell(sc.Theme.C2s, v.spark(sc, it), insight.Buckets)
	}
	if c.tokens > 0 {
		size := safe.Text("")
		if it.Size > 0 {
			size = term.Number(tokens(it.Size))
		}
		l.Right(sc.Theme.Dim, size, c.tokens+1)
	}
	l.Gap(2)
	v.notes(l, sc, it)
	return l.Finish()
}

// sign says at a glance how an item does.
func (it *itemRow) sign(sc *library.Scene) (string, term.Style) {
	switch {
	case it.Bad() > 0:
		return sc.Glyphs.Err, sc.Theme.Err
	case it.Listed == 0 || it.Gone:
		return sc.Glyphs.Warn, sc.Theme.Warn
	case it.Never():
		return sc.Glyphs.Ended, sc.Theme.Dim
	case it.Pending > 0:
		return sc.Glyphs.Pend, sc.Theme.Pend
	}
	return sc.Glyphs.Ok, sc.Theme.Ok
}

func (it *itemRow) took(ns int64) safe.Text {
	if it.Max == 0 {
		return ""
	}
	return term.Duration(ns)
}

var (
	sparks      = [...]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	asciiSparks = [...]string{"_", ".", ":", "-", "=", "+", "*", "#"}
)

// spark draws the calls of the last minute, the latest at the right.
func (v *toolsView) spark(sc *library.Scene, it *itemRow) safe.Text {
	if it.Calls == 0 {
		return ""
	}
	until := v.now
	if sc.Rec.Live {
		until = max(until, int64(sc.Now.Sub(sc.Rec.Started)))
	}
	counts := it.Recent.Until(until)
	most := uint32(4) // one call is no peak
	for _, n := range counts {
		most = max(most, n)
	}
	set := &sparks
	if sc.ASCII {
		set = &asciiSparks
	}
	var b strings.Builder
	for _, n := range counts {
		i := 0
		if n > 0 {
			i = max(1, int(uint64(n)*uint64(len(set)-1)/uint64(most)))
		}
		b.WriteString(set[i])
	}
	return safe.Text(b.String())
}

// notes says what is remarkable of an item, the worst first.
func (v *toolsView) notes(l *term.Line, sc *library.Scene, it *itemRow) {
	first := true
	note := func(st term.Style, t safe.Text) {
		if !first {
			l.Put(sc.Theme.Dim, safe.Text(" "+sc.Glyphs.Dot+" "))
		}
		first = false
		l.Put(st, t)
	}
	for i, f := range it.found {
		if i == 3 {
			note(sc.Theme.Dim, term.Number(len(it.found)-i)+" more rules")
			break
		}
		sign, st := sc.Severity(f.at)
		note(st, safe.Text(sign+" ")+times(f.n, sc)+space(f.n > 1)+safe.Line(f.rule.ID))
	}
	if it.Lost > 0 {
		note(sc.Theme.Err, term.Number(it.Lost)+" lost")
	}
	if it.Pending > 0 && (!sc.Rec.Live || it.Calls == it.Pending) {
		note(sc.Theme.Pend, term.Number(it.Pending)+" not answered")
	}
	if it.Cancelled > 0 {
		note(sc.Theme.Dim, term.Number(it.Cancelled)+" cancelled")
	}
	if it.Listed == 0 && v.list.Response != 0 {
		note(sc.Theme.Warn, [...]safe.Text{"called, and in no list", "asked for, and in no list", "read, and in no list"}[v.kind])
	}
	if it.Gone {
		note(sc.Theme.Warn, "no longer listed")
	}
	if it.Never() && !it.Template {
		note(sc.Theme.Warn, "never "+v.used())
	}
	for _, one := range []struct {
		is bool
		t  safe.Text
	}{{it.Template, "template"}, {it.marks.destructive, "destructiveHint"}, {it.marks.readOnly, "readOnlyHint"}, {it.Rounds > 0, term.Count(it.Rounds, "further round")}} {
		if one.is {
			note(sc.Theme.Dim, one.t)
		}
	}
}

func space(is bool) safe.Text {
	if is {
		return " "
	}
	return ""
}

func (v *toolsView) state(h host) []term.Seg {
	sc := h.Scene()
	if !v.answered {
		return v.reader.state(sc)
	}
	dot := safe.Text(" " + sc.Glyphs.Dot + " ")
	t := term.Count(len(v.rows), itemWord(v.kind)) + dot + term.Count(v.list.Calls, [...]safe.Text{"call", "request", "read"}[v.kind])
	if sc.Width >= 70 && v.list.Bytes > 0 {
		t += dot + "definitions " + v.approx(sc) + " " + term.Number(tokens(v.list.Bytes)) + " tokens"
	}
	return []term.Seg{term.S(sc.Theme.Dim, t)}
}

// click selects a line; again it shows its calls.
func (v *toolsView) click(h host, _, y int) tea.Cmd {
	top := v.h
	if v.open && v.h >= 16 {
		top = min(len(v.rows)+2, v.h/2)
	}
	if v.open && (v.h < 16 || y >= top) {
		v.reading = true
		return nil
	}
	v.reading = false
	again, ok := v.pickLine(y - (top - v.height))
	if ok && again {
		return onlyItem(h, v.kind, v.selected())
	}
	return nil
}
