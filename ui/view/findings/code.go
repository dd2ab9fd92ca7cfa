package findings

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/stack"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// Place is a place in a server's code, nil for none.
type Place = *stack.Place

// Coder finds the line of a server's code that a finding about some frames of a recording comes
// from, nil for none. It is called from commands.
type Coder interface {
	Place(rec string, frames []uint64) (Place, error)
}

// code is what is known of the code of findings. One of them is looked up at a time.
type code struct {
	coder  Coder                              // nil where code is not looked up
	places map[*diagnose.Finding]*stack.Place // nil for none
	busy   bool
}

// find looks up the code of a finding that it is not known of.
func (c *code) find(p *View, f library.Located) tea.Cmd {
	if _, known := c.places[f.Finding]; known || c.busy || c.coder == nil || f.Side != diagnose.Server {
		return nil
	}
	c.busy = true
	coder, rec, frames := c.coder, f.Rec.ID, slices.Clone(f.Frames)
	return func() tea.Msg {
		place, _ := coder.Place(rec, frames) // what cannot be read says nothing of it
		return view.Then(func(h view.Host) tea.Cmd { return p.takeCode(h, f.Finding, place) })
	}
}

// takeCode takes what was found, and looks up the code of the finding that is selected now.
func (p *View) takeCode(h view.Host, of *diagnose.Finding, place Place) tea.Cmd {
	if p.code.places == nil || len(p.code.places) > 1000 {
		p.code.places = map[*diagnose.Finding]*stack.Place{}
	}
	p.code.busy, p.code.places[of] = false, place
	return p.fetch(h)
}

// writeCode writes the lines of code around a place; its title leads to the file.
func writeCode(t *detail.Text, p *stack.Place) {
	if p == nil {
		return
	}
	t.Part()
	th, where := t.Scene.Theme, safe.Line(p.File+":"+strconv.Itoa(p.Line))
	title, st := document.Line{Link: p.URL()}, th.Key
	if title.Link != "" {
		st += term.Underline
	}
	segs := []term.Seg{term.S(th.Faint, "source"+safe.Repeat(" ", labelW-len("source"))), term.S(st, where)}
	if p.Func != "" {
		segs = append(segs, term.S(th.Dim, "  "+safe.Line(p.Func)))
	}
	t.AddLike(title, labelW, segs...)
	for i, line := range p.Lines {
		n := p.First + i
		like, sign := document.Line{}, safe.Text("  ")
		if n == p.Line {
			like, sign = t.Missing(), t.Scene.Glyphs.Err+" "
		}
		number := strconv.Itoa(n)
		number = strings.Repeat(" ", max(5-len(number), 0)) + number
		row := []term.Seg{term.S(th.Err, sign), term.S(th.Faint, safe.Line(number)+" "+t.Scene.Glyphs.V+" ")}
		code := safe.Line(strings.ReplaceAll(line, "\t", "    "))
		code = term.Cut(code, max(t.Width-12, 8), t.Scene.Glyphs.Ellipsis)
		t.AddLike(like, 0, append(row, term.S(term.Plain, code))...)
	}
	if p.Compiled != nil {
		t.Put(labelW, term.S(th.Dim, safe.Repeat(" ", labelW)+"from "+safe.Line(p.Compiled.String())+", by its source map"))
	}
}
