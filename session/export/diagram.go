package export

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/timeline"
	"midwire/session/words"
)

// Diagram is a part of a recording that is at hand, to be drawn.
type Diagram struct {
	Recording
	Tracker  *session.Tracker
	Rows     []int // in order; Mermaid takes the first DiagramRows of them
	Words    func(row int) (target, result string)
	Findings []*diagnose.Finding
	// Before and After are how many rows are left out at both ends.
	Before, After int
}

// DiagramRows is how many rows a diagram holds: code hosts draw no larger text.
const DiagramRows = mermaidFirst + mermaidLast

// Mermaid is the part as a sequence diagram, of the same look as Write gives it.
// It may be called while the tracker stands still.
func (d *Diagram) Mermaid() string {
	rows := d.Rows[:min(len(d.Rows), DiagramRows)]
	after := d.After + len(d.Rows) - len(rows)
	index := map[*session.Row]int{}
	for _, i := range rows {
		index[d.Tracker.Row(i)] = i
	}
	s := &Source{Recording: d.Recording, tracker: d.Tracker, known: func(r *session.Row) (string, string) {
		target, result := d.Words(index[r])
		return safe.Clean(target), safe.Clean(result)
	}}
	all := s.story(rows, -1, 0, d.Findings)
	if n := len(all); n > 0 && d.Before > 0 {
		all = slices.Insert(all, 0, leftOut(all[0], d.Before, "earlier row"))
	}
	if n := len(all); n > 0 && after > 0 {
		all = append(all, leftOut(all[n-1], after, "later row"))
	}
	var b strings.Builder
	s.drawMermaid(&brief{w: &b}, all)
	return b.String()
}

func leftOut(beside moment, n int, what string) moment {
	return moment{Event: timeline.Event{Kind: gap}, session: beside.session, text: words.Count(n, what) + " left out"}
}
