// Package oauth shows the authorization in a recording: each flow as steps between
// client, MCP server, authorization server and browser, and the first check that
// fails with both of its values.
package oauth

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/export"
	auth "midwire/session/oauth"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// flowView shows one flow at a time. A line that can be selected is a step.
type flowView struct {
	rec         *library.Recording // that account is of
	changes     int                // of its book
	answered    bool
	account     auth.Account
	at          int   // of the flows
	chose       bool  // the user chose the flow, or the step
	offered     int   // the step that is selected as long as nobody chose one
	view.Halves       // the steps, and what is said of one
	tokens      bool  // it shows the tokens
	hits        []int // what the lines of the upper part are: steps, flowLine of a flow, noLine
}

// noLine is a line that is nothing to select; flowLine and less is a flow.
const (
	noLine   = -1
	flowLine = -2
)

var _ view.Split = (*flowView)(nil)

// New is the view of the authorization in a recording.
func New() view.View {
	return &flowView{Halves: view.Halves{
		Below: view.Scroller{Page: true}, Lines: view.Scroller{Lines: int(auth.Kinds)},
	}}
}

func (v *flowView) Area() keymap.Area        { return keymap.Authorization }
func (v *flowView) Name() safe.Text          { return "authorization" }
func (v *flowView) Told(view.Host) safe.Text { return "" }

// Refresh implements view.View. Flows belong to the recording, as a client has no session
// before it is let in. As long as the user has chosen nothing, what fails is selected.
func (v *flowView) Refresh(h view.Host) tea.Cmd {
	rec := h.Scope().Rec
	if rec == nil {
		return nil
	}
	book := rec.Logins()
	switch {
	case book == nil:
		v.rec, v.account, v.answered = rec, auth.Account{}, false
		return nil
	case v.answered && v.rec == rec && v.changes == book.Changes():
		return nil
	}
	v.rec, v.changes, v.account, v.answered = rec, book.Changes(), book.Account(), true
	v.at = max(min(v.at, len(v.account.Flows)-1), 0)
	if v.chose = v.chose || v.Lines.Sel != v.offered; v.chose || len(v.account.Flows) == 0 {
		return nil
	}
	v.at = v.first(h.Scope().Session)
	v.toStep()
	v.offered = v.Lines.Sel
	return nil
}

// first is the flow to begin with: of a session, or the latest, that which failed
// before one that did not.
func (v *flowView) first(session int) int {
	best, most := 0, -1
	for i := range v.account.Flows {
		f, score := &v.account.Flows[i], 0
		if session >= 0 && f.Session == session+1 {
			score += 8
		}
		switch {
		case f.Outcome == auth.Broken && !v.account.Overcome(i):
			score += 4
		case f.Outcome != auth.Broken && len(f.Checks) > 0:
			score += 2
		}
		if f.Outcome != auth.NoLogin {
			score++
		}
		if score > most || score == most && f.Outcome != auth.Broken {
			best, most = i, score
		}
	}
	return best
}

// toStep selects the first step of the flow that failed, else the last that was
// seen.
func (v *flowView) toStep() {
	f, sel := v.flow(), 0
	for i := range f.Steps {
		if len(f.Steps[i].Exchanges) > 0 {
			sel = i
		}
	}
	if c := f.First(); c != nil {
		sel = int(c.Step)
	}
	v.selectStep(sel)
}

func (v *flowView) selectStep(step int) {
	v.Below.Top = 0
	v.Lines.Sel, v.Lines.Lines = step, int(auth.Kinds)
	v.Lines.Move(0)
}

func (v *flowView) flow() *auth.Flow {
	if v.at < len(v.account.Flows) {
		return &v.account.Flows[v.at]
	}
	return nil
}

func (v *flowView) step() *auth.Step {
	f := v.flow()
	if f == nil || v.Lines.Sel >= len(f.Steps) {
		return nil
	}
	return &f.Steps[v.Lines.Sel]
}

func (v *flowView) checks() (out []*auth.Check) {
	f := v.flow()
	for i := range f.Checks {
		if int(f.Checks[i].Step) == v.Lines.Sel {
			out = append(out, &f.Checks[i])
		}
	}
	return out
}

func (v *flowView) Commands(h view.Host) []keymap.Command {
	f := v.flow()
	none := keymap.Unless(f != nil, "no login was seen")
	several := keymap.Unless(len(v.account.Flows) > 1, "there is no other flow")
	failing := keymap.Unless(f != nil && len(f.Checks) > 0, "no check failed")
	noTokens := keymap.Unless(f != nil && len(f.Credentials) > 0, "no token was issued that was seen")
	tokens := safe.Text("tokens")
	if v.tokens {
		tokens = "steps"
	}
	checks := keymap.Problems("failing check", keymap.When(f != nil && len(f.Checks) > 0, "next failing check"), failing, keymap.Step(v.next))
	flows := keymap.Hits("flow", keymap.When(len(v.account.Flows) > 1, "next flow"), several, keymap.Step(v.turn))
	return []keymap.Command{
		keymap.Open("the message of the step", keymap.When(f != nil, "to the message"), none, func() tea.Cmd { return v.open(h) }),
		checks[0], checks[1], flows[0], flows[1],
		{
			ID: "view.form", Key: keymap.Bind("v", "v", "tokens and their claims"), Words: "JWT claims audience expiry",
			Hint: keymap.When(noTokens() == "", tokens), Group: keymap.Look, Why: noTokens,
			Run: keymap.Do(func() { v.tokens, v.Below.Top = !v.tokens, 0 }),
		},
		keymap.Pane("the steps, what is said of one", "", none, v.Turn),
		keymap.Copy("copy the flow as text", keymap.When(f != nil, "copy as text"), none, func() tea.Cmd {
			return h.Copy(export.FlowText(f), "the flow as text")
		}),
	}
}

func (v *flowView) next(step int) {
	f := v.flow()
	v.tokens, v.chose = false, true
	n := len(f.Steps)
	for i := 1; i <= n; i++ {
		k := (v.Lines.Sel + step*i + n*n) % n
		for c := range f.Checks {
			if int(f.Checks[c].Step) == k {
				v.selectStep(k)
				return
			}
		}
	}
}

func (v *flowView) turn(step int) {
	v.choose((v.at + step + len(v.account.Flows)) % len(v.account.Flows))
}

func (v *flowView) choose(flow int) {
	v.at, v.chose = flow, true
	v.tokens = v.tokens && len(v.flow().Credentials) > 0
	v.toStep()
}

// open goes to the message that the step is about: of what failed, that which says
// so.
func (v *flowView) open(h view.Host) tea.Cmd {
	n := uint64(0)
	s := v.step()
	for _, c := range v.checks() {
		if n = c.B.N; n == 0 {
			n = c.A.N
		}
		if n != 0 {
			break
		}
	}
	if k := len(s.Exchanges); n == 0 && k > 0 {
		n = s.Exchanges[k-1].Request
	}
	if n == 0 {
		return h.Complain("this step is not in the recording: " + safe.Line(s.Text))
	}
	return h.Jump(h.Scope().Rec, n)
}

func (v *flowView) State(h view.Host) []term.Seg {
	sc, f := h.Scene(), v.flow()
	if !v.answered || f == nil {
		return nil
	}
	th, out := sc.Theme, []term.Seg(nil)
	n := f.FailedSteps()
	switch {
	case f.Outcome == auth.NoLogin && n == 0:
		return []term.Seg{term.S(th.Dim, "no login: the token was there before")}
	case f.Outcome == auth.Authorized:
		out = []term.Seg{th.Badge(th.Ok, "authorized")}
	case n > 0:
		words := safe.Text("fails")
		if c := f.First(); c != nil {
			words = "fails at step " + safe.Int(int(c.Step)+1)
		}
		out = []term.Seg{th.Badge(th.Err, words)}
	default:
		return []term.Seg{term.S(th.Pend, "not finished")}
	}
	if n > 0 {
		steps := "  " + safe.Int(n) + " of " + safe.Int(len(f.Steps)) + " steps failed"
		out = append(out, term.Spare(1, term.S(th.Dim, steps))...)
	}
	return append(out, term.S(term.Plain, " "))
}

func (v *flowView) Click(h view.Host, _, y int) tea.Cmd {
	if y >= v.BelowAt {
		v.Reading = true
		return nil
	}
	v.Reading = false
	if y < 0 || y >= len(v.hits) || v.hits[y] == noLine {
		return nil
	}
	v.chose = true
	if flow := flowLine - v.hits[y]; flow >= 0 {
		if flow < len(v.account.Flows) {
			v.choose(flow)
		}
		return nil
	}
	if again := v.Lines.Sel == v.hits[y]; again && !v.tokens {
		return v.open(h)
	}
	v.tokens = false
	v.selectStep(v.hits[y])
	return nil
}
