package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
)

type overlayKind uint8

const (
	overNone overlayKind = iota
	overHelp
	overCopy
	overQuit
	overReplay
	overFault
	overStop
	overDelete
)

// overlay is a box over everything else; it takes the keys.
type overlay struct {
	kind overlayKind
	top  int // first line shown of a long help
}

func (m *Model) overlayKey(name string) tea.Cmd {
	kind := m.over.kind
	if kind == overStop {
		m.stopKey(name)
		return nil
	}
	if name == "ctrl+c" {
		m.over = overlay{}
		return m.quit(true)
	}
	switch kind {
	case overCopy:
		m.over = overlay{}
		if a := m.keys.by[inCopy][name]; a != actNone {
			return m.copy(a)
		}
	case overDelete:
		return m.deleteKey(name)
	case overFault:
		return m.faultKey(name)
	case overQuit:
		m.over = overlay{}
		if name == "y" || name == "enter" || name == "q" {
			m.cancel()
			return tea.Quit
		}
	case overHelp:
		switch m.keys.find(everywhere, name) {
		case actDown:
			m.over.top++
		case actUp:
			m.over.top = max(0, m.over.top-1)
		case actPageDown, actHalfDown:
			m.over.top += 10
		case actPageUp, actHalfUp:
			m.over.top = max(0, m.over.top-10)
		default:
			m.over = overlay{}
		}
	}
	return nil
}

// drawOverlay puts the open overlay over the screen.
func (m *Model) drawOverlay(screen []string) []string {
	switch m.over.kind {
	case overHelp:
		return m.box(screen, "Help", "esc closes", m.helpLines(min(m.w, 116)-4), min(m.w, 116)-2)
	case overCopy:
		return m.box(screen, "Copy", "esc closes", m.copyLines(), min(m.w-2, 44))
	case overReplay:
		return m.box(screen, m.promptTitle(), "", m.promptLines(), min(m.w-2, promptWidth))
	case overFault:
		return m.box(screen, "Edited", "", m.faultLines(), min(m.w-2, promptWidth))
	case overDelete:
		return m.box(screen, "Delete", "", m.deleteLines(), m.deleteWidth())
	case overStop:
		return m.box(screen, "Stop", "", m.stopLines(), min(m.w-2, 58))
	case overQuit:
		return m.box(screen, "Quit", "", m.quitLines(), min(m.w-2, 58))
	}
	return screen
}

// box draws a frame around lines of w-2 cells in the middle of the screen.
func (m *Model) box(screen []string, title, note safe.Text, lines []string, w int) []string {
	room := max(m.h-3, 1)
	m.over.top = max(0, min(m.over.top, len(lines)-room))
	if len(lines) > room {
		note = "j k scroll, " + note
	}
	lines = lines[m.over.top:min(m.over.top+room, len(lines))]
	c := m.sg.corners
	top := newLine(w, &m.sg)
	top.put(m.th.frame, safe.Text(c[0]+m.sg.h)).gap(1).put(m.th.title, title).gap(1)
	if note != "" {
		top.fill(m.th.frame, m.sg.h, w-width(note)-4).gap(1).put(m.th.dim, note).gap(1)
	}
	top.fill(m.th.frame, m.sg.h, w-1).put(m.th.frame, safe.Text(c[1]))
	out := []string{top.finish()}
	side := newLine(1, &m.sg).put(m.th.frame, safe.Text(m.sg.v)).finish()
	for _, s := range lines {
		out = append(out, side+s+side)
	}
	foot := newLine(w, &m.sg).put(m.th.frame, safe.Text(c[2]))
	foot.fill(m.th.frame, m.sg.h, w-1).put(m.th.frame, safe.Text(c[3]))
	out = append(out, foot.finish())
	return overlayLines(screen, out, (m.w-w)/2, max(0, (m.h-len(out))/2), w)
}

// overlayLines puts a block of w cells over the screen at x, y.
func overlayLines(screen, block []string, x, y, w int) []string {
	for i, s := range block {
		if y+i >= len(screen) {
			break
		}
		base := screen[y+i]
		screen[y+i] = ansi.Truncate(base, x, "") + "\x1b[m" + s + "\x1b[m" + ansi.TruncateLeft(base, x+w, "")
	}
	return screen
}

// helpLines lists the key map in as many columns as there is room for.
func (m *Model) helpLines(w int) []string {
	var groups [][]string
	colWidth := w
	per := 1
	if w >= 90 {
		colWidth, per = w/3, 3
	} else if w >= 62 {
		colWidth, per = w/2, 2
	}
	for _, g := range []safe.Text{"MOVE", "LOOK", "ACT"} {
		lines := []string{newLine(colWidth, &m.sg).gap(1).put(m.th.title, g).finish()}
		for _, b := range m.keys.all {
			if b.group != g || b.help == "" || !m.holdsHere(b) {
				continue
			}
			l := newLine(colWidth, &m.sg).gap(1)
			lines = append(lines, l.cell(m.th.key, m.showKeys(b), 9).put(plain, b.help).finish())
		}
		groups = append(groups, lines)
	}
	if per == 2 {
		groups = [][]string{groups[0], append(append(groups[1], blanks(1, colWidth)...), groups[2]...)}
	}
	if per == 1 {
		groups = [][]string{append(append(groups[0], groups[1]...), groups[2]...)}
	}
	out := sideBySide(groups, colWidth, w)
	for _, s := range m.helpNotes() {
		out = append(out, newLine(w, &m.sg).gap(1).put(m.th.dim, s).finish())
	}
	return out
}

// holdsHere says whether a key means something on the screen that help was
// asked for from: the findings, or all else.
func (m *Model) holdsHere(b binding) bool {
	switch in := m.area(); {
	case m.replay.open:
		return b.in == in || b.in == everywhere && holdsInReplay(b.do) && m.keys.by[in][b.keys[0]] == actNone
	case !m.report.open:
		return b.in != inReport && b.in != inReplay && b.in != inDiff
	}
	return b.in == inReport || b.in == everywhere && holdsInReport(b.do) && m.keys.by[inReport][b.keys[0]] == actNone
}

// showKeys names the keys of a binding in signs the terminal has.
func (m *Model) showKeys(b binding) safe.Text {
	if !m.opts.ASCII {
		return b.show
	}
	return safe.Text(strings.NewReplacer("← →", "<- ->", " ↓ ↑", "").Replace(string(b.show)))
}

func (m *Model) helpNotes() []safe.Text {
	return []safe.Text{
		"",
		"filter  words, looked for in payloads too, and key:value with these keys:",
		"        " + filterKeys,
		"        lat>500ms  size>1k  status:4xx  is:error  !method:ping  \"two words\"",
		"        finding:any  finding:RULE  severity:error",
		"signs   " + safe.Text(m.sg.req+" request of the client  "+m.sg.ans+" of the server  "+m.sg.reqNote+" "+m.sg.ansNote+" notification  "+m.sg.band+" not protocol"),
		"        " + safe.Text(m.sg.ok+" answered  "+m.sg.err+" failed  "+m.sg.warn+" odd  "+m.sg.pend+" waiting  "+m.sg.cancel+" cancelled"),
		"        before the number " + safe.Text(m.sg.err+" "+m.sg.warn+" "+m.sg.note+" a finding: error, warning, note  "+m.sg.dot+" evidence of one"),
		"#       is the number of the frame in the recording; Shift+drag selects text",
	}
}

func sideBySide(groups [][]string, colWidth, w int) []string {
	n := 0
	for _, g := range groups {
		n = max(n, len(g))
	}
	out := make([]string, n)
	for i := range out {
		for _, g := range groups {
			if i < len(g) {
				out[i] += g[i]
			} else {
				out[i] += strings.Repeat(" ", colWidth)
			}
		}
		out[i] += strings.Repeat(" ", max(0, w-colWidth*len(groups)))
	}
	return out
}

func (m *Model) copyLines() []string {
	w := min(m.w-2, 44) - 2
	what := safe.Text("of the request")
	if m.detail.tab == tabResponse {
		what = "of the response"
	}
	if m.list.frames {
		what = "of the frame"
	}
	var out []string
	for _, b := range m.keys.all {
		if b.in != inCopy {
			continue
		}
		if b.do == actCopyFindings && len(m.about()) == 0 {
			continue
		}
		l := newLine(w, &m.sg).gap(2).cell(m.th.key, b.show, 4).put(plain, b.hint)
		if b.do == actCopyJSON || b.do == actCopyRaw {
			l.gap(1).put(m.th.dim, what)
		}
		out = append(out, l.finish())
	}
	return out
}

func (m *Model) quitLines() []string {
	w := min(m.w-2, 58) - 2
	return []string{
		newLine(w, &m.sg).gap(1).put(plain, "A tap is running in this process. Quitting ends it").finish(),
		newLine(w, &m.sg).gap(1).put(plain, "and cuts the connections that go through it.").finish(),
		newLine(w, &m.sg).finish(),
		newLine(w, &m.sg).gap(1).cell(m.th.key, "y", 3).cell(plain, "quit", 8).cell(m.th.key, "any key", 9).put(plain, "stay").finish(),
	}
}
