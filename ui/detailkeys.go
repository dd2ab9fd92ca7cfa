package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
)

// detailCommands are those for values in the detail pane. Enter folds: h and l
// turn the tabs, space is a page, and z is what vim calls it.
func (m *Model) detailCommands() []keymap.Command {
	d := &m.detail
	notJSON := keymap.Unless(d.Foldable(), "only JSON on the Request and Response tabs can be folded")
	all := func(mode document.FoldMode) func() tea.Cmd {
		return keymap.Do(func() {
			d.Doc.Folds.All(mode)
			d.PutCursor(d.Doc.Near(d.Cur))
		})
	}
	return []keymap.Command{
		{ID: "detail.fold", Key: keymap.Bind("enter z", "enter", "fold, unfold the value"), Hint: keymap.When(d.Foldable(), "fold"), Group: keymap.Look, Run: keymap.Do(func() {
			if d.Foldable() {
				d.Toggle()
			} else {
				m.sideways(1)
			}
		})},
		{ID: "detail.fold-all", Key: keymap.Bind("-", "- +", "fold, unfold everything"), Title: "fold everything", Group: keymap.Look, Why: notJSON, Run: all(document.FoldAll)},
		{ID: "detail.unfold-all", Key: keymap.Bind("+ =", "", ""), Title: "unfold everything", Why: notJSON, Run: all(document.FoldNone)},
		{
			ID: "detail.form", Key: keymap.Bind("u", "u U", "a string, all: read or JSON"), Title: "a string: read or JSON", Hint: keymap.When(d.Decodable() >= 0, "decode"), Group: keymap.Look,
			Run: keymap.Do(func() { m.turnForm(false) }),
		},
		{ID: "detail.forms", Key: keymap.Bind("U", "", ""), Title: "all strings: read or JSON", Run: keymap.Do(func() { m.turnForm(true) })},
		{ID: "detail.bytes", Key: keymap.Bind("B", "B", "raw bytes as text or hex"), Group: keymap.Look, Run: keymap.Do(m.turnHex)},
	}
}

// drawUnder says in the status line where in the JSON the cursor is.
func (m *Model) drawUnder(l *term.Line) {
	d := &m.detail.Doc
	i := m.detail.Under()
	l.Gap(1)
	right := m.underKeys(i)
	n := 0
	for _, s := range right {
		n += term.Width(s.Text)
	}
	if n > l.Max/3 {
		right, n = nil, 0
	}
	what := d.Kind(i)
	if path := safe.Line(d.Path(i, m.sg.Crumb)); path != "" {
		room := l.Max - n - term.Width(what) - 5
		if term.Width(path) > room { // its end says more than its beginning
			path = term.CutLeft(path, term.Width(path)-room+1, m.sg.Ellipsis)
		}
		l.Put(m.th.JsonKey+term.Bold, path).Gap(2)
	}
	l.PutMax(m.th.Dim, what, l.Max-n-l.Used-1)
	l.Gap(l.Max - n - l.Used)
	for _, s := range right {
		l.Put(s.Style, s.Text)
	}
}

// underKeys are what the keys for the value under the cursor do with it now.
func (m *Model) underKeys(i int32) (out []term.Seg) {
	d := &m.detail.Doc
	for k := i; k >= 0; k = d.Nodes[k].Parent {
		if d.Foldable(k) {
			what := safe.Text(" folds")
			if d.Folded(k) {
				what = " unfolds"
			}
			out = append(out, term.S(m.th.Key, "enter"), term.S(m.th.Dim, what+"  "))
			break
		}
	}
	if s := m.detail.Decodable(); s >= 0 {
		what := safe.Text(" decodes it  ")
		if d.Stands(s) {
			what = " as JSON  "
		}
		out = append(out, term.S(m.th.Key, "u"), term.S(m.th.Dim, what))
	}
	return out
}

// waitDoc says that bytes are being read, when that may take a while.
func waitDoc(th *term.Theme, rec *library.Recording, ns []uint64) (d document.Doc) {
	n := int64(0)
	for _, one := range ns {
		if f := rec.Frame(one); f != nil {
			n += int64(f.Len)
		}
	}
	if n > 1<<20 {
		d.Text(th.Dim, "reading "+term.Size(n)+" …")
	}
	return d
}
