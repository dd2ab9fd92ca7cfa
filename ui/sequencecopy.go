package ui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/export"
)

// copy puts the diagram on the clipboard as Mermaid: all of it, or as much
// around the selection as code hosts draw.
func (v *sequence) copy(h host) tea.Cmd {
	i, all := h.Rows().Index(), h.Rows().IDs()
	if i < 0 {
		return h.Complain("there is no message to copy")
	}
	from := max(0, min(i-export.DiagramRows/4, len(all)-export.DiagramRows))
	ids := all[from:min(from+export.DiagramRows, len(all))]
	r := v.Rec
	d := export.Diagram{
		Recording: export.Recording{ID: r.ID, Label: string(r.Name()), Tap: r.Tap, Started: r.Started, Live: r.Live, Trouble: r.Trouble},
		Tracker:   r.Tracker, Before: from, After: len(all) - from - len(ids),
		Words: func(row int) (target, result string) { w := r.Texts.Of(row); return w.Target, w.Result },
	}
	for _, id := range ids {
		d.Rows = append(d.Rows, int(id))
	}
	d.Findings = slices.DeleteFunc(slices.Clone(r.Findings.Loud(r.Findings.All)), func(f *diagnose.Finding) bool {
		if len(f.Frames) == 0 {
			return true
		}
		_, in := slices.BinarySearch(ids, uint32(max(0, r.RowAt(f.Frames[0]))))
		return !in
	})
	what := "Mermaid of all rows"
	if n := d.Before + d.After; n > 0 {
		what = "Mermaid of " + strconv.Itoa(len(ids)) + " rows, " + strconv.Itoa(n) + " left out"
	}
	return h.Copy(d.Mermaid(), what)
}
