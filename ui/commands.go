package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// commands are what the program itself does, in the order of help and footer.
func (m *Model) commands() []command {
	return slices.Concat(
		m.openers(), m.detailCommands(), m.moves(), m.looks(), m.acts(), m.copyCommands(), m.keepCommands(),
	)
}

// openers open the views that open each other.
func (m *Model) openers() []command {
	open := func(make func(insightView) screenView) func() tea.Cmd {
		return do(func() { m.visit(make(insightView{reader: m.insights})) })
	}
	waterfall := func(insightView) screenView { return newWaterfall() }
	sequence := func(insightView) screenView { return newSequence() }
	return []command{
		{id: "global.waterfall", key: bind("w", "w", "waterfall: what took long"), group: look, on: onSiblings, run: open(waterfall)},
		{id: "global.sequence", key: bind("s", "s", "sequence diagram"), group: look, on: onSiblings, run: open(sequence)},
		{id: "global.tools", key: bind("t", "t", "tools and their numbers"), group: look, on: onSiblings, run: open(newTools)},
		{id: "global.capabilities", key: bind("c", "c", "capabilities of both sides"), group: look, on: onSiblings, run: open(newCaps)},
		{id: "global.streams", key: bind("S", "S", "event streams"), group: look, on: onSiblings, run: open(newStreams)},
		{id: "global.handles", key: bind("H", "H", "handles and their uses"), group: look, on: onSiblings, run: open(newHandles)},
	}
}

// moves go from line to line, from message to message, from pane to pane.
func (m *Model) moves() []command {
	some := func(hint safe.Text) safe.Text { return when(len(m.recs) > 0, hint) }
	_, chosen := m.list.Selected()
	goTo := func(p pane) func() tea.Cmd {
		return do(func() {
			m.toMessages()
			m.focusPane(p)
		})
	}
	lines := func(n int) func() tea.Cmd { return do(func() { m.move(n) }) }
	pages := func(n, of int) func() tea.Cmd { return do(func() { m.move(n * max(m.pageSize()/of, 1)) }) }
	return []command{
		{id: "sessions.open", key: bind("enter l right", "enter", "show, load or unfold"), hint: "open", group: move, run: m.openNode},
		{id: "sessions.left", key: bind("h left", "h", "fold"), group: move, run: do(func() { m.sideways(-1) })},
		{id: "messages.open", key: bind("enter l right", "enter", "the message in detail"), hint: when(chosen, "open"), group: move, run: do(m.readMessage)},
		{id: "detail.left", key: bind("h", "h l", "previous, next tab"), title: "previous tab", hint: some("tab"), group: move, run: do(func() { m.sideways(-1) })},
		{id: "detail.right", key: bind("l", "", ""), title: "next tab", run: do(func() { m.sideways(1) })},
		{id: "detail.scroll-left", key: bind("left", "← →", "tab, or scroll sideways"), title: "tab, or scroll left", group: move, run: do(func() { m.sidewaysIn(-1) })},
		{id: "detail.scroll-right", key: bind("right", "", ""), title: "tab, or scroll right", run: do(func() { m.sidewaysIn(1) })},
		{id: "global.down", key: bind("j down", "j k ↓ ↑", "line down, up"), title: "line down", group: move, on: onAll, run: lines(1)},
		{id: "global.up", key: bind("k up", "", ""), title: "line up", on: onAll, run: lines(-1)},
		{id: "global.half-page-down", key: bind("ctrl+d", "^d ^u", "half a page"), title: "half a page down", group: move, on: onAll, run: pages(1, 2)},
		{id: "global.half-page-up", key: bind("ctrl+u", "", ""), title: "half a page up", on: onAll, run: pages(-1, 2)},
		{id: "global.page-down", key: bind("space ctrl+f pgdown", "space ^b", "page"), title: "page down", group: move, on: onAll, run: pages(1, 1)},
		{id: "global.page-up", key: bind("ctrl+b pgup", "", ""), title: "page up", on: onAll, run: pages(-1, 1)},
		{id: "global.top", key: bind("g home", "g", "top"), group: move, on: onAll, run: do(func() { m.toEnd(false) })},
		{id: "global.bottom", key: bind("G end", "G", "end, and follow"), group: move, on: onAll, run: do(func() { m.toEnd(true) })},
		{id: "global.next-problem", key: bind("]", "] [", "next, previous problem"), title: "next problem", group: move, on: onList, run: do(func() { m.toProblem(1) })},
		{id: "global.previous-problem", key: bind("[", "", ""), title: "previous problem", on: onList, run: do(func() { m.toProblem(-1) })},
		{
			id: "global.next-pane", key: bind("tab", "tab", "next pane"), hint: when(len(m.panes()) > 1, some("pane")), group: move,
			run: do(func() { m.turnFocus(1) }),
		},
		{id: "global.previous-pane", key: bind("shift+tab", "", ""), title: "previous pane", run: do(func() { m.turnFocus(-1) })},
		{id: "global.sessions", key: bind("1", "1 2 3", "sessions, messages, detail"), title: "go to the sessions", group: move, on: onAll, run: goTo(paneTree)},
		{id: "global.messages", key: bind("2", "", ""), title: "go to the messages", on: onAll, run: goTo(paneList)},
		{id: "global.detail", key: bind("3", "", ""), title: "go to the detail", on: onAll, run: goTo(paneDetail)},
	}
}

// looks change what is seen.
func (m *Model) looks() []command {
	some := func(hint safe.Text) safe.Text { return when(len(m.recs) > 0, hint) }
	_, chosen := m.list.Selected()
	node := m.tree.Selected()
	r, read := m.list.Rec, !m.lay.drawer && !m.chosen.card
	noHits := func() safe.Text {
		return unless(len(m.detail.Search.Hits) > 0, "nothing was found in this tab; / looks for text")()
	}
	wrap, follow, frames := safe.Text("wrap"), safe.Text("follow"), safe.Text("frames")
	if m.detail.Wide {
		wrap = "break"
	}
	if m.list.Follow {
		follow = "pause"
	}
	if m.list.RawFrames {
		frames = "exchanges"
	}
	return []command{
		{
			id: "detail.find", key: bind("/", "/", "find text in the detail"), hint: when(chosen, "find"), group: look,
			run: func() tea.Cmd { return m.detail.find.edit(m, m.detail.Search.Text) },
		},
		{id: "detail.next-hit", key: bind("n", "n N", "next, previous place found"), title: "next place found", group: look, why: noHits, run: do(func() { m.detail.NextHit(1) })},
		{id: "detail.previous-hit", key: bind("N", "", ""), title: "previous place found", why: noHits, run: do(func() { m.detail.NextHit(-1) })},
		{
			id: "detail.wrap", key: bind("W", "W", "break long lines, or not"), hint: when(chosen && !m.detail.tab.Words(), wrap), group: look,
			run: do(func() { m.detail.Wide, m.detail.Left = !m.detail.Wide, 0 }),
		},
		{
			id: "messages.filter", key: bind("/", "/", "filter the messages"), hint: when(read, "filter"), group: look, why: m.whyNotFilter,
			run: func() tea.Cmd { return m.filter.edit(m) },
		},
		{
			id: "sessions.find", key: bind("/", "/", "find in the session tree"), hint: when(len(m.tree.Nodes) > 3, "find"), group: look,
			run: func() tea.Cmd { return (&asking{what: askTree}).begin(m, m.tree.Text) },
		},
		{
			id: "sessions.name", key: bind("N ,", "N", "name a recording, a session"), hint: "name", group: act, why: unless(node != nil && m.rec(node.Rec) != nil, "choose a recording or a session to give it a name"),
			run: m.askName,
		},
		{id: "sessions.delete", key: bind("X", "X", "delete a recording"), hint: "delete", group: act, why: m.whyNotDelete, run: m.askDelete},
		{
			id: "global.findings", key: bind("!", "!", "what broke, and why"), hint: when(m.history.view() == nil && r != nil && r.Findings.Total.Sum() > 0, "findings"),
			group: look, on: onAll, run: do(m.openFindings),
		},
		{
			id: "global.drawer", key: bind("b", "b", "the session tree"), hint: when(!m.lay.drawer && m.lay.w < treeBeside, some("sessions")), group: look, on: onAll,
			run: do(m.toggleDrawer),
		},
		{
			id: "global.follow", key: bind("F", "F", "follow the newest, or stop"), hint: when(read && r != nil && r.Live, follow), group: look, on: onList,
			run: do(m.toggleFollow),
		},
		{id: "global.flow", key: bind("f", "f", "only this message's flow"), hint: when(read && m.w >= 100 && m.sameFlow(), "flow"), group: look, run: do(m.onlyFlow)},
		{id: "global.mark", key: bind("m", "m M", "mark a row, only marked"), title: "mark a row", group: act, on: onList, run: do(m.mark)},
		{id: "global.marked", key: bind("M", "", ""), title: "only marked rows", run: do(m.onlyMarked)},
		{id: "global.freeze", key: bind("p", "p", "freeze, recording goes on"), group: look, on: onAll, run: m.freeze},
		{id: "global.frames", key: bind("v", "v", "exchanges or raw frames"), hint: when(read && chosen, frames), group: look, run: do(m.toggleFrames)},
		{
			id: "global.time", key: bind("T", "T", "time: start, clock, delta"), hint: when(read && chosen, "time"), group: look, on: onList,
			run: do(func() { m.time = (m.time + 1) % term.TimeFormats }),
		},
		{id: "global.place", key: bind("P", "P", "detail: below, right, off"), group: look, run: do(m.place)},
	}
}

// acts do something with what is seen, or with the program.
func (m *Model) acts() []command {
	some := func(hint safe.Text) safe.Text { return when(len(m.recs) > 0, hint) }
	_, chosen := m.list.Selected()
	r := m.list.Rec
	own := m.lay.card.h > 0 && r != nil && m.ownTap(r)
	return []command{
		{id: "empty.copy-config", key: bind("y", "y", ""), hint: "copy", why: unless(m.opts.Hints.Config+m.opts.Hints.HTTPURL != "", "there is none to copy"), run: m.copyConfig},
		{id: "global.copy", key: bind("y", "y", "copy: opens a menu"), hint: "copy", group: act, why: unless(chosen || own, "choose a message to copy"), run: func() tea.Cmd {
			if own {
				return m.copyConfig()
			}
			m.over = overlay{kind: overCopy}
			return nil
		}},
		{
			id: "global.export", key: bind("x", "x", "export the session"), hint: when(m.w >= 100, "export"), group: act, why: m.whyNotExport,
			run: do(func() { m.over = overlay{kind: overExport} }),
		},
		{
			id: "global.replay", key: bind("R", "R", "replay the session"), hint: when(m.w >= 80, "replay"), group: act, why: m.whyNotReplay,
			run: func() tea.Cmd { return m.ask(ReplayRequest{SessionRef: m.sessionHere()}) },
		},
		{
			id: "global.resend", key: bind("r", "r e", "send the call again, edited"), title: "send the call again", group: act, why: m.whyNotResend,
			run: func() tea.Cmd { return m.ask(m.selectedCall()) },
		},
		{
			id: "global.edit", key: bind("e", "", ""), title: "edit the call, send it", why: m.whyNotResend,
			run: func() tea.Cmd { return m.editCall(m.selectedCall()) },
		},
		{id: "global.compare", key: bind("d", "d", "compare two sessions"), group: act, why: m.whyNotCompare, run: m.compare},
		{id: "global.last-replay", key: bind("D", "D", "the last replay, comparison"), group: look, why: unless(m.replay.last != nil, "nothing was replayed or compared yet: R replays a session"), run: do(m.showComparison)},
		{id: "global.mouse", key: bind("alt+m", "alt+m", "mouse on, off"), group: act, on: onAll, run: m.toggleMouse},
		{id: "global.redraw", key: bind("ctrl+l", "^l", "draw the screen anew"), group: act, on: onAll, run: func() tea.Cmd { return tea.ClearScreen }},
		{id: "global.palette", key: bind(": ctrl+p", ":", "commands by name, also ^p"), hint: some("command"), group: act, on: onAll, run: m.openPalette},
		{id: "global.help", key: bind("?", "?", "these keys"), hint: "help", group: act, on: onAll, run: m.openHelp},
		{id: "global.back", key: bind("esc", "esc", "clear the filter, back"), group: act, on: onAll, run: do(m.back)},
		{id: "global.quit", key: bind("q", "q", "quit"), hint: "quit", group: act, on: onAll, run: func() tea.Cmd { return m.quit(false) }},
		{id: "global.interrupt", key: bind("ctrl+c", "^c", "quit"), group: act, on: onAll, run: func() tea.Cmd { return m.quit(true) }},
	}
}

// keepCommands are those for notes, for the order of the list, and for going
// from place to place.
func (m *Model) keepCommands() []command {
	return []command{
		{id: "messages.comment", key: bind(";", ";", "comment on a message"), group: act, run: m.askComment},
		{id: "detail.comment", key: bind(";", "", ""), run: m.askComment},
		{id: "messages.sort", key: bind("o", "o O", "order: column, reversed"), group: look, run: do(m.list.OrderNext)},
		{id: "messages.reverse", key: bind("O", "", ""), title: "reverse the order", run: do(m.list.Reverse)},
		{id: "messages.other", key: bind("%", "%", "answer, what belongs to it"), group: move, run: m.toOther},
		{id: "detail.other", key: bind("%", "", ""), run: m.toOther},
		{id: "messages.return", key: bind("' backspace", "'", "back to where you were"), group: move, run: m.goBack},
		{id: "detail.return", key: bind("' backspace", "", ""), run: m.goBack},
		{id: "sessions.return", key: bind("' backspace", "", ""), run: m.goBack},
	}
}

// whyNotFilter says why no filter can be written.
func (m *Model) whyNotFilter() safe.Text {
	return unless(m.list.Rec != nil && !m.chosen.card, "no recording is shown; choose one among the sessions first")()
}

// whyNotDelete says why what is selected in the tree cannot be deleted.
func (m *Model) whyNotDelete() safe.Text {
	n := m.tree.Selected()
	switch {
	case m.opts.Notebook == nil || n == nil || m.rec(n.Rec) == nil:
		return "choose a recording to delete"
	case m.rec(n.Rec).Live:
		return "a tap is writing this recording; it can be deleted when the tap has ended"
	case n.Sess != library.AllSessions:
		return "a session is a part of its recording; only the whole can be deleted"
	}
	return ""
}

// whyNotExport says why nothing can be exported.
func (m *Model) whyNotExport() safe.Text {
	r, _ := m.exported()
	switch {
	case r == nil:
		return "choose a recording first; b lists them"
	case m.opts.Exporter == nil:
		return "nothing can be exported from here; midwire export does"
	}
	return ""
}

// rank says how near a command is to where one is, which has commands of its
// own.
func (m *Model) rank(c *command, own []command) int {
	_, chosen := m.list.Selected()
	switch in := c.area(); {
	case in == inCopy && chosen && m.view == nil:
		return 2
	case in == inCopy || !m.holds(c) || in == everywhere && shadowed(c, own):
		return 3
	case in == m.area():
		return 0
	case in == everywhere:
		return 1
	}
	return 2
}

// shadowed says whether the first key of a command means something else first.
func shadowed(c *command, own []command) bool {
	keys := c.key.Keys()
	return len(keys) > 0 && slices.ContainsFunc(own, func(o command) bool {
		return slices.Contains(o.key.Keys(), keys[0])
	})
}

// offers lists all commands for the palette, what belongs here first.
func (m *Model) offers() (out []offer) {
	own := m.own()
	for _, c := range m.everyCommand() {
		if c.title = c.name(); c.title == "" {
			continue
		}
		first := ""
		if keys := c.key.Keys(); len(keys) > 0 {
			first = keys[0]
		}
		out = append(out, offer{command: c, keys: keyName(first), rank: m.rank(&c, own)})
	}
	slices.SortStableFunc(out, func(a, b offer) int { return a.rank - b.rank })
	return out
}

// keyName is a key as a person reads it.
func keyName(k string) safe.Text {
	return safe.Line(strings.NewReplacer("ctrl+", "^", "pgdown", "page down", "pgup", "page up").Replace(k))
}

// execute carries out a command where the palette or the help was called.
func (m *Model) execute(o offer) tea.Cmd {
	m.over = overlay{}
	switch {
	case o.id != "" && o.rank == 3:
		return m.notHere(o.command)
	case o.rank == 2 && o.area().pane():
		m.focusPane(map[area]pane{inTree: paneTree, inList: paneList, inDetail: paneDetail}[o.area()])
	}
	return m.call(o.command)
}
