package ui

import tea "charm.land/bubbletea/v2"

const maxTrail = 100 // places that are remembered

// remember makes the place where somebody is one to come back to.
func (m *Model) remember() {
	if m.list.Rec == nil {
		return
	}
	p := m.here()
	if id, ok := m.list.selected(); ok {
		p.sel = id
	}
	if n := len(m.trail); n > 0 && m.trail[n-1].same(p) {
		return
	}
	m.trail = append(m.trail, p)
	if len(m.trail) > maxTrail {
		m.trail = m.trail[1:]
	}
}

// same says whether two places show the same row of the same list.
func (p place) same(q place) bool {
	return p.Scope == q.Scope && p.frames == q.frames && p.filter == q.filter && p.sel == q.sel
}

// goBack goes to the place that was left last.
func (m *Model) goBack() tea.Cmd {
	now := m.here()
	if id, ok := m.list.selected(); ok {
		now.sel = id
	}
	for n := len(m.trail); n > 0; n = len(m.trail) {
		p := m.trail[n-1]
		m.trail = m.trail[:n-1]
		if p.same(now) {
			continue
		}
		m.stay()
		m.goTo(p)
		m.replant()
		m.touched = true
		if p.follow {
			return nil
		}
		m.list.scan(idsPerScan)
		m.list.reveal()
		return nil
	}
	return m.complain("there is no earlier place to go back to")
}

// toOther goes from a request to its answer and back among the frames, and
// among the messages from a call to what belongs to it, one after another, and
// back to the call.
func (m *Model) toOther() tea.Cmd {
	l := &m.list
	id, ok := l.selected()
	if !ok {
		return nil
	}
	n := uint64(0)
	if l.frames {
		n = l.Rec.OtherHalf(uint64(id))
		if n == 0 {
			return m.complain("nothing answers this frame, and it answers nothing")
		}
	} else {
		row := l.Rec.Relative(int(id))
		if row < 0 {
			return m.complain("nothing else belongs to this message")
		}
		n = uint64(l.Rec.Tracker.Row(row).Request)
	}
	m.remember()
	if row := l.Rec.RowAt(n); m.hides(n, row) {
		m.filter.write(m, "")
	}
	m.selectFrame(n)
	return nil
}

// toProblem goes to the next or previous row that went wrong.
func (m *Model) toProblem(step int) {
	if m.list.Rec == nil {
		return
	}
	i := m.list.problem(step)
	if i < 0 {
		m.toast.text, m.toast.bad = "no further problem", true
		return
	}
	m.remember()
	m.list.pause()
	m.list.to(i)
}
