package session

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// MaxDecoded is the most that Decode returns: a small body can unfold to
// gigabytes.
const MaxDecoded = 64 << 20

// coding is a Content-Encoding.
type coding uint8

const (
	codingNone coding = iota
	codingGzip
	codingDeflate
	codingBrotli
	codingZstd
	codingUnknown
)

// parseCoding reads a Content-Encoding value (RFC 9110 8.4). Several codings
// one over the other do not occur and are not understood.
func parseCoding(value string) coding {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "identity":
		return codingNone
	case "gzip", "x-gzip":
		return codingGzip
	case "deflate":
		return codingDeflate
	case "br":
		return codingBrotli
	case "zstd":
		return codingZstd
	}
	return codingUnknown
}

// Decode undoes a Content-Encoding on a copy of a body, at most MaxDecoded
// bytes of it. Of a body that is incomplete it returns what can be read. False
// means that the coding is unknown or the bytes are not coded that way.
func Decode(encoding string, data []byte) ([]byte, bool) {
	out, ok := parseCoding(encoding).decode(data)
	return out, ok
}

func (c coding) decode(data []byte) ([]byte, bool) {
	if c == codingNone {
		return data, true
	}
	if len(data) == 0 {
		return nil, true
	}
	r, done := c.reader(data)
	if r == nil {
		return nil, false
	}
	defer done()
	out, err := io.ReadAll(io.LimitReader(r, MaxDecoded))
	return out, err == nil || len(out) > 0
}

// reader returns nil when data cannot be in that coding.
func (c coding) reader(data []byte) (io.Reader, func()) {
	nothing := func() {}
	switch c {
	case codingGzip:
		if r, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			return r, nothing
		}
	case codingDeflate:
		// Servers disagree about whether "deflate" has the zlib wrapper that
		// RFC 9110 wants.
		if r, err := zlib.NewReader(bytes.NewReader(data)); err == nil {
			return r, nothing
		}
		return flate.NewReader(bytes.NewReader(data)), nothing
	case codingBrotli:
		return brotli.NewReader(bytes.NewReader(data)), nothing
	case codingZstd:
		r, err := zstd.NewReader(bytes.NewReader(data),
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxDecoded))
		if err == nil {
			return r, r.Close
		}
	}
	return nil, nothing
}

// unfolder decodes a stream that arrives in pieces, by decoding all of it anew
// and passing over what was returned before. That is quadratic, so the work is
// bounded: a stream that has used up its budget is decoded only each time it
// has grown by half.
type unfolder struct {
	coding coding
	raw    []byte
	given  int // decoded bytes returned so far
	spent  int
	next   int // length of raw at which to decode again
	failed bool
}

const (
	maxFolded    = 16 << 20
	unfoldBudget = 64 << 20
)

// feed takes the next piece and returns what can be read now and was not
// before. The result is valid until the next call.
func (u *unfolder) feed(p []byte, last bool) []byte {
	if u.failed || len(u.raw)+len(p) > maxFolded {
		u.failed = true
		u.raw = nil
		return nil
	}
	u.raw = append(u.raw, p...)
	if !last && len(u.raw) < u.next {
		return nil
	}
	out, _ := u.coding.decode(u.raw)
	if u.spent += len(u.raw) + len(out); u.spent > unfoldBudget {
		u.next = len(u.raw) + len(u.raw)/2
	}
	if len(out) <= u.given {
		return nil
	}
	out = out[u.given:]
	u.given += len(out)
	return out
}
