// Package news knows what arrives while somebody looks at something else: how
// many messages a second, and which findings and sessions are new elsewhere.
package news

import (
	"strings"
	"time"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Item is something new that is not on the screen.
type Item struct {
	Rec      *library.Recording
	Session  int    // index, -1 for none
	Frame    uint64 // where it shows, 0 for a session that began
	Severity diagnose.Severity
	Text     safe.Text
}

const (
	// Stays is how long an item is shown.
	Stays = 4 * time.Second

	recent   = 10 * time.Second // what happened longer ago is no news
	settling = 2 * time.Second  // what is found so soon after the beginning was there before
	most     = 99               // items that are kept for going there
)

// Feed remembers what of live recordings was said already. NewFeed makes one.
type Feed struct {
	seen  map[*library.Recording]*seen
	items []Item
	more  int       // that came with the last one
	since time.Time // when somebody began to look
	shown int       // counts what was shown
	open  bool      // the latest item is shown
	alarm *Item     // the latest error that nobody was alerted of
}

// seen is what of a recording is no news any more.
type seen struct {
	findings        map[*diagnose.Finding]bool
	sessions, stamp int
}

// NewFeed is a feed that somebody begins to look at now.
func NewFeed(now time.Time) Feed { return Feed{seen: map[*library.Recording]*seen{}, since: now} }

// Look takes in what is new in a live recording. What happened long before now is no
// news, nor what is there when somebody begins to look, nor what shows in the scope
// that is on the screen. It returns whether there is something to show.
func (f *Feed) Look(r *library.Recording, shown library.Scope, now time.Time) bool {
	if !r.Live {
		return false
	}
	was, all := f.seen[r], r.Tracker.Sessions()
	if was == nil {
		was = &seen{findings: map[*diagnose.Finding]bool{}}
		f.seen[r] = was
	}
	if was.stamp == r.Findings.Stamp && was.sessions == len(all) {
		return false
	}
	was.stamp = r.Findings.Stamp
	fresh := func(t int64) bool { return now.Sub(r.Started.Add(time.Duration(t))) < recent }
	var found []Item
	for _, x := range r.Findings.All {
		if was.findings[x] {
			continue
		}
		was.findings[x] = true
		loud := x.Severity <= diagnose.Warning && !r.Findings.Muted[x.Rule.ID]
		if loud && fresh(x.T) && !onScreen(r, x.Session, shown) && len(x.Frames) > 0 {
			text := f.name(r, x.Session) + ": " + safe.Line(x.Rule.Title)
			found = append(found, Item{r, x.Session, x.Frames[0], x.Severity, text})
		}
	}
	unbroken := len(found) == 0
	for i := was.sessions; i < len(all) && unbroken; i++ {
		if fresh(all[i].Started) && !onScreen(r, i, shown) {
			found = append(found, Item{Rec: r, Session: i, Text: f.name(r, i) + " connected"})
		}
	}
	was.sessions = len(all)
	if len(found) == 0 || now.Sub(f.since) < settling {
		return false
	}
	f.more += len(found)
	if !f.open {
		f.more = len(found) - 1
	}
	f.open = true
	f.shown++
	for i := range found {
		if found[i].Severity == diagnose.Error {
			f.alarm = &found[i]
		}
	}
	f.items = append(f.items, found...)
	f.items = f.items[max(0, len(f.items)-most):]
	return true
}

func (f *Feed) name(r *library.Recording, session int) safe.Text {
	if session < 0 {
		return r.Name()
	}
	return r.SessionName(session)
}

func onScreen(r *library.Recording, session int, shown library.Scope) bool {
	return r == shown.Rec && (shown.Session == library.AllSessions || shown.Session == session)
}

// Showing says whether the latest item is still to be shown, and which it is: Expire
// ends that, unless another came since.
func (f *Feed) Showing() bool { return f.open }

// Number is another one for each item that is shown.
func (f *Feed) Number() int { return f.shown }

// Expire ends the time of an item.
func (f *Feed) Expire(number int) {
	if number == f.shown {
		f.open = false
	}
}

// Latest takes the latest item off, for going there; false when there is none.
func (f *Feed) Latest() (Item, bool) {
	n := len(f.items)
	if n == 0 {
		return Item{}, false
	}
	it := f.items[n-1]
	f.items, f.open = f.items[:n-1], false
	return it, true
}

// Draw draws the latest item as a box of at most w cells, and returns how many it
// takes.
func (f *Feed) Draw(sc *library.Scene, w int, key safe.Text) (box []string, wide int) {
	it := f.items[len(f.items)-1]
	sign, st := sc.Glyphs.Live, sc.Theme.Ok
	if it.Severity != 0 {
		sign, st = sc.Severity(it.Severity)
	}
	text := it.Text
	if f.more > 0 {
		text += " (+" + safe.Int(f.more) + ")"
	}
	const goes = " goes there"
	tail := 3 + term.Width(key) + len(goes)
	inner := min(w-2, term.Width(sign)+3+term.Width(text)+tail)
	l := term.NewLine(inner, sc.Glyphs).Gap(1).Put(st, sign).Gap(1)
	l.PutMax(term.Plain, text, inner-l.Used-tail)
	l.Gap(inner-l.Used-tail+2).Put(sc.Theme.Key, key).Put(sc.Theme.Dim, goes)
	return term.Box(sc.Theme, sc.Glyphs, "", "", []string{l.Finish()}, inner+2), inner + 2
}

// Alerts are the ways to be told of an error while one looks at another window: not
// at all, by the terminal's bell, by a notice of the desktop as iTerm2 and most
// others know it, or as urxvt does.
func Alerts() []string { return []string{"off", "bell", "osc9", "osc777"} }

// Alert is what to write to the terminal for the latest error that was found elsewhere,
// once; "" for nothing. How is one of Alerts.
func (f *Feed) Alert(how string) string {
	it := f.alarm
	f.alarm = nil
	if it == nil {
		return ""
	}
	text := strings.ReplaceAll(string(term.Cut(it.Text, 160, "")), ";", ",")
	switch how {
	case "bell":
		return "\a"
	case "osc9":
		return "\x1b]9;midwire: " + text + "\a"
	case "osc777":
		return "\x1b]777;notify;midwire;" + text + "\a"
	}
	return ""
}

// Title is what the terminal's window is called: the recording that is shown, and
// how many errors were found in those that are live.
func Title(program safe.Text, shown *library.Recording, all []*library.Recording, g *term.Glyphs) safe.Text {
	errors := 0
	for _, r := range all {
		if r.Live {
			errors += r.Findings.Total[diagnose.Error]
		}
	}
	if errors > 0 {
		program += " " + g.Err + safe.Int(errors)
	}
	if shown != nil {
		program = shown.Name() + " - " + program
	}
	return term.Cut(program, 60, "")
}

const (
	span  = 12 // seconds that the sparkline of the header shows, a cell each
	quiet = 2  // seconds without a message after which nothing moves any more
)

// Rate counts the messages of the last seconds. The zero value has seen none. It has
// no clock: somebody calls Tick every second as long as it Moves.
type Rate struct {
	slots [span]int // the newest first
	heard bool      // there was a message at all
	still int       // seconds since the last one
}

// Add counts n messages that arrive now.
func (r *Rate) Add(n int) {
	if n > 0 {
		r.slots[0] += n
		r.heard, r.still = true, 0
	}
}

// Tick says that a second has passed.
func (r *Rate) Tick() {
	copy(r.slots[1:], r.slots[:])
	r.slots[0] = 0
	r.still++
}

// Moves says whether the rate changes by itself with time.
func (r *Rate) Moves() bool { return r.heard && r.still <= quiet }

// Draw says how many messages a second there are, with a sparkline of the last
// ones that gives way: nothing as long as there were none, "idle" when
// there are no more.
func (r *Rate) Draw(sc *term.Screen) []term.Seg {
	switch {
	case !r.heard:
		return nil
	case !r.Moves():
		return []term.Seg{term.S(sc.Theme.Dim, " idle")}
	}
	// The second that has just begun says little: the one before it is the rate.
	text := term.Number(max(r.slots[0], r.slots[1])) + "/s"
	out := []term.Seg{term.S(term.Plain, safe.Repeat(" ", max(1, 6-term.Width(text)))+text)}
	slots := make([]term.Slot, span)
	for i, n := range r.slots {
		slots[span-1-i].N = n
	}
	spark := term.Spark(sc, sc.Theme.Hue(0), slots)
	return append(out, term.Spare(6, append(spark[:0:0], append([]term.Seg{term.S(term.Plain, " ")}, spark...)...)...)...)
}
