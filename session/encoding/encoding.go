// Package encoding does and undoes the content codings of HTTP (RFC 9110 8.4).
package encoding

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"midwire/session/words"
)

// MaxDecoded is the most that Decode returns: a small body can unfold to
// gigabytes.
const MaxDecoded = 64 << 20

// Coding is a body's content coding: no coding, one, or several one over the other.
// It has four bits for each, the one that was applied last in the lowest.
type Coding uint32

// The codings that occur.
const (
	None Coding = iota
	Gzip
	Deflate
	Brotli
	Zstd
	Unknown
)

const (
	layerBits = 4
	layer     = 1<<layerBits - 1
	maxLayers = 8
)

// Parse reads a Content-Encoding or a Transfer-Encoding: a list, in the order in
// which codings were applied. "chunked" is none: framing removes it.
func Parse(value string) Coding {
	c := None
	for one := range strings.SplitSeq(value, ",") {
		c = c.Join(parse(words.Fold(strings.TrimSpace(one))))
	}
	return c
}

func parse(name string) Coding {
	switch name {
	case "", "identity", "chunked":
		return None
	case "gzip", "x-gzip":
		return Gzip
	case "deflate":
		return Deflate
	case "br":
		return Brotli
	case "zstd":
		return Zstd
	}
	return Unknown
}

// Join is c with next applied over it. An absurd number of codings is
// Unknown.
func (c Coding) Join(next Coding) Coding {
	for n := range maxLayers {
		shift := (maxLayers - 1 - n) * layerBits
		one := next >> shift & layer
		switch {
		case one == None:
		case c>>((maxLayers-1)*layerBits) != None:
			return Unknown
		default:
			c = c<<layerBits | one
		}
	}
	return c
}

// Decode undoes the coding on a copy of a body, at most MaxDecoded bytes of it.
// Of a body that is incomplete it returns what can be read. False means that
// the coding is unknown or the bytes are not coded that way.
func (c Coding) Decode(data []byte) ([]byte, bool) { return c.DecodeSome(data, MaxDecoded) }

// DecodeSome is Decode for at most so many bytes.
func (c Coding) DecodeSome(data []byte, most int) ([]byte, bool) {
	plain, _, ok := c.decode(data, 0, most)
	return plain, ok
}

// decode is DecodeSome, without the first skip bytes, which take no memory. work is how many
// bytes all codings together gave, each at most so many.
func (c Coding) decode(data []byte, skip, most int) (plain []byte, work int, ok bool) {
	for ; c != None; c >>= layerBits {
		if len(data) == 0 {
			return nil, work, true
		}
		body, done := (c & layer).reader(data)
		if body == nil {
			return nil, work, false
		}
		r, n := io.LimitReader(body, int64(most)), int64(0)
		if c>>layerBits == None {
			n, _ = io.CopyN(io.Discard, r, int64(skip))
		}
		out, err := io.ReadAll(r)
		done()
		work += int(n) + len(out)
		if err != nil && int(n)+len(out) == 0 {
			return nil, work, false
		}
		data = out
	}
	return data, work, true
}

// reader returns nil when data cannot be in that coding.
func (c Coding) reader(data []byte) (io.Reader, func()) {
	nothing := func() {}
	switch c {
	case Gzip:
		if r, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			return r, nothing
		}
	case Deflate:
		// Servers disagree about whether "deflate" has the zlib wrapper that
		// RFC 9110 wants.
		if r, err := zlib.NewReader(bytes.NewReader(data)); err == nil {
			return r, nothing
		}
		return flate.NewReader(bytes.NewReader(data)), nothing
	case Brotli:
		return brotli.NewReader(bytes.NewReader(data)), nothing
	case Zstd:
		r, err := zstd.NewReader(bytes.NewReader(data),
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxDecoded))
		if err == nil {
			return r, r.Close
		}
	}
	return nil, nothing
}

// Encode returns a body in the coding, not much shorter: encoders of the rare
// ones would make the program larger. An unknown coding leaves it as it is.
func (c Coding) Encode(plain []byte) []byte {
	if inner := c >> layerBits; inner != None {
		plain = inner.Encode(plain)
	}
	var out bytes.Buffer
	var w io.WriteCloser
	switch c & layer {
	case Gzip:
		w, _ = gzip.NewWriterLevel(&out, gzip.BestSpeed)
	case Deflate:
		w, _ = zlib.NewWriterLevel(&out, zlib.BestSpeed)
	case Brotli:
		return storeBrotli(plain)
	case Zstd:
		return storeZstd(plain)
	default:
		return plain
	}
	_, _ = w.Write(plain) // into memory
	_ = w.Close()
	return out.Bytes()
}

// storeZstd writes one frame of raw blocks (RFC 8878 3.1.1).
func storeZstd(plain []byte) []byte {
	const most = 64 << 10
	out := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0} // single segment, size in 8 bytes
	out = binary.LittleEndian.AppendUint64(out, uint64(len(plain)))
	for first := true; first || len(plain) > 0; first = false {
		n := min(len(plain), most)
		head := uint32(n) << 3
		if n == len(plain) {
			head |= 1 // the last one
		}
		out = append(out, byte(head), byte(head>>8), byte(head>>16))
		out = append(out, plain[:n]...)
		plain = plain[n:]
	}
	return out
}

// storeBrotli writes uncompressed meta-blocks (RFC 7932 9.2).
func storeBrotli(plain []byte) []byte {
	const most = 64 << 10
	if len(plain) == 0 {
		return []byte{0b110} // window of 16 bits, the last one, empty
	}
	var out []byte
	shift := 1 // the bit that says how large the window is stands before the first
	for len(plain) > 0 {
		n := min(len(plain), most)
		// Not the last, length in 4 nibbles, uncompressed.
		head := uint32(n-1)<<3 | 1<<19
		head <<= shift
		shift = 0
		out = append(out, byte(head), byte(head>>8), byte(head>>16))
		out = append(out, plain[:n]...)
		plain = plain[n:]
	}
	return append(out, 0b11) // the last one, empty
}
