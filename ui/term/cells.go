package term

import (
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
)

// graphemes is true once the terminal has said that it counts them.
var graphemes atomic.Bool

// CountGraphemes says how the terminal counts cells, as it answered: by graphemes (mode 2027),
// or as most do and before there is an answer, by characters. Of both counts Bubble Tea uses the
// same for what it draws.
func CountGraphemes(on bool) { graphemes.Store(on) }

// Counting is how the terminal counts cells.
func Counting() ansi.Method {
	if graphemes.Load() {
		return ansi.GraphemeWidth
	}
	return ansi.WcWidth
}

// Cluster is how many bytes the first grapheme of a text has, and how many cells it takes.
func Cluster(s string) (bytes, cells int) {
	cluster, cells := ansi.FirstGraphemeCluster(s, Counting())
	return len(cluster), cells
}

// Width is the number of cells that a text takes.
func Width(t safe.Text) int {
	for i := range len(t) {
		if t[i] >= 0x80 {
			return Counting().StringWidth(string(t))
		}
	}
	return len(t)
}
