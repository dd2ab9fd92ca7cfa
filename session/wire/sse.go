package wire

import (
	"bytes"
	"slices"
)

// Event is the reading of one SSE block (WHATWG HTML, 9.2.6).
type Event struct {
	Name    string // "event" field; "" means "message"
	ID      string
	Retry   string
	HasID   bool
	HasData bool   // there was a data line, if only an empty one
	Data    []byte // data lines joined by line feeds
}

// ParseEvent reads one block as an EventFramer yields it. Data shares memory
// with raw when there is a single data line.
func ParseEvent(raw []byte) Event {
	var e Event
	own := false // Data does not share memory with raw any more
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	for len(raw) > 0 {
		n, eol := lineEnd(raw)
		line := raw[:n]
		raw = raw[n+eol:]
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			e.Name = string(value)
		case "id":
			e.ID, e.HasID = string(value), true
		case "retry":
			e.Retry = string(value)
		case "data":
			if e.HasData {
				if !own {
					e.Data, own = slices.Clip(e.Data), true
				}
				e.Data = append(append(e.Data, '\n'), value...)
			} else {
				e.Data, e.HasData = value, true
			}
		}
	}
	return e
}

// lineEnd returns the length of the first line and of its terminator.
func lineEnd(b []byte) (n, eol int) {
	n = bytes.IndexByte(b, '\n')
	if cr := bytes.IndexByte(b[:max(n, 0)], '\r'); n >= 0 && cr >= 0 {
		n = cr
	} else if n < 0 {
		n = bytes.IndexByte(b, '\r')
	}
	switch {
	case n < 0:
		return len(b), 0
	case b[n] == '\r' && n+1 < len(b) && b[n+1] == '\n':
		return n, 2
	}
	return n, 1
}

// EventFramer cuts an SSE stream into blocks: the lines of an event or comment
// with the blank line that ends them. Every byte of the stream is in exactly
// one block.
type EventFramer struct {
	buf    Pieces
	length int  // bytes of the current line so far
	cr     bool // the last byte was a carriage return, a line feed may belong to it
	ended  bool // the carriage return ended a block
}

// Feed takes the next bytes and calls yield with every block they complete.
// The block is valid during the call only.
func (f *EventFramer) Feed(p []byte, yield func(raw []byte)) {
	from := 0
	for i := 0; i < len(p); {
		if f.cr {
			// The block ends behind this carriage return, or behind a line
			// feed that follows it.
			f.cr = false
			if p[i] == '\n' {
				i++
			}
			if f.ended {
				f.ended = false
				yield(f.buf.Take(p[from:i]))
				from = i
			}
			continue
		}
		n := nextBreak(p[i:])
		if n < 0 {
			f.length += len(p) - i
			break
		}
		i += n + 1
		blank := f.length+n == 0
		f.length = 0
		if p[i-1] == '\r' {
			f.cr, f.ended = true, blank
			continue
		}
		if blank {
			yield(f.buf.Take(p[from:i]))
			from = i
		}
	}
	f.buf.Add(p[from:])
}

func nextBreak(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if cr := bytes.IndexByte(b[:n], '\r'); cr >= 0 {
		return cr
	}
	return n
}

// Rest returns what was fed and not yielded, and forgets it: an event whose
// end never came. Nil when there is nothing.
func (f *EventFramer) Rest() []byte {
	f.length, f.cr, f.ended = 0, false, false
	return f.buf.rest()
}

// Complete says that what was fed and not yielded is a whole block: it ends
// with a carriage return that a line feed may follow.
func (f *EventFramer) Complete() bool { return f.ended }

// Pending is the number of bytes fed and not yielded.
func (f *EventFramer) Pending() int { return f.buf.size }

// EventData finds the value of the only data line of an SSE block: it is
// block[from:to]. With several data lines, or none, ok is false.
func EventData(block []byte) (from, to int, ok bool) {
	i := 0
	if bytes.HasPrefix(block, []byte("\xef\xbb\xbf")) {
		i = 3
	}
	for i < len(block) {
		end := len(block)
		if n := nextBreak(block[i:]); n >= 0 {
			end = i + n
		}
		line := block[i:end]
		if bytes.HasPrefix(line, []byte("data")) && (len(line) == 4 || line[4] == ':') {
			if ok || len(line) == 4 {
				return 0, 0, false
			}
			from, to, ok = i+5, end, true
			if from < to && block[from] == ' ' {
				from++
			}
		}
		i = end + 1
	}
	return from, to, ok
}
