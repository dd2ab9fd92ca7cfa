package ui

import (
	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// detailKeys are those of the detail pane and of what it gives away. Enter
// folds: h and l turn the tabs, space is a page, and z is what vim calls it.
func detailKeys() []binding {
	return []binding{
		{actFold, inDetail, []string{"enter", "z"}, "enter", "fold", "fold, unfold the value", look},
		{actFoldAll, inDetail, []string{"-"}, "- +", "", "fold, unfold everything", look},
		{actUnfoldAll, inDetail, []string{"+", "="}, "", "", "", ""},
		{actForm, inDetail, []string{"u"}, "u U", "decode", "a string, all: read or JSON", look},
		{actForms, inDetail, []string{"U"}, "", "", "", ""},
		{actHex, inDetail, []string{"B"}, "B", "", "raw bytes as text or hex", look},
	}
}

func (m *Model) usefulInDetail(a action) bool {
	switch a {
	case actFold:
		return m.detail.Foldable()
	case actForm:
		return m.detail.Decodable() >= 0
	}
	return m.detail.tab == detail.TabRaw
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
			path = safe.Text(m.sg.Ellipsis + ansi.TruncateLeft(string(path), term.Width(path)-room+1, ""))
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
