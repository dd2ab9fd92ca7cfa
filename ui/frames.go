package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

const (
	maxCached      = 400
	maxCachedBytes = 48 << 20
	inlineDoc      = 48 << 10 // bytes laid out in Update; more is for a command
)

type frameKey struct {
	rec string
	n   uint64
}

// frameCache keeps the frames looked at last, oldest out first.
type frameCache struct {
	byKey  map[frameKey]wire.Frame
	failed map[frameKey]string
	order  []frameKey
	bytes  int
	asked  map[frameKey]bool
	shown  map[frameKey]bool // by the detail pane: they stay, however big they are
}

func newFrameCache() frameCache {
	return frameCache{byKey: map[frameKey]wire.Frame{}, failed: map[frameKey]string{}, asked: map[frameKey]bool{}}
}

func (c *frameCache) put(k frameKey, f wire.Frame) {
	if _, ok := c.byKey[k]; ok {
		return
	}
	c.byKey[k] = f
	c.order = append(c.order, k)
	c.bytes += len(f.Data)
	for i := 0; i < len(c.order)-1 && (len(c.order) > maxCached || c.bytes > maxCachedBytes); {
		old := c.order[i]
		if c.shown[old] {
			i++
			continue
		}
		c.bytes -= len(c.byKey[old].Data)
		delete(c.byKey, old)
		c.order = slices.Delete(c.order, i, i+1)
	}
}

// show says which frames the detail pane is about.
func (c *frameCache) show(rec string, ns []uint64) {
	c.shown = map[frameKey]bool{}
	for _, n := range ns {
		c.shown[frameKey{rec, n}] = true
	}
}

// framesMsg brings frames that were asked for.
type framesMsg struct {
	rec    string
	frames []wire.Frame
	failed map[uint64]string
	asked  []uint64
	then   func(*Model) tea.Cmd // what they were asked for, nil for showing them
}

// load fetches those of the frames that are not at hand. It returns nil when
// all are, or are on their way.
func (m *Model) load(rec *library.Recording, ns []uint64, then func(*Model) tea.Cmd) tea.Cmd {
	var need []uint64
	for _, n := range ns {
		k := frameKey{rec.ID, n}
		if _, ok := m.cache.byKey[k]; ok || m.cache.failed[k] != "" || m.cache.asked[k] && then == nil {
			continue
		}
		m.cache.asked[k] = true
		need = append(need, n)
	}
	if len(need) == 0 {
		return nil
	}
	src, id := m.src, rec.ID
	return func() tea.Msg {
		msg := framesMsg{rec: id, asked: need, then: then, failed: map[uint64]string{}}
		for _, n := range need {
			f, err := src.Frame(id, n)
			if err != nil {
				msg.failed[n] = err.Error()
				continue
			}
			f.N = n
			msg.frames = append(msg.frames, f)
		}
		return msg
	}
}

func (m *Model) takeFrames(msg framesMsg) tea.Cmd {
	m.dirty = true
	for _, n := range msg.asked {
		delete(m.cache.asked, frameKey{msg.rec, n})
	}
	for _, f := range msg.frames {
		m.cache.put(frameKey{msg.rec, f.N}, f)
	}
	for n, why := range msg.failed {
		m.cache.failed[frameKey{msg.rec, n}] = why
	}
	if msg.then != nil {
		return msg.then(m)
	}
	return nil
}

// have collects the frames at hand and says whether none is missing that could
// still come.
func (m *Model) have(rec *library.Recording, ns []uint64) (got detail.Frames, complete bool) {
	got, complete = detail.Frames{}, true
	for _, n := range ns {
		k := frameKey{rec.ID, n}
		if f, ok := m.cache.byKey[k]; ok {
			got[n] = f
		} else if m.cache.failed[k] == "" {
			complete = false
		}
	}
	return got, complete
}

// failure is why one of the frames cannot be had, or "".
func (m *Model) failure(rec *library.Recording, ns []uint64) string {
	for _, n := range ns {
		if why := m.cache.failed[frameKey{rec.ID, n}]; why != "" {
			return why
		}
	}
	return ""
}

// loadPreviews fetches the beginnings of the raw frames on the screen.
func (m *Model) loadPreviews() tea.Cmd {
	l := &m.list
	if !l.RawFrames || l.Rec == nil {
		return nil
	}
	var ns []uint64
	for _, id := range l.OnScreen() {
		ns = append(ns, uint64(id))
	}
	return m.load(l.Rec, ns, nil)
}

func (m *Model) preview(rec *library.Recording, n uint64) safe.Text {
	f, ok := m.cache.byKey[frameKey{rec.ID, n}]
	if !ok {
		return safe.Line(m.cache.failed[frameKey{rec.ID, n}])
	}
	return safe.Bytes(f.Data[:min(len(f.Data), 400)])
}

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
	if m.layout.detail.W == 0 || !ok {
		return nil
	}
	k := m.shownKey(id)
	if k == m.detail.Shown {
		return nil
	}
	ns := m.wantedFrames(k)
	m.cache.show(k.Rec.ID, ns)
	got, complete := m.have(k.Rec, ns)
	cmd := m.load(k.Rec, ns, nil)
	k.Complete = complete
	if k == m.detail.Shown {
		return cmd
	}
	if !complete && !k.Tab.Words() {
		if m.sameRow(k) {
			return cmd // the old state stands until the new one is there
		}
		m.detail.Take(k, detail.Reading(&m.theme, k.Rec, ns))
		return cmd
	}
	return tea.Batch(cmd, m.layOut(k, got, m.failure(k.Rec, ns)))
}

func (m *Model) sameRow(k detail.Shown) bool {
	d := &m.detail.Shown
	return d.Rec == k.Rec && d.ID == k.ID && d.Frames == k.Frames && d.Tab == k.Tab
}

func (m *Model) shownKey(id uint32) detail.Shown {
	k := detail.Shown{
		Rec: m.list.Rec, ID: id, Frames: m.list.RawFrames, Tab: m.detail.Tab, Live: m.list.Rec.Live,
		Width: m.layout.inside(m.layout.detail).W - 2, Look: m.look, Complete: true, Wide: m.detail.Wide,
		Hex: m.detail.Hex && m.detail.Tab == detail.TabRaw,
	}
	k.Card, k.Page = m.showsCard(k), m.showsPage(k)
	if k.Wide && !k.Tab.Words() {
		k.Width = document.Unbroken
	}
	if row := m.rowOf(k); row != nil {
		k.Version = detail.RowVersion{
			Response: row.Response, Count: row.Count,
			Verdict: row.Verdict, End: row.End, Status: row.Status,
		}
		if s := k.Rec.Session(int(row.Session)); s != nil {
			k.Version.Client, k.Version.ID = s.Client.Name, s.ID
		}
		if row.Verdict == session.VerdictPending && k.Live {
			k.Version.Age = int(library.Elapsed(m.scene().Now, k.Rec, row.T) / int64(time.Second))
		}
		if k.Tab.Words() {
			k.Version.Findings, k.Version.Notes = k.Rec.Findings.Stamp, k.Rec.NotesStamp()
		}
	}
	return k
}

// rowOf is the row a key is about; nil for a frame that belongs to none.
func (m *Model) rowOf(k detail.Shown) *session.Row {
	if !k.Frames {
		return k.Rec.Tracker.Row(int(k.ID))
	}
	if f := k.Rec.Frame(uint64(k.ID)); f != nil && f.Row >= 0 {
		return k.Rec.Tracker.Row(int(f.Row))
	}
	return nil
}

func (m *Model) wantedFrames(k detail.Shown) []uint64 {
	row := m.rowOf(k)
	if k.Tab == detail.TabFindings || k.Tab == detail.TabTiming {
		return nil
	}
	if k.Frames && (k.Tab == detail.TabRaw || k.Tab == detail.TabSummary || row == nil) {
		return []uint64{uint64(k.ID)}
	}
	return detail.Wanted(k.Rec, row, k.Tab)
}

// layOut makes the document, here or in a command when it is large.
func (m *Model) layOut(k detail.Shown, got detail.Frames, failed string) tea.Cmd {
	m.dirty = true
	row := m.rowOf(k)
	if k.Tab == detail.TabFindings {
		m.detail.Take(k, detail.Findings(m.scene(), k.Rec, m.selectedRow(), k.Width))
		return nil
	}
	if k.Tab == detail.TabTiming {
		m.detail.Take(k, detail.Timing(m.scene(), k.Rec, m.selectedRow(), k.Width))
		return nil
	}
	var d document.Doc
	var ps []document.Part
	if k.Page {
		return m.layOutPage(k, got, failed)
	}
	if k.Tab == detail.TabSummary {
		d, ps = m.summary(k, row, got)
		d.Lines = slices.Clip(d.Lines)
	} else {
		ps = m.partsOf(k, row, got)
	}
	if failed != "" {
		ps = append(ps, document.Part{Absent: "The bytes cannot be read: " + safe.Line(failed)})
	}
	if k.Hex {
		m.detail.Take(k, document.Doc{Hex: document.NewHexDump(ps)})
		return nil
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
func (m *Model) summary(k detail.Shown, row *session.Row, got detail.Frames) (document.Doc, []document.Part) {
	sc := m.scene()
	if !k.Frames {
		msg := detail.MessageOf(k.Rec, int(k.ID), got)
		if m.detail.Message = msg; k.Card {
			return document.Doc{}, nil
		}
		return msg.Summary(sc, k.Width)
	}
	d := detail.WriteFrame(sc, k.Rec, k.Rec.Frame(uint64(k.ID)), row, got, k.Width)
	if f := k.Rec.Frame(uint64(k.ID)); f != nil {
		detail.WriteRemark(&d, sc, k.Rec, int(f.Row))
	}
	return d, nil
}

// showsCard says whether the pane is too low for the whole summary: then it is a
// card.
func (m *Model) showsCard(k detail.Shown) bool {
	const high = 10
	if k.Frames || k.Tab != detail.TabSummary || m.layoutOptions.full || m.layout.beside {
		return false
	}
	return m.focus != paneDetail || m.layout.inside(m.layout.detail).H <= high
}

func (m *Model) partsOf(k detail.Shown, row *session.Row, got detail.Frames) []document.Part {
	switch {
	case k.Frames && k.Tab == detail.TabRaw:
		f := got[uint64(k.ID)]
		return []document.Part{{Title: detail.RawTitle(&f), Data: f.Data}}
	case row == nil:
		return []document.Part{{Absent: "This frame belongs to no message."}}
	}
	return detail.Parts(k.Rec, row, k.Tab, got)
}
