package term

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
)

type calls struct {
	tool, note string
	n          int
}

func callTable(sc *Screen) *Table[calls] {
	return &Table[calls]{
		Screen: sc,
		Lead:   func(calls) (Style, Seg) { return Plain, S(Plain, sc.Glyphs.Ok) },
		Columns: []Column[calls]{
			{Head: "TOOL", Min: 6, Max: 12, Cell: func(c calls) Seg { return S(Bold, safe.Line(c.tool)) }},
			{Head: "CALLS", Min: 5, Right: true, Rank: 1, Cell: func(c calls) Seg { return S(Plain, safe.Int(c.n)) }},
			{Head: "P95", Min: 5, Right: true, Rank: 2, Cell: func(calls) Seg { return S(Plain, "1ms") }},
			{Head: "NOTE", Min: 6, Flex: 1, Gap: 1, Rank: 1, Draw: func(l *Line, c calls) {
				l.Put(Plain, safe.Line(c.note))
			}},
		},
	}
}

// TestTableFits: every line has the width that was asked for, whatever is in it.
func TestTableFits(t *testing.T) {
	sc := screenFor(true, false)
	rows := []calls{{"a", "", 1}, {"search_everything", strings.Repeat("漢", 60), 1_000_000}}
	for w := range 80 {
		table := callTable(sc).Fit(w, len(rows), func(i int) calls { return rows[i] })
		lines := append(table.Lines(), table.Row(rows[1], true, true))
		for _, line := range lines {
			if n := ansi.StringWidth(line); n != w {
				t.Fatalf("%d cells for %d: %q", n, w, ansi.Strip(line))
			}
		}
	}
}

// TestTableLeavesOut: what matters least goes first, and what is shown has the room it
// needs before that is shown.
func TestTableLeavesOut(t *testing.T) {
	sc := screenFor(true, false)
	row := calls{"search_all", "slow", 3}
	for w, want := range map[int]string{
		12: "✓ search…",
		24: "✓ search_all     3",
		29: "✓ search_all     3  slow",
		35: "✓ search_all     3   1ms  slow",
	} {
		table := callTable(sc).Fit(w, 1, func(int) calls { return row })
		got := strings.TrimSpace(ansi.Strip(table.Row(row, false, false)))
		if got = strings.TrimSpace(strings.TrimPrefix(got, "▌")); got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
		shows := strings.Contains(want, "1ms")
		if head := ansi.Strip(table.Header()); strings.Contains(head, "P95") != shows || table.Shows("P95") != shows {
			t.Errorf("%d cells: %q", w, head)
		}
	}
}

// TestEmptyColumn: a column in which nothing stands takes no cells, also where it would be
// the first, and every line has the width that was asked for.
func TestEmptyColumn(t *testing.T) {
	sc := screenFor(true, false)
	table := func() *Table[calls] {
		return &Table[calls]{Screen: sc, Columns: []Column[calls]{
			{Max: 8, Cell: func(c calls) Seg { return S(Plain, safe.Line(c.note)) }},
			{Min: 4, Flex: 1, Gap: 2, Cell: func(c calls) Seg { return S(Plain, safe.Line(c.tool)) }},
			{Max: 6, Right: true, Cell: func(c calls) Seg { return S(Plain, safe.Int(c.n)) }},
		}}
	}
	for _, c := range []struct {
		row  calls
		want string
	}{
		{calls{"search", "", 3}, "  search                  3"},
		{calls{"search", "slow", 3}, "  slow   search           3"},
	} {
		for w := 8; w < 60; w++ {
			line := ansi.Strip(table().Fit(w, 1, func(int) calls { return c.row }).Row(c.row, false, false))
			if n := ansi.StringWidth(line); n != w {
				t.Fatalf("%d cells for %d: %q", n, w, line)
			}
			if got := strings.TrimRight(line, " "); w == len(c.want)+1 && got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		}
	}
}
