package session

import (
	"bytes"
	"math"
	"unicode/utf8"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// fields are where the header fields of a head lie, and which of them say something to the
// tracker. A head is taken apart once, for the tracker and for all who ask.
type fields struct {
	head   []byte // they are of
	n      int
	rest   int    // where those begin that are not kept, 0 for none
	names  uint64 // a bit for each that is kept, as members have it
	lines  [24]field
	values [24]string // the latest requested, perhaps of the previous head
}

type field struct {
	name, from, to uint16
	is             header
}

// header is a header field that the tracker reads.
type header uint8

const (
	headerOther header = iota
	headerSessionID
	headerVersion
	headerMethod
	headerName
	headerAuthorization
	headerUserAgent
	headerAccept
	headerLastEventID
	headerContentLength
	headerTransferEncoding
	headerContentType
	headerContentEncoding
	headerConversation // and those behind it: they name a conversation, used when no path does
)

var headers = [...]string{
	headerSessionID:        mcp.HeaderSessionID,
	headerVersion:          mcp.HeaderVersion,
	headerMethod:           mcp.HeaderMethod,
	headerName:             mcp.HeaderName,
	headerAuthorization:    "Authorization",
	headerUserAgent:        "User-Agent",
	headerAccept:           "Accept",
	headerLastEventID:      mcp.HeaderLastEventID,
	headerContentLength:    "Content-Length",
	headerTransferEncoding: "Transfer-Encoding",
	headerContentType:      "Content-Type",
	headerContentEncoding:  "Content-Encoding",
	headerConversation:     "X-OpenHands-Conversation-ID",
	headerConversation + 1: "Session-Id",
	headerConversation + 2: "Thread-Id",
}

func headerOf(name []byte) header {
	for h := headerOther + 1; int(h) < len(headers); h++ {
		if is(name, headers[h]) {
			return h
		}
	}
	return headerOther
}

func (f *fields) read(head []byte) {
	head = wire.CutHead(head)
	_, rest := wire.CutLine(head)
	f.head, f.n, f.rest, f.names = head, 0, 0, 0
	for len(rest) > 0 {
		from := len(head) - len(rest)
		if f.n == len(f.lines) || len(head) > math.MaxUint16 {
			f.rest = from
			return
		}
		var line []byte
		line, rest = wire.CutLine(rest)
		if colon := bytes.IndexByte(line, ':'); colon >= 0 {
			f.lines[f.n] = field{uint16(colon), uint16(from), uint16(from + len(line)), headerOf(line[:colon])}
			f.names |= fieldTraits(string(line[:colon]))
			f.n++
		}
	}
}

// take makes f the fields of head, which other may have read.
func (f *fields) take(head []byte, other *fields) {
	if !other.are(head) {
		f.read(head)
		return
	}
	f.head, f.n, f.rest, f.names = head, other.n, other.rest, other.names
	copy(f.lines[:f.n], other.lines[:f.n])
}

func (f *fields) are(head []byte) bool {
	return len(head) > 0 && len(f.head) == len(head) && &f.head[0] == &head[0]
}

// keep copies the head into what is left of another one, for the time after its frame,
// or forgets it.
func (f *fields) keep(into []byte, wanted bool) []byte {
	if into = into[:0]; wanted {
		into = append(into, f.head...)
	}
	f.head = into
	return into
}

// each calls yield with the value of each field that the tracker reads, in order.
func (f *fields) each(yield func(h header, value []byte)) {
	for _, l := range f.lines[:f.n] {
		if l.is != headerOther {
			yield(l.is, f.value(l))
		}
	}
	if f.rest == 0 {
		return
	}
	for rest := f.head[f.rest:]; len(rest) > 0; {
		var line []byte
		line, rest = wire.CutLine(rest)
		if name, value, ok := bytes.Cut(line, []byte(":")); ok {
			yield(headerOf(name), bytes.TrimSpace(value))
		}
	}
}

func (f *fields) value(l field) []byte { return bytes.TrimSpace(f.head[l.from+l.name+1 : l.to]) }

// get returns the first value of a field of head, "" when it has none.
func (f *fields) get(head []byte, name string) string {
	if len(head) == 0 {
		return ""
	}
	if !f.are(head) {
		f.read(head)
	}
	if f.rest == 0 && f.names&fieldTraits(name) == 0 {
		return ""
	}
	for i, l := range f.lines[:f.n] {
		if int(l.name) == len(name) && words.Equal(string(head[l.from:l.from+l.name]), name) {
			if value := f.value(l); f.values[i] != string(value) {
				f.values[i] = string(value)
			}
			return f.values[i]
		}
	}
	if f.rest > 0 {
		return wire.HeadValue(head, name)
	}
	return ""
}

// fieldTraits is traits without regard to case.
func fieldTraits(name string) uint64 {
	if name == "" {
		return 1
	}
	first, last := name[0]|0x20, name[len(name)-1]|0x20
	if first|last >= utf8.RuneSelf {
		return math.MaxUint64 // there is more than one way to write it
	}
	return 1 << ((len(name)*7 + int(first) + int(last)) & 63)
}

// is compares a header name without regard to case.
func is(name []byte, want string) bool {
	if len(name) != len(want) {
		return false
	}
	for i := range name {
		a, b := name[i], want[i]
		if a == b {
			continue
		}
		if a |= 0x20; a != b|0x20 || a < 'a' || a > 'z' {
			return false
		}
	}
	return true
}
