package replay

import (
	"cmp"
	"fmt"
	"time"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// Response is what a call got on one side of a comparison.
type Response struct {
	There  bool // there is something to compare: a response, or why there is none
	Failed bool // the call failed; Report.Add sets it
	Took   time.Duration
	Status int    // of HTTP, 0 on stdio
	None   string // why there is no response: Cancelled, "no response within 1m0s"; "" when there is one
	Error  bool   // Body is that of an error
	Body   []byte // result or error, raw JSON; nil when there is none, it is no JSON-RPC, or Cut
	Cut    bool   // it was too long to be kept
}

// Reasons why a call has no response.
const (
	Cancelled  = "cancelled"
	noResponse = "no response"
)

// NewResponse is what a message came to that was to be the response to a call.
// It shares the message's memory.
func NewResponse(m *wire.Message, status int, took time.Duration) Response {
	r := Response{There: true, Status: status, Took: took}
	switch m.Kind {
	case wire.MsgResult:
		r.Body = m.Result
	case wire.MsgError:
		r.Error, r.Body = true, m.Error
	}
	return r
}

// NoResponse stands for a response that did not come, and says why.
func NoResponse(why string) Response { return Response{There: true, None: cmp.Or(why, noResponse)} }

// Result is the result, nil when there is none.
func (r *Response) Result() []byte {
	if r.Error {
		return nil
	}
	return r.Body
}

// ErrorObject is the error, nil when there is none.
func (r *Response) ErrorObject() []byte {
	if r.Error {
		return r.Body
	}
	return nil
}

// parts are the members of the message that are compared.
func (r *Response) parts() [2][]byte { return [...][]byte{r.Result(), r.ErrorObject()} }

var partNames = [...]string{"result", "error"}

// Failure reports whether a call of that method failed, and how in a few words.
func (r *Response) Failure(method string) (why string, failed bool) {
	switch {
	case r.None != "":
		return r.None, r.None != Cancelled
	case r.Error:
		return fmt.Sprintf("error %s: %s", wire.Get(r.Body, "code"), wire.Said(wire.Get(r.Body, "message"))), true
	case r.Body == nil:
		return fmt.Sprintf("HTTP %d without a JSON-RPC response", r.Status), r.Status >= 400 || r.Status == 0
	case string(wire.Get(r.Body, "isError")) == "true" && (method == mcp.ToolsCall || method == mcp.TasksResult):
		text := ""
		wire.Items(wire.Get(r.Body, "content"), func(_ int, v []byte) bool {
			text = wire.Said(wire.Get(v, "text"))
			return text == ""
		})
		return "the tool failed: " + text, true
	}
	return "", false
}
