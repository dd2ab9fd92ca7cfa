package detail

import (
	"strings"
	"testing"

	"midwire/fixtures/effort"
	"midwire/fixtures/transcript"
	"midwire/session/diagnose/rules"
	"midwire/session/wire"
	"midwire/session/words/wordstest"
	"midwire/ui/document"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
)

// FuzzTexts: whatever peers say, what is said of a message and of its findings
// fits into its lines.
func FuzzTexts(f *testing.F) {
	for i, s := range effort.Sample(7, wordstest.Texts()) { // one of each alphabet
		f.Add(s, 30+7*i)
	}
	all := rules.All()
	f.Fuzz(func(t *testing.T, text string, w int) {
		if len(text) > 2<<10 || w < 20 || w > 200 {
			return
		}
		both, err := transcript.Everywhere(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range both {
			rec := library.New(wire.Recording{ID: "r", Tap: s.Tap, Label: text}, all)
			got := Frames{}
			for _, f := range s.Frames {
				rec.Apply(f)
				got[f.N] = *f
			}
			rec.FinishFindings()
			rec.ArrangeFindings()
			for i := range rec.Tracker.Rows() {
				about(t, rec, i, got, w)
			}
			if len(rec.Findings.All) == 0 {
				t.Fatal("nothing was found")
			}
		}
	})
}

// about draws all that is said of a row.
func about(t *testing.T, rec *library.Recording, i int, got Frames, w int) {
	t.Helper()
	sc := sceneOf(rec)
	look := func(what string, lines []string) {
		for _, l := range lines {
			if fault := scenes.Fault(l, w); fault != "" {
				t.Fatalf("%s of row %d: %s", what, i, fault)
			}
		}
	}
	doc := func(what string, d document.Doc, ps []document.Part) {
		d.Width = w
		d.Append(sc.Theme, ps, w)
		look(what, d.All(&sc.Screen, w, 0))
	}
	m := MessageOf(rec, i, got)
	look("card", m.Card(sc, w, 20))
	d, parts := m.Summary(sc, w)
	doc("summary", d, parts)
	for _, tab := range []Tab{TabSummary, TabHeaders, TabRaw} {
		request, response := m.Sides(sc, tab, w)
		doc("request", request.Doc, request.Parts)
		doc("response", response.Doc, response.Parts)
		doc("tab", document.Doc{}, Parts(rec, m.Row, tab, got))
	}
	page := PageOf(m, nil)
	for page.Step() {
	}
	look("page", page.Top(sc, w))
	_, around := page.Around(sc, w)
	look("around", around)
	if said := RowText(rec, m.Row, rec.Texts.Of(i)); scenes.Fault(said, 1<<20) != "" {
		t.Fatal(scenes.Fault(said, 1<<20))
	}
	RowMarkdown(rec, m.Row, rec.Texts.Of(i), got)()
	for _, f := range rec.Findings.OfRow(i) {
		one := library.Located{Rec: rec, Finding: f}
		for line := range strings.Lines(Markdown(sc, one)) {
			if fault := scenes.Fault(strings.TrimSuffix(line, "\n"), 1<<20); fault != "" {
				t.Fatal(fault)
			}
		}
		d := document.Doc{Width: 80}
		Found(one).Write(&d, sc, Whole)
	}
}
