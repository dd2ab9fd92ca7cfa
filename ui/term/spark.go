package term

import "midwire/session/safe"

// Slot is one cell of a sparkline: how much happened in it, and whether some of
// it failed.
type Slot struct {
	N      int
	Failed bool
}

// Spark draws slots as bars of an eighth of a cell and more, each in its own
// cell: the lowest bar for nothing where base is set, else a blank; what failed
// in the colour of errors. The highest is of the largest number.
func Spark(sc *Screen, st Style, slots []Slot, base bool) []Seg {
	most := 1
	for _, s := range slots {
		most = max(most, s.N)
	}
	bars := sc.Glyphs.Bars
	var out []Seg
	for _, s := range slots {
		g := safe.Text(" ")
		switch {
		case s.N > 0:
			g = bars[1+(s.N*(len(bars)-2))/most]
		case base:
			g = bars[0]
		}
		style := st
		if s.Failed {
			style = sc.Theme.Err
		}
		if k := len(out) - 1; k >= 0 && out[k].Style == style {
			out[k].Text += g
		} else {
			out = append(out, S(style, g))
		}
	}
	return out
}

// Fold adds neighbouring slots up, so that n are left. Fewer than n stay as they
// are.
func Fold(slots []Slot, n int) []Slot {
	if len(slots) <= n || n <= 0 {
		return slots
	}
	out := make([]Slot, n)
	for i, s := range slots {
		to := &out[i*n/len(slots)]
		to.N += s.N
		to.Failed = to.Failed || s.Failed
	}
	return out
}
