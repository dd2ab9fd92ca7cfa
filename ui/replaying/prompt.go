package replaying

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// unsure says whether the user has to be asked about tools first.
func (p *Replays) unsure() bool {
	if p.plan == nil || len(p.plan.Unmarked) == 0 {
		return false
	}
	said, ok := p.said[p.request.SessionRef.Whole()]
	return !ok || said == ReadOnlyTools && p.request.Frame != 0
}

func (p *Replays) ready() bool { return p.plan != nil && p.plan.Missing == "" }

// known says whether the plan needs no question: the call is sent as recorded,
// to where the user sent something of this recording before.
func (p *Replays) known() bool {
	target, before := p.targets[p.request.SessionRef.Whole()]
	again := p.request.Frame != 0 && !p.request.Probe
	return before && again && p.ready() && !p.unsure() && target == p.plan.Target
}

// Key takes a key of the dialog.
func (p *Replays) Key(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case p.dialog == askStop:
		p.stopKey(k.String())
		return nil
	case k.String() == "ctrl+c":
		p.h.Do(Dialog{false})
		return p.h.Run("global.interrupt")
	case p.dialog == askFault:
		return p.faultKey(k.String())
	case p.dialog == askForm:
		return p.formKey(k)
	case p.editing:
		return p.targetKey(k)
	}
	return p.promptKey(k)
}

// Editing says whether the target, or an argument, is being written.
func (p *Replays) Editing() bool { return p.editing && p.asks(askReplay) || p.asks(askForm) }

func (p *Replays) promptKey(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if p.scrollPrompt(name) {
		return nil
	}
	switch name {
	case "esc", "q":
		p.h.Do(Dialog{false})
	case "t":
		p.editing, p.lines.Top = true, 0
		p.target.CursorEnd()
		return p.target.Focus()
	case "e":
		if p.request.Frame != 0 {
			p.h.Do(Dialog{false})
			return p.Edit(p.request)
		}
	case "enter", "y", "o":
		return p.answerPrompt(name)
	}
	return nil
}

// answerPrompt begins what is asked about, as it is shown.
func (p *Replays) answerPrompt(name string) tea.Cmd {
	if !p.ready() || p.promptUnread() > 0 {
		return nil
	}
	p.request.Target, p.request.Dir = p.plan.Target, p.plan.Dir
	switch {
	case len(p.plan.Unmarked) == 0:
		return p.start(AskTools)
	case name == "y":
		return p.start(AllTools)
	case name == "o" && p.request.Frame == 0:
		return p.start(ReadOnlyTools)
	case name == "enter" && !p.unsure():
		return p.start(p.said[p.request.SessionRef.Whole()])
	}
	return nil
}

// targetKey edits the target; enter plans anew.
func (p *Replays) targetKey(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		p.editing = false
		p.target.Blur()
		p.target.SetValue(p.request.Target)
		if p.request.Target == "" && p.plan != nil {
			p.target.SetValue(p.plan.Target)
		}
		return nil
	case "enter":
		p.editing = false
		p.target.Blur()
		p.request.Target = strings.TrimSpace(p.target.Value())
		p.plan, p.lines.Top, p.read = nil, 0, readTo{}
		return p.planIt()
	}
	return p.Update(k)
}

// Update takes what else there is to put in, like pasted text.
func (p *Replays) Update(msg tea.Msg) tea.Cmd {
	if p.asks(askForm) {
		return p.formKey(msg)
	}
	return p.target.Take(msg)
}

// faultKey takes a key of the box that shows what is wrong with edited text.
func (p *Replays) faultKey(name string) tea.Cmd {
	p.h.Do(Dialog{false})
	if name != "e" && name != "enter" {
		return nil
	}
	return p.runEditor(p.by.Edit(p.faulty))
}

func (p *Replays) stopKey(name string) {
	p.h.Do(Dialog{false})
	if run := p.running; run != nil && (name == "y" || name == "enter" || name == "ctrl+c") {
		run.over = true
		run.stop()
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

// promptUnread is how many lines of the question have not been on the screen yet.
func (p *Replays) promptUnread() int {
	n := len(p.promptBody())
	if w, h := p.size(); p.read.w != w || p.read.h != h || p.read.of != n {
		p.read = readTo{w, h, 0, n}
	}
	p.lines.Fit(n, p.promptRoom())
	p.read.lines = max(p.read.lines, min(p.lines.Top+p.lines.Height, n))
	return n - p.read.lines
}

// scrollPrompt takes a key that scrolls the question; while there is more to
// read, enter does so.
func (p *Replays) scrollPrompt(name string) bool {
	unread, s := p.promptUnread(), &p.lines
	switch {
	case name == "down" || name == "j":
		s.Scroll(1)
	case name == "up" || name == "k":
		s.Scroll(-1)
	case name == "pgdown", name == "enter" && unread > 0 && p.ready():
		s.Scroll(s.Height)
	case name == "pgup":
		s.Scroll(-s.Height)
	default:
		return false
	}
	p.promptUnread()
	return true
}
