//go:build unix

package intercept

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// borrower is a source that has a buffer only while there are bytes.
type borrower struct {
	conn  *net.TCPConn
	raw   syscall.RawConn
	from  *buffers
	buf   *[]byte // nil while nothing comes
	large bool    // the last bytes filled a small one
	try   func(fd uintptr) bool

	n   int
	err error
}

// newSource returns the source of a connection.
func newSource(c net.Conn, from *buffers) source {
	if t, ok := c.(*net.TCPConn); ok {
		if raw, err := t.SyscallConn(); err == nil {
			s := &borrower{conn: t, raw: raw, from: from}
			s.try = s.read
			return s
		}
	}
	return newReader(c, smallRead)
}

func (s *borrower) next() ([]byte, error) {
	s.large = s.n == smallRead || s.large && s.n > smallRead/2
	if s.buf != nil && s.large != (len(*s.buf) == largeRead) {
		s.release()
	}
	err := s.raw.Read(s.try)
	if err == nil {
		err = s.err
	}
	switch {
	case err != nil:
		s.release()
		var op *net.OpError
		if errors.As(err, &op) { // the connection was closed, or a deadline passed
			op.Op = "read" // and not what RawConn calls it
			return nil, op
		}
		return nil, &net.OpError{
			Op: "read", Net: "tcp", Source: s.conn.LocalAddr(),
			Addr: s.conn.RemoteAddr(), Err: os.NewSyscallError("read", err),
		}
	case s.n == 0:
		s.release()
		return nil, io.EOF
	}
	return (*s.buf)[:s.n], nil
}

// read tries to read; false means that there is nothing yet.
func (s *borrower) read(fd uintptr) bool {
	if s.buf == nil {
		s.buf = s.from.get(s.large)
	}
	for {
		s.n, s.err = syscall.Read(int(fd), *s.buf)
		switch s.err {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			s.release()
			return false
		}
		return true
	}
}

func (s *borrower) release() {
	if s.buf != nil {
		s.from.put(s.buf)
		s.buf = nil
	}
}
