package ui

import (
	"cmp"
	"slices"

	"midwire/session/diagnose"
	"midwire/ui/library"
)

// reach is which findings the report is about.
type reach uint8

const (
	reachSession reach = iota
	reachRecording
	reachAll
)

// located is a finding and the recording it was made in.
type located struct {
	rec *library.Recording
	*diagnose.Finding
}

// ruleGroup is the findings of one rule.
type ruleGroup struct {
	rule  *diagnose.Rule
	at    diagnose.Severity // the worst among them
	muted bool
	seen  int // how often, all told
	first int // position of the first of them in the order of time
	list  []located
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
	about located // the finding it stands for; of a rule the first one
	folds bool
	open  bool
}

// report is the screen of findings, grouped by rule. While it is open it has
// all the room between the header and the status line.
type report struct {
	open    bool
	reach   reach
	hidden  [library.Severities]bool
	byTime  bool
	muted   map[string]bool // ids of rules
	opened  map[entryKey]bool
	entries []entry
	shown   library.Tally // of the reach, whatever is hidden
	rules   int           // that are not muted
	often   bool          // something was seen more than once
	sel     entryKey
	top     int
	height  int
	reading bool // the explanation has the focus
	page    page
	away    bool // the list shows what the report led to: esc comes back
	home    place
}

// page is how far the explanation is scrolled.
type page struct {
	of          entryKey
	top, height int
	lines       int
}

func newReport() report {
	return report{muted: map[string]bool{}, opened: map[entryKey]bool{}}
}

// reaches lists what the report can be about, the narrowest first.
func (m *Model) reaches() []reach {
	var out []reach
	r := m.list.Rec
	if r != nil && len(r.Tracker.Sessions()) > 1 && m.list.Session >= 0 {
		out = append(out, reachSession)
	}
	if r != nil {
		out = append(out, reachRecording)
	}
	read := 0
	for _, r := range m.recs {
		if r.Loaded() {
			read++
		}
	}
	if read > 1 || r == nil {
		out = append(out, reachAll)
	}
	return out
}

// gather collects the findings within reach.
func (p *report) gather(m *Model) (out []located) {
	p.shown = library.Tally{}
	rules := map[*diagnose.Rule]bool{}
	for _, r := range m.recs {
		if p.reach != reachAll && r != m.list.Rec {
			continue
		}
		for _, f := range r.Findings.All {
			if p.reach == reachSession && f.Session != m.list.Session {
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
				out = append(out, located{r, f})
			}
		}
	}
	p.rules = len(rules)
	return out
}

// rebuild makes the lines anew. The selection stays where it is, or goes to
// the nearest line above that is still there.
func (p *report) rebuild(m *Model) {
	if !p.open {
		return
	}
	was := p.index()
	groups := p.group(p.gather(m))
	p.entries, p.often = p.entries[:0], false
	for _, g := range groups {
		p.often = p.often || g.seen > 1
		p.add(g)
	}
	if p.index() < 0 && len(p.entries) > 0 {
		p.sel = p.entries[max(0, min(was, len(p.entries)-1))].entryKey
	}
	p.reveal()
}

// group sorts findings by rule: muted rules last, else the worst or the
// earliest first.
func (p *report) group(all []located) []*ruleGroup {
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
func (p *report) add(g *ruleGroup) {
	rule := entry{entryKey: entryKey{rule: g.rule}, group: g, about: g.list[0], folds: true}
	rule.open = p.opened[rule.entryKey]
	p.entries = append(p.entries, rule)
	if !rule.open {
		return
	}
	if len(g.list) == 1 {
		p.addEvidence(g, g.list[0])
		return
	}
	for _, f := range g.list {
		e := entry{entryKey: entryKey{g.rule, f.Finding, 0}, group: g, about: f, folds: true}
		e.open = p.opened[e.entryKey]
		p.entries = append(p.entries, e)
		if e.open {
			p.addEvidence(g, f)
		}
	}
}

func (p *report) addEvidence(g *ruleGroup, f located) {
	for _, n := range f.Frames {
		p.entries = append(p.entries, entry{entryKey: entryKey{g.rule, f.Finding, n}, group: g, about: f})
	}
}

// index is the position of the selection, -1 when it is not there.
func (p *report) index() int {
	return slices.IndexFunc(p.entries, func(e entry) bool { return e.entryKey == p.sel })
}

// selected is the selected line, nil when there is none.
func (p *report) selected() *entry {
	if i := p.index(); i >= 0 {
		return &p.entries[i]
	}
	return nil
}

func (p *report) to(i int) {
	if len(p.entries) > 0 {
		p.sel = p.entries[max(0, min(i, len(p.entries)-1))].entryKey
		p.reveal()
	}
}

// move goes n lines further in what has the focus.
func (p *report) move(n int) {
	if p.reading {
		p.page.scroll(n)
		return
	}
	p.to(p.index() + n)
}

// step goes to the next or previous rule.
func (p *report) step(n int) {
	for i := p.index() + n; i >= 0 && i < len(p.entries); i += n {
		if p.entries[i].f == nil {
			p.to(i)
			return
		}
	}
}

func (p *report) reveal() {
	i := p.index()
	if i < 0 || p.height <= 0 {
		return
	}
	p.top = min(p.top, i)
	p.top = max(p.top, i-p.height+1)
	p.scroll(0)
}

func (p *report) scroll(n int) {
	p.top = max(0, min(p.top+n, len(p.entries)-p.height))
}

func (g *page) scroll(n int) {
	g.top = max(0, min(g.top+n, g.lines-g.height))
}

// fold folds or unfolds the selected line; folding what does not fold goes to
// the line it belongs to.
func (p *report) fold(open bool) {
	e := p.selected()
	switch {
	case e == nil:
	case e.folds && e.open != open:
		p.opened[e.entryKey] = open
	case !open:
		for i := p.index() - 1; i >= 0; i-- {
			if up := p.entries[i]; up.folds && (up.f == nil || e.n != 0 && up.f == e.f) {
				p.to(i)
				return
			}
		}
	}
}
