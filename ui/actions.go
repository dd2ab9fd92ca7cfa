package ui

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/detail"
	"midwire/ui/library"
	"midwire/ui/term"
)

// readMessage shows the selected message in detail.
func (m *Model) readMessage() {
	if _, ok := m.list.Selected(); ok {
		m.list.Pause()
		m.focusPane(paneDetail)
	}
}

// openNode loads a recording of the past, or folds and unfolds.
func (m *Model) openNode() tea.Cmd {
	var thaw tea.Cmd // what is opened must come in
	n := m.tree.Selected()
	if n == nil {
		return nil
	}
	if ids := m.tree.Together(); len(ids) > 1 {
		return m.showMerged(ids)
	}
	m.userChose = true
	m.forgetReturn()
	r := m.rec(n.Rec)
	if r != nil {
		r.OpenedBeside = false
	}
	if r == nil || r.Opened {
		if m.layout.drawer && r != nil {
			m.show(library.Scope{Rec: r, Session: n.Sess})
			m.focusPane(paneList)
			return nil
		}
		m.tree.Toggle()
		m.rebuildTree()
		m.showNode()
		return nil
	}
	if r.Broken() {
		return m.complain("it cannot be opened: " + r.TroubleText())
	}
	if m.frozen {
		thaw = m.freeze()
	}
	r.Opened = true
	m.noteQueue.read(r.ID)
	m.tree.Opened[n.Key] = true
	m.remember()
	m.rebuildTree()
	m.show(library.Scope{Rec: r, Session: library.AllSessions})
	if m.layout.drawer {
		m.focusPane(paneList)
	}
	src, id := m.src, r.ID
	return tea.Batch(thaw, func() tea.Msg {
		src.Open(id)
		return nil
	})
}

// showNode makes the list show what the selected node stands for.
func (m *Model) showNode() {
	m.forgetReturn()
	if n := m.tree.Selected(); n != nil && n.Rec != "" {
		if r := m.rec(n.Rec); r != nil {
			m.show(library.Scope{Rec: r, Session: n.Sess})
		}
	}
}

// back undoes one step: the drawer, the detail pane, the filter, the pause.
func (m *Model) back() {
	switch {
	case m.sourceError != "":
		m.sourceError = ""
	case m.view != nil:
		m.popView()
	case m.tree.Text != "" && m.focus == paneTree:
		m.findInTree("")
	case m.layout.drawer:
		m.focusPane(paneList)
	case m.focus == paneDetail && m.detail.Search.Text != "":
		m.detail.Look("")
	case m.layoutOptions.full || m.focus == paneDetail:
		m.focusPane(paneList)
	case m.backToView():
	case m.filter.Query() != nil || m.filter.Text() != "":
		m.filter.write(m, "")
	case m.focus == paneTree:
		m.focusPane(paneList)
	}
}

// quit goes back from what covers the messages, and else ends the program;
// where that would end a tap it asks first.
func (m *Model) quit(interrupt bool) tea.Cmd {
	if !interrupt && (m.view != nil || m.layoutOptions.full || m.layout.drawer && !m.mustChoose()) {
		m.back()
		return nil
	}
	if !interrupt && m.replay.AskStop() {
		return nil
	}
	now := m.opts.Now()
	if !m.opts.TapInProcess || len(m.live()) == 0 {
		m.cancel()
		return tea.Quit
	}
	if interrupt {
		if now.Sub(m.quitArmed) < 2*time.Second {
			m.cancel()
			return tea.Quit
		}
		m.quitArmed = now
		return m.say("ctrl+c again ends midwire and cuts the connections through it")
	}
	m.dialog = dialog{kind: quitDialog}
	return nil
}

// copyConfig copies what a client needs to get here: the URL of the tap in this
// process, or a piece of configuration.
func (m *Model) copyConfig() tea.Cmd {
	text, what := m.opts.Hints.HTTPURL, safe.Text("the URL for clients")
	if text == "" {
		return m.welcome.Copy(m)
	}
	return tea.Batch(tea.SetClipboard(text), m.say("sent to the terminal's clipboard: "+what))
}

func (m *Model) wordsOf(k detail.Shown) library.Texts {
	if !k.Frames {
		return k.Rec.Texts.Of(int(k.ID))
	}
	return k.Rec.Texts.Of(int(k.Rec.Frame(uint64(k.ID)).Row))
}

// copyFindings copies what is found about the selected message.
func (m *Model) copyFindings() tea.Cmd {
	var all []string
	for _, f := range m.about() {
		all = append(all, detail.Markdown(m.scene(), library.Located{Rec: m.list.Rec, Finding: f}))
	}
	if all == nil {
		return m.complain("no finding is about this message")
	}
	return clipboard(m, strings.Join(all, "\n"), "explanation")
}

func clipboard(m *Model, s, what string) tea.Cmd {
	if s == "" {
		return m.complain("there is no " + safe.Line(what) + " to copy")
	}
	text := "sent to the terminal's clipboard: " + safe.Line(what) + ", " + term.Size(int64(len(s))) + " bytes"
	if len(s) > 74<<10 {
		text += "; many terminals refuse that much"
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		text += "; it has control characters, mind where you paste it"
	}
	return tea.Batch(tea.SetClipboard(s), m.say(text))
}

// copyFrame copies the answer when the Response tab is open, else the request.
func (m *Model) copyFrame(k detail.Shown, row *session.Row, pretty bool) tea.Cmd {
	n, what := uint64(k.ID), "frame #"
	if row != nil && !k.Frames {
		n, what = uint64(row.Request), "request #"
		if k.Tab == detail.TabResponse {
			n, what = uint64(row.Response), "response #"
		}
	}
	if n == 0 {
		return m.complain("there is no response to copy")
	}
	what += strconv.Itoa(int(n))
	return m.withFrames(k.Rec, []uint64{n}, func(m *Model, got detail.Frames) tea.Cmd {
		f := got[n]
		data := f.Data
		if pretty {
			text, ok := wire.Indent(k.Rec.Tracker.Payload(&f), "")
			if !ok {
				return m.complain(safe.Line(what) + " is not JSON, or too much of it; r copies it as it is")
			}
			data = text
		}
		return clipboard(m, string(data), what)
	})
}
