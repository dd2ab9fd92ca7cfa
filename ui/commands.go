package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/palette"
	"midwire/ui/replaying"
	"midwire/ui/term"
	"midwire/ui/view"
	"midwire/ui/view/insight"
	"midwire/ui/view/oauth"
	"midwire/ui/view/reading"
	"midwire/ui/view/sequence"
	"midwire/ui/view/waterfall"
)

// commands are what the program itself does, in the order of help and footer.
func (m *Model) commands() []keymap.Command {
	return slices.Concat(
		m.openers(), m.detailCommands(), m.moves(), view.ListCommands(m, &m.list), m.finds(),
		m.looks(), m.acts(), m.programCommands(), m.copyCommands(), m.keepCommands(),
		m.gateCommands(),
	)
}

func (m *Model) openers() []keymap.Command {
	of := func(make func(*reading.Reader) view.View) func() view.View {
		return func() view.View { return make(m.insights) }
	}
	var out []keymap.Command
	for _, to := range []struct {
		id, key, help string
		title, words  safe.Text
		make          func() view.View
	}{
		{"waterfall", "w", "waterfall: what took long", "the waterfall", "timeline latency slow gantt duration", waterfall.New},
		{"sequence", "s", "sequence diagram", "the sequence diagram", "mermaid arrows lanes", sequence.New},
		{"tools", "t", "tools and their numbers", "tools, prompts and resources", "list definitions never called statistics prompts resources", of(insight.NewTools)},
		{"session", "c", "page of the session", "the page of the session", "protocol versions capabilities instructions event streams SSE", of(insight.NewSession)},
		{"handles", "H", "handles and their uses", "handles and their uses", "cursor task id value issued used", of(m.handles)},
		{"authorization", "O", "OAuth login, step by step", "the OAuth login, step by step", "authorization token 401 refresh scope metadata", func() view.View { return oauth.New() }},
	} {
		out = append(out, keymap.Command{
			ID: "global." + to.id, Key: keymap.Bind(to.key, to.key, to.help), Title: "show " + to.title, Words: to.words,
			Group: keymap.Look,
			On:    keymap.OnSiblings, About: keymap.Read, Run: keymap.Do(func() { m.visit(to.make()) }),
		})
	}
	return out
}

// moves go from line to line, from message to message, from pane to pane.
func (m *Model) moves() []keymap.Command {
	goTo := func(p pane) func() tea.Cmd {
		return func() (cmd tea.Cmd) {
			if sc := m.home.Scope(); m.view == m.home && sc.Rec != nil {
				cmd = m.showScope(sc)
			}
			m.toMessages()
			m.focusPane(p)
			return cmd
		}
	}
	lines := func(n int) func() tea.Cmd { return keymap.Do(func() { m.move(n) }) }
	pages := func(n, of int) func() tea.Cmd { return keymap.Do(func() { m.move(n * max(m.pageSize()/of, 1)) }) }
	return []keymap.Command{
		{
			ID: "messages.open", Key: keymap.Bind("enter l right", "enter", "the message in detail"), Title: "read the message in detail", Words: "open show", Says: keymap.If(m.chosen, "open"),
			Group: keymap.Move, Run: keymap.Do(m.readMessage),
		},
		{
			ID: "detail.left", Key: keymap.Bind("h left", "h l", "previous, next tab"), Title: "previous tab",
			Says: m.withRecordings("tab"), Group: keymap.Move, Run: keymap.Do(func() { m.sideways(-1) }),
		},
		{ID: "detail.right", Key: keymap.Bind("l right", "", ""), Title: "next tab", Run: keymap.Do(func() { m.sideways(1) })},
		{ID: "global.down", Key: keymap.Bind("j down", "j k ↓ ↑", "line down, up"), Title: "line down", Group: keymap.Move, On: keymap.OnAll, Run: lines(1)},
		{ID: "global.up", Key: keymap.Bind("k up", "", ""), Title: "line up", On: keymap.OnAll, Run: lines(-1)},
		{ID: "global.half-page-down", Key: keymap.Bind("ctrl+d", "^d ^u", "half a page"), Title: "half a page down", Group: keymap.Move, On: keymap.OnAll, Run: pages(1, 2)},
		{ID: "global.half-page-up", Key: keymap.Bind("ctrl+u", "", ""), Title: "half a page up", On: keymap.OnAll, Run: pages(-1, 2)},
		{ID: "global.page-down", Key: keymap.Bind("space ctrl+f pgdown", "space ^b", "page"), Title: "page down", Group: keymap.Move, On: keymap.OnAll, Run: pages(1, 1)},
		{ID: "global.page-up", Key: keymap.Bind("ctrl+b pgup", "", ""), Title: "page up", On: keymap.OnAll, Run: pages(-1, 1)},
		{
			ID: "global.top", Key: keymap.Bind("g home", "g", "top"), Title: "go to the first line", Words: "beginning start", Group: keymap.Move,
			On: keymap.OnAll, Run: keymap.Do(func() { m.toEnd(false) }),
		},
		{
			ID: "global.bottom", Key: keymap.Bind("G end", "G", "end, and follow"), Title: "go to the last line and follow", Words: "end", Group: keymap.Move,
			On: keymap.OnAll, Run: keymap.Do(func() { m.toEnd(true) }),
		},
		{
			ID: "global.next-problem", Key: keymap.Bind("]", "] [", "next, previous problem"), Title: "next problem",
			Says: keymap.If(m.failedHere, "next"), Group: keymap.Move, On: keymap.OnList,
			Run: keymap.Do(func() { m.toProblem(1) }),
		},
		{
			ID: "global.previous-problem", Key: keymap.Bind("[", "", ""), Title: "previous problem", On: keymap.OnList,
			Run: keymap.Do(func() { m.toProblem(-1) }),
		},
		{
			ID: "global.next-pane", Key: keymap.Bind("tab", "tab", "next pane"),
			Says:  keymap.If(func() bool { return len(m.panes()) > 1 && len(m.recs) > 0 }, "pane"),
			Group: keymap.Move,
			Run:   keymap.Do(func() { m.turnFocus(1) }),
		},
		{ID: "global.previous-pane", Key: keymap.Bind("shift+tab", "", ""), Title: "previous pane", Run: keymap.Do(func() { m.turnFocus(-1) })},
		{
			ID: "global.sessions", Key: keymap.Bind("1", "1 2 3", "sessions, messages, detail"), Title: "go to the sessions",
			Group: keymap.Move, On: keymap.OnAll, Run: keymap.Do(m.goHome),
		},
		{ID: "global.messages", Key: keymap.Bind("2", "", ""), Title: "go to the messages", On: keymap.OnAll, Run: goTo(paneList)},
		{ID: "global.detail", Key: keymap.Bind("3", "", ""), Title: "go to the detail", On: keymap.OnAll, Run: goTo(paneDetail)},
	}
}

// finds go through what the filter's text finds in the detail pane.
func (m *Model) finds() []keymap.Command {
	noHits := func() safe.Text {
		return keymap.Unless(len(m.detail.Search.Hits) > 0, "no text of a filter is in this tab; / filters")()
	}
	return []keymap.Command{
		{
			ID: "detail.filter", Key: keymap.Bind("/", "/", "filter, and find its text"), Title: "filter the messages from the detail",
			Says: keymap.If(m.chosen, "filter"), Group: keymap.Look, Why: m.whyNotFilter,
			Run: m.editFilter,
		},
		{
			ID: "detail.next-hit", Key: keymap.Bind("n", "n N", "next, previous place found"), Title: "next place found", Group: keymap.Look, Why: noHits,
			Run: keymap.Do(func() { m.detail.NextHit(1) }),
		},
		{ID: "detail.previous-hit", Key: keymap.Bind("N", "", ""), Title: "previous place found", Why: noHits, Run: keymap.Do(func() { m.detail.NextHit(-1) })},
	}
}

func (m *Model) looks() []keymap.Command {
	return []keymap.Command{
		{
			ID: "messages.filter", Key: keymap.Bind("/", "/", "filter the messages"), Title: "filter the messages", Words: "search query", Says: keymap.If(m.shows, "filter"),
			Group: keymap.Look, Why: m.whyNotFilter,
			Run: m.editFilter,
		},
		{
			ID: "global.findings", Key: keymap.Bind("!", "!", "what broke, and why"), Title: "show the findings", Words: "what broke and why problems errors diagnosis rules check lint failures",
			Says: keymap.If(func() bool {
				r := m.list.Rec
				return m.view == m.home || m.history.view() == nil && r != nil && r.Findings.Total.Sum() > 0
			}, "findings"),
			Group: keymap.Look, On: keymap.OnAll, About: keymap.Read, Run: keymap.Do(m.openFindings),
		},
		{
			ID: "global.drawer", Key: keymap.Bind("b", "b", "the sessions"), Title: "show the sessions", Words: "recordings list home start tree",
			Says:  m.withRecordings("sessions"),
			Group: keymap.Look, On: keymap.OnAll,
			Run: keymap.Do(m.turnHome),
		},
		{
			ID: "global.follow", Key: keymap.Bind("F", "F", "pause the list, or follow the newest"), Title: "pause the list, or follow the newest message", Words: "tail live stop", Says: m.followHint,
			Group: keymap.Look, On: keymap.OnList,
			Run: keymap.Do(m.toggleFollow),
		},
		{
			ID: "global.freeze", Key: keymap.Bind("p", "p", "pause the screen, recording continues"), Title: "pause the screen, or resume", Words: "freeze stop",
			Group: keymap.Look, On: keymap.OnAll, Run: m.freeze,
		},
		{
			ID: "global.time", Key: keymap.Bind("T", "T", "time: start, clock, delta"), Title: "change the column of time", Words: "clock delta start timestamp",
			Says:  keymap.If(func() bool { return m.shows() && m.chosen() }, "time"),
			Group: keymap.Look, On: keymap.OnList,
			Run: keymap.Do(func() { m.time = (m.time + 1) % term.TimeFormats }),
		},
	}
}

// acts do something with what is seen, or with the program.
func (m *Model) acts() []keymap.Command {
	return []keymap.Command{
		{
			ID: "global.copy", Key: keymap.Bind("y", "y", "copy: opens a menu"), Title: "copy something of the message", Words: "clipboard yank curl", Hint: "copy", Group: keymap.Act,
			Why: keymap.Except(func() bool { return m.chosen() || m.configures() }, "choose a message to copy"), Run: func() tea.Cmd {
				if m.configures() {
					return m.copyConfig()
				}
				m.openMenu(m.copyMenu())
				return nil
			},
		},
		{
			ID: "global.replay", Key: keymap.Bind("R", "R", "replay the session"), Title: "replay the session", Words: "run again send", Hint: "replay",
			Group: keymap.Act, About: keymap.Chosen, Why: m.whyNotReplay,
			Run: func() tea.Cmd { return m.replay.Ask(replaying.Request{SessionRef: m.sessionHere()}) },
		},
		{
			ID: "global.resend", Key: keymap.Bind("r", "r E", "send the call again, edited"), Title: "send the call again", Says: keymap.If(m.failedHere, "resend, edit"),
			Group: keymap.Act, Why: m.whyNotResend,
			Run: func() tea.Cmd { return m.replay.Ask(m.selectedCall(false)) },
		},
		{
			ID: "global.probe", Key: keymap.Bind("A", "A", "ask the server why it failed"), Title: "ask the server again why it failed", Words: "probe cause prove", Says: keymap.If(m.failedHere, "ask again"),
			Group: keymap.Act, Why: m.whyNotProbe,
			Run: func() tea.Cmd { return m.replay.Ask(m.selectedCall(true)) },
		},
		{
			ID: "global.edit", Key: keymap.Bind("E", "", ""), Title: "edit the call, send it", Why: m.whyNotResend,
			Run: func() tea.Cmd { return m.replay.Edit(m.selectedCall(false)) },
		},
		{
			ID: "global.compare", Key: keymap.Bind("d", "d", "compare two sessions"), Title: "compare two sessions", Words: "diff difference", Says: keymap.If(func() bool { return m.view == m.home }, "diff"),
			Group: keymap.Act, About: keymap.Chosen, Why: m.whyNotCompare,
			Run: func() tea.Cmd { return m.replay.Compare(m.sessionHere()) },
		},
		{
			ID: "global.export", Key: keymap.Bind("x", "x", "export the session"), Title: "export the session", Words: "save share send report HAR HTML Mermaid OTLP file", Says: m.exportHint,
			Group: keymap.Act, About: keymap.Chosen, Why: m.whyNotExport,
			Run: keymap.Do(func() { m.openMenu(m.exportMenu()) }),
		},
		{
			ID: "global.compare-good", Key: keymap.Bind("D", "D", "compare with a good one"), Title: "compare with the last good session", Words: "diff since when worked before",
			Says:  keymap.If(m.failedHere, "compare"),
			Group: keymap.Act, About: keymap.Chosen, Why: m.whyNotCompare,
			Run: func() tea.Cmd { return m.replay.CompareGood(m.sessionHere()) },
		},
		{
			ID: "global.last-replay", Key: keymap.Bind("alt+d", "alt+d", "the last replay, comparison"), Title: "show the last replay or comparison", Words: "diff result", Group: keymap.Look,
			Why: keymap.Except(func() bool { return m.replay.Last != nil }, "nothing was replayed or compared yet: R replays a session"),
			Run: keymap.Do(m.replay.ShowLast),
		},
	}
}

func (m *Model) programCommands() []keymap.Command {
	return []keymap.Command{
		{
			ID: "global.mouse", Key: keymap.Bind("alt+m", "alt+m", "mouse on, off"), Title: "turn the mouse on or off", Words: "select text",
			Group: keymap.Act, On: keymap.OnAll, Run: m.toggleMouse,
		},
		{
			ID: "global.redraw", Key: keymap.Bind("ctrl+l", "^l", "redraw the screen"), Title: "redraw the screen", Words: "refresh clear", Group: keymap.Act, On: keymap.OnAll,
			Run: func() tea.Cmd { return tea.ClearScreen },
		},
		{
			ID: "global.palette", Key: keymap.Bind(":", ":", "commands by name"), Title: "open the command palette", Words: "commands", Says: m.withRecordings("command"),
			Group: keymap.Act, On: keymap.OnAll, Run: m.openPalette,
		},
		{
			ID: "global.back", Key: keymap.Bind("esc", "esc", "clear the filter, back"), Title: "go back", Words: "escape clear close",
			Group: keymap.Act, On: keymap.OnAll, Run: keymap.Do(m.back),
		},
		{
			ID: "global.help", Key: keymap.Bind("?", "?", "these keys"), Title: "show the help", Words: "keys shortcuts", Hint: "help",
			Group: keymap.Act, On: keymap.OnAll, Run: m.openHelp,
		},
		{
			ID: "global.quit", Key: keymap.Bind("q", "q", "quit"), Words: "exit leave close end", Says: m.quitHint, Group: keymap.Act, On: keymap.OnAll,
			Run: func() tea.Cmd { return m.quit(false) },
		},
		{
			ID: "global.interrupt", Key: keymap.Bind("ctrl+c", "^c", "quit"), Group: keymap.Act, On: keymap.OnAll,
			Run: func() tea.Cmd { return m.quit(true) },
		},
	}
}

// keepCommands are those for notes, for the order of the list, and for going
// from place to place.
func (m *Model) keepCommands() []keymap.Command {
	return []keymap.Command{
		{
			ID: "global.anything", Key: keymap.Bind("ctrl+k ctrl+p", "^k", "go to anything"), Title: "go to anything", Words: "jump find search switch open session tool frame",
			Group: keymap.Move, On: keymap.OnAll, Run: m.openAnything,
		},
		{
			ID: "global.search", Key: keymap.Bind(`\`, `\`, "a text in all recordings"), Title: "search in all recordings", Words: "find text grep everywhere messages",
			Group: keymap.Look, On: keymap.OnAll, Why: m.whyNotSearch, Run: func() tea.Cmd { return m.askSearch("") },
		},
		{ID: "global.comment", Key: keymap.Bind(";", ";", "comment on a message"), Title: "comment on the message", Words: "note annotate", Group: keymap.Act, Run: m.askComment},
		{ID: "global.other", Key: keymap.Bind("%", "%", "response, what belongs to it"), Title: "go to the response, or what belongs to it", Words: "request pair", Group: keymap.Move, Run: m.toOther},
		{
			ID: "global.leg", Key: keymap.Bind("L", "L", "other side of the hub"),
			Title: "go to the message on the other side of the hub", Words: "leg gateway server client counterpart follow call",
			Group: keymap.Move, Why: keymap.Except(m.sided, "this is no recording of a hub"), Run: m.toLeg,
		},
		{
			ID: "global.return", Key: keymap.Bind("' backspace", "'", "back to where you were"), Title: "go back to the earlier place", Words: "history",
			Group: keymap.Move, On: keymap.OnAll, Run: m.goBack,
		},
	}
}

// whyNotFilter implements messages.Host: it says why no filter can be written.
func (m *Model) whyNotFilter() safe.Text {
	return keymap.Unless(m.list.Rec != nil && !m.layoutOptions.InfoPanel, "no recording is shown; choose one among the sessions first")()
}

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
func (m *Model) rank(c *keymap.Command, own []keymap.Command) int {
	switch in := c.Area(); {
	case in == keymap.CopyMenu && m.chosen() && m.view == nil:
		return palette.Beside
	case in == keymap.CopyMenu || !m.holds(c) || in == keymap.Everywhere && shadowed(c, own):
		return palette.Elsewhere
	case in == m.area():
		return palette.Here
	case in == keymap.Everywhere:
		return palette.There
	}
	return palette.Beside
}

// shadowed says whether the first key of a command means something else first.
func shadowed(c *keymap.Command, own []keymap.Command) bool {
	keys := c.Key.Keys()
	return len(keys) > 0 && slices.ContainsFunc(own, func(o keymap.Command) bool {
		return slices.Contains(o.Key.Keys(), keys[0])
	})
}

// offers lists all commands for the palette, what belongs here first.
func (m *Model) offers() (out []palette.Offer) {
	own := m.own()
	for _, c := range m.everyCommand() {
		if c.Title = c.Name(); c.Title == "" {
			continue
		}
		first := ""
		if keys := c.Key.Keys(); len(keys) > 0 {
			first = keys[0]
		}
		out = append(out, palette.Offer{Command: c, Keys: keyName(first), Rank: m.rank(&c, own)})
	}
	slices.SortStableFunc(out, func(a, b palette.Offer) int { return a.Rank - b.Rank })
	return out
}

func keyName(k string) safe.Text {
	return safe.Line(strings.NewReplacer("ctrl+", "^", "pgdown", "page down", "pgup", "page up").Replace(k))
}

// execute carries out a command where the palette or the help was called.
func (m *Model) execute(o palette.Offer) tea.Cmd {
	m.dialog = dialog{}
	switch {
	case o.ID != "" && o.Rank == palette.Elsewhere:
		return m.notHere(o.Command)
	case o.Rank == palette.Beside && o.Area().Pane():
		m.focusPane(map[keymap.Area]pane{
			keymap.List: paneList, keymap.Detail: paneDetail,
		}[o.Area()])
	}
	return m.call(o.Command)
}
