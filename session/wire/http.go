package wire

import (
	"bytes"
	"strconv"
)

// Token is what an HTTPStream found in the bytes it was given.
type Token uint8

// The tokens.
const (
	TokenPart    Token = iota // part of a head, trailer or chunk framing; nothing to report yet
	TokenHead                 // a head is complete: Head returns it
	TokenContent              // the bytes are content, transfer coding removed
	TokenTrailer              // a trailer section is complete: Head returns it
	TokenEnd                  // the message is complete
	// TokenRaw: from here on nothing is framed: the connection was upgraded, or
	// is not HTTP/1. Head returns what was held back, if anything.
	TokenRaw
)

type httpState uint8

const (
	stateHead httpState = iota
	stateLength
	stateUntilClose
	stateChunkSize
	stateChunkData
	stateChunkEnd
	stateTrailer
	stateEnd
	stateRaw
)

// maxHead bounds a head that never ends. Beyond it the stream is raw.
const maxHead = 8 << 20

// HTTPStream frames one direction of an HTTP/1 connection (RFC 9112). It is
// push style: Next is given bytes and says what the first of them are. Every
// byte is part of exactly one token, so that an editor of a stream can pass
// on all the others as they came.
//
// It is as tolerant as the servers in use: bare line feeds end lines, blank
// lines before a head are skipped. What cannot be framed for certain is raw
// from there on; nothing is ever guessed.
type HTTPStream struct {
	response bool
	methods  []string // of requests whose response has not come, responses only
	state    httpState
	buf      Pieces
	head     []byte
	facts    HeadFacts
	line     int // bytes of the current line so far; blank when it ends at 0
	remain   int64
	reason   string
}

// NewRequestStream frames what a client sends.
func NewRequestStream() *HTTPStream { return &HTTPStream{} }

// NewResponseStream frames what a server sends. Tell it of every request with
// Expect, in order, before the response arrives: what follows a response head
// depends on the method.
func NewResponseStream() *HTTPStream { return &HTTPStream{response: true} }

// Facts is what the head says that the last TokenHead completed. It is valid
// until the next call of Next.
func (s *HTTPStream) Facts() *HeadFacts { return &s.facts }

// Expect says that a request with that method was sent.
func (s *HTTPStream) Expect(method string) { s.methods = append(s.methods, method) }

// Head returns the head or trailer section that the last token completed, with
// the blank line that ends it. It is valid until the next call of Next.
func (s *HTTPStream) Head() []byte { return s.head }

// InMessage reports whether a message has begun and not ended.
func (s *HTTPStream) InMessage() bool {
	return s.state != stateHead && s.state != stateRaw || s.buf.size > 0
}

// UntilClose reports whether the end of the connection is the proper end of the
// message that is under way.
func (s *HTTPStream) UntilClose() bool { return s.state == stateUntilClose }

// IsRaw reports whether framing was given up, and why.
func (s *HTTPStream) IsRaw() (reason string, raw bool) { return s.reason, s.state == stateRaw }

// InHead reports whether the next byte belongs to a head.
func (s *HTTPStream) InHead() bool { return s.state == stateHead }

// InChunkSize reports whether the next byte belongs to the line with a chunk's
// size.
func (s *HTTPStream) InChunkSize() bool { return s.state == stateChunkSize }

// HasContent reports whether the message that is under way may have more content.
func (s *HTTPStream) HasContent() bool {
	return s.state >= stateLength && s.state <= stateChunkEnd
}

// MakeRaw gives up framing, as after "101 Switching Protocols".
func (s *HTTPStream) MakeRaw(reason string) {
	s.state, s.reason = stateRaw, reason
}

// Rest returns bytes of a head that has not ended, and forgets them.
func (s *HTTPStream) Rest() []byte { return s.buf.rest() }

// Next consumes the first n bytes of p and says what they are. n is at least 1,
// but for TokenEnd, which may consume nothing. p must not be empty, but for
// the call that fetches a TokenEnd after a message without content: call Next
// until all bytes are consumed and Ended is false.
func (s *HTTPStream) Next(p []byte) (tok Token, n int) {
	switch s.state {
	case stateHead, stateTrailer:
		return s.nextHead(p)
	case stateLength, stateChunkData:
		n = len(p)
		if int64(n) >= s.remain {
			n = int(s.remain)
		}
		s.remain -= int64(n)
		switch {
		case s.remain > 0:
		case s.state == stateLength:
			s.state = stateEnd
		default:
			s.state = stateChunkEnd
		}
		return TokenContent, n
	case stateUntilClose:
		return TokenContent, len(p)
	case stateChunkSize:
		return s.nextChunk(p)
	case stateChunkEnd:
		return s.nextChunkEnd(p)
	case stateEnd:
		s.state = stateHead
		return TokenEnd, 0
	}
	s.head = nil
	return TokenRaw, len(p)
}

// Rewrite is Next for who passes the stream on with other heads: out is what goes on in
// place of the first n bytes. That is a head, as rewrite makes it, once it is whole, and all
// else as it came. It is valid as Head and p are.
func (s *HTTPStream) Rewrite(p []byte, rewrite func(head []byte) []byte) (out []byte, n int) {
	inHead := s.InHead()
	tok, n := s.Next(p)
	switch {
	case tok == TokenHead:
		return rewrite(s.Head()), n
	case tok == TokenRaw && inHead:
		return s.Head(), n // what was held back of it, too
	case !inHead || !s.InMessage(): // the last: a blank line before a head
		return p[:n], n
	}
	return nil, n
}

// Ended says that a message is complete and its TokenEnd not fetched yet.
func (s *HTTPStream) Ended() bool { return s.state == stateEnd }

// nextHead collects a head or trailer section up to its blank line.
func (s *HTTPStream) nextHead(p []byte) (Token, int) {
	if s.state == stateHead && s.buf.size == 0 && (p[0] == '\r' || p[0] == '\n') {
		return TokenPart, 1 // RFC 9112 2.2: blank lines before a request line
	}
	i := 0
	for {
		n := bytes.IndexByte(p[i:], '\n')
		if n < 0 {
			s.line += lineLen(p[i:])
			s.buf.Add(p)
			if s.buf.size > maxHead {
				return s.giveUp("a head of more than 8 MiB", s.buf.rest(), len(p))
			}
			return TokenPart, len(p)
		}
		blank := s.line+lineLen(p[i:i+n]) == 0
		i += n + 1
		s.line = 0
		if blank {
			break
		}
	}
	s.head = s.buf.Take(p[:i])
	if s.state == stateTrailer {
		s.state = stateEnd
		if len(s.head) <= 2 {
			return TokenPart, i
		}
		return TokenTrailer, i
	}
	if !s.startBody() {
		return s.giveUp("not an HTTP/1 head", s.head, i)
	}
	return TokenHead, i
}

// giveUp makes the stream raw from here on; held is what Head returns with
// the TokenRaw: bytes that no token has shown yet.
func (s *HTTPStream) giveUp(reason string, held []byte, n int) (Token, int) {
	s.MakeRaw(reason)
	s.head = held
	return TokenRaw, n
}

// lineLen counts the bytes of a line, carriage returns left out.
func lineLen(b []byte) int { return len(b) - bytes.Count(b, []byte("\r")) }

// startBody decides how the body behind the head is framed (RFC 9112 6.3). It
// returns false when the head is no head.
func (s *HTTPStream) startBody() bool {
	h, ok := readFacts(s.head)
	if !ok || s.response != (h.Status != 0) {
		return false
	}
	s.facts = h
	if s.response && s.noBody(&h) {
		return true
	}
	switch {
	case h.Coding == nil:
		s.startLength(&h)
	case hasSuffixFold(bytes.TrimSpace(h.Coding), "chunked"):
		s.state = stateChunkSize
	case s.response:
		s.state = stateUntilClose
	default:
		s.MakeRaw("a request with Transfer-Encoding other than chunked")
	}
	return true
}

func (s *HTTPStream) startLength(h *HeadFacts) {
	if h.Length == nil {
		s.state = stateEnd
		if s.response {
			s.state = stateUntilClose
		}
		return
	}
	n, err := strconv.ParseUint(string(h.Length), 10, 62)
	s.remain, s.state = int64(n), stateLength
	switch {
	case err != nil || h.lengths:
		s.MakeRaw("a Content-Length that is not one number")
	case n == 0:
		s.state = stateEnd
	}
}

// noBody handles the responses whose end does not depend on their headers. An
// interim response (1xx) leaves its request waiting for the final one.
func (s *HTTPStream) noBody(h *HeadFacts) bool {
	method := ""
	if len(s.methods) > 0 {
		method = s.methods[0]
	}
	if h.Status/100 == 1 && h.Status != 101 {
		s.state = stateHead
		return true
	}
	if len(s.methods) > 0 {
		s.methods = append(s.methods[:0], s.methods[1:]...)
	}
	switch {
	case h.Status == 101, method == "CONNECT" && h.Status/100 == 2:
		s.MakeRaw("switched to " + HeadValue(s.head, "Upgrade"))
	case method == "HEAD", h.Status == 204, h.Status == 304:
		s.state = stateEnd
	default:
		return false
	}
	return true
}

// nextChunk reads the line with a chunk's size.
func (s *HTTPStream) nextChunk(p []byte) (Token, int) {
	i := bytes.IndexByte(p, '\n')
	if i < 0 {
		s.buf.Add(p)
		if s.buf.size > 64<<10 {
			return s.giveUp("a chunk size without an end", s.buf.rest(), len(p))
		}
		return TokenPart, len(p)
	}
	line := s.buf.Take(p[:i+1])
	hex, _, _ := bytes.Cut(line, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.TrimSpace(hex)), 16, 62)
	switch {
	case err != nil:
		return s.giveUp("a chunk size that is no number", line, i+1)
	case n == 0:
		s.state = stateTrailer
	default:
		s.remain, s.state = int64(n), stateChunkData
	}
	return TokenPart, i + 1
}

// nextChunkEnd passes the line break behind a chunk's data.
func (s *HTTPStream) nextChunkEnd(p []byte) (Token, int) {
	switch p[0] {
	case '\r':
		return TokenPart, 1
	case '\n':
		s.state = stateChunkSize
		return TokenPart, 1
	}
	return s.giveUp("a chunk longer than its size", p, len(p))
}

// Remaining is the number of content bytes still to come of the current chunk
// or of a body with a length.
func (s *HTTPStream) Remaining() int64 { return s.remain }

// InLine reports whether a line, a head or a trailer has begun and not ended.
func (s *HTTPStream) InLine() bool { return s.buf.size > 0 }

// Chunked reports whether the message that is under way comes in chunks.
func (s *HTTPStream) Chunked() bool { return s.state >= stateChunkSize && s.state <= stateTrailer }
