package insight

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
	"midwire/ui/view/reading"
)

// capabilitiesView shows what client and server of a session declare, and what of
// it they use: a row for each capability, what does not fit first.
type capabilitiesView struct {
	base
	lines   view.Scroller
	session int // that is shown, where the list shows several; library.AllSessions for the first
	talks   []int
	sides   insight.Sides
	known   bool
	rows    []capRow
	head    int // lines above the first row
}

// capRow is a capability of either side, or of both.
type capRow struct {
	name           string
	client, server *insight.Capability // nil where it is not one of that side
}

func (v *capabilitiesView) Area() keymap.Area           { return keymap.Capabilities }
func (v *capabilitiesView) Refresh(h view.Host) tea.Cmd { return v.reader.Refresh(h, v) }
func (v *capabilitiesView) Name() safe.Text             { return "capabilities" }
func (v *capabilitiesView) Scroller() *view.Scroller    { return &v.lines }
func (v *capabilitiesView) Told(h view.Host) safe.Text {
	if len(v.talks) < 2 || h.Scope().Session >= 0 {
		return scopeWords(h.Scope())
	}
	return "session " + term.Number(v.sides.Session+1) + " of " + term.Number(len(h.Scope().Rec.Tracker.Sessions())) + "; ] and [ go to the others"
}

func (v *capabilitiesView) Question(h view.Host) reading.Question {
	q := reading.Question{Scope: h.Scope()}
	q.Pick = v.session
	return q
}

func (v *capabilitiesView) Ask(q reading.Question, b *insight.Book) func(view.Host) {
	at, talks := q.Session, b.Talks()
	if at == library.AllSessions {
		at = q.Pick
	}
	if at == library.AllSessions && len(talks) > 0 {
		at = talks[0]
	}
	sides, known := b.Sides(at)
	return func(view.Host) { v.accept(sides, known, talks) }
}

func (v *capabilitiesView) accept(sides insight.Sides, known bool, talks []int) {
	was := ""
	if r := v.selected(); r != nil {
		was = r.name
	}
	v.sides, v.known, v.talks, v.answered = sides, known, talks, true
	v.arrange()
	view.Select(&v.lines, v.rows, func(r *capRow) bool { return r.name == was })
}

// arrange makes the rows: what both sides have is one row.
func (v *capabilitiesView) arrange() {
	v.rows = v.rows[:0]
	for i := range v.sides.Capabilities {
		c := &v.sides.Capabilities[i]
		at := slices.IndexFunc(v.rows, func(r capRow) bool { return r.name == c.Name })
		if at < 0 {
			at = len(v.rows)
			v.rows = append(v.rows, capRow{name: c.Name})
		}
		if c.Server {
			v.rows[at].server = c
		} else {
			v.rows[at].client = c
		}
	}
	slices.SortStableFunc(v.rows, func(a, b capRow) int { return cmp.Compare(v.rank(&a), v.rank(&b)) })
	v.lines.Lines = len(v.rows)
}

func (r *capRow) both() []*insight.Capability {
	none := func(c *insight.Capability) bool { return c == nil }
	return slices.DeleteFunc([]*insight.Capability{r.client, r.server}, none)
}

// rank puts first what does not fit, then what is used, then what is declared.
func (v *capabilitiesView) rank(r *capRow) int {
	best := 4
	for _, c := range r.both() {
		switch {
		case v.mismatch(c):
			best = min(best, 0)
		case c.Elsewhere:
			best = min(best, 1)
		case c.Used > 0, c.Declared && c.Unknown:
			best = min(best, 2)
		case c.Declared:
			best = min(best, 3)
		}
	}
	return best
}

// mismatch says whether a capability is used and was not declared, as far as it is
// known what was.
func (v *capabilitiesView) mismatch(c *insight.Capability) bool {
	return c.Undeclared() && v.side(c).N != 0
}

func (v *capabilitiesView) side(c *insight.Capability) *insight.Side {
	if c.Server {
		return &v.sides.Server
	}
	return &v.sides.Client
}

func (v *capabilitiesView) selected() *capRow { return view.Selected(&v.lines, v.rows) }

// frame is the message that declares a capability, or else uses it first.
func (r *capRow) frame() (n uint64) {
	for _, c := range r.both() {
		if n = cmp.Or(n, c.N); n != 0 {
			return n
		}
	}
	for _, c := range r.both() {
		n = cmp.Or(n, c.First)
	}
	return n
}

// NewCapabilities is the view of the capabilities of both sides.
func NewCapabilities(r *reading.Reader) view.View {
	return &capabilitiesView{base: base{reader: r}, session: library.AllSessions}
}

func (v *capabilitiesView) Commands(h view.Host) []keymap.Command {
	others := keymap.Unless(len(v.talks) > 1 && h.Scope().Session < 0, "there is no other session to show")
	sessions := keymap.Problems("session", keymap.When(len(v.talks) > 1, "session"), others, keymap.Step(v.other))
	return []keymap.Command{
		keymap.Open("the message that declares it", "declared", v.whyNotOpen, func() tea.Cmd {
			return h.Jump(h.Scope().Rec, v.selected().frame())
		}),
		sessions[0], sessions[1],
		keymap.Copy("copy what both sides declare", "copy", nil, func() tea.Cmd { return v.copy(h) }),
	}
}

// whyNotOpen says why there is no message that declares what is selected.
func (v *capabilitiesView) whyNotOpen() safe.Text {
	switch r := v.selected(); {
	case r == nil:
		return "nothing is selected"
	case r.frame() == 0:
		return "it was not declared"
	}
	return ""
}

func (v *capabilitiesView) other(step int) {
	i := slices.Index(v.talks, v.sides.Session)
	v.session = v.talks[(max(i, 0)+step+len(v.talks))%len(v.talks)]
}

func (v *capabilitiesView) copy(h view.Host) tea.Cmd {
	raw := []byte(`{"client":`)
	raw = append(raw, orNull(v.sides.Client.Caps)...)
	raw = append(raw, `,"server":`...)
	raw = append(append(raw, orNull(v.sides.Server.Caps)...), '}')
	if text, ok := wire.Indent(raw, ""); ok {
		raw = text
	}
	return h.Copy(string(raw), "capabilities of both sides")
}

func orNull(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("null")
	}
	return raw
}

func (v *capabilitiesView) State(h view.Host) []term.Seg {
	sc := h.Scene()
	if !v.answered || !v.known {
		return v.reader.State(sc)
	}
	declared, used, odd := 0, 0, 0
	for i := range v.sides.Capabilities {
		c := &v.sides.Capabilities[i]
		switch {
		case c.Declared:
			declared++
		case v.mismatch(c):
			odd++
		}
		if c.Declared && c.Used > 0 {
			used++
		}
	}
	dot := " " + sc.Glyphs.Dot + " "
	out := []term.Seg{term.S(sc.Theme.Dim, term.Number(declared)+" declared"+dot+term.Number(used)+" used")}
	if odd > 0 {
		out = append(out, term.S(sc.Theme.Dim, dot), term.S(sc.Theme.Err, term.Number(odd)+" not declared"))
	}
	return out
}
