// Package news knows what arrives while somebody looks at something else: how
// many messages a second.
package news

import (
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

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
