package findings

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// reach is which findings the report is about.
type reach uint8

const (
	reachSession reach = iota
	reachRecording
	reachAll
)

// ruleGroup is the findings of one rule.
type ruleGroup struct {
	rule  *diagnose.Rule
	at    diagnose.Severity // the worst among them
	muted bool
	seen  int // how often, all told
	first int // position of the first of them in the order of time
	list  []library.Located
}

// entryKey identifies a line of the report: a rule, a finding when f is set, a
// frame of its evidence when n is set too.
type entryKey struct {
	rule *diagnose.Rule
	f    *diagnose.Finding
	n    uint64
}

// entry is one line of the report.
type entry struct {
	entryKey
	group *ruleGroup
	About library.Located // the finding it stands for; of a rule the first one
	folds bool
	open  bool
}

// View is the screen of findings, grouped by rule.
type View struct {
	lines   view.Scroller
	page    view.Scroller // the explanation
	checked []*diagnose.Rule
	muted   map[string]bool // ids of rules
	opened  map[entryKey]bool
	reach   reach
	hidden  [library.Severities]bool
	byTime  bool
	reading bool // the explanation has the focus
	Stale   bool // there is news
	visited bool

	library.Scope // what it is about
	recs          []*library.Recording
	Entries       []entry
	shown         library.Tally // of the reach, whatever is hidden
	rules         int           // that are not muted
	often         bool          // something was seen more than once
	explained     *diagnose.Finding
	list, text    term.Rect // where the two parts were drawn
}

// New is the view of what these rules found. Muted belongs to the program.
func New(checked []*diagnose.Rule, muted map[string]bool) *View {
	return &View{checked: checked, muted: muted, opened: map[entryKey]bool{}, page: view.Scroller{Page: true}}
}

// Area implements view.View.
func (p *View) Area() keymap.Area { return keymap.Findings }

// Name implements view.View.
func (p *View) Name() safe.Text { return "findings" }

// Scroller implements view.View.
func (p *View) Scroller() *view.Scroller {
	if p.reading {
		return &p.page
	}
	return &p.lines
}

var _ view.Split = (*View)(nil)

// ScrollerAt is what the wheel scrolls on a line.
func (p *View) ScrollerAt(x, y int) *view.Scroller {
	if p.text.Has(x, y) {
		return &p.page
	}
	return &p.lines
}

// Refresh implements view.View.
func (p *View) Refresh(h view.Host) tea.Cmd {
	if p.Stale || p.Scope != h.Scope() {
		p.rebuild(h)
	}
	return nil
}

// reaches lists what the view can be about, the narrowest first.
func (p *View) reaches() []reach {
	var out []reach
	if p.Rec != nil && len(p.Rec.Tracker.Sessions()) > 1 && p.Session >= 0 {
		out = append(out, reachSession)
	}
	if p.Rec != nil {
		out = append(out, reachRecording)
	}
	if p.read() > 1 || p.Rec == nil {
		out = append(out, reachAll)
	}
	return out
}

// read is how many recordings were read.
func (p *View) read() (n int) {
	for _, r := range p.recs {
		if r.Loaded() {
			n++
		}
	}
	return n
}

// within are the recordings within reach.
func (p *View) within() []*library.Recording {
	if p.reach == reachAll || p.Rec == nil {
		return p.recs
	}
	return []*library.Recording{p.Rec}
}

// gather collects the findings within reach.
func (p *View) gather() (out []library.Located) {
	p.shown = library.Tally{}
	rules := map[*diagnose.Rule]bool{}
	for _, r := range p.within() {
		for _, f := range r.Findings.All {
			if p.reach == reachSession && f.Session != p.Session {
				continue
			}
			at := f.Severity
			if p.muted[f.Rule.ID] {
				at = 0
			} else {
				rules[f.Rule] = true
			}
			p.shown[at]++
			if !p.hidden[f.Severity] {
				out = append(out, library.Located{Rec: r, Finding: f})
			}
		}
	}
	p.rules = len(rules)
	return out
}

// rebuild makes the lines anew. The selection stays where it is, or goes to
// the nearest line above that is still there.
func (p *View) rebuild(h view.Host) {
	p.Scope, p.recs, p.Stale = h.Scope(), h.Recordings(), false
	p.arrange()
}

func (p *View) arrange() {
	var was entryKey
	if e := p.Selected(); e != nil {
		was = e.entryKey
	}
	groups := p.group(p.gather())
	p.Entries, p.often = p.Entries[:0], false
	for _, g := range groups {
		p.often = p.often || g.seen > 1
		p.add(g)
	}
	if i := p.find(was); i >= 0 {
		p.lines.Sel = i
	}
	p.lines.Fit(len(p.Entries), p.lines.Height)
	p.lines.Move(0)
}

// group sorts findings by rule: muted rules last, else the worst or the
// earliest first.
func (p *View) group(all []library.Located) []*ruleGroup {
	by := map[*diagnose.Rule]*ruleGroup{}
	var groups []*ruleGroup
	for i, f := range all {
		g := by[f.Rule]
		if g == nil {
			g = &ruleGroup{rule: f.Rule, at: f.Severity, first: i, muted: p.muted[f.Rule.ID]}
			by[f.Rule] = g
			groups = append(groups, g)
		}
		g.at = library.Worse(g.at, f.Severity)
		g.seen += f.Count
		g.list = append(g.list, f)
	}
	slices.SortStableFunc(groups, func(a, b *ruleGroup) int {
		if a.muted != b.muted {
			if a.muted {
				return 1
			}
			return -1
		}
		if p.byTime || a.at == b.at {
			return cmp.Compare(a.first, b.first)
		}
		return cmp.Compare(a.at, b.at)
	})
	return groups
}

// add adds the lines of a rule. A rule that fired once leads straight to its
// evidence, others to their findings.
func (p *View) add(g *ruleGroup) {
	rule := entry{entryKey: entryKey{rule: g.rule}, group: g, About: g.list[0], folds: true}
	rule.open = p.opened[rule.entryKey]
	p.Entries = append(p.Entries, rule)
	if !rule.open {
		return
	}
	if len(g.list) == 1 {
		p.addEvidence(g, g.list[0])
		return
	}
	for _, f := range g.list {
		e := entry{entryKey: entryKey{g.rule, f.Finding, 0}, group: g, About: f, folds: true}
		e.open = p.opened[e.entryKey]
		p.Entries = append(p.Entries, e)
		if e.open {
			p.addEvidence(g, f)
		}
	}
}

func (p *View) addEvidence(g *ruleGroup, f library.Located) {
	for _, n := range f.Frames {
		p.Entries = append(p.Entries, entry{entryKey: entryKey{g.rule, f.Finding, n}, group: g, About: f})
	}
}

// find is the position of a line, -1 when it is not there.
func (p *View) find(key entryKey) int {
	return slices.IndexFunc(p.Entries, func(e entry) bool { return e.entryKey == key })
}

// Selected is the selected line, nil when there is none.
func (p *View) Selected() *entry {
	if i := p.lines.Sel; i < len(p.Entries) {
		return &p.Entries[i]
	}
	return nil
}

// to selects a line.
func (p *View) to(i int) { p.lines.Move(i - p.lines.Sel) }

// step goes to the next or previous rule.
func (p *View) step(n int) {
	for i := p.lines.Sel + n; i >= 0 && i < len(p.Entries); i += n {
		if p.Entries[i].f == nil {
			p.to(i)
			return
		}
	}
}

// fold folds or unfolds the selected line; folding what does not fold goes to
// the line it belongs to.
func (p *View) fold(open bool) {
	e := p.Selected()
	switch {
	case e == nil:
	case e.folds && e.open != open:
		p.opened[e.entryKey] = open
		p.arrange()
	case !open:
		for i := p.lines.Sel - 1; i >= 0; i-- {
			if up := p.Entries[i]; up.folds && (up.f == nil || e.n != 0 && up.f == e.f) {
				p.to(i)
				return
			}
		}
	}
}

// unfoldFirst shows the evidence of the first rule, so that there is some.
func (p *View) unfoldFirst() {
	p.lines.Sel = 0
	p.fold(true)
}

// pick selects a finding and unfolds what it stands in.
func (p *View) pick(f *diagnose.Finding) {
	rule := entryKey{rule: f.Rule}
	one := entryKey{f.Rule, f, 0}
	p.opened[rule], p.hidden[f.Severity] = true, false
	p.arrange()
	if p.find(one) >= 0 {
		p.opened[one] = true
		p.arrange()
		p.to(p.find(one))
	} else if i := p.find(rule); i >= 0 {
		p.to(i)
	}
}
