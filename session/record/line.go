package record

import (
	"encoding/base64"
	"strconv"
	"unicode/utf8"

	"midwire/session/wire"
)

// form is how a payload is written.
type form uint8

const (
	asJSON  form = iota // verbatim
	asEvent             // the data of an SSE block verbatim, what is around it as strings
	asText
	asBase64
)

// shape is the form of one payload; for asEvent, data[from:to] is the JSON.
type shape struct {
	form     form
	from, to int
}

// shapeOf looks at a payload. names are set to those in it, unless nil, as for an event.
func shapeOf(kind wire.Kind, data []byte, names *wire.Names) shape {
	s := shape{form: asText, to: len(data)}
	if kind == wire.KindEvent {
		from, to, ok := wire.EventData(data)
		if ok {
			_, ok = wire.ValidLine(data[from:to])
		}
		switch {
		case !utf8.Valid(data):
			s.form = asBase64
		case ok:
			s = shape{asEvent, from, to}
		}
		return s
	}
	// What can stand in a line as it is: one JSON value, no line break in it.
	switch text, value := wire.ScanLine(data, names); {
	case !text:
		s.form = asBase64
	case value:
		s.form = asJSON
	}
	return s
}

// lineLimit is what the line of a frame may have of its payload, encoded.
const lineLimit = MaxLine - 1<<10

// fits returns how a long payload can be written in a line that is read; false when it cannot.
func (s shape) fits(data []byte) (shape, bool) {
	whole := shape{form: asBase64, to: len(data)}
	if s.form != asBase64 && s.size(data) <= lineLimit {
		return s, true
	}
	return whole, base64.StdEncoding.EncodedLen(len(data)) <= lineLimit
}

// size is how long a payload is that is no base64.
func (s shape) size(data []byte) int {
	n := len(data)
	escaped := [][]byte{data}
	if s.form != asText {
		escaped = [][]byte{data[:s.from], data[s.to:]}
	}
	for _, text := range escaped {
		n += wire.Escapes(text)
	}
	return n
}

// usualEOL is the terminator that is not written down.
func usualEOL(k wire.Kind, p wire.Part) string {
	if (k == wire.KindLine || k == wire.KindStderr) && p == wire.Whole {
		return "\n"
	}
	return ""
}

// appendMeta appends everything of a line that stands before the payload.
func appendMeta(b []byte, f *wire.Frame) []byte {
	b = append(b, `{"n":`...)
	b = strconv.AppendUint(b, f.N, 10)
	b = append(b, `,"t":`...)
	b = strconv.AppendInt(b, f.T, 10)
	b = append(b, `,"k":"`...)
	b = append(b, f.Kind.String()...)
	b = append(b, '"')
	if f.Dir == wire.ToServer || f.Dir == wire.ToClient {
		b = append(b, `,"d":"`...)
		b = append(b, byte(f.Dir), '"')
	}
	if f.Conn != 0 {
		b = append(b, `,"c":`...)
		b = strconv.AppendUint(b, uint64(f.Conn), 10)
	}
	if f.X != 0 {
		b = append(b, `,"x":`...)
		b = strconv.AppendUint(b, uint64(f.X), 10)
	}
	switch f.Part {
	case wire.More:
		b = append(b, `,"part":"more"`...)
	case wire.Cut:
		b = append(b, `,"part":"cut"`...)
	}
	if f.EOL != usualEOL(f.Kind, f.Part) {
		b = append(b, `,"eol":"`...)
		b = wire.AppendEscaped(b, []byte(f.EOL))
		b = append(b, '"')
	}
	if f.Masked {
		b = append(b, `,"masked":true`...)
	}
	b = append(b, `,"len":`...)
	return strconv.AppendInt(b, int64(f.Len), 10)
}

// appendOpening appends the member that holds the payload up to the payload
// itself, and what an event has around it.
func appendOpening(b []byte, s shape, data []byte) []byte {
	switch s.form {
	case asEvent:
		b = append(b, `,"pre":"`...)
		b = wire.AppendEscaped(b, data[:s.from])
		b = append(b, `","post":"`...)
		b = wire.AppendEscaped(b, data[s.to:])
		b = append(b, `","json":`...)
	case asJSON:
		b = append(b, `,"json":`...)
	case asText:
		b = append(b, `,"text":"`...)
	case asBase64:
		b = append(b, `,"b64":"`...)
	}
	return b
}

// closing ends the payload and the line.
func closing(s shape) string {
	if s.form == asText || s.form == asBase64 {
		return "\"}\n"
	}
	return "}\n"
}

// appendLine appends the whole line of a frame whose payload is data.
func appendLine(b []byte, f *wire.Frame, s shape, data []byte) []byte {
	b = appendMeta(b, f)
	b = appendOpening(b, s, data)
	b = appendPiece(b, s, data[s.from:s.to])
	return append(b, closing(s)...)
}

// appendPiece appends a piece of a payload. Pieces of base64 but the last must
// be multiples of three bytes long.
func appendPiece(b []byte, s shape, piece []byte) []byte {
	switch s.form {
	case asText:
		return wire.AppendEscaped(b, piece)
	case asBase64:
		return base64.StdEncoding.AppendEncode(b, piece)
	}
	return append(b, piece...)
}
