package session

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"midwire/session/wire"
)

// maxWords bounds each of the two strings that describe a row.
const maxWords = 200

// Words says in a few words what a row is about and what came of it, such as
// `search_files q="auth"` and "3 items". req and resp are the frames that the
// row names; each may be nil, and then its half is what the row itself tells.
// The strings hold bytes from the wire: they are not safe to print.
func (t *Tracker) Words(row *Row, req, resp *wire.Frame) (target, result string) {
	switch row.Kind {
	case RowCall:
		target, result = t.callWords(row, req, resp)
	case RowNotification:
		target, result = t.notificationWords(row, req, resp)
	case RowResponse:
		target, result = t.strayWords(row, req)
	case RowNoise:
		target = noiseWords(t.payload(req))
	case RowStderr:
		target = excerpt(t.payload(req), 160)
	case RowHTTP:
		target, result = t.httpWords(row, req, resp)
	case RowProcess:
		target, result = t.processWords(row, req)
	case RowTap:
		target = tapWords(req)
	}
	return bound(target), bound(result)
}

// Payload returns the bytes that should be a JSON-RPC message or batch: the
// line, the body or the data of the event, decompressed if the body was
// compressed. Nil when f is nil or holds but a part of a compressed stream.
func (t *Tracker) Payload(f *wire.Frame) []byte { return t.payload(f) }

// Decoder returns what Payload is for frame n, to be called by any goroutine.
func (t *Tracker) Decoder(n uint32) func(*wire.Frame) []byte {
	c, ok := t.codings[n]
	if !ok {
		return (*wire.Frame).Payload
	}
	return func(f *wire.Frame) []byte {
		if f.Part == wire.More {
			return nil
		}
		out, _ := c.Decode(f.Data)
		return out
	}
}

func (t *Tracker) payload(f *wire.Frame) []byte {
	if f == nil {
		return nil
	}
	return t.Decoder(uint32(f.N))(f)
}

func (t *Tracker) callWords(row *Row, req, resp *wire.Frame) (target, result string) {
	method := t.Name(row.Name)
	if m, ok := t.Message(req, row.Batch); ok {
		target = callTarget(method, m.Params)
		if row.Dir == wire.ToClient && target == "" {
			target = "server asks client"
		}
	}
	if m, ok := t.Message(resp, row.RBatch); ok {
		if m.Kind == wire.MsgError {
			return target, errorWords(m.Error)
		}
		result = callResult(method, m.Result)
	} else {
		result = t.failureWords(row, resp)
	}
	switch row.Verdict {
	case VerdictCancelled:
		result = join("cancelled", result)
	case VerdictLost:
		result = join("no answer", result)
	}
	return target, result
}

// failureWords says what came instead of a JSON-RPC response.
func (t *Tracker) failureWords(row *Row, resp *wire.Frame) string {
	status := ""
	if row.Status >= 400 || row.Status == 202 || row.Verdict == VerdictError && row.Status != 0 {
		status = strconv.Itoa(int(row.Status))
	}
	if row.Kind == RowCall && row.Verdict == VerdictNone {
		return join(status, "not read: it unfolds to too much")
	}
	if resp == nil || resp.Kind != wire.KindBody {
		if row.Code != 0 {
			return strconv.Itoa(int(row.Code))
		}
		return status
	}
	body := t.payload(resp)
	if looksLikeHTML(body) {
		return join(status, "a web page where JSON-RPC belongs: no MCP endpoint; is the URL's path right?")
	}
	return join(status, excerpt(body, 120))
}

// looksLikeHTML says whether a body is a page for people: what stands behind a
// wrong path, or a gateway that failed.
func looksLikeHTML(body []byte) bool {
	body = bytes.TrimLeft(body, " \t\r\n\ufeff")
	return len(body) > 1 && body[0] == '<' &&
		(body[1] == '!' || body[1] == '?' || body[1]|0x20 >= 'a' && body[1]|0x20 <= 'z')
}

func errorWords(raw []byte) string {
	code := string(wire.Get(raw, "code"))
	return join(clip(code, 20), oneLine(wire.Text(wire.Get(raw, "message")), 150))
}

func (t *Tracker) notificationWords(row *Row, req, resp *wire.Frame) (target, result string) {
	m, ok := t.Message(req, row.Batch)
	if ok {
		target = notificationTarget(t.Name(row.Name), m.Params)
	}
	if row.Parent >= 0 && int(row.Parent) < t.rows.n {
		target = join("of #"+strconv.Itoa(int(t.rows.at(int(row.Parent)).Request)), target)
	}
	if row.Status >= 400 {
		result = t.failureWords(row, resp)
		if m, ok := t.Message(resp, 0); ok && m.Kind == wire.MsgError {
			result = errorWords(m.Error)
		}
	}
	return target, result
}

func (t *Tracker) strayWords(row *Row, req *wire.Frame) (target, result string) {
	target = "answers nothing seen"
	m, ok := t.Message(req, row.Batch)
	switch {
	case !ok:
	case m.Kind == wire.MsgError:
		result = errorWords(m.Error)
	default:
		result = size(len(m.Result))
	}
	return target, result
}

func noiseWords(payload []byte) string {
	if blank(payload) {
		return "not JSON-RPC: blank"
	}
	return `not JSON-RPC: "` + excerpt(payload, 120) + `"`
}

func (t *Tracker) httpWords(row *Row, req, resp *wire.Frame) (target, result string) {
	if req != nil && req.Kind == wire.KindEvent {
		return excerpt(req.Payload(), 160), ""
	}
	target = t.Name(row.Name)
	if req != nil {
		if h, ok := wire.ParseHead(req.Data); ok {
			target = h.Method + " " + clip(h.Target, 150)
			if h.Method == "" {
				target = "a response nobody asked for"
			}
		}
	}
	if row.Status != 0 {
		result = strconv.Itoa(int(row.Status))
	}
	if resp != nil && resp.Kind == wire.KindResponse {
		media, _, _ := strings.Cut(wire.HeadValue(resp.Data, "content-type"), ";")
		result = join(result, strings.TrimSpace(media))
		if to := wire.HeadValue(resp.Data, "location"); to != "" {
			result = join(result, "to "+to)
		}
	}
	if row.Verdict == VerdictLost {
		result = "no answer"
	}
	return target, result
}

func (t *Tracker) processWords(row *Row, req *wire.Frame) (target, result string) {
	if req == nil {
		return "", ""
	}
	switch req.Kind {
	case wire.KindExit:
		if s := wire.Text(wire.Get(req.Data, "signal")); s != "" {
			return "", "ended by " + s
		}
		return "", "exited with " + strconv.Itoa(int(row.Code))
	case wire.KindStart:
		var words []string
		wire.Items(wire.Get(req.Data, "command"), func(_ int, v []byte) bool {
			words = append(words, wire.Text(v))
			return len(words) < 20
		})
		return oneLine(strings.Join(words, " "), 150), wire.Text(wire.Get(req.Data, "error"))
	case wire.KindOpen:
		return wire.Text(wire.Get(req.Data, "upstream")), wire.Text(wire.Get(req.Data, "error"))
	}
	return wire.Text(wire.Get(req.Data, "error")), ""
}

func tapWords(req *wire.Frame) string {
	if req == nil {
		return ""
	}
	switch req.Kind {
	case wire.KindEdit:
		return excerpt([]byte(wire.Text(wire.Get(req.Data, "was"))), 80) + " → " +
			excerpt([]byte(wire.Text(wire.Get(req.Data, "now"))), 80)
	case wire.KindNote:
		return wire.Text(wire.Get(req.Data, "text"))
	case wire.KindGap:
		n, _ := wire.Int(wire.Get(req.Data, "bytes"))
		return "not recorded: " + size(int(n))
	}
	return excerpt(req.Data, 120)
}

// join puts a blank between two strings that are not empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// excerpt is the beginning of a text on one line.
func excerpt(b []byte, n int) string {
	b = bytes.TrimSpace(b)
	cut := len(b) > n
	if cut {
		b = b[:n]
	}
	s := oneLine(string(b), n)
	if cut {
		s += "…"
	}
	return s
}

// oneLine is the beginning of a text with its white space reduced.
func oneLine(s string, n int) string {
	s = clip(s, 2*n)
	return ellipsis(strings.Join(strings.Fields(s), " "), n)
}

// ellipsis cuts a string and says so.
func ellipsis(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return clip(s, n) + "…"
}

func bound(s string) string { return clip(s, maxWords) }

// clip cuts a string between two characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// size writes a number of bytes as a person would: 240, 4.1k, 2.0M.
func size(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1000_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + "k"
	}
	return strconv.FormatFloat(float64(n)/1000_000, 'f', 1, 64) + "M"
}
