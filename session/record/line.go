package record

import (
	"bytes"
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

func shapeOf(kind wire.Kind, data []byte) shape {
	s := shape{form: asText, to: len(data)}
	switch {
	case !utf8.Valid(data):
		s.form = asBase64
	case kind == wire.KindEvent:
		if from, to, ok := eventData(data); ok && embeddable(data[from:to]) {
			s = shape{asEvent, from, to}
		}
	case embeddable(data):
		s.form = asJSON
	}
	return s
}

// embeddable says whether bytes, known to be valid UTF-8, can stand in a line
// as they are: one JSON value, no line break in it.
func embeddable(data []byte) bool {
	return bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 && wire.Valid(data)
}

// eventData finds the value of the only data line of an SSE block.
func eventData(block []byte) (from, to int, ok bool) {
	i := 0
	if bytes.HasPrefix(block, []byte("\xef\xbb\xbf")) {
		i = 3
	}
	for i < len(block) {
		end := lineEnd(block, i)
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

// lineEnd returns where the line that begins at i ends: SSE takes a carriage
// return for a line break too.
func lineEnd(b []byte, i int) int {
	end := len(b)
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		end = i + n
	}
	if n := bytes.IndexByte(b[i:end], '\r'); n >= 0 {
		end = i + n
	}
	return end
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
		b = appendEscaped(b, []byte(f.EOL))
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
		b = appendEscaped(b, data[:s.from])
		b = append(b, `","post":"`...)
		b = appendEscaped(b, data[s.to:])
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
func appendLine(b []byte, f *wire.Frame, data []byte) []byte {
	s := shapeOf(f.Kind, data)
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
		return appendEscaped(b, piece)
	case asBase64:
		return base64.StdEncoding.AppendEncode(b, piece)
	}
	return append(b, piece...)
}

const hexDigits = "0123456789abcdef"

// appendEscaped appends the inside of a JSON string.
func appendEscaped(b, text []byte) []byte {
	from := 0
	for i, c := range text {
		if c >= 0x20 && c != '"' && c != '\\' && c != 0x7f {
			continue
		}
		b = append(b, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(b, text[from:]...)
}
