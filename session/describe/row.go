// Package describe puts sessions and rows into words for people: what a message
// is about, the outcome, who takes part. It is pure; what it returns may hold
// bytes from the wire and is not safe to print.
package describe

import (
	"bytes"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/wire"
	"midwire/session/words"
)

// MaxRow bounds each of the strings that describe a row.
const MaxRow = 200

// Row says in a few words what a row is about and the outcome, such as
// `search_files q="auth"` and "3 items". req and resp are the frames that the
// row names; each may be nil, and then its half is what the row itself says.
// The strings hold bytes from the wire: they are not safe to print.
func Row(t *session.Tracker, row *session.Row, req, resp *wire.Frame) (target, result string) {
	name, more, result := Parts(t, row, req, resp)
	if gate := Gate(t, row); gate != "" && gate != result {
		result = words.Clip(words.Join(result, "["+gate+"]"), MaxRow)
	}
	return words.Clip(words.Join(name, more), MaxRow), result
}

// Parts are what Row says, in three: name is the tool, prompt or resource that a
// call names, "" where it names none; more is what else it is about, such as
// arguments.
func Parts(t *session.Tracker, row *session.Row, req, resp *wire.Frame) (name, more, result string) {
	target := ""
	switch row.Kind {
	case session.RowCall:
		name, target, result = callWords(t, row, req, resp)
	case session.RowNotification:
		target, result = notificationWords(t, row, req, resp)
	case session.RowResponse:
		target, result = strayWords(t, row, req)
	case session.RowNoise:
		target = noiseWords(t.Payload(req))
	case session.RowStderr:
		target = words.Excerpt(t.Payload(req), 160)
	case session.RowHTTP:
		target, result = httpWords(t, row, req, resp)
	case session.RowProcess:
		target, result = processWords(row, req)
	case session.RowTap:
		target = tapWords(req)
	}
	if result == "" && row.Kind != session.RowTap {
		result = Gate(t, row)
	}
	return words.Clip(name, MaxRow), words.Clip(target, MaxRow), words.Clip(result, MaxRow)
}

func callWords(t *session.Tracker, row *session.Row, req, resp *wire.Frame) (name, target, result string) {
	method := t.Name(row.Name)
	if m, ok := t.Message(req, row.Batch); ok {
		name, target = callTarget(method, m.Params)
		if row.Dir == wire.ToClient && name+target == "" {
			target = "server asks client"
		}
	}
	if m, ok := t.Message(resp, row.RBatch); ok {
		if m.Kind == wire.MsgError {
			return name, target, errorWords(m.Error)
		}
		result = callResult(method, m.Result)
	} else {
		result = failureWords(t, row, resp)
	}
	switch {
	case row.Ending.GaveUp():
		result = words.Join("cancelled", result)
	case row.Ending == session.Unanswered:
		result = words.Join("no response", result)
	}
	return name, target, result
}

// failureWords says what came instead of a JSON-RPC response.
func failureWords(t *session.Tracker, row *session.Row, resp *wire.Frame) string {
	status := ""
	if row.Status >= 300 || row.Status == 202 || row.Ending.IsError() && row.Status != 0 {
		status = strconv.Itoa(int(row.Status))
	}
	if row.Status/100 == 3 && row.Ending == session.NoEnding {
		return strconv.Itoa(int(row.Status)) + ", continues where it leads"
	}
	if row.Kind == session.RowCall && row.Ending == session.NoEnding {
		return words.Join(status, "not read: it unfolds to too much")
	}
	if resp == nil || resp.Kind != wire.KindBody {
		if row.Code != 0 {
			return strconv.Itoa(int(row.Code))
		}
		return status
	}
	body := t.Payload(resp)
	if looksLikeHTML(body) {
		return words.Join(status, "a web page where JSON-RPC belongs: no MCP endpoint; is the URL's path right?")
	}
	return words.Join(status, words.Excerpt(body, 120))
}

// looksLikeHTML reports whether a body is a page for people: what stands behind a
// wrong path, or a gateway that failed.
func looksLikeHTML(body []byte) bool {
	body = bytes.TrimLeft(body, " \t\r\n\ufeff")
	return len(body) > 1 && body[0] == '<' &&
		(body[1] == '!' || body[1] == '?' || body[1]|0x20 >= 'a' && body[1]|0x20 <= 'z')
}

func errorWords(raw []byte) string {
	code := string(wire.Get(raw, "code"))
	return words.Join(words.Clip(code, 20), words.Line(wire.Text(wire.Get(raw, "message")), 150))
}

func notificationWords(t *session.Tracker, row *session.Row, req, resp *wire.Frame) (target, result string) {
	m, ok := t.Message(req, row.Batch)
	if ok {
		target = notificationTarget(t.Name(row.Name), m.Params)
	}
	if row.Parent >= 0 && int(row.Parent) < t.Rows() {
		target = words.Join("of #"+strconv.Itoa(int(t.Row(int(row.Parent)).Request)), target)
	}
	if row.Status >= 400 {
		result = failureWords(t, row, resp)
		if m, ok := t.Message(resp, 0); ok && m.Kind == wire.MsgError {
			result = errorWords(m.Error)
		}
	}
	return target, result
}

func strayWords(t *session.Tracker, row *session.Row, req *wire.Frame) (target, result string) {
	target = "no request with this id"
	m, ok := t.Message(req, row.Batch)
	switch {
	case !ok:
	case m.Kind == wire.MsgError:
		result = errorWords(m.Error)
	default:
		result = words.Size(len(m.Result))
	}
	return target, result
}

func noiseWords(payload []byte) string {
	if len(bytes.TrimSpace(payload)) == 0 {
		return "not JSON-RPC: blank"
	}
	return `not JSON-RPC: "` + words.Excerpt(payload, 120) + `"`
}

func httpWords(t *session.Tracker, row *session.Row, req, resp *wire.Frame) (target, result string) {
	if req != nil && req.Kind == wire.KindEvent {
		return words.Excerpt(req.Payload(), 160), ""
	}
	target = t.Name(row.Name)
	if req != nil {
		if h, ok := wire.ParseHead(req.Data); ok {
			target = h.Method + " " + words.Clip(h.Target, 150)
			if h.Method == "" {
				target = "a response without a request"
			}
		}
	}
	if row.Status != 0 {
		result = strconv.Itoa(int(row.Status))
	}
	if resp != nil && resp.Kind == wire.KindResponse {
		media, _, _ := strings.Cut(wire.HeadValue(resp.Data, "content-type"), ";")
		result = words.Join(result, strings.TrimSpace(media))
		if to := wire.HeadValue(resp.Data, "location"); to != "" {
			result = words.Join(result, "to "+to)
		}
	}
	if row.Ending.Lost() {
		result = "no response"
	}
	return target, result
}

func processWords(row *session.Row, req *wire.Frame) (target, result string) {
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
		var args []string
		wire.Items(wire.Get(req.Data, "command"), func(_ int, v []byte) bool {
			args = append(args, wire.Text(v))
			return len(args) < 20
		})
		return words.Line(strings.Join(args, " "), 150), wire.Text(wire.Get(req.Data, "error"))
	case wire.KindSignal:
		how := "forwarded to the server"
		if string(wire.Get(req.Data, "group")) == "true" {
			how = "sent to the process group"
		}
		return wire.Text(wire.Get(req.Data, "signal")), how
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
	case wire.KindGate:
		return gateWords(req.Data)
	case wire.KindEdit:
		return words.Excerpt([]byte(wire.Text(wire.Get(req.Data, "was"))), 80) + " → " +
			words.Excerpt([]byte(wire.Text(wire.Get(req.Data, "now"))), 80)
	case wire.KindNote:
		return wire.Text(wire.Get(req.Data, "text"))
	case wire.KindGap:
		n, _ := wire.Int(wire.Get(req.Data, "bytes"))
		return "not recorded: " + words.Size(int(n))
	}
	return words.Excerpt(req.Data, 120)
}
