package messages

import (
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session/diagnose/rules"
	lang "midwire/session/filter"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words/wordstest"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/query"
	"midwire/ui/term"
)

func sceneOf(rec *library.Recording, w int) *library.Scene {
	th, sg := term.Coloured(true), term.Unicode()
	return &library.Scene{Screen: term.Screen{Theme: &th, Glyphs: &sg, Width: w}, Rec: rec}
}

// TestHitsAreLitWhereTheyStand: what was looked for is lit in a row, whatever
// letters stand before it, and the row stays what it is.
func TestHitsAreLitWhereTheyStand(t *testing.T) {
	sc := sceneOf(nil, 80)
	for _, s := range wordstest.Valid() {
		text := safe.Line(s + "FOUNDẞ" + s)
		if term.Width(text) > 76 {
			continue
		}
		c := Columns{sc: sc, hit: "foundẞ"}
		l := term.NewLine(80, sc.Glyphs)
		c.put(l, term.Plain, text)
		line := l.Finish()
		lit := term.NewLine(80, sc.Glyphs).Put(sc.Theme.Hit, "FOUNDẞ").Finish()
		if lit, _, _ = strings.Cut(lit, "ẞ"); !strings.Contains(line, lit) {
			t.Errorf("%q is not lit in %q", lit, line)
		}
		if fault := scenes.Fault(line, 80); fault != "" {
			t.Error(fault)
		}
	}
}

// FuzzTexts: whatever peers say and whatever is looked for, a row has as many
// cells as there are.
func FuzzTexts(f *testing.F) {
	for i, s := range wordstest.Texts() {
		f.Add(s, s[:min(len(s), 1+i%6)], 30+i)
	}
	all := rules.All()
	f.Fuzz(func(t *testing.T, text, hit string, w int) {
		if len(text) > 2<<10 || w < 20 || w > 250 {
			return
		}
		both, err := transcript.Everywhere(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range both {
			rec := library.New(wire.Recording{ID: "r", Tap: s.Tap, Label: text}, all)
			for _, f := range s.Frames {
				rec.Apply(f)
			}
			rec.FinishFindings()
			rec.ArrangeFindings()
			sc := sceneOf(rec, w)
			look := &Look{Width: w, Headings: true, Filter: hit}
			{
				for _, filter := range []string{"", lang.Quote(hit)} {
					q, _ := query.Read(filter)
					l := List{}
					l.Reset(library.Scope{Rec: rec, Session: library.AllSessions}, q)
					l.Scan(1 << 20)
					l.Resize(1 << 10)
					look.Filter = filter
					for _, line := range l.Draw(sc, look, 1<<10) {
						if fault := scenes.Fault(line, w); fault != "" {
							t.Fatalf("with %q: %s", filter, fault)
						}
					}
					if n := term.SegsWidth(term.Fitting(l.State(sc, look), w)); n > 2*w {
						t.Fatalf("the state takes %d cells of %d", n, w)
					}
					if l.Group(); l.Grouped() {
						l.Draw(sc, look, 1<<10)
					}
				}
			}
		}
	})
}

// The axis of time has the cells that whole results leave: 24 at least, else none.
func TestBarsWhereCellsAreFree(t *testing.T) {
	th, sg := term.Coloured(true), term.Unicode()
	for _, c := range []struct {
		w, result int
		timed     bool
	}{{120, 10, true}, {120, 44, false}, {200, 40, true}, {200, 120, false}, {60, 2, false}} {
		sc := &library.Scene{Screen: term.Screen{Theme: &th, Glyphs: &sg, Width: c.w}}
		col := LayColumns(sc, &Plan{Width: c.w, Last: 99, Time: 6, Widths: library.Widths{Tool: 12, Arguments: 10}, Bars: true, Result: c.result})
		if col.timed != c.timed {
			t.Errorf("%d cells, results of %d: an axis %v", c.w, c.result, col.timed)
		}
		if n := col.Cells(len(col.Columns) - 1); col.timed && (n < 24 || col.Cells(col.index("RESULT")) < c.result) {
			t.Errorf("%d cells, results of %d: the axis has %d", c.w, c.result, n)
		}
	}
}
