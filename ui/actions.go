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
	"midwire/ui/view"
)

func (m *Model) readMessage() {
	if m.list.Fold() {
		return
	}
	if _, ok := m.list.Selected(); ok {
		m.list.Pause()
		m.focusPane(paneDetail)
		if m.layout.W >= pageWidth && m.layout.H >= pageHeight {
			m.layoutOptions.Full = true
		}
	}
}

// showScope shows a recording or session, and has it read if need be.
func (m *Model) showScope(sc library.Scope) tea.Cmd {
	if sc.Rec.Broken() {
		return m.Complain("it cannot be opened: " + sc.Rec.TroubleText())
	}
	m.fromHome = m.view == m.home
	m.toMessages()
	m.forgetReturn()
	m.remember()
	cmd := m.choose(sc, true)
	m.focusPane(paneList)
	return cmd
}

// choose makes a recording or session what commands are about. With read it is
// read if it was not.
func (m *Model) choose(sc library.Scope, read bool) tea.Cmd {
	r := sc.Rec
	m.userChose, r.OpenedBeside = true, false
	m.show(sc)
	if !read || r.Opened || r.Broken() {
		return nil
	}
	var thaw tea.Cmd // what is opened must come in
	if m.frozen {
		thaw = m.freeze()
	}
	r.Opened = true
	m.noteQueue.read(r.ID)
	src, id := m.src, r.ID
	return tea.Batch(thaw, func() tea.Msg {
		src.Open(id)
		return nil
	})
}

// goHome shows the start screen, the row of what was shown selected.
func (m *Model) goHome() {
	if m.view == m.home || len(m.recs) == 0 {
		return
	}
	m.toMessages()
	m.forgetReturn()
	m.endEntry()
	m.layoutOptions.Full = false
	m.view = m.home
	m.home.Show(m.list.Scope)
}

// turnHome goes to the start screen, and from there back.
func (m *Model) turnHome() {
	if m.view == m.home {
		m.leaveHome()
	} else {
		m.goHome()
	}
}

func (m *Model) leaveHome() {
	if !m.mustChoose() {
		m.toMessages()
		m.focusPane(paneList)
	}
}

// back undoes one step: a view, the detail pane, the filter; at last it leads to the
// start screen, for who came from there.
func (m *Model) back() {
	if b, ok := m.view.(view.Backer); ok && b.Back() {
		return
	}
	switch {
	case m.sourceError != "":
		m.sourceError = ""
	case m.view == m.home:
		m.leaveHome()
	case m.view != nil:
		m.popView()
	case m.layoutOptions.Full || m.focus == paneDetail:
		m.focusPane(paneList)
	case m.history.leg() != nil:
		m.popView()
	case m.backToView():
	case m.filter.Query() != nil || m.filter.Text() != "":
		m.keepOnly("")
	case m.fromHome:
		m.goHome()
	}
}

// quit goes back from what covers the messages, and else ends the program;
// where that would end a tap it asks first.
func (m *Model) quit(interrupt bool) tea.Cmd {
	if !interrupt && m.isInside() {
		m.back()
		return nil
	}
	if !interrupt && m.replay.AskStop() {
		return nil
	}
	now := m.opts.Now()
	if !m.isNeeded() {
		m.cancel()
		return tea.Quit
	}
	if interrupt {
		if now.Sub(m.quitArmed) < 2*time.Second {
			m.cancel()
			return tea.Quit
		}
		m.quitArmed = now
		return m.Say("ctrl+c again ends midwire and cuts the connections through it")
	}
	m.dialog = dialog{kind: quitDialog}
	return nil
}

// isNeeded says whether something ends with the screen that may have to go on.
func (m *Model) isNeeded() bool {
	return m.opts.TapInProcess && len(m.live()) > 0
}

// copyConfig copies what a client needs to get here: the URL of the tap in this
// process, or a piece of configuration.
func (m *Model) copyConfig() tea.Cmd {
	text, what := m.opts.Hints.HTTPURL, safe.Text("the URL for clients")
	if text == "" {
		return m.welcome.Copy(m)
	}
	return m.toClipboard(text, what)
}

// toClipboard sends a text to the clipboard and says where it went, or that it did not.
func (m *Model) toClipboard(text string, said safe.Text) tea.Cmd {
	take := m.opts.Clipboard
	if take == nil {
		return tea.Batch(tea.SetClipboard(text), m.Say("sent to the terminal's clipboard: "+said))
	}
	return func() tea.Msg {
		print, to, err := take(text)
		return view.Then(func(h view.Host) tea.Cmd {
			if err != nil {
				return h.Complain("not copied: " + safe.Line(err.Error()))
			}
			then := h.Say("sent to " + safe.Line(to) + ": " + said)
			if print != "" {
				then = tea.Batch(tea.Raw(print), then)
			}
			return then
		})
	}
}

func (m *Model) wordsOf(k detail.Shown) library.Texts {
	return k.Rec.Texts.Of(int(k.ID))
}

// copyFindings copies what is found about the selected message.
func (m *Model) copyFindings() tea.Cmd {
	var all []string
	for _, f := range m.about() {
		all = append(all, detail.Markdown(m.Scene(), library.Located{Rec: m.list.Rec, Finding: f}))
	}
	if all == nil {
		return m.Complain("no finding is about this message")
	}
	return m.Copy(strings.Join(all, "\n"), "explanation")
}

// Copy implements view.Host.
func (m *Model) Copy(s, what string) tea.Cmd {
	if s == "" {
		return m.Complain("there is no " + safe.Line(what) + " to copy")
	}
	text := safe.Line(what) + ", " + term.Size(int64(len(s))) + " bytes"
	if len(s) > 74<<10 {
		text += "; many terminals refuse that much"
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		text += "; it has control characters, mind where you paste it"
	}
	return m.toClipboard(s, text)
}

func (m *Model) atResponse() bool { return m.focus == paneDetail && m.detail.AtResponse() }

// copyFrame copies the response when the cursor is in it, else the request.
func (m *Model) copyFrame(k detail.Shown, row *session.Row, pretty bool) tea.Cmd {
	n, what := uint64(k.ID), "frame #"
	if row != nil {
		n, what = uint64(row.Request), "request #"
		if m.atResponse() {
			n, what = uint64(row.Response), "response #"
		}
	}
	if n == 0 {
		return m.Complain("there is no response to copy")
	}
	what += strconv.Itoa(int(n))
	return m.withFrames(k.Rec, []uint64{n}, func(got detail.Frames) tea.Cmd {
		f := got[n]
		data := f.Data
		if pretty {
			text, ok := wire.Indent(k.Rec.Tracker.Payload(&f), "")
			if !ok {
				return m.Complain(safe.Line(what) + " is not JSON, or too much of it; r copies it as it is")
			}
			data = text
		}
		return m.Copy(string(data), what)
	})
}
