package ui

import (
	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
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
		return m.detail.tree()
	case actForm:
		return m.detail.decodable() >= 0
	}
	return m.detail.tab == tabRaw
}

// drawUnder says in the status line where in the JSON the cursor is.
func (m *Model) drawUnder(l *line) {
	d := &m.detail.doc
	i := m.detail.under()
	l.gap(1)
	right := m.underKeys(i)
	n := 0
	for _, s := range right {
		n += width(s.t)
	}
	if n > l.max/3 {
		right, n = nil, 0
	}
	what := d.kind(i)
	if path := safe.Line(d.path(i, m.sg.crumb)); path != "" {
		room := l.max - n - width(what) - 5
		if width(path) > room { // its end says more than its beginning
			path = safe.Text(m.sg.ellipsis + ansi.TruncateLeft(string(path), width(path)-room+1, ""))
		}
		l.put(m.th.jsonKey+bold, path).gap(2)
	}
	l.putMax(m.th.dim, what, l.max-n-l.w-1)
	l.gap(l.max - n - l.w)
	for _, s := range right {
		l.put(s.st, s.t)
	}
}

// underKeys are what the keys for the value under the cursor do with it now.
func (m *Model) underKeys(i int32) (out []seg) {
	d := &m.detail.doc
	for k := i; k >= 0; k = d.nodes[k].parent {
		if d.foldable(k) {
			what := safe.Text(" folds")
			if d.folded(k) {
				what = " unfolds"
			}
			out = append(out, seg{m.th.key, "enter"}, seg{m.th.dim, what + "  "})
			break
		}
	}
	if s := m.detail.decodable(); s >= 0 {
		what := safe.Text(" decodes it  ")
		if d.stands(s) {
			what = " as JSON  "
		}
		out = append(out, seg{m.th.key, "u"}, seg{m.th.dim, what})
	}
	return out
}

// kind says what a value is.
func (d *doc) kind(i int32) safe.Text {
	n := &d.nodes[i]
	more := safe.Text("")
	if n.cut {
		more = " and more"
	}
	switch c := d.sources[n.src].data[n.from]; {
	case c == '{':
		return "object, " + count(int(n.count), "member") + more
	case c == '[':
		return "array, " + count(int(n.count), "element") + more
	case c == '"':
		return "string, " + bytesOf(int(n.to-n.from)-2)
	case c == 't' || c == 'f':
		return "boolean"
	case c == 'n':
		return "null"
	}
	return "number"
}

// waitDoc says that bytes are being read, when that may take a while.
func waitDoc(th *theme, rec *recording, ns []uint64) (d doc) {
	n := int64(0)
	for _, one := range ns {
		if f := rec.frame(one); f != nil {
			n += int64(f.Len)
		}
	}
	if n > 1<<20 {
		d.text(th.dim, "reading "+size(n)+" …")
	}
	return d
}
