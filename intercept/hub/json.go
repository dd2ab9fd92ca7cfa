package hub

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// splice returns a copy of a text with one part of it, which shares its memory,
// replaced. Everything else stays byte for byte.
func splice(whole, part []byte, with string) []byte {
	at := cap(whole) - cap(part)
	out := make([]byte, 0, len(whole)-len(part)+len(with))
	out = append(out, whole[:at]...)
	out = append(out, with...)
	return append(out, whole[at+len(part):]...)
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func request(id, method string, params []byte) []byte {
	if params == nil {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%s}`, id, quote(method))
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, id, quote(method), params)
}

func notification(method string, params []byte) []byte {
	if params == nil {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%s}`, quote(method))
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%s,"params":%s}`, quote(method), params)
}

func result(id []byte, value string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, value)
}

// failure is an error response of the hub's own. It names the server that it is
// about, if it is about one.
func failure(id []byte, code int, server, format string, a ...any) []byte {
	if id == nil {
		id = []byte("null")
	}
	data := ""
	if server != "" {
		data = `,"data":{"server":` + quote(server) + `}`
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s%s}}`,
		id, code, quote(clip(fmt.Sprintf(format, a...))), data)
}

// onlyMessage reads the only message of a text.
func onlyMessage(text []byte) (m wire.Message, ok bool) {
	n, batch := wire.ScanMessages(text, func(_ int, got wire.Message) bool {
		m, ok = got, got.Kind != wire.MsgInvalid
		return false
	})
	return m, ok && n > 0 && !batch
}

// isRequest and isNotification tell what a message is that is no response.
func isRequest(m *wire.Message) bool      { return m.Method != nil && m.ID != nil }
func isNotification(m *wire.Message) bool { return m.Method != nil && m.ID == nil }

// progressToken is the raw token that a request wants progress for, nil for none.
func progressToken(m *wire.Message) []byte { return wire.Get(m.Params, "_meta", mcp.MetaProgressToken) }

// number reads an id of the hub's own making.
func number(id []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	return n, err == nil
}

// object is raw JSON that is an object, or else an empty one.
func object(raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '{' {
		return []byte("{}")
	}
	return raw
}

// contents is what stands between the braces of an object.
func contents(raw []byte) string {
	raw = bytes.TrimSpace(object(raw))
	return string(bytes.TrimSpace(raw[1 : len(raw)-1]))
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "," + b
}

// errTooLong: a server says more at once than is taken in.
var errTooLong = fmt.Errorf("a message of it is longer than %d MiB", maxBody>>20)

// readAll is io.ReadAll up to a bound.
func readAll(from io.Reader, most int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, int64(most)+1))
	if err == nil && len(body) > most {
		err = errTooLong
	}
	return body, err
}

// readLines gives each line to take, which may use it until it returns. It ends with
// the reader, with nil, and with errTooLong at a line that has no end.
func readLines(from io.Reader, most int, take func([]byte)) error {
	r := bufio.NewReaderSize(from, 64<<10)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > most {
			return errTooLong
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > 0 {
			take(line)
		}
		if err != nil {
			return nil
		}
		if line = line[:0]; cap(line) > 1<<20 { // such a line may be the only one
			line = nil
		}
	}
}
