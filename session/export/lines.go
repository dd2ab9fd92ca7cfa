// Package export turns sessions into texts for people and other programs. It
// is pure: it returns strings and reads no files.
package export

import (
	"fmt"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/safe"
	"midwire/session/wire"
)

// Printer writes live traffic as lines: one for each message, as it comes, and
// for a response with its request. Its lines are safe for a terminal.
type Printer struct {
	name    string
	tracker *session.Tracker
	load    Load
	clean   func(string) string // masks words; nil changes nothing
	open    map[int]bool        // rows whose response is still to be printed
	count   int                 // of sessions
	numbers []int               // of the tracker's sessions
	known   map[string]int      // numbers of those before, by what they are known by
}

// NewPrinter prints what a tracker makes of frames. name stands before the
// numbers of its sessions: a1, a2.
func NewPrinter(name string, t *session.Tracker, load Load) *Printer {
	return &Printer{name: name, tracker: t, load: load.recent(), open: map[int]bool{}, known: map[string]int{}}
}

// Restart continues with a new tracker: frames were passed over. Sessions that are
// known again keep their numbers.
func (p *Printer) Restart(t *session.Tracker) {
	for i, s := range p.tracker.Sessions() {
		if len(p.known) < maxKnown {
			p.known[knownBy(s)] = p.number(i)
		}
	}
	p.tracker, p.numbers = t, nil
	clear(p.open)
}

const maxKnown = 1 << 16

// knownBy is what a session is known by again.
func knownBy(s *session.Session) string { return s.ID + "\x00" + s.Client.Name }

// number is that of a session, as it is printed.
func (p *Printer) number(session int) int {
	for i := len(p.numbers); i <= session; i++ {
		s := p.tracker.Sessions()[i]
		n, ok := p.known[knownBy(s)]
		if !ok {
			p.count++
			n = p.count
		}
		p.numbers = append(p.numbers, n)
	}
	return p.numbers[session]
}

// Feed applies one frame to the tracker and returns the lines it is worth.
func (p *Printer) Feed(f *wire.Frame) []string {
	step := p.tracker.Apply(f)
	var lines []string
	for i := step.First; step.First >= 0 && i < step.First+step.Added; i++ {
		r := p.tracker.Row(i)
		ask := f
		if head := uint64(r.Request); head != f.N { // f is the body of that
			ask = p.load(head)
		}
		if r.Ending.Open() {
			p.open[i] = true
			lines = append(lines, p.line(r, r.T, ask, nil))
			continue
		}
		lines = append(lines, p.line(r, r.T, ask, ask))
	}
	for _, i := range step.Changed {
		if r := p.tracker.Row(i); p.open[i] && !r.Ending.Open() {
			delete(p.open, i)
			lines = append(lines, p.line(r, f.T, p.load(uint64(r.Request)), f))
		}
	}
	return lines
}

// line is one message in words. response is nil for a question.
func (p *Printer) line(r *session.Row, at int64, ask, response *wire.Frame) string {
	dir, sign, latency := r.Dir, " ", ""
	if response != nil && r.Ending != session.NoEnding {
		sign = Sign(r.Ending)
	}
	if response != nil && response != ask {
		dir = dir.Opposite()
		latency = "  " + Duration(r.Latency())
	}
	target, result := describe.Row(p.tracker, r, ask, response)
	if response == nil {
		result = ""
	}
	tag := "-"
	if r.Session >= 0 {
		tag = fmt.Sprintf("%s%d", p.name, p.number(int(r.Session)))
	}
	line := fmt.Sprintf("%9.3f  %-3s %s %s %s %s%s", float64(at)/1e9, tag, Arrow(dir, r.Kind), sign, p.nameCell(r),
		safe.Line(outcome(target, result)), latency)
	return strings.TrimRight(line, " ")
}

// nameCell is the name of a row in its column.
func (p *Printer) nameCell(r *session.Row) string {
	return pad(string(safe.Line(p.tracker.Name(r.Name))), 22)
}

// Arrow is the sign for the direction of a row.
func Arrow(d wire.Dir, k session.RowKind) string {
	switch {
	case k == session.RowStderr || k == session.RowProcess || k == session.RowTap:
		return "·"
	case d == wire.ToServer && k == session.RowNotification:
		return "⇢"
	case d == wire.ToClient && k == session.RowNotification:
		return "⇠"
	case d == wire.ToServer:
		return "→"
	case d == wire.ToClient:
		return "←"
	}
	return "·"
}

// Sign is the sign for how a row ended. It never depends on colour.
func Sign(e session.Ending) string {
	return map[string]string{
		"": " ", "pending": "…", "ok": "✓", "error": "✗", "warn": "!", "cancelled": "–", "lost": "?",
	}[e.Word()]
}

// Duration writes nanoseconds as a person would: 0.4ms, 41ms, 1.9s, 2m05s.
func Duration(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1fms", float64(ns)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
