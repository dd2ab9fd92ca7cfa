package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"midwire/session/jsonpath"
	"midwire/session/wire"
)

// MaxMessage is how many bytes of one message a replay or a mock takes: a line,
// a body, an event. The peer may be anyone's.
const MaxMessage = 64 << 20

// Edit replaces a stretch of bytes.
type Edit struct {
	From, To int
	With     []byte
}

// Apply makes edits, which it sorts; of two that overlap the first counts. The
// result shares no memory with raw unless there are none.
func Apply(raw []byte, edits ...Edit) []byte {
	if len(edits) == 0 {
		return raw
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.From - b.From })
	var out []byte
	at := 0
	for _, e := range edits {
		if e.From < at {
			continue
		}
		out = append(append(out, raw[at:e.From]...), e.With...)
		at = e.To
	}
	return append(out, raw[at:]...)
}

// Replace is the edit that puts a value at a place of a message; false when
// nothing stands there.
func Replace(message []byte, at jsonpath.Path, with []byte) (Edit, bool) {
	from, to, ok := at.Find(message)
	return Edit{from, to, with}, ok
}

// Reply makes a response; member is its result or error.
func Reply(id []byte, member string) []byte {
	if len(id) == 0 {
		id = []byte("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`, id, member)
}

// Refusal makes a response that is an error.
func Refusal(id []byte, code int, text string) []byte {
	return Reply(id, fmt.Sprintf(`"error":{"code":%d,"message":%s}`, code, jsonpath.Quote(nil, text)))
}

// Encode writes a value that json can write, on a line and without escaping HTML.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimSpace(b.Bytes())
}

// decode reads JSON without losing digits. What cannot be decoded is a text.
func decode(raw []byte) any {
	v, err := wire.Value(raw)
	if err != nil {
		return string(raw)
	}
	return v
}

// Object reads a JSON object, nil for anything else. Numbers stay as they are written.
func Object(raw []byte) map[string]any {
	o, _ := decode(raw).(map[string]any)
	return o
}
