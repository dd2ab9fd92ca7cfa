package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/view"
)

const maxHistory = 100 // locations that are remembered

// location is a screen to come back to: a view, or the messages, and where
// somebody was among those.
type location struct {
	view view.View // nil for the messages
	left bool      // the messages went elsewhere: coming back takes them back
	leg  bool      // they went to the other side of a hub: esc comes back
	library.Scope
	filter   string
	sel, top uint32
	follow   bool
}

func (p *location) same(q *location) bool {
	return p.view == q.view && p.left && q.left && p.Scope == q.Scope &&
		p.filter == q.filter && p.sel == q.sel
}

// history is how somebody got here. While a view is on the screen, the latest
// location is what it was opened from.
type history []location

// Push adds a location, unless it is the latest already.
func (h *history) Push(p location) {
	if n := len(*h); n > 0 && (*h)[n-1].same(&p) {
		return
	}
	if *h = append(*h, p); len(*h) > maxHistory {
		*h = slices.Delete(*h, 0, 1)
	}
}

// Pop takes the latest location away.
func (h *history) Pop() (p location, ok bool) {
	n := len(*h)
	if n == 0 {
		return p, false
	}
	p, *h = (*h)[n-1], (*h)[:n-1]
	return p, true
}

// leg is what the other side of a hub was reached from just now, nil for nothing.
func (h history) leg() *location {
	if n := len(h); n > 0 && h[n-1].leg {
		return &h[n-1]
	}
	return nil
}

// view is the view that the messages were reached from last, nil for none.
func (h history) view() view.View {
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].view != nil {
			return h[i].view
		}
	}
	return nil
}

// forgetReturn makes the messages the place where one is, when somebody who came from
// a view goes on to something else: esc leads back there no more.
func (h *history) forgetReturn() {
	*h = slices.DeleteFunc(*h, func(p location) bool { return !p.left })
	for i := range *h {
		(*h)[i].view, (*h)[i].leg = nil, false
	}
}

func (m *Model) here() location {
	l := &m.list
	p := location{
		m.view, true, false, l.Scope, m.filter.Text(),
		l.Selection, l.Top, l.Follow,
	}
	if id, ok := l.Selected(); ok {
		p.sel = id
	}
	return p
}

// remember makes the place in the messages one to come back to.
func (m *Model) remember() {
	if m.list.Rec != nil && m.view == nil {
		m.history.Push(m.here())
	}
}

func (m *Model) restore(p location) {
	if m.view = p.view; m.view != nil {
		defer m.raise(p.view)
	}
	if !p.left {
		return
	}
	m.show(p.Scope)
	l := &m.list
	if m.filter.Text() != p.filter {
		m.keepOnly(p.filter)
	}
	l.Selection, l.Top, l.Follow = p.sel, p.top, p.follow
	if l.Follow {
		l.Resume()
	}
	m.userChose = true
}

// openView puts a view on the screen, in place of another one that is no place to
// come back to.
func (m *Model) openView(v view.View) {
	if m.view == nil || m.view == m.home {
		m.Open(v)
	} else {
		m.raise(v)
	}
}

// Open puts a view on the screen from which one comes back to the one that
// is there.
func (m *Model) Open(v view.View) {
	p := m.here()
	p.left = false
	m.history.Push(p)
	m.userChose = true
	m.raise(v)
}

func (m *Model) raise(v view.View) {
	m.endEntry()
	m.layoutOptions.Full = false
	if v.Area().OfList() {
		m.list.OrderByTime() // they tell of time
	}
	m.view = v
}

// visit opens a view, or closes it when it is open.
func (m *Model) visit(v view.View) {
	if m.view != nil && m.view.Area() == v.Area() {
		m.popView()
	} else if m.list.Rec != nil {
		m.openView(v)
	}
}

func (m *Model) popView() {
	p, _ := m.history.Pop()
	m.restore(p)
}

// backToView goes from the messages back to the view they were reached from,
// and says whether there is one.
func (m *Model) backToView() bool {
	if m.history.view() == nil {
		return false
	}
	p, ok := m.history.Pop()
	for ok && p.view == nil {
		p, ok = m.history.Pop()
	}
	m.restore(p)
	return true
}

// pushHere shows the messages, for a step from which one comes back to where one
// is.
func (m *Model) pushHere() {
	if m.list.Rec != nil {
		m.history.Push(m.here())
	}
	m.view, m.userChose = nil, true
}

func (m *Model) toMessages() {
	if m.view != nil {
		m.view = nil
		for n := len(m.history); n > 0 && !m.history[n-1].left; n-- {
			m.history.Pop()
		}
	}
}

// forgetReturn drops the way back, when the user goes on to something else among
// the messages.
func (m *Model) forgetReturn() {
	if m.view == nil {
		m.history.forgetReturn()
	}
}

// goBack goes to the place that was left last.
func (m *Model) goBack() tea.Cmd {
	now := m.here()
	for {
		p, ok := m.history.Pop()
		if !ok {
			return m.Complain("there is no earlier place to go back to")
		}
		if p.same(&now) {
			continue
		}
		m.restore(p)
		if !p.follow {
			m.list.Scan(idsPerScan)
			m.list.Reveal()
		}
		return nil
	}
}

// returnName is what esc leads back to, "" for no view.
func (m *Model) returnName() safe.Text {
	if v := m.history.view(); m.view == nil && v != nil {
		return v.Name()
	}
	return ""
}
