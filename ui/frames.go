package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

const inlineDoc = 48 << 10 // bytes laid out in Update; more is for a command

// docMsg brings a document that a command laid out.
type docMsg struct {
	key   detail.Shown
	doc   document.Doc
	other *document.Doc // of the other side of a page, nil where there is one document
	gen   int
}

func (m *Model) takeDoc(msg docMsg) {
	if msg.gen == m.detail.Gen {
		if m.detail.Building = false; msg.other != nil {
			m.detail.Other.Accept(*msg.other, false)
		}
		m.detail.Take(msg.key, msg.doc)
		m.dirty = true
	}
}

// refreshDetail shows the selected row in the detail pane, as soon as its
// frames are at hand.
func (m *Model) refreshDetail() tea.Cmd {
	id, ok := m.list.Selected()
	if m.layout.Detail.W == 0 || !ok {
		return nil
	}
	k := m.shownKey(id)
	if k == m.detail.Shown {
		return nil
	}
	ns := m.wantedFrames(k)
	m.cache.Show(k.Rec.ID, ns)
	got, complete := m.cache.Have(k.Rec.ID, ns)
	cmd := m.cache.Load(m.src, k.Rec.ID, ns, nil)
	k.Complete = complete
	if k == m.detail.Shown {
		return cmd
	}
	if !complete && !k.Tab.Words() {
		if m.sameRow(k) {
			return cmd // the old state stands until the new one is there
		}
		k.Page = false // there is none until its message is at hand
		m.detail.Take(k, detail.Reading(&m.theme, k.Rec, ns))
		return cmd
	}
	return tea.Batch(cmd, m.layOut(k, got, m.cache.Failure(k.Rec.ID, ns)))
}

func (m *Model) sameRow(k detail.Shown) bool {
	d := &m.detail.Shown
	return d.Rec == k.Rec && d.ID == k.ID && d.Tab == k.Tab
}

func (m *Model) shownKey(id uint32) detail.Shown {
	k := detail.Shown{
		Rec: m.list.Rec, ID: id, Tab: m.detail.Tab, Live: m.list.Rec.Live,
		Width: m.layout.Inside(m.layout.Detail).W - 2, Look: m.look, Complete: true,
	}
	k.Card, k.Page = m.showsCard(k), m.showsPage(k)
	if row := m.rowOf(k); row != nil {
		k.Version = detail.RowVersion{
			Response: row.Response, Count: row.Count,
			Ending: row.Ending, End: row.End, Status: row.Status,
		}
		if s := k.Rec.Session(int(row.Session)); s != nil {
			k.Version.Client, k.Version.ID = s.Client.Name, s.ID
		}
		if row.Ending.Open() && k.Live {
			k.Version.Age = int(library.Elapsed(m.Scene().Now, k.Rec, row.T) / int64(time.Second))
		}
		if k.Tab.Words() {
			if m.sided() {
				k.Version.Leg = m.leg()
			}
			k.Version.Findings, k.Version.Notes = k.Rec.Findings.Stamp, k.Rec.Stamp
		}
	}
	return k
}

// rowOf is the row a key is about.
func (m *Model) rowOf(k detail.Shown) *session.Row { return k.Rec.Tracker.Row(int(k.ID)) }

func (m *Model) wantedFrames(k detail.Shown) []uint64 {
	row := m.rowOf(k)
	switch {
	case k.Page:
		return detail.Wanted(k.Rec, row, detail.TabSummary)
	case k.Card:
		own := detail.Wanted(k.Rec, row, k.Tab)
		return detail.CompactNumbers(append(own, detail.CardFrames(k.Rec, int(k.ID))...)...)
	}
	return detail.Wanted(k.Rec, row, k.Tab)
}

// layOut makes the document, here or in a command when it is large.
func (m *Model) layOut(k detail.Shown, got detail.Frames, failed string) tea.Cmd {
	m.dirty = true
	row := m.rowOf(k)
	var d document.Doc
	var ps []document.Part
	if k.Page {
		return m.layOutPage(k, got, failed)
	}
	if k.Tab == detail.TabSummary {
		if d, ps = m.summary(k, got); k.Card {
			m.detail.Take(k, d)
			return nil
		}
		d.Lines = slices.Clip(d.Lines)
	} else {
		ps = detail.Parts(k.Rec, row, k.Tab, got)
	}
	if failed != "" {
		ps = append(ps, document.Part{Absent: "The bytes cannot be read: " + safe.Line(failed)})
	}
	size := document.PartsSize(ps)
	if size <= inlineDoc {
		d.Append(&m.theme, ps, k.Width)
		m.detail.Take(k, d)
		return nil
	}
	waiting := d
	waiting.Text(m.theme.Dim, "laying out "+term.Size(int64(size))+" …")
	m.detail.Take(k, waiting)
	th, gen := m.theme, m.detail.Gen
	return func() tea.Msg {
		d.Append(&th, ps, k.Width)
		return docMsg{k, d, nil, gen}
	}
}

// summary is the tab of words, and the JSON that belongs below them.
func (m *Model) summary(k detail.Shown, got detail.Frames) (document.Doc, []document.Part) {
	msg := detail.MessageOf(k.Rec, int(k.ID), got)
	msg.Leg = k.Version.Leg
	if m.detail.Message = msg; k.Card {
		return document.Doc{}, nil
	}
	return msg.Summary(m.Scene(), k.Width)
}

// showsCard says whether the pane is too low for the whole summary: then it is a
// card.
func (m *Model) showsCard(k detail.Shown) bool {
	const high = 10
	if k.Tab != detail.TabSummary || m.layoutOptions.Full {
		return false
	}
	return m.focus != paneDetail || m.layout.Inside(m.layout.Detail).H <= high
}
