package intercept

import (
	"io"
	"sync"
)

const (
	smallRead = 16 << 10 // most messages fit
	largeRead = 64 << 10 // what a pipe holds, for more than that
)

// source is where a pump gets its bytes from.
type source interface {
	// next waits for bytes and returns them; they are valid until the following
	// call. With an error there may be bytes too.
	next() ([]byte, error)
}

// reader is a source that keeps its own buffer.
type reader struct {
	r   io.Reader
	buf []byte
}

func newReader(r io.Reader, size int) *reader { return &reader{r, make([]byte, size)} }

func (s *reader) next() ([]byte, error) {
	n, err := s.r.Read(s.buf)
	if n == len(s.buf) && n < largeRead {
		full := s.buf
		s.buf = make([]byte, largeRead)
		return full, err
	}
	return s.buf[:n], err
}

// resumed is a source of which something was read before.
type resumed struct {
	source
	read []byte
	err  error
}

func (s *resumed) next() ([]byte, error) {
	if s.read == nil && s.err == nil {
		return s.source.next()
	}
	b, err := s.read, s.err
	s.read, s.err = nil, nil
	return b, err
}

// buffers lends buffers of two sizes to connections that have something to
// read: there may be thousands that have not. Any goroutine may use it.
type buffers struct{ small, large sync.Pool }

func (b *buffers) get(large bool) *[]byte {
	pool, size := &b.small, smallRead
	if large {
		pool, size = &b.large, largeRead
	}
	if kept, ok := pool.Get().(*[]byte); ok {
		return kept
	}
	fresh := make([]byte, size)
	return &fresh
}

func (b *buffers) put(buf *[]byte) {
	if len(*buf) == largeRead {
		b.large.Put(buf)
	} else {
		b.small.Put(buf)
	}
}
