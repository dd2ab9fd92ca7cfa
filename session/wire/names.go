package wire

import "encoding/binary"

// Names are what a scan of a line tells of the names of members in it.
type Names struct {
	Matter *Tails // of the names that may matter
	Known  bool   // all colons of the line stand behind names, none in a string
	Colons []int  // those behind names that may matter, in their order
	count  int
}

// maxColons is how many colons a scan keeps. Of a line with more nothing is known.
const maxColons = 256

// see takes the name that ends in front of the quote at i-1.
func (n *Names) see(b []byte, i, colon int) {
	n.count++
	if (i < 9 || i != colon || n.Matter.May(binary.LittleEndian.Uint64(b[i-9:]))) && len(n.Colons) <= maxColons {
		n.Colons = append(n.Colons, colon)
	}
}

// Tails is a set of endings of names: of three letters, each of which is its last five
// bits, whatever its case.
type Tails [1 << 15 / 64]uint64

// May reports whether a name may have an ending of the set. end is its last eight bytes,
// the last one highest. It may also when what it ends with is escaped, or no letter.
func (t *Tails) May(end uint64) bool {
	tail := uint(end>>40&31)<<10 | uint(end>>48&31)<<5 | uint(end>>56&31)
	slash := end ^ ones*'\\'
	return t[tail>>6]>>(tail&63)&1 == 1 || byte(end>>56)|0x20 < 'a' || (slash-ones)&^slash&highs != 0
}
