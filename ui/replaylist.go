package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/term"
)

// sift chooses what the list of compared calls shows. Problems stand behind the
// calls: their numbers go on from those of the calls.
func (p *replays) sift() {
	p.vis = p.vis[:0]
	for i := range p.result.Calls {
		if c := &p.result.Calls[i]; !p.only || c.differs() {
			p.vis = append(p.vis, i)
		}
	}
	for i := range p.result.Problems {
		p.vis = append(p.vis, len(p.result.Calls)+i)
	}
	p.sel = max(0, min(p.sel, len(p.vis)-1))
	p.reveal()
}

func (c *ComparedCall) differs() bool {
	return c.Verdict != CallSame && c.Verdict != CallSkipped || c.Slower || len(c.Schema) > 0
}

// selected is the selected call; false for none, or a problem.
func (p *replays) selected() (call int, ok bool) {
	if p.result == nil || p.sel >= len(p.vis) || p.vis[p.sel] >= len(p.result.Calls) {
		return 0, false
	}
	return p.vis[p.sel], true
}

func (p *replays) move(n int) {
	p.sel = max(0, min(p.sel+n, len(p.vis)-1))
	p.reveal()
}

// toDifference goes to the next or previous call that differs.
func (p *replays) toDifference(n int) bool {
	for i := p.sel + n; i >= 0 && i < len(p.vis); i += n {
		if p.vis[i] >= len(p.result.Calls) || p.result.Calls[p.vis[i]].differs() {
			p.sel = i
			p.reveal()
			return true
		}
	}
	return false
}

func (p *replays) reveal() {
	if p.height <= 0 {
		return
	}
	p.top = min(p.top, p.sel)
	p.top = max(p.top, p.sel-p.height+1)
	p.scroll(0)
}

func (p *replays) scroll(n int) {
	p.top = max(0, min(p.top+n, len(p.vis)-p.height))
}

// replayDo carries out what a key means on the screen of a comparison, and says
// whether it was that screen's to do.
func (m *Model) replayDo(a action) (cmd tea.Cmd, mine bool) {
	p := &m.replay
	if a == actPaneTree || a == actPaneList || a == actPaneDetail || a == actDrawer || a == actFindings {
		p.open = false
		return nil, false
	}
	switch {
	case a == actEdit:
		return m.editCompared(), true
	case p.diff.open:
		return m.diffDo(a)
	}
	switch a {
	case actOpen, actCompare:
		return m.openDiff(), true
	case actBack:
		p.open = false
	case actOnlyThese:
		at, ok := p.selected()
		p.only = !p.only
		p.sift()
		for i, v := range p.vis {
			if ok && v == at {
				p.sel = i
			}
		}
		p.reveal()
	case actNextProblem, actPrevProblem:
		n := 1
		if a == actPrevProblem {
			n = -1
		}
		if !p.toDifference(n) {
			return m.complain("no further difference"), true
		}
	case actCopyReport:
		return clipboard(m, p.markdownAll(), "comparison"), true
	case actResend:
		return m.again(), true
	case actReplay:
		if !p.replayed {
			return m.complain("two recordings were compared: esc, then R replays one"), true
		}
		q := p.of
		return m.ask(ReplayRequest{SessionRef: q.SessionRef, Frame: q.Frame, Batch: q.Batch, Params: q.Params}), true
	default:
		return nil, !holdsOnScreens(a)
	}
	return nil, true
}

// editCompared opens the request of the selected call in the user's editor.
func (m *Model) editCompared() tea.Cmd {
	p := &m.replay
	i, ok := p.selected()
	switch {
	case !p.replayed || !ok || p.result.Calls[i].Frame == 0:
		return m.complain("only a call of a replayed session can be edited and sent again")
	case p.running != nil:
		return m.complain("a replay is running; esc stops it")
	}
	c := &p.result.Calls[i]
	q := ReplayRequest{SessionRef: SessionRef{p.of.Recording, c.Session - 1}, Frame: c.Frame}
	if q.Frame == p.of.Frame {
		q.Batch, q.Params = p.of.Batch, p.of.Params
	}
	return m.editCall(q)
}

// again replays once more what the comparison is about.
func (m *Model) again() tea.Cmd {
	p := &m.replay
	switch {
	case !p.replayed:
		return m.complain("two recordings were compared: esc, then R replays one")
	case p.running != nil:
		return m.complain("a replay is running; esc stops it")
	}
	p.request = p.of
	return m.start(p.of.Tools)
}

// words is a verdict for people.
func (v CallVerdict) words() string {
	return [callVerdicts]string{"same", "changed", "missing", "extra", "error now", "fixed now", "slower", "skipped"}[v]
}

// label names the call.
func (c *ComparedCall) label() string {
	return strings.TrimSpace(c.Method + " " + c.Target)
}

// number is that of the request in the first recording, or in the second.
func (c *ComparedCall) number() string {
	if c.Frame == 0 && c.Other == 0 {
		return ""
	}
	return fmt.Sprintf("#%d", max(c.Frame, c.Other*bit(c.Frame == 0)))
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// about says in a few words what is different.
func (c *ComparedCall) about() string {
	switch {
	case c.Note != "" && c.Verdict == CallFixed:
		return "was " + c.Note
	case c.Note != "":
		return c.Note
	case len(c.Schema) > 0:
		return "breaks its output schema: " + c.Schema[0]
	case len(c.Changes) == 1:
		return c.Changes[0].words()
	case len(c.Changes) > 1:
		return fmt.Sprintf("%s and %d more", c.Changes[0].Path, len(c.Changes)-1)
	}
	return ""
}

func (c CallChange) words() string {
	switch c.Kind {
	case "added":
		return c.Path + " added: " + c.Now
	case "removed":
		return c.Path + " removed: " + c.Was
	}
	return c.Path + ": " + c.Was + " → " + c.Now
}

// counts is how many calls came to each verdict.
func (c *Comparison) counts() (n [callVerdicts]int) {
	for i := range c.Calls {
		n[c.Calls[i].Verdict]++
	}
	return n
}

func (c *Comparison) summary() string {
	parts := []string{plural(len(c.Calls), "call")}
	for v, n := range c.counts() {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, CallVerdict(v).words()))
		}
	}
	if n := len(c.Problems); n > 0 {
		parts = append(parts, plural(n, "problem"))
	}
	return strings.Join(parts, " · ")
}

func plural(n int, noun safe.Text) string { return string(term.Count(n, noun)) }

// markdown describes one compared call.
func (p *replays) markdown(call int) string {
	c := &p.result.Calls[call]
	var b strings.Builder
	fmt.Fprintf(&b, "### %s %s: %s\n\n", c.number(), inCode(c.label()), c.Verdict.words())
	fmt.Fprintf(&b, "%s (%s) against %s (%s).\n", p.result.FirstName, c.Was.Took.Round(time.Millisecond), p.result.SecondName, c.Now.Took.Round(time.Millisecond))
	if c.Note != "" {
		b.WriteString("\n" + inCode(c.Note) + "\n")
	}
	if len(c.Changes) > 0 {
		b.WriteString("\n")
	}
	for _, d := range c.Changes {
		fmt.Fprintf(&b, "- %s %s", inCode(d.Path), d.Kind)
		if d.Was != "" {
			b.WriteString(", was " + inCode(d.Was))
		}
		if d.Now != "" {
			b.WriteString(", is " + inCode(d.Now))
		}
		b.WriteString("\n")
	}
	for _, s := range c.Schema {
		b.WriteString("- breaks its output schema: " + inCode(s) + "\n")
	}
	return b.String()
}

// inCode is text as code in Markdown.
func inCode(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// markdownAll describes what is different.
func (p *replays) markdownAll() string {
	const most = 200
	var b strings.Builder
	fmt.Fprintf(&b, "## %s against %s\n\n%s\n", p.result.FirstName, p.result.SecondName, p.result.summary())
	n := 0
	for i := range p.result.Calls {
		if p.result.Calls[i].differs() {
			if n++; n <= most {
				b.WriteString("\n" + p.markdown(i))
			}
		}
	}
	if n > most {
		fmt.Fprintf(&b, "\nand %d more calls that differ\n", n-most)
	}
	for _, s := range p.result.Problems {
		b.WriteString("\n- problem: " + inCode(s))
	}
	return b.String()
}

// usefulInReplay says whether a key would do anything on the screens of a
// comparison.
func (m *Model) usefulInReplay(b binding) bool {
	p := &m.replay
	switch b.do {
	case actResend, actReplay, actEdit:
		return p.replayed && p.running == nil
	case actIgnore:
		return p.diff.at >= 0
	case actOpen, actCompare:
		_, ok := p.selected()
		return ok
	case actFrames:
		return m.w >= 60
	}
	return true
}

// clickReplay selects a call, and shows its answers when it was selected
// already.
func (m *Model) clickReplay(at tea.Mouse) tea.Cmd {
	p := &m.replay
	if p.diff.open || !m.lay.replay.has(at.X, at.Y) {
		return nil
	}
	y := at.Y - m.lay.replay.y - 2
	if y < 0 || y >= p.height || p.top+y >= len(p.vis) {
		return nil
	}
	again := p.sel == p.top+y
	p.sel = p.top + y
	if again {
		return m.openDiff()
	}
	return nil
}
