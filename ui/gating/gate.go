// Package gating is the gate of a proxy on the screen: what is held, and what
// is decided about it. The screen is a controller like any other.
package gating

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/intercept/gate"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/replaying"
	"midwire/ui/term"
	"midwire/ui/view"
)

// Gate is what the screen knows of the gate that it controls, at most one at a time.
// It belongs to the goroutine of the model.
type Gate struct {
	ctx     context.Context
	by      Gates                              // nil where there are none
	edit    func(text []byte) replaying.Editor // nil where nothing can be edited
	rec     *library.Recording                 // whose gate it is
	tried   *library.Recording                 // whose gate was asked for last without being told to
	control Controller                         // nil while there is none
	state   gate.Snapshot
	at      time.Time // when it came
	over    safe.Text // why there is no control any more
	armed   time.Time // when the screen armed
	filter  string    // of what the screen holds
	ticking bool
	screen  *screen
}

// New returns the gates of proxies as by reaches them, until ctx ends.
func New(ctx context.Context, by Gates, edit func(text []byte) replaying.Editor) *Gate {
	g := &Gate{ctx: ctx, by: by, edit: edit}
	g.screen = newScreen(g)
	return g
}

// View is the screen of the gate.
func (g *Gate) View() view.View { return g.screen }

// WhyNot says why a recording has no gate that could be controlled, "" when it has.
func (g *Gate) WhyNot(r *library.Recording) safe.Text {
	switch {
	case r == nil:
		return "choose a recording first; b lists them"
	case g.by == nil:
		return "no gate can be reached from here"
	case !r.Live:
		return "its proxy does not run any more: only what is on its way can be held"
	case r.Control == "":
		return "its proxy was started without --gate, or elsewhere: midwire --gate -- COMMAND can be controlled"
	}
	return ""
}

// Turn arms a hold in the recording that is shown, and shows the gate: without a filter,
// one of all requests. What is armed already stays.
func (g *Gate) Turn(h view.Host, filter string) tea.Cmd {
	filter = cmp.Or(strings.TrimSpace(filter), "kind:request")
	r := h.Scope().Rec
	if why := g.WhyNot(r); why != "" && !(g.control != nil && r == g.rec) {
		return h.Complain(why)
	}
	if _, err := ruleOf(filter); err != "" && g.own() == nil {
		return h.Complain(err)
	}
	h.Open(g.screen)
	if g.control != nil && r == g.rec {
		if g.own() != nil || g.Holds() { // by others: there is something to decide
			return nil
		}
		return g.arm(filter)
	}
	g.leave()
	return g.attach(r, &filter)
}

// Break arms a line, a rule or the name of a fault, in the place of what the screen armed
// before, and shows the gate.
func (g *Gate) Break(h view.Host, line string) tea.Cmd {
	if g.control == nil || h.Scope().Rec != g.rec {
		return g.Turn(h, line)
	}
	h.Open(g.screen)
	return g.arm(line)
}

// attach becomes a controller of a gate, to hold what a filter keeps, nil to hold
// nothing.
func (g *Gate) attach(r *library.Recording, filter *string) tea.Cmd {
	ctx, by := g.ctx, g.by
	g.tried, g.over = r, ""
	return func() tea.Msg {
		c, err := by(ctx, r.Control)
		return view.Then(func(h view.Host) tea.Cmd { return g.attached(h, r, c, filter, err) })
	}
}

// Choose shows the gate with a row selected that it holds.
func (g *Gate) Choose(h view.Host, row int) tea.Cmd {
	for i := range g.state.Held {
		if m := &g.state.Held[i]; row >= 0 && g.screen.row(m) == row {
			h.Open(g.screen)
			g.screen.at, g.screen.list.Sel = m.ID, i
		}
	}
	return nil
}

// watch becomes a controller of the gate of the recording that is shown, so that what
// others hold there shows. What the screen holds elsewhere stays held.
func (g *Gate) watch(h view.Host) tea.Cmd {
	r := h.Scope().Rec
	if r == g.rec || r == g.tried || g.own() != nil || g.WhyNot(r) != "" {
		return nil
	}
	return g.attach(r, nil)
}

func (g *Gate) attached(h view.Host, r *library.Recording, c Controller, filter *string, err error) tea.Cmd {
	switch {
	case err != nil && filter == nil:
		return nil // no one asked for it
	case err != nil:
		return h.Complain("the gate cannot be reached: " + safe.Line(err.Error()))
	case filter == nil && g.own() != nil: // meanwhile
		c.Close()
		return nil
	}
	g.leave()
	g.rec, g.control = r, c
	if filter == nil {
		return g.listen()
	}
	return tea.Batch(g.listen(), g.arm(*filter))
}

func (g *Gate) listen() tea.Cmd {
	c := g.control
	return func() tea.Msg {
		s, err := c.Next()
		return view.Then(func(h view.Host) tea.Cmd { return g.take(h, c, s, err) })
	}
}

// take takes in what a gate says of itself, if it is still the one that is controlled.
func (g *Gate) take(h view.Host, c Controller, state gate.Snapshot, err error) tea.Cmd {
	if c != g.control {
		return nil
	}
	if err != nil {
		held, arms := len(g.state.Held), g.own() != nil
		g.leave()
		why := safe.Line(err.Error())
		if g.over = why; held == 0 && !arms {
			return nil // nobody relied on it
		}
		if held > 0 {
			why += ": what it held was released"
		}
		return h.Complain(why)
	}
	g.state, g.at = state, h.Scene().Now
	g.screen.take()
	return g.listen()
}

// leave ends control of the gate: it releases what the screen held.
func (g *Gate) leave() {
	if g.control != nil {
		g.control.Close()
	}
	if g.rec != nil {
		g.rec.Held = nil
	}
	g.control, g.rec, g.state = nil, nil, gate.Snapshot{}
	g.screen.forget()
}

// Refresh brings the rows of the recording up to date, and keeps the ages of what
// is held moving. It is called after every message.
func (g *Gate) Refresh(h view.Host) tea.Cmd {
	watch := g.watch(h)
	if g.rec == nil {
		return watch
	}
	g.rec.Held = nil
	for i := range g.state.Held {
		m := &g.state.Held[i]
		if row := g.rec.RowAt(m.Frame); m.Frame > 0 && row >= 0 {
			if g.rec.Held == nil {
				g.rec.Held = map[int]time.Time{}
			}
			g.rec.Held[row] = g.since(m)
		}
	}
	if len(g.state.Held) == 0 && g.own() == nil || g.ticking || h.Scene().Frozen {
		return watch
	}
	g.ticking = true
	return tea.Batch(watch, view.After(time.Second, func() { g.ticking = false }))
}

// do has the gate carry out orders, one after the other, until one fails.
func (g *Gate) do(then func(h view.Host) tea.Cmd, orders ...gate.Order) tea.Cmd {
	c := g.control
	if c == nil {
		return nil
	}
	return func() tea.Msg {
		for _, o := range orders {
			if err := c.Do(o); err != nil {
				return view.Then(func(h view.Host) tea.Cmd { return h.Complain(safe.Line(err.Error())) })
			}
		}
		return view.Then(then)
	}
}

// order has the gate carry out orders, and says so.
func (g *Gate) order(said safe.Text, orders ...gate.Order) tea.Cmd {
	return g.do(func(h view.Host) tea.Cmd { return h.Say(said) }, orders...)
}

// ruleOf is the rule of what was written: a filter is held, a whole rule and the name
// of a fault stay. err says what is wrong with it.
func ruleOf(text string) (rule string, err safe.Text) {
	rule = strings.TrimSpace(text)
	if _, _, named := gate.Named(rule); !named && !strings.Contains(rule, "=>") {
		rule = strings.TrimSpace(rule + " => hold")
	}
	if _, bad := gate.Parse(rule); bad != nil {
		return rule, "the gate cannot ask that: " + safe.Line(bad.Text)
	}
	return rule, ""
}

// arm has the gate hold what a filter keeps, in the place of what the screen armed
// before.
func (g *Gate) arm(filter string) tea.Cmd {
	rule, _ := ruleOf(filter)
	return g.do(func(h view.Host) tea.Cmd {
		g.filter, g.armed = filter, h.Scene().Now
		return nil
	}, gate.Order{Do: "arm", Body: rule})
}

// disarm takes away what the screen armed; what that holds is released.
func (g *Gate) disarm() tea.Cmd {
	return g.order("disarmed: everything passes", gate.Order{Do: "disarm"})
}

// own is the rule that the screen has armed, nil for none.
func (g *Gate) own() *gate.Armed {
	for i := range g.state.Armed {
		if a := &g.state.Armed[i]; a.Owner == g.control.Lease() {
			return a
		}
	}
	return nil
}

// Holds says whether something is held.
func (g *Gate) Holds() bool { return len(g.state.Held) > 0 }

// ReleaseAll lets everything that is held go on, in order.
func (g *Gate) ReleaseAll(h view.Host) tea.Cmd {
	n := len(g.state.Held)
	if n == 0 {
		return h.Say("nothing is held")
	}
	return g.order("released "+term.Count(n, "message"), gate.Order{Do: "release-all"})
}

// WhyNotRestart says why the server cannot be restarted, "" when it can.
func (g *Gate) WhyNotRestart() safe.Text {
	if !g.state.Reload {
		return "only a proxy that runs with --reload restarts its server: midwire run --reload COMMAND"
	}
	return ""
}

// Restart has the proxy restart its server.
func (g *Gate) Restart() tea.Cmd {
	return g.order("the server is restarted", gate.Order{Do: "restart"})
}

// Shows says whether the header speaks of the gate: something is armed or held.
func (g *Gate) Shows() bool {
	return g.control != nil && (len(g.state.Armed) > 0 || g.Holds())
}

// Badges are what the header of every screen says of the gate.
func (g *Gate) Badges(sc *library.Scene) (out []term.Seg) {
	if !g.Shows() {
		return nil
	}
	th := sc.Theme
	badge := func(text safe.Text) {
		out = append(out, th.Badge(th.Warn+term.Bold, text), term.S(term.Plain, " "))
	}
	if !g.Holds() {
		badge("GATE armed")
		return append(out, term.S(term.Plain, "  "))
	}
	held := term.Number(len(g.state.Held)) + " held " + seconds(sc.Now.Sub(g.since(&g.state.Held[0]))) // the oldest
	switch {
	case sc.Width < 100:
		badge("GATE " + held)
	default:
		badge("GATE armed")
		badge(held)
	}
	return append(out, term.S(term.Plain, "  "))
}

func (g *Gate) since(m *gate.Held) time.Time {
	return g.at.Add(-time.Duration(m.AgeMS) * time.Millisecond)
}

// seconds is an age: 6.1 s, and from a minute on 1m04s.
func seconds(d time.Duration) safe.Text {
	if d = max(d, 0); d < time.Minute {
		return safe.Float(d.Seconds(), 1) + " s"
	}
	return term.Duration(int64(d))
}

// held is the message with that id among those held, nil when it is gone.
func (g *Gate) held(id int) *gate.Held {
	i := slices.IndexFunc(g.state.Held, func(h gate.Held) bool { return h.ID == id })
	if i < 0 {
		return nil
	}
	return &g.state.Held[i]
}

// Gates reaches the gates of proxies that run: it becomes a controller of the one with
// that control socket, until ctx ends. It is called from commands, never from Update.
type Gates func(ctx context.Context, address string) (Controller, error)

// Controller controls one gate, as gate.Controller does. What it armed lives as long as
// it does: with its end all that it held is released.
type Controller interface {
	// Lease is the name under which it arms.
	Lease() string
	// Next returns what is armed and held when that is news. An error ends it.
	Next() (gate.Snapshot, error)
	// Show returns one held message, whole.
	Show(id int) (gate.Held, error)
	Do(o gate.Order) error
	Close()
}

// In is Gates for the proxies of this machine that record into a folder.
func In(recordings string) Gates {
	return func(ctx context.Context, address string) (Controller, error) {
		c, err := gate.Reach(gate.Folder(recordings), address)
		if err != nil {
			return nil, err
		}
		return c.Attach(ctx)
	}
}
