package term

import (
	"strings"

	"charm.land/lipgloss/v2"

	"midwire/session/safe"
)

// Border is the frame of boxes in these glyphs.
func (g *Glyphs) Border() lipgloss.Border {
	if g.ascii {
		return lipgloss.ASCIIBorder()
	}
	return lipgloss.NormalBorder()
}

// Box draws a frame of w cells around lines of w-2 cells: a title at the left of
// its upper edge, and a note at the right of it.
func Box(th *Theme, g *Glyphs, title, note safe.Text, lines []string, w int) []string {
	b := g.Border()
	edge := func(t string) safe.Text { return safe.Line(t) }
	head := NewLine(w, g).Put(th.Frame, edge(b.TopLeft))
	if title != "" {
		head.Put(th.Frame, edge(b.Top)).Gap(1).Put(th.Title, title).Gap(1)
	}
	if note != "" {
		head.Fill(th.Frame, edge(b.Top), w-Width(note)-4).Gap(1).Put(th.Dim, note).Gap(1)
	}
	head.Fill(th.Frame, edge(b.Top), w-1).Put(th.Frame, edge(b.TopRight))
	out := []string{head.Finish()}
	left := NewLine(1, g).Put(th.Frame, edge(b.Left)).Finish()
	right := NewLine(1, g).Put(th.Frame, edge(b.Right)).Finish()
	for _, s := range lines {
		out = append(out, left+s+right)
	}
	foot := NewLine(w, g).Put(th.Frame, edge(b.BottomLeft))
	foot.Fill(th.Frame, edge(b.Bottom), w-1).Put(th.Frame, edge(b.BottomRight))
	return append(out, foot.Finish())
}

// Over puts a block of lines over a screen, its upper left corner at x, y.
func Over(screen, block []string, x, y int) []string {
	below := lipgloss.NewLayer(strings.Join(screen, "\n"))
	above := lipgloss.NewLayer(strings.Join(block, "\n")).X(x).Y(y).Z(1)
	return strings.Split(lipgloss.NewCompositor(below, above).Render(), "\n")[:len(screen)]
}
