package waterfall

import (
	"slices"
	"sort"

	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/view"
)

// sections are the rows of a list by session, in the order in which the sessions
// arrived: a heading for each and, unfolded, its rows.
type sections struct {
	on     bool
	all    []section
	index  map[int]int  // by session, in all
	folded map[int]bool // by session
	taken  int          // how many rows of the list are in it
	edits  int          // of the list, when they were taken
	lines  int
}

type section struct {
	session int
	ids     []uint32
	first   int // line of its heading
}

// read takes in more rows, and says whether there are more.
func (s *sections) read(rec *library.Recording, l *messages.List, on bool) bool {
	ids := l.Visible
	if on != s.on || s.edits != l.Edits || s.taken > len(ids) {
		*s = sections{on: on, index: map[int]int{}, folded: s.folded, edits: l.Edits}
	}
	if !on {
		return false
	}
	if s.folded == nil {
		s.folded = map[int]bool{}
	}
	end := min(len(ids), s.taken+view.Batch)
	for _, id := range ids[s.taken:end] {
		session := int(rec.Tracker.Row(int(id)).Session)
		i, ok := s.index[session]
		if !ok {
			i = len(s.all)
			s.index[session] = i
			s.all = append(s.all, section{session: session})
		}
		s.all[i].ids = append(s.all[i].ids, id)
	}
	s.taken = end
	s.number()
	return end < len(ids)
}

// number counts the lines.
func (s *sections) number() {
	s.lines = 0
	for i := range s.all {
		at := &s.all[i]
		at.first = s.lines
		if s.lines++; !s.folded[at.session] {
			s.lines += len(at.ids)
		}
	}
}

// at is what stands on a line: a section, and a row of it or its heading.
func (s *sections) at(line int) (of *section, id uint32, heading bool) {
	i := sort.Search(len(s.all), func(i int) bool { return s.all[i].first > line }) - 1
	if i < 0 {
		return nil, 0, false
	}
	of = &s.all[i]
	if n := line - of.first - 1; n >= 0 && n < len(of.ids) && !s.folded[of.session] {
		return of, of.ids[n], false
	}
	return of, 0, true
}

// find is the line of a row; that of its heading where it is folded.
func (s *sections) find(id uint32, session int) int {
	i, ok := s.index[session]
	if !ok {
		return 0
	}
	n, ok := slices.BinarySearch(s.all[i].ids, id)
	if !ok || s.folded[session] {
		return s.all[i].first
	}
	return s.all[i].first + 1 + n
}

// fold folds and unfolds a section.
func (s *sections) fold(session int) {
	s.folded[session] = !s.folded[session]
	s.number()
}

// next is the heading after or before a line.
func (s *sections) next(line int, later bool) int {
	at := line
	for i := range s.all {
		first := s.all[i].first
		if later && first > line {
			return first
		}
		if !later && first < line {
			at = first
		}
	}
	return at
}
