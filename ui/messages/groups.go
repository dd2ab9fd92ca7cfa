package messages

import (
	"slices"
	"sort"
)

// Sections show the rows of a list in sections, one for each session in the order in which
// they came. The list itself stays in the order of time: what filters, searches
// and selects knows nothing of sections.
type Sections struct {
	On       bool
	folded   map[int32]bool // by session
	sections []*section
	bySess   map[int32]*section
	filed    int // rows of the list
	edits    int // of the list, when they were filed
	starts   []int
	total    int // lines

	heading, top anchor // whether the selection, the first line, is a heading
}

// anchor says that a line is the heading above a row.
type anchor struct {
	is bool
	id uint32
}

func (a anchor) at(id uint32) bool { return a.is && a.id == id }

type section struct {
	k       int // which one
	session int32
	ids     []uint32 // ascending
}

// Grouped says whether the rows stand in sections.
func (l *List) Grouped() bool {
	return l.groups.On && l.Rec != nil && l.Session < 0 && !l.Order.On
}

// Group shows the rows in sections, or in the order of time again. The selection
// stays on its row.
func (l *List) Group() {
	id, line := l.Selection, l.SelectedLine()-l.FirstIndex()
	on := !l.Grouped()
	l.OrderByTime()
	if l.groups.On = on; on {
		l.Pause()
	}
	l.groups.heading = anchor{}
	if len(l.Visible) > 0 {
		l.Choose(l.Visible[l.Nearest(id)])
	}
	l.PutOnLine(line)
}

// Fold folds the section of the selected heading, or unfolds it; false when the
// selection is none.
func (l *List) Fold() bool {
	g := &l.groups
	if !l.Grouped() || !g.heading.at(l.Selection) {
		return false
	}
	s := l.Rec.Tracker.Row(int(l.Selection)).Session
	g.setFolded(s, !g.folded[s])
	l.Reveal()
	return true
}

// FoldAround folds the section that the selection stands in.
func (l *List) FoldAround() bool {
	if !l.Grouped() || len(l.Visible) == 0 {
		return false
	}
	g := &l.groups
	s := g.of(l, l.Selection)
	l.Selection, g.heading = s.ids[0], anchor{true, s.ids[0]}
	g.setFolded(s.session, true)
	l.Reveal()
	return true
}

func (g *Sections) setFolded(session int32, on bool) {
	if g.folded == nil {
		g.folded = map[int32]bool{}
	}
	g.folded[session] = on
	g.starts = nil
}

func (g *Sections) unfold(l *List, id uint32) {
	if s := l.Rec.Tracker.Row(int(id)).Session; g.folded[s] {
		g.setFolded(s, false)
	}
}

// file puts into sections what has come since, or everything anew when the list
// was changed elsewhere than at its end.
func (g *Sections) file(l *List) {
	if g.edits != l.Edits || g.filed > len(l.Visible) || g.bySess == nil {
		g.sections, g.bySess, g.filed, g.edits, g.starts = nil, map[int32]*section{}, 0, l.Edits, nil
	}
	for _, id := range l.Visible[g.filed:] {
		in := l.Rec.Tracker.Row(int(id)).Session
		s := g.bySess[in]
		if s == nil {
			s = &section{k: len(g.sections), session: in}
			g.bySess[in] = s
			g.sections = append(g.sections, s)
		}
		s.ids = append(s.ids, id)
		g.starts = nil
	}
	g.filed = len(l.Visible)
	if g.starts != nil {
		return
	}
	g.total = 0
	for _, s := range g.sections {
		g.starts = append(g.starts, g.total)
		g.total += g.height(s)
	}
}

func (g *Sections) height(s *section) int {
	if g.folded[s.session] {
		return 1
	}
	return 1 + len(s.ids)
}

// changed takes in that rows changed later: they may belong to another session
// now.
func (g *Sections) changed(l *List, rows []int) {
	if !g.On || g.bySess == nil {
		return
	}
	for _, r := range rows {
		s := g.bySess[l.Rec.Tracker.Row(r).Session]
		found := false
		if s != nil {
			_, found = slices.BinarySearch(s.ids, uint32(r))
		}
		if _, shown := slices.BinarySearch(l.Visible[:min(g.filed, len(l.Visible))], uint32(r)); shown && !found {
			g.edits = -1
			return
		}
	}
}

// Lines is how many lines there are, headings and what is unfolded.
func (g *Sections) Lines(l *List) int {
	g.file(l)
	return g.total
}

// of is the section of a row of the list, or of the nearest before it.
func (g *Sections) of(l *List, id uint32) *section {
	g.file(l)
	s := g.bySess[l.Rec.Tracker.Row(int(l.Visible[l.Nearest(id)])).Session]
	if s == nil {
		return g.sections[0]
	}
	return s
}

// LineOf is the line of a row, or of the nearest before it in its section: of the heading
// where it is folded.
func (g *Sections) LineOf(l *List, id uint32) int { return g.lineOf(l, id, anchor{}) }

// HeadingOf is the line of the heading of a session.
func (g *Sections) HeadingOf(l *List, session int) (line int, ok bool) {
	g.file(l)
	if s := g.bySess[int32(session)]; s != nil {
		return g.starts[s.k], true
	}
	return 0, false
}

// Next is the line of the heading after or before a line.
func (g *Sections) Next(l *List, line int, later bool) int {
	g.file(l)
	at, _ := slices.BinarySearch(g.starts, line+1)
	switch {
	case later && at < len(g.starts):
		return g.starts[at]
	case later || at == 0:
		return line
	case g.starts[at-1] < line:
		return g.starts[at-1]
	}
	return g.starts[max(at-2, 0)]
}

// RowsOf are the rows of a session.
func (g *Sections) RowsOf(session int) []uint32 {
	if s := g.bySess[int32(session)]; s != nil {
		return s.ids
	}
	return nil
}

// Folded says whether the rows of a session are folded.
func (g *Sections) Folded(session int) bool { return g.folded[int32(session)] }

// Fold folds the rows of a session, or unfolds them.
func (g *Sections) Fold(session int) { g.setFolded(int32(session), !g.Folded(session)) }

func (g *Sections) lineOf(l *List, id uint32, a anchor) int {
	s := g.of(l, id)
	start := g.starts[s.k]
	if a.at(id) || g.folded[s.session] {
		return start
	}
	at, found := slices.BinarySearch(s.ids, id)
	if !found && at > 0 {
		at--
	}
	return start + 1 + at
}

func (g *Sections) sectionAt(i int) (s *section, line int) {
	k := sort.SearchInts(g.starts, i+1) - 1
	return g.sections[k], i - g.starts[k]
}

// LineAt is what stands on a line.
func (g *Sections) LineAt(l *List, i int) Line {
	g.file(l)
	s, line := g.sectionAt(i)
	if line == 0 {
		return Line{ID: s.ids[0], Heading: true}
	}
	return Line{ID: s.ids[line-1]}
}

// IDsOf are the rows of the section of a heading.
func (l *List) IDsOf(h Line) []uint32 { return l.groups.of(l, h.ID).ids }

// Folded says whether the section of a heading is folded.
func (l *List) Folded(h Line) bool {
	return l.groups.folded[l.Rec.Tracker.Row(int(h.ID)).Session]
}

// nearestOf is the row of a session nearest to the selection, among those shown;
// it looks near it only.
func (l *List) nearestOf(session int) (id uint32, ok bool) {
	const near = 20_000
	s := l.Rec.Session(session)
	if s == nil {
		return 0, false
	}
	rows, shown := s.Rows(), l
	at, _ := slices.BinarySearch(rows, l.Selection)
	for i := at; i < min(at+near, len(rows)); i++ {
		if shown.Has(rows[i]) {
			return rows[i], true
		}
	}
	for i := at - 1; i >= max(0, at-near); i-- {
		if shown.Has(rows[i]) {
			return rows[i], true
		}
	}
	return 0, false
}
