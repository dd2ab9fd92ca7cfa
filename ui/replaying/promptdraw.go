package replaying

import (
	"slices"
	"strings"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// The widths of the boxes.
const (
	promptWidth = 78
	stopWidth   = 58
)

// Box is the open dialog: lines of w-2 cells and what stands above them.
func (p *Replays) Box() (title safe.Text, lines []string, w int) {
	switch p.dialog {
	case askFault:
		return "Edited", p.faultLines(), p.width(promptWidth)
	case askForm:
		return "Call " + safe.Line(p.form.request.Tool), p.formLines(), p.width(promptWidth)
	case askStop:
		return "Stop", p.stopLines(), p.width(stopWidth)
	}
	return p.promptTitle(), p.promptLines(), p.width(promptWidth)
}

// promptLines are the lines of the question: what there is room for of what is
// asked about, and the keys. Where it goes on is said: nobody is to run what is
// not on the screen.
func (p *Replays) promptLines() []string {
	sc := p.h.Scene()
	body := p.promptBody()
	p.lines.Fit(len(body), p.promptRoom())
	top, end := p.lines.Top, min(p.lines.Top+p.lines.Height, len(body))
	foot, keys := term.NewLine(p.promptWidth(), sc.Glyphs), term.NewLine(p.promptWidth(), sc.Glyphs)
	if below := len(body) - end; below > 0 {
		foot.Gap(1).Put(sc.Theme.Warn, term.Count(below, "more line")+" below")
	} else if top > 0 {
		foot.Gap(1).Put(sc.Theme.Dim, term.Count(top, "line")+" above")
	}
	for _, k := range p.promptKeys() {
		keys.Hint(sc.Theme, k[0], k[1])
	}
	return append(slices.Clip(body[top:end]), foot.Finish(), keys.Finish())
}

func (p *Replays) promptRoom() int {
	_, h := p.size()
	return max(h-5, 1)
}

func (p *Replays) promptWidth() int { return max(p.width(promptWidth)-2, 8) }

// width is how wide a box is that may be so wide.
func (p *Replays) width(most int) int { return min(p.h.Scene().Width-2, most) }

// readTo is how far the question has been on the screen, which was that large.
type readTo struct{ w, h, lines, of int }

func (p *Replays) promptBody() []string {
	sc := p.h.Scene()
	w := p.promptWidth()
	d := document.Doc{Width: w - 2}
	d.Field(sc.Theme, "target", p.shownTarget(sc))
	switch {
	case p.plan == nil:
		d.Text(sc.Theme.Dim, "reading the recording")
	default:
		p.promptPlan(sc, &d)
	}
	out := d.All(&sc.Screen, w, 1)
	if p.editing {
		l := term.NewLine(w, sc.Glyphs).Gap(1).Cell(sc.Theme.Dim, "target", 11)
		p.target.Draw(l, w-l.Used)
		p.cursor, out[0] = l.Cursor, l.Finish()
	}
	return out
}

// Cursor is the column of the cursor while the target or an argument is written, CursorLine
// its line.
func (p *Replays) Cursor() int {
	if p.asks(askForm) {
		return p.form.cursor
	}
	return p.cursor
}

// CursorLine is the line of the cursor, 0 for the first.
func (p *Replays) CursorLine() int {
	if p.asks(askForm) {
		return p.form.at - p.form.top
	}
	return 0
}

// shownTarget is what is run, and not what the line made of it.
func (p *Replays) shownTarget(sc *library.Scene) term.Seg {
	switch plan := p.plan; {
	case p.editing:
		return term.Seg{}
	case plan == nil:
		return term.S(term.Bold, safe.Line(p.target.Value()))
	case plan.Target == "":
		return term.S(sc.Theme.Dim, "none")
	default:
		return term.S(term.Bold, safe.Line(plan.Target))
	}
}

func (p *Replays) promptPlan(sc *library.Scene, d *document.Doc) {
	plan := p.plan
	if plan.Dir != "" && !p.editing {
		d.Field(sc.Theme, "in", term.S(term.Plain, safe.Line(plan.Dir)))
	}
	if plan.Missing == "" {
		sends := term.Count(plan.Calls, "call")
		if plan.Others > 0 {
			sends += ", " + term.Count(plan.Others, "other message")
		}
		if p.request.Probe {
			sends = "this request, a handshake and tools/list, in at most 24 sessions: as a client should, then as it was"
		}
		d.Field(sc.Theme, "sends", term.S(term.Plain, sends))
	}
	if len(plan.Subs) > 0 {
		d.Field(sc.Theme, "renews", term.S(term.Plain, safe.Line(strings.Join(plan.Subs, ", "))), term.S(sc.Theme.Dim, " as the server hands them out"))
	}
	for _, s := range plan.Remarks {
		d.Field(sc.Theme, "note", term.S(sc.Theme.Warn, safe.Line(s)))
	}
	if plan.Missing != "" {
		d.Blank()
		d.Text(sc.Theme.Err, sc.Glyphs.Err+" "+"It cannot be sent from here: "+safe.Line(plan.Missing))
		return
	}
	if len(plan.Unmarked) == 0 {
		return
	}
	d.Blank()
	tools := term.S(term.Bold, safe.Line(strings.Join(plan.Unmarked, ", ")))
	said := p.said[p.request.SessionRef.Whole()]
	switch {
	case p.unsure():
		d.Text(sc.Theme.Warn, sc.Glyphs.Warn+" "+term.Count(plan.Left, "call")+" of tools that are not marked read-only:")
		d.Add(term.S(term.Plain, "  "), tools)
	case said == ReadOnlyTools:
		d.Add(term.S(sc.Theme.Dim, "Left out, as you said, for they are not marked read-only: "), tools)
	default:
		d.Add(term.S(sc.Theme.Dim, "Called again, as you said, though not marked read-only: "), tools)
	}
}

// promptKeys are the keys that mean something to the question now.
func (p *Replays) promptKeys() [][2]safe.Text {
	if p.editing {
		return [][2]safe.Text{{"enter", "this target"}, {"esc", "undo"}}
	}
	var out [][2]safe.Text
	switch {
	case !p.ready():
	case p.promptUnread() > 0:
		out = append(out, [2]safe.Text{"enter", "read on"})
	case p.unsure() && p.request.Frame != 0:
		out = append(out, [2]safe.Text{"y", "send it"})
	case p.unsure():
		out = append(out, [2]safe.Text{"y", "call all"}, [2]safe.Text{"o", "read-only"})
	case len(p.plan.Unmarked) > 0 && p.request.Frame == 0:
		out = append(out, [2]safe.Text{"enter", "send"}, [2]safe.Text{"y", "all"}, [2]safe.Text{"o", "read-only"})
	default:
		out = append(out, [2]safe.Text{"enter", "send"})
	}
	out = append(out, [2]safe.Text{"t", "target"})
	if p.request.Probe {
		return append(out, [2]safe.Text{"esc", "cancel"})
	}
	if p.request.Frame != 0 {
		out = append(out, [2]safe.Text{"e", "edit"})
	}
	return append(out, [2]safe.Text{"esc", "cancel"})
}

func (p *Replays) promptTitle() safe.Text {
	q := p.request
	name := p.NameOf(q.SessionRef)
	if q.Frame == 0 {
		return "Replay " + name
	}
	if q.Probe {
		return "Ask about #" + safe.Int(int(q.Frame)) + " of " + name
	}
	if q.Tool != "" {
		return "Call " + safe.Line(q.Tool) + " of " + name
	}
	title := "Send #" + safe.Int(int(q.Frame)) + " of " + name + " again"
	if q.Params != nil {
		title += ", edited"
	}
	return title
}

func (p *Replays) faultLines() []string {
	sc, w := p.h.Scene(), p.width(promptWidth)-2
	var out []string
	for i, s := range strings.Split("What was edited is no JSON: "+p.fault, "\n") {
		if i == 0 {
			d := document.Doc{Width: w - 2}
			d.Text(term.Plain, safe.Line(s))
			out = d.All(&sc.Screen, w, 1)
			continue
		}
		text := strings.TrimLeft(s, " ")
		indented := safe.Repeat(" ", len(s)-len(text)) + safe.Line(text)
		out = append(out, term.NewLine(w, sc.Glyphs).Gap(3).Put(sc.Theme.Err, indented).Finish())
	}
	l := term.NewLine(w, sc.Glyphs).Hint(sc.Theme, "e", "edit again").Hint(sc.Theme, "esc", "drop it")
	return append(out, term.NewLine(w, sc.Glyphs).Finish(), l.Finish())
}

func (p *Replays) stopLines() []string {
	sc, w := p.h.Scene(), p.width(stopWidth)-2
	l := term.NewLine(w, sc.Glyphs).Hint(sc.Theme, "y", "stop").Hint(sc.Theme, "any key", "go on")
	return []string{
		term.NewLine(w, sc.Glyphs).Gap(1).Put(term.Plain, "A replay is running. What was sent so far is recorded.").Finish(),
		term.NewLine(w, sc.Glyphs).Finish(), l.Finish(),
	}
}
