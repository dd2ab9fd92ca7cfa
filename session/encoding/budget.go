package encoding

// Budget bounds how much a reader of a recording unfolds in all. A few hundred
// small bodies can each unfold to MaxDecoded; what is honest never comes near
// the ratio that is free. The zero value is a whole budget; it belongs to one
// goroutine.
type Budget struct {
	in, out int64
	refused bool
}

const (
	freeBytes = MaxDecoded // may be unfolded whatever their source
	freeRatio = 64         // bytes more for each compressed one; JSON unfolds to 5 to 20
)

// Decode is Coding.Decode within the budget. It returns false as well when the
// body unfolds to more than is left of it; see Refused.
func (b *Budget) Decode(c Coding, data []byte) ([]byte, bool) {
	return b.DecodeSome(c, data, MaxDecoded)
}

// DecodeSome is Decode for at most so many bytes.
func (b *Budget) DecodeSome(c Coding, data []byte, most int) ([]byte, bool) {
	return b.decode(c, data, len(data), 0, most)
}

// Resume is Decode for the beginning of a body, longer by fresh bytes than the
// one that was decoded last, to given bytes. Those are not counted again, nor returned.
func (b *Budget) Resume(c Coding, data []byte, fresh, given int) ([]byte, bool) {
	return b.decode(c, data, fresh, given, MaxDecoded)
}

// Refused reports whether the last body was not decoded for want of budget.
func (b *Budget) Refused() bool { return b.refused }

func (b *Budget) decode(c Coding, data []byte, fresh, given, most int) ([]byte, bool) {
	b.in += int64(fresh)
	left := freeBytes + freeRatio*b.in - b.out
	// With less than it brought along, trying is what would cost.
	if b.refused = c != None && left < freeRatio*int64(fresh); b.refused {
		return nil, false
	}
	enough := int64(given) + left
	out, work, ok := c.decode(data, given, int(min(int64(most), enough+1)))
	b.out += int64(max(work-given, 0))
	if b.refused = c != None && int64(work) > enough; b.refused {
		b.out += c.minimum()
		return nil, false
	}
	return out, ok
}

// minimum is what a decoder unfolds at least before it returns the first byte: a
// body that is refused costs that.
func (c Coding) minimum() (n int64) {
	for ; c != None; c >>= layerBits {
		if n += 128 << 10; c&layer == Brotli {
			n += 16 << 20 // its largest window (RFC 7932 9.1), which is filled first
		}
	}
	return n
}
