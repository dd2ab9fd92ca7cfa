// Package filter is the line in which a filter is written: it completes words of the
// language and what the rows have, and recalls the filters used before. A Line belongs
// to the goroutine of the tea.Program.
package filter

import (
	tea "charm.land/bubbletea/v2"

	lang "midwire/session/filter"
	"midwire/session/safe"
	"midwire/ui/query"
	"midwire/ui/term"
	"midwire/ui/view"
)

// Show makes the list show what a filter keeps; nil keeps everything. See view.Host.
type Show struct{ *query.Query }

// Subject is what a line filters that is not the list of messages.
type Subject interface {
	// Language is what can be written, Values what a key can have and how often.
	Language() lang.Language
	Values(key string) map[string]int
	// Filter makes it show what a filter keeps; nil keeps everything.
	Filter(n *lang.Node)
	// Matches is how many there are of how many.
	Matches() (shown, of int)
	// Example is a filter that makes sense.
	Example() safe.Text
}

// Line is the line in which a filter is written. The list always obeys the last
// one that was valid.
type Line struct {
	keeper  Keeper  // nil where filters are not kept
	of      Subject // nil for the messages
	input   term.Input
	query   *query.Query
	err     *query.Error
	advice  safe.Text // what can follow what was typed so far
	before  string    // what esc goes back to
	past    history
	words   completion
	writing bool // the line has the keys
}

// New makes an empty line. Filters are not kept where keeper is nil.
func New(keeper Keeper) Line { return Line{keeper: keeper, input: term.NewInput(400)} }

// NewFor makes an empty line that filters something else than messages. Its filters
// are not kept.
func NewFor(of Subject) Line { return Line{of: of, input: term.NewInput(400)} }

// Text is what the line says, Query the last filter that was valid; nil keeps
// everything.
func (f *Line) Text() string { return f.input.Value() }

// Query is the filter in force, nil for none.
func (f *Line) Query() *query.Query { return f.query }

// Writing says whether the line has the keys.
func (f *Line) Writing() bool { return f.writing }

// Wrong says whether what was written is no filter.
func (f *Line) Wrong() bool { return f.err != nil }

// Edit gives the line the keys.
func (f *Line) Edit(h view.Host) tea.Cmd {
	f.writing, f.before, f.past.at = true, f.Text(), 0
	f.input.CursorEnd()
	f.offer(h)
	return f.input.Focus()
}

// Key edits the line. Enter keeps the filter, esc goes back to the one before;
// both end the writing.
func (f *Line) Key(h view.Host, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		f.End()
		f.apply(h)
		if v := f.Text(); v != "" && f.err == nil {
			return f.Use(v)
		}
	case "esc":
		f.End()
		f.input.SetValue(f.before)
		f.apply(h)
	case "tab":
		f.complete(h, 1)
	case "shift+tab":
		f.complete(h, -1)
	case "up", "ctrl+r":
		f.recall(h, true)
	case "down":
		f.recall(h, false)
	default:
		return f.Update(h, k)
	}
	return nil
}

// Update takes what else there is to put in, like pasted text.
func (f *Line) Update(h view.Host, msg tea.Msg) tea.Cmd {
	old, at := f.Text(), f.input.Position()
	cmd := f.input.Take(msg)
	if f.Text() != old {
		f.past.at = 0
		f.apply(h)
	}
	if f.Text() != old || f.input.Position() != at {
		f.offer(h)
	}
	return cmd
}

// End ends the writing.
func (f *Line) End() {
	f.writing = false
	f.words = completion{}
	f.input.Blur()
}

// apply makes the list obey the line if it is valid, or as far as it is while
// its end is still to be typed.
func (f *Line) apply(h view.Host) {
	var q *query.Query
	var n *lang.Node
	var err *query.Error
	if f.of != nil {
		n, err = f.of.Language().Parse(f.Text())
	} else {
		q, err = query.Read(f.Text())
	}
	f.advice = ""
	if err != nil && err.More && f.writing {
		f.advice = safe.Line(err.Text)
		err = nil
	}
	if f.err = err; err != nil {
		return
	}
	if f.of != nil {
		f.of.Filter(n)
		return
	}
	if q != nil && f.query != nil && f.query.Text == q.Text && h.Rows().Query == f.query {
		return // its search goes on
	}
	f.query = q
	h.Do(Show{q})
}

// Write replaces the filter as if it had been typed.
func (f *Line) Write(h view.Host, text string) {
	f.input.Write(text)
	f.apply(h)
}

// Draw writes the line, and what is told just now.
func (f *Line) Draw(l *term.Line, h view.Host, told safe.Text) {
	th := h.Scene().Theme
	st := th.Key
	switch {
	case f.err != nil:
		st = th.Err
	case f.query != nil || f.of != nil && f.Text() != "":
		st = th.Ok + term.Bold
	}
	l.Gap(1).Put(st, "/").Gap(1)
	raw := f.Text()
	switch {
	case f.err == nil:
		if f.writing {
			f.input.Draw(l, l.Max-l.Used)
		} else {
			l.Put(term.Plain, safe.Line(raw))
		}
		l.Gap(2).PutMax(th.Dim, f.aside(h, told), l.Max-l.Used-26)
	default:
		l.Cursor = min(l.Used+term.Width(safe.Line(f.input.Before())), l.Max-1)
		from, to := min(f.err.At, len(raw)), min(max(f.err.To, f.err.At), len(raw))
		l.Put(term.Plain, safe.Line(raw[:from])).Put(th.Err+term.Underline, safe.Line(raw[from:to]))
		l.Put(term.Plain, safe.Line(raw[to:]))
	}
	f.drawMatches(l, h)
}

// aside is what stands behind the filter: what can follow, or what went wrong
// with the messages.
func (f *Line) aside(h view.Host, told safe.Text) safe.Text {
	failed, why := 0, ""
	if f.of == nil {
		failed, why = h.Rows().Search.Failed, h.Rows().Search.Why
	}
	switch {
	case f.writing && told != "":
		return told
	case f.advice != "":
		return f.advice
	case failed > 0:
		return h.Scene().Glyphs.Warn + " jq: " + safe.Line(why) + " (" + term.Count(failed, "message") + ")"
	}
	return ""
}

// DrawFault puts the reason below the place where the filter is wrong, in the
// line below it. The filter is Wrong.
func (f *Line) DrawFault(l *term.Line, sc *term.Screen) {
	th := sc.Theme
	raw := f.Text()
	at := 3 + term.Width(safe.Line(raw[:min(f.err.At, len(raw))]))
	why := safe.Line(f.err.Text)
	if f.err.Fix != "" && f.writing {
		why += "   tab fixes it"
	}
	n := term.Width(why)
	switch here := sc.Glyphs.Here; {
	case at+2+n < l.Max || at < l.Max/2:
		l.Gap(min(at, l.Max-1)).Put(th.Err, here).Gap(1).Put(th.Err, why)
	default:
		l.Gap(max(1, at-n-1)).PutMax(th.Err, why, max(0, at-l.Used-1)).Gap(1).Put(th.Err, here)
	}
}

// Hints are what the keys of the line do, and behind them an example where the line
// is empty, else what tab writes.
func (f *Line) Hints() (keys [][2]safe.Text, note safe.Text) {
	keys = [][2]safe.Text{{"enter", "apply"}, {"esc", "cancel"}}
	if len(f.past.used) > 0 {
		keys = append(keys, [2]safe.Text{"up", "earlier"})
	}
	n := len(f.words.words)
	if n > 0 {
		keys = append(keys, [2]safe.Text{"tab", "complete"})
	}
	switch {
	case f.Text() != "":
		for k := range n {
			note += safe.Line(f.words.words[(f.words.at+1+k)%n]) + "  "
		}
	case f.of != nil:
		note = f.of.Example()
	default:
		note = "is:error  lat>500ms  !method:ping  a or b"
	}
	return keys, note
}

// DrawFaultAbove draws the reason alone, for where there is no line below. The
// filter is Wrong.
func (f *Line) DrawFaultAbove(sc *term.Screen) string {
	why := sc.Glyphs.Err + " " + safe.Line(f.err.Text)
	return term.NewLine(sc.Width, sc.Glyphs).Gap(1).Put(sc.Theme.Err, why).Finish()
}

func (f *Line) matches(h view.Host) safe.Text {
	if f.of != nil {
		shown, of := f.of.Matches()
		return term.Number(shown) + " of " + term.Number(of) + " match   "
	}
	rows := h.Rows()
	t := term.Number(len(rows.Visible)) + " of " + term.Number(rows.Total()) + " match   "
	if rows.Searching() {
		t += rows.Searched() + "   "
	}
	return t
}

// drawMatches says at the right of the line how many rows pass the filter.
func (f *Line) drawMatches(l *term.Line, h view.Host) {
	t := f.matches(h)
	esc := safe.Text("esc clears ")
	if f.writing || l.Used+term.Width(t)+term.Width(esc)+2 > l.Max { // the footer has the keys
		esc = ""
	}
	if l.Used+term.Width(t)+2 > l.Max {
		return
	}
	l.Gap(l.Max-term.Width(t)-term.Width(esc)-l.Used).Put(term.Plain, t).Put(h.Scene().Theme.Dim, esc)
}
