package ui

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/filter"
	"midwire/ui/frames"
	"midwire/ui/gating"
	"midwire/ui/guard"
	"midwire/ui/keymap"
	"midwire/ui/layout"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/news"
	"midwire/ui/palette"
	"midwire/ui/replaying"
	"midwire/ui/sessions"
	"midwire/ui/term"
	"midwire/ui/timeline"
	"midwire/ui/view"
	"midwire/ui/view/findings"
	"midwire/ui/view/insight"
	"midwire/ui/view/reading"
	"midwire/ui/welcome"
)

type pane uint8

const (
	paneList pane = iota
	paneDetail
)

// Model is the whole interface, a tea.Model. It belongs to the goroutine of its
// tea.Program; commands get copies and send messages.
type Model struct {
	src    Source
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc

	rules       []*diagnose.Rule
	recs        []*library.Recording          // in the order in which they came
	byID        map[string]*library.Recording // all of these
	queue       []Tagged                      // frames of the current batch that were not applied yet
	ended       bool                          // the source has nothing more to say
	sourceError string                        // trouble of the source

	theme         term.Theme
	glyphs        term.Glyphs
	dark          bool
	look          int // changes when the theme does
	basicColour   bool
	noColour      bool
	w, h          int
	layout        layout.Layout
	layoutOptions layout.Options
	focus         pane

	home          *sessions.View
	fromHome      bool // the messages were opened there
	list          messages.List
	strip         timeline.Strip
	detail        detailPane
	filter        filter.Line
	findings      *findings.View
	replay        *replaying.Replays
	gate          *gating.Gate
	insights      *reading.Reader
	marks         *insight.Marks
	view          view.View // stands instead of the messages, nil for none
	cache         frames.Cache
	time          term.TimeFormat
	dialog        dialog
	toast         toast
	rate          news.Rate // of the messages that arrive
	rating        bool      // a timer runs for the rate
	noMouse       bool
	blurred       bool // the terminal has not the focus
	slow          bool // the next picture has to wait
	drawNow       bool // but this one
	spin          spin
	lastRow       clicked
	userChose     bool // the user chose what to see
	ticking       bool
	scanning      bool
	pendingReview pendingReview // findings that wait
	flows         flows
	frozen        bool // no news is taken in
	newsHeld      bool // news is waiting for the screen to thaw
	frozenAt      time.Time
	quitArmed     time.Time
	entry         lineEntry // that is being written, nil for none
	noteQueue     noteQueue
	removal       removal
	welcome       *welcome.Screen
	recent        palette.Recent // chosen in the palette
	history       history
	program       []keymap.Command // those of the program itself; see root
	byKey         map[string][]int
	guard         guard.Guard

	dirty   bool
	content string
	cursor  *tea.Cursor
}

// New makes the interface. It shows what src delivers; closing it (the end of
// the program) does not close src.
func New(src Source, opts Options) *Model {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	opts.Title = cmp.Or(opts.Title, "midwire")
	if opts.rules == nil {
		opts.rules = rules.All()
	}
	m := &Model{
		src: src, opts: opts, rules: opts.rules,
		byID: map[string]*library.Recording{}, dark: opts.Theme != "light", noColour: opts.NoColor,
		filter: filter.New(opts.Filters),
		cache:  frames.New(), focus: paneList, dirty: true,
	}
	m.guard = guard.Guard{Say: m.Complain, Keep: opts.Defect}
	m.configure()
	m.findings = findings.New(m.rules, m.opts.Coder)
	m.findings.Exports = opts.Exporter != nil
	m.welcome = welcome.New(opts.Starter, opts.Hints.Folder, opts.Hints.HTTPURL)
	m.home = sessions.New(m)
	m.home.URL, m.home.Upstream = opts.Hints.HTTPURL, opts.Hints.Upstream
	m.list.Session = library.AllSessions
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.insights = reading.NewReader(m.ctx, src)
	m.marks = insight.NewMarks(m.insights)
	m.replay = replaying.New(m.ctx, m, opts.Replayer)
	m.gate = gating.New(m.ctx, opts.Gates, nil)
	if opts.Replayer != nil {
		m.gate = gating.New(m.ctx, opts.Gates, m.editText)
	}
	m.applyTheme()
	return m
}

func (m *Model) applyTheme() {
	switch {
	case m.noColour:
		m.theme = term.NoColour()
	case m.basicColour:
		m.theme = term.Basic()
	default:
		m.theme = term.Coloured(m.dark)
	}
	m.glyphs = term.Unicode()
	if m.opts.ASCII {
		m.glyphs = term.ASCII()
	}
	m.look++
	m.dirty = true
}

// Init asks for the first news and for the background of the terminal.
func (m *Model) Init() tea.Cmd {
	cmd := tea.Batch(m.next(), m.listen())
	if kept := m.filter.Load(); kept != nil {
		cmd = tea.Batch(cmd, kept)
	}
	if m.asksBackground() {
		return tea.Batch(cmd, tea.RequestBackgroundColor)
	}
	return cmd
}

// afterUpdate brings everything that depends on something else up to date: layout,
// list, detail pane, timers. It returns the commands that this needs. No key press brings
// rows: it has the list looked at where it was begun anew.
func (m *Model) afterUpdate(pressed bool) tea.Cmd {
	gate := m.gate.Refresh(m)
	m.rearrange()
	if m.layoutOptions.Full && m.layout.List.W > 0 {
		m.layoutOptions.Full = false
	}
	m.fixFocus()
	m.list.Resize(m.layout.Rows())
	var cmds []tea.Cmd
	add := func(c tea.Cmd) {
		if c != nil {
			cmds = append(cmds, c)
		}
	}
	add(gate)
	if !pressed || !m.list.AllScanned() {
		add(m.scanList())
	}
	if m.view != nil {
		add(m.refreshView())
	}
	if by, ok := m.src.(Summariser); ok && m.view == m.home {
		by.First(m.home.Wanted())
	}
	if told := m.tellsAlways(); told != m.layoutOptions.Told {
		m.layoutOptions.Told = told
		m.rearrange()
	}
	if m.list.Query != nil {
		add(m.working(m.list.SearchStep(m.ctx, m.src)))
	}
	if m.list.Order.Wanted {
		add(m.working(m.list.OrderStep()))
	}
	add(m.refreshDetail())
	add(m.refreshPage())
	add(m.refreshLinks())
	add(m.startTick())
	if len(m.noteQueue.want)+len(m.noteQueue.changed) > 0 {
		add(m.keepNotes())
	}
	return tea.Batch(cmds...)
}

// afterNews follows what arrived. No key changes any of it.
func (m *Model) afterNews() tea.Cmd {
	return tea.Batch(m.tellRate(), m.reviewSoon(), m.compareFlows(), m.slowDown())
}

// working draws the screen anew after a step of work that changed it.
func (m *Model) working(cmd tea.Cmd, changed bool) tea.Cmd {
	m.dirty = m.dirty || changed
	return cmd
}

// rearrange computes the layout. Where there are no messages to show, words
// take their place, or where there are recordings to choose from, the start screen.
func (m *Model) rearrange() {
	had := m.layoutOptions.InfoPanel
	m.layoutOptions.InfoPanel = m.nothingToShow()
	if m.view == nil && m.mustChoose() {
		m.view = m.home
	}
	m.layoutOptions.Whole = m.view != nil
	m.layoutOptions.Reading = m.focus == paneDetail
	m.layoutOptions.Sessions = m.list.Sessions()
	m.layoutOptions.Held = len(m.list.Held())
	m.layoutOptions.Lines = m.listLines()
	m.layoutOptions.Account = m.accountLines()
	m.layout = layout.Of(m.w, m.h, m.layoutOptions)
	if had && !m.layoutOptions.InfoPanel && !m.userChose {
		m.focus = paneList
	}
}

// listLines is how many lines the list has, 0 where that changes all the time: it has its
// share of the screen then.
func (m *Model) listLines() int {
	r := m.list.Rec
	if r == nil || r.Live && m.list.Follow || r.Loads() || m.list.Scanned < m.list.Total() || m.layoutOptions.Held > 0 {
		return 0
	}
	return m.list.Lines()
}

// accountLines is how many lines the account of the session that is shown fills, nil where nothing
// went wrong in it.
func (m *Model) accountLines() func(w int) int {
	r, s := m.list.Rec, m.list.Session
	if r == nil || r.Loads() || r.Live && m.list.Follow {
		return nil
	}
	id, ok := m.list.Selected()
	if s == library.AllSessions {
		if s = 0; ok && len(r.Tracker.Sessions()) > 1 {
			s = int(r.Tracker.Row(int(id)).Session)
		}
	}
	if len(r.CardOf(s)) == 0 || r.Live && (!ok || detail.MessageOf(r, int(id), nil).Account() == nil) {
		return nil
	}
	return func(w int) int { return detail.AccountOf(r, s).Rows(m.Scene(), w-2) }
}

// nothingToShow says whether a list of messages would be empty for want of a
// recording that has any.
func (m *Model) nothingToShow() bool {
	r := m.list.Rec
	return len(m.recs) > 0 && (r == nil || !r.Loaded() && (r.Live || !r.Opened || r.Broken()))
}

// mustChoose says whether nothing can be shown before the user has chosen.
func (m *Model) mustChoose() bool {
	return m.layoutOptions.InfoPanel && (m.list.Rec == nil || !m.list.Rec.Live)
}

// fixFocus moves the focus off a pane that is not on the screen.
func (m *Model) fixFocus() {
	on := m.panes()
	if len(on) == 0 || slices.Contains(on, m.focus) {
		return
	}
	m.focus = on[0]
	if len(on) > 1 && slices.Contains(on, paneList) {
		m.focus = paneList
	}
}

// View returns the screen. It is drawn anew only when something has changed.
func (m *Model) View() tea.View {
	if m.dirty && (!m.slow || m.drawNow) {
		if !m.guard.Do("the screen", func() { m.content, m.cursor = m.draw() }) {
			m.content, m.cursor = string(library.Undrawn("the screen"))+"\nq quits", nil
		}
		m.dirty, m.drawNow = false, false
	}
	v := tea.NewView(m.content)
	v.AltScreen = true
	v.Cursor = m.cursor
	v.ReportFocus = true
	v.WindowTitle = string(news.Title(safe.Line(m.opts.Title), m.list.Rec, m.recs, &m.glyphs))
	v.ProgressBar = m.progressBar()
	if !m.noMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// progressBar is how far the work is that the user waits for, for terminals that show that
// beside the window's name; nil for none.
func (m *Model) progressBar() *tea.ProgressBar {
	done, all := m.replay.Done()
	if w, ok := m.view.(view.Worker); ok && all == 0 {
		done, all = w.Progress()
	}
	if all == 0 && m.view == nil {
		done, all = m.list.Work()
	}
	if all == 0 || m.opts.NoBar {
		return nil
	}
	return tea.NewProgressBar(tea.ProgressBarDefault, 100*done/all)
}

// Scene is what pure rendering needs to know.
func (m *Model) Scene() *library.Scene {
	sc := &library.Scene{Rec: m.list.Rec, All: m.recs, Screen: term.Screen{
		Theme: &m.theme, Glyphs: &m.glyphs, Time: m.time, Now: m.opts.Now(), Frozen: m.frozen,
		Width: m.w, Height: m.h, Boxed: layout.Boxed(m.w, m.h), Look: m.look, ASCII: m.opts.ASCII,
	}, Failed: m.guard.Note}
	if m.frozen {
		sc.Now = m.frozenAt
	}
	if s := m.list.Current(); s != nil {
		sc.Base = s.Started
	}
	if m.replay != nil {
		sc.Marked = m.replay.Marked
	}
	return sc
}

// rec returns a recording by id, or nil.
func (m *Model) rec(id string) *library.Recording {
	return m.byID[id]
}

func (m *Model) live() []*library.Recording { return library.Live(m.recs) }
