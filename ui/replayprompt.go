package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/replaying"
	"midwire/ui/term"
)

// asks says whether the user has to be asked about tools first.
func (p *replays) asks() bool {
	if p.plan == nil || len(p.plan.Unmarked) == 0 {
		return false
	}
	said, ok := p.said[p.request.SessionRef.Whole()]
	return !ok || said == replaying.ReadOnlyTools && p.request.Frame != 0
}

// ready says whether the plan can be carried out.
func (p *replays) ready() bool { return p.plan != nil && p.plan.Missing == "" }

// known says whether the plan needs no question: the call is sent as recorded,
// to where the user sent something of this recording before.
func (p *replays) known() bool {
	_, before := p.targets[p.request.SessionRef.Whole()]
	return before && p.request.Frame != 0 && p.ready() && !p.asks() && !p.step && p.targets[p.request.SessionRef.Whole()] == p.plan.Target
}

// promptKey takes a key of the question.
func (m *Model) promptKey(k tea.KeyPressMsg) tea.Cmd {
	p := &m.replay
	name := k.String()
	if name == "ctrl+c" {
		m.over = overlay{}
		return m.quit(true)
	}
	if m.scrollPrompt(name) {
		return nil
	}
	switch name {
	case "esc", "q":
		m.over = overlay{}
	case "t":
		m.over.entry = p
		p.target.CursorEnd()
		return p.target.Focus()
	case "S":
		p.step = !p.step
	case "e":
		if p.request.Frame != 0 {
			m.over = overlay{}
			return m.EditCall(p.request)
		}
	case "enter", "y", "o":
		return m.answerPrompt(name)
	}
	return nil
}

// answerPrompt begins what is asked about, as it is shown.
func (m *Model) answerPrompt(name string) tea.Cmd {
	p := &m.replay
	if !p.ready() || m.promptUnread() > 0 {
		return nil
	}
	p.request.Target, p.request.Dir = p.plan.Target, p.plan.Dir
	switch {
	case len(p.plan.Unmarked) == 0:
		return m.start(replaying.AskTools)
	case name == "y":
		return m.start(replaying.AllTools)
	case name == "o" && p.request.Frame == 0:
		return m.start(replaying.ReadOnlyTools)
	case name == "enter" && !p.asks():
		return m.start(p.said[p.request.SessionRef.Whole()])
	}
	return nil
}

// key edits the target; enter plans anew.
func (p *replays) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "ctrl+c":
		m.over = overlay{}
		return m.quit(true)
	case "esc":
		m.over.entry = nil
		p.target.Blur()
		p.target.SetValue(p.request.Target)
		if p.request.Target == "" && p.plan != nil {
			p.target.SetValue(p.plan.Target)
		}
		return nil
	case "enter":
		m.over.entry = nil
		p.target.Blur()
		p.request.Target = strings.TrimSpace(p.target.Value())
		p.plan, m.over.top, p.read = nil, 0, readTo{}
		return m.planIt()
	}
	return p.update(m, k)
}

func (p *replays) update(_ *Model, msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	p.target, cmd = p.target.Update(msg)
	return cmd
}

// faultKey takes a key of the box that shows what is wrong with edited text.
func (m *Model) faultKey(name string) tea.Cmd {
	p := &m.replay
	m.over = overlay{}
	if name != "e" && name != "enter" {
		return nil
	}
	editor := m.opts.Replayer.Edit(p.faulty)
	return func() tea.Msg { return editedMsg{editor, nil} }
}

// stopKey takes the answer to whether the replay is to stop.
func (m *Model) stopKey(name string) {
	m.over = overlay{}
	if run := m.replay.running; run != nil && (name == "y" || name == "enter" || name == "ctrl+c") {
		run.over = true
		run.stop()
	}
}

// stepOn sends the next step of a replay in step mode.
func (m *Model) stepOn() {
	select {
	case m.replay.running.step <- struct{}{}:
	default: // one is on its way
	}
}

// jsonFault says where a text is no JSON object, "" when it is one.
func jsonFault(text []byte) string {
	var v map[string]any
	err := json.Unmarshal(text, &v)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(0)
	switch {
	case err == nil && v != nil:
		return ""
	case errors.As(err, &syntax):
		at = syntax.Offset
	case err == nil || errors.As(err, &kind):
		return "parameters have to be a JSON object: { … }"
	}
	before := text[:max(0, min(int(at)-1, len(text)))]
	row := bytes.Count(before, []byte("\n"))
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	where := ""
	if rows := bytes.Split(text, []byte("\n")); row < len(rows) {
		where = "\n" + strings.ReplaceAll(string(rows[row]), "\t", " ") + "\n" + strings.Repeat(" ", column) + "^"
	}
	return fmt.Sprintf("line %d, column %d: %v%s", row+1, column+1, err, where)
}

const promptWidth = 78

// promptLines are the lines of the question: what there is room for of what is
// asked about, and the keys. Where it goes on is said: nobody is to run what is
// not on the screen.
func (m *Model) promptLines() []string {
	body := m.promptBody()
	room := m.promptRoom()
	top := max(0, min(m.over.top, len(body)-room))
	m.over.top = top
	foot, keys := term.NewLine(m.promptWidth(), &m.sg), term.NewLine(m.promptWidth(), &m.sg)
	if below := len(body) - room - top; below > 0 {
		foot.Gap(1).Put(m.th.Warn, term.Count(below, "more line")+" below")
	} else if top > 0 {
		foot.Gap(1).Put(m.th.Dim, term.Count(top, "line")+" above")
	}
	for _, k := range m.promptKeys() {
		m.hint(keys, k[0], k[1])
	}
	out := append([]string{}, body[top:min(top+room, len(body))]...)
	return append(out, foot.Finish(), keys.Finish())
}

// promptRoom is how many lines of what is asked about fit on the screen.
func (m *Model) promptRoom() int { return max(m.h-5, 1) }

func (m *Model) promptWidth() int { return max(min(m.w-2, promptWidth)-2, 8) }

// readTo is how far the question has been on the screen, which was that large.
type readTo struct{ w, h, lines, of int }

// promptUnread is how many lines of the question have not been on the screen yet.
func (m *Model) promptUnread() int {
	p := &m.replay
	n := len(m.promptBody())
	if p.read.w != m.w || p.read.h != m.h || p.read.of != n {
		p.read = readTo{m.w, m.h, 0, n}
	}
	p.read.lines = max(p.read.lines, min(max(m.over.top, 0)+m.promptRoom(), n))
	return n - p.read.lines
}

// scrollPrompt takes a key that scrolls the question; while there is more to
// read, enter does so.
func (m *Model) scrollPrompt(name string) bool {
	unread := m.promptUnread()
	room := m.promptRoom()
	last := max(0, len(m.promptBody())-room)
	switch {
	case name == "down" || name == "j":
		m.over.top++
	case name == "up" || name == "k":
		m.over.top--
	case name == "pgdown", name == "enter" && unread > 0 && m.replay.ready():
		m.over.top += room
	case name == "pgup":
		m.over.top -= room
	default:
		return false
	}
	m.over.top = max(0, min(m.over.top, last))
	m.promptUnread()
	return true
}

// promptBody is what is asked about.
func (m *Model) promptBody() []string {
	p := &m.replay
	w := m.promptWidth()
	d := document.Doc{Width: w - 2}
	d.Field(&m.th, "target", m.targetSegs(w-12)...)
	switch {
	case p.plan == nil:
		d.Text(m.th.Dim, "reading the recording")
	default:
		m.promptPlan(&d)
	}
	out := make([]string, 0, len(d.Lines))
	for i := range d.Lines {
		l := term.NewLine(w, &m.sg).Gap(1)
		d.Lines[i].Draw(l, &m.th)
		out = append(out, l.Finish())
	}
	return out
}

// targetSegs shows the target, with a caret where it is being edited.
func (m *Model) targetSegs(room int) []term.Seg {
	in, plan := &m.replay.target, m.replay.plan
	switch {
	case m.over.entry != nil:
	case plan == nil:
		return []term.Seg{term.S(term.Bold, safe.Line(in.Value()))}
	case plan.Target == "":
		return []term.Seg{term.S(m.th.Dim, "none")}
	default: // what is run, and not what the line made of it
		return []term.Seg{term.S(term.Bold, safe.Line(plan.Target))}
	}
	text := []rune(in.Value())
	at := min(in.Position(), len(text))
	before, under, after := string(text[:at]), " ", ""
	if at < len(text) {
		under, after = string(text[at]), string(text[at+1:])
	}
	for term.Width(safe.Line(before)) > max(room-8, 4) { // the caret stays in sight
		before = string([]rune(before)[1:])
	}
	rest := term.Shorten(safe.Line(after), max(room-2-term.Width(safe.Line(before)), 0), &m.sg)
	return []term.Seg{term.S(term.Plain, safe.Line(before)), term.S(term.Reverse, safe.Line(under)), term.S(term.Plain, rest)}
}

func (m *Model) promptPlan(d *document.Doc) {
	p, plan := &m.replay, m.replay.plan
	if plan.Dir != "" && m.over.entry == nil {
		d.Field(&m.th, "in", term.S(term.Plain, safe.Line(plan.Dir)))
	}
	if plan.Missing == "" {
		sends := term.Count(plan.Calls, "call")
		if plan.Others > 0 {
			sends += ", " + term.Count(plan.Others, "other message")
		}
		d.Field(&m.th, "sends", term.S(term.Plain, sends))
	}
	if len(plan.Subs) > 0 {
		d.Field(&m.th, "renews", term.S(term.Plain, safe.Line(strings.Join(plan.Subs, ", "))), term.S(m.th.Dim, " as the server hands them out"))
	}
	if p.step {
		d.Field(&m.th, "step", term.S(m.th.Note, "on: space sends the next one"))
	}
	for _, s := range plan.Remarks {
		d.Field(&m.th, "note", term.S(m.th.Warn, safe.Line(s)))
	}
	if plan.Missing != "" {
		d.Blank()
		d.Text(m.th.Err, m.sg.Err+" "+"It cannot be sent from here: "+safe.Line(plan.Missing))
		return
	}
	if len(plan.Unmarked) == 0 {
		return
	}
	d.Blank()
	tools := term.S(term.Bold, safe.Line(strings.Join(plan.Unmarked, ", ")))
	said := p.said[p.request.SessionRef.Whole()]
	switch {
	case p.asks():
		d.Text(m.th.Warn, m.sg.Warn+" "+term.Count(plan.Left, "call")+" of tools that are not marked read-only:")
		d.Add(term.S(term.Plain, "  "), tools)
	case said == replaying.ReadOnlyTools:
		d.Add(term.S(m.th.Dim, "Left out, as you said, for they are not marked read-only: "), tools)
	default:
		d.Add(term.S(m.th.Dim, "Called again, as you said, though not marked read-only: "), tools)
	}
}

// promptKeys are the keys that mean something to the question now.
func (m *Model) promptKeys() [][2]safe.Text {
	p := &m.replay
	if m.over.entry != nil {
		return [][2]safe.Text{{"enter", "this target"}, {"esc", "undo"}}
	}
	var out [][2]safe.Text
	switch {
	case !p.ready():
	case m.promptUnread() > 0:
		out = append(out, [2]safe.Text{"enter", "read on"})
	case p.asks() && p.request.Frame != 0:
		out = append(out, [2]safe.Text{"y", "send it"})
	case p.asks():
		out = append(out, [2]safe.Text{"y", "call all"}, [2]safe.Text{"o", "read-only"})
	case len(p.plan.Unmarked) > 0 && p.request.Frame == 0:
		out = append(out, [2]safe.Text{"enter", "send"}, [2]safe.Text{"y", "all"}, [2]safe.Text{"o", "read-only"})
	default:
		out = append(out, [2]safe.Text{"enter", "send"})
	}
	out = append(out, [2]safe.Text{"t", "target"})
	if p.request.Frame != 0 {
		out = append(out, [2]safe.Text{"e", "edit"})
	}
	return append(out, [2]safe.Text{"S", "step"}, [2]safe.Text{"esc", "cancel"})
}

func (m *Model) promptTitle() safe.Text {
	q := m.replay.request
	name := m.refName(q.SessionRef)
	if q.Frame == 0 {
		return "Replay " + name
	}
	title := "Send #" + safe.Int(int(q.Frame)) + " of " + name + " again"
	if q.Params != nil {
		title += ", edited"
	}
	return title
}

func (m *Model) faultLines() []string {
	w := min(m.w-2, promptWidth) - 2
	var out []string
	for i, s := range strings.Split("What was edited is no JSON: "+m.replay.fault, "\n") {
		st := term.Plain
		if i > 0 {
			st = m.th.Err
		}
		if i == 0 {
			d := document.Doc{Width: w - 2}
			d.Text(st, safe.Line(s))
			for j := range d.Lines {
				l := term.NewLine(w, &m.sg).Gap(1)
				d.Lines[j].Draw(l, &m.th)
				out = append(out, l.Finish())
			}
			continue
		}
		out = append(out, term.NewLine(w, &m.sg).Gap(3).Put(st, safe.Repeat(" ", len(s)-len(strings.TrimLeft(s, " ")))+safe.Line(strings.TrimLeft(s, " "))).Finish())
	}
	l := term.NewLine(w, &m.sg)
	m.hint(l, "e", "edit again").hint(l, "esc", "drop it")
	return append(out, term.NewLine(w, &m.sg).Finish(), l.Finish())
}

func (m *Model) stopLines() []string {
	w := min(m.w-2, 58) - 2
	l := term.NewLine(w, &m.sg)
	m.hint(l, "y", "stop").hint(l, "any key", "go on")
	return []string{
		term.NewLine(w, &m.sg).Gap(1).Put(term.Plain, "A replay is running. What was sent so far is recorded.").Finish(),
		term.NewLine(w, &m.sg).Finish(), l.Finish(),
	}
}
