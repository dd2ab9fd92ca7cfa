package ui

import tea "charm.land/bubbletea/v2"

const maxTrail = 100 // places that are remembered

// remember makes the place where somebody is one to come back to.
func (m *Model) remember() {
	if m.list.rec == nil {
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
	return p.scope == q.scope && p.frames == q.frames && p.filter == q.filter && p.sel == q.sel
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
		n = l.rec.otherHalf(uint64(id))
		if n == 0 {
			return m.complain("nothing answers this frame, and it answers nothing")
		}
	} else {
		row := l.rec.relative(int(id))
		if row < 0 {
			return m.complain("nothing else belongs to this message")
		}
		n = uint64(l.rec.t.Row(row).Request)
	}
	m.remember()
	if row := l.rec.rowAt(n); m.hides(n, row) {
		m.filter.write(m, "")
	}
	m.selectFrame(n)
	return nil
}

// otherHalf is the frame that answers a frame, or that it answers; 0 for none.
func (r *recording) otherHalf(n uint64) uint64 {
	f := r.frame(n)
	if f == nil || f.Row < 0 {
		return r.otherHead(f)
	}
	row := r.t.Row(int(f.Row))
	switch n {
	case uint64(row.Request):
		return uint64(row.Response)
	case uint64(row.Response):
		return uint64(row.Request)
	}
	if h := r.otherHead(f); h != 0 {
		return h
	}
	return uint64(row.Request)
}

// otherHead goes from the head of a request to that of its response, and back.
func (r *recording) otherHead(f *meta) uint64 {
	if f == nil {
		return 0
	}
	switch h := r.heads[f.X]; uint64(f.N) {
	case h.req:
		return h.resp
	case h.resp:
		return h.req
	}
	return 0
}

// relative is the next row that belongs to the same message as row i, the
// message itself after the last of them; -1 for none.
func (r *recording) relative(i int) int {
	root := r.root(i)
	for k := max(i, root) + 1; k < r.t.Rows(); k++ {
		if r.t.Row(k).Parent >= 0 && r.root(k) == root {
			return k
		}
	}
	if root != i {
		return root
	}
	for k := root - 1; k >= 0; k-- { // what came before what it belongs to
		if r.t.Row(k).Parent >= 0 && r.root(k) == root {
			return k
		}
	}
	return -1
}

// toProblem goes to the next or previous row that went wrong.
func (m *Model) toProblem(step int) {
	if m.list.rec == nil {
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
