// Package findings is the view of what broke and why: findings by rule, with their
// evidence and their explanation.
package findings

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

type reach uint8

const (
	reachSession reach = iota
	reachRecording
	reachAll
)

type part uint8

const (
	partList part = iota
	partVerdict
	partProof
	partCount
)

// entryKey identifies a row of the list: a rule and a session. Root is the rule of the cause from which what
// the row is about follows, nil for a cause.
type entryKey struct {
	rule    *diagnose.Rule
	rec     *library.Recording
	session int
	root    *diagnose.Rule
}

// entry is a row of the list: what a rule found in a session.
type entry struct {
	entryKey
	at    diagnose.Severity // the worst
	seen  int               // how often, all told
	first int               // position of the first of them in the order of time
	last  int64             // when it showed last, nanoseconds since its recording started
	list  []library.Located

	depth   int // how far it is from its cause
	follows int // how many findings follow from it
	fails   bool
	opened  bool // what follows from it is shown below it
}

// View is the screen of findings: a row for each rule and session, the verdict
// and the proof of the selected one.
type View struct {
	lines   view.Scroller // the list
	page    view.Scroller // the verdict
	paper   view.Scroller // the proof
	checked []*diagnose.Rule
	reach   reach
	opened  map[entryKey]bool // causes
	focus   part
	Stale   bool // there is news
	Exports bool // there is somewhere to write to
	visited bool

	library.Scope // what it is about
	recs          []*library.Recording
	Entries       []entry
	shown         library.Tally // of the reach, whatever is hidden

	code    code
	spots   spots
	proof   proof
	verdict detail.Text          // as it was drawn
	at      [partCount]term.Rect // where the parts were drawn
	roomy   bool                 // all of them at once
}

// New is the view of what these rules found; coder is nil where code is not looked up.
func New(checked []*diagnose.Rule, coder Coder) *View {
	return &View{
		checked: checked, opened: map[entryKey]bool{}, code: code{coder: coder},
		page: view.Scroller{Page: true}, paper: view.Scroller{Page: true},
	}
}

// What view.View asks for.
func (p *View) Area() keymap.Area        { return keymap.Findings }
func (p *View) Name() safe.Text          { return "findings" }
func (p *View) Scroller() *view.Scroller { return p.scrollerOf(p.focus) }

func (p *View) scrollerOf(of part) *view.Scroller {
	return [...]*view.Scroller{&p.lines, &p.page, &p.paper}[of]
}

var _ view.Split = (*View)(nil)

// ScrollerAt is what the wheel scrolls on a line.
func (p *View) ScrollerAt(x, y int) *view.Scroller {
	for i := range p.at {
		if p.at[i].Has(x, y) {
			return p.scrollerOf(part(i))
		}
	}
	return &p.lines
}

// Refresh implements view.View.
func (p *View) Refresh(h view.Host) tea.Cmd {
	if p.Stale || p.Scope != h.Scope() {
		p.rebuild(h)
	}
	return p.fetch(h)
}

// reaches lists what the view can be about, the narrowest first: a recording that
// is only listed says nothing.
func (p *View) reaches() []reach {
	var out []reach
	if p.Rec != nil && len(p.Rec.Tracker.Sessions()) > 1 && p.Session >= 0 {
		out = append(out, reachSession)
	}
	here := p.Rec != nil && (p.Rec.Opened || p.Rec.Loaded() || p.read() == 0)
	if here {
		out = append(out, reachRecording)
	}
	if p.read() > 1 || !here {
		out = append(out, reachAll)
	}
	return out
}

func (p *View) read() (n int) {
	for _, r := range p.recs {
		if r.Loaded() {
			n++
		}
	}
	return n
}

func (p *View) within() []*library.Recording {
	if p.reach == reachAll || p.Rec == nil {
		return p.recs
	}
	return []*library.Recording{p.Rec}
}

func (p *View) gather() (out []library.Located) {
	p.shown = library.Tally{}
	for _, r := range p.within() {
		for _, f := range r.Findings.All {
			if p.reach == reachSession && f.Session != p.Session {
				continue
			}
			p.shown[f.Severity]++
			out = append(out, library.Located{Rec: r, Finding: f})
		}
	}
	return out
}

// following are the rows of what follows from a cause, in the order of reading.
func (p *View) following(e *entry) (out []entry) {
	at := map[entryKey]int{}
	for _, cause := range e.list {
		cause.Each(func(f *diagnose.Finding, depth int) {
			if depth == 0 {
				return
			}
			one := library.Located{Rec: cause.Rec, Finding: f}
			k := p.keyOf(one)
			k.root = e.rule
			i, ok := at[k]
			if !ok {
				i = len(out)
				at[k] = i
				out = append(out, entry{entryKey: k, at: f.Severity, depth: depth})
			}
			out[i].add(one)
		})
	}
	return out
}

func (e *entry) add(f library.Located) {
	e.at = library.Worse(e.at, f.Severity)
	e.seen += f.Count
	e.last = max(e.last, lastOf(f))
	e.list = append(e.list, f)
	e.follows += f.Consequences()
	f.Each(func(f *diagnose.Finding, _ int) { e.fails = e.fails || f.Rule.On&diagnose.Failures != 0 })
}

// rebuild makes the rows anew. The selection stays where it is, or goes to the
// nearest row above that is still there.
func (p *View) rebuild(h view.Host) {
	p.Scope, p.recs, p.Stale = h.Scope(), h.Scene().All, false
	p.arrange()
}

func (p *View) arrange() {
	var was entryKey
	if e := p.Selected(); e != nil {
		was = e.entryKey
	}
	p.Entries = p.group(p.gather())
	for i := 0; i < len(p.Entries); i++ {
		if e := &p.Entries[i]; e.root == nil && p.opened[e.entryKey] {
			below := p.following(e)
			e.opened = len(below) > 0
			p.Entries = slices.Insert(p.Entries, i+1, below...)
		}
	}
	if i := p.find(was); i >= 0 {
		p.lines.Sel = i
	}
	p.lines.Fit(len(p.Entries), p.lines.Height)
	p.lines.Move(0)
	p.spots.stale = true
}

func (p *View) keyOf(f library.Located) entryKey {
	return entryKey{f.Rule, f.Rec, f.Session, nil}
}

// group sorts findings by rule and session: the causes of
// failed sessions, and then the worst.
func (p *View) group(all []library.Located) []entry {
	by := map[entryKey]int{}
	var out []entry
	for i, f := range all {
		k := p.keyOf(f)
		at, ok := by[k]
		if !ok {
			at = len(out)
			by[k] = at
			out = append(out, entry{entryKey: k, at: f.Severity, first: i})
		}
		out[at].add(f)
	}
	slices.SortStableFunc(out, func(a, b entry) int {
		if a.fails != b.fails {
			return after(b.fails)
		}
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.first, b.first))
	})
	return out
}

func after(yes bool) int {
	if yes {
		return 1
	}
	return -1
}

func lastOf(f library.Located) int64 {
	if n := len(f.Shows); n > 0 {
		if m := f.Rec.Frame(f.Shows[n-1]); m != nil {
			return max(m.T, f.T)
		}
	}
	return f.T
}

// find is the position of a row, -1 when it is not there.
func (p *View) find(key entryKey) int {
	return slices.IndexFunc(p.Entries, func(e entry) bool { return e.entryKey == key })
}

// Selected is the selected row, nil when there is none.
func (p *View) Selected() *entry {
	return view.Selected(&p.lines, p.Entries)
}

// causeOf is what a finding follows from, the finding itself where that is nothing.
func causeOf(f library.Located) library.Located {
	if cause := f.Rec.Findings.Causes[f.Finding]; cause != nil {
		return library.Located{Rec: f.Rec, Finding: cause}
	}
	return f
}

// unfold shows what follows from the selected cause, or hides it, and says whether
// there was anything to do.
func (p *View) unfold(open bool) bool {
	e := p.Selected()
	if e == nil || p.focus != partList {
		return false
	}
	k, at := e.entryKey, p.lines.Sel
	for ; !open && p.Entries[at].root != nil; at-- {
		k = p.Entries[at-1].entryKey
	}
	if cause := &p.Entries[at]; cause.opened == open || cause.root != nil || cause.follows == 0 {
		return false
	}
	p.opened[k] = open
	p.lines.Move(at - p.lines.Sel)
	p.arrange()
	return true
}

// pick selects the row of a finding and, of the exchanges that prove it, that of
// a message.
func (p *View) pick(f library.Located, row int) {
	k := p.keyOf(f)
	if cause := causeOf(f); cause.Finding != f.Finding {
		p.opened[p.keyOf(cause)] = true
		k.root = cause.Rule
	}
	p.arrange()
	i := p.find(k)
	if i < 0 {
		return
	}
	p.lines.Move(i - p.lines.Sel)
	p.spots.of(p.Selected())
	p.spots.find(f, row)
}
