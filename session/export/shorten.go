package export

import (
	"bytes"
	"encoding/json"
	"fmt"

	"midwire/session/wire"
)

const (
	// MaxWhole is the maximum size in bytes of a payload that is exported whole: some
	// formats take ten times its length in memory.
	MaxWhole = 32 << 20

	longMember = 16 << 10 // what is longer is left out of a payload that is too long
)

// omitted stands for what was left out of a payload. Nothing of it is shown:
// a credential that is cut in two would not be recognised.
func omitted(n int) string { return fmt.Sprintf("[midwire: %d bytes left out]", n) }

// Shorten leaves the long members out of a payload that is longer than MaxWhole, and
// reports whether it did. A JSON-RPC message stays one, with its id and method. The frame
// has its own payload then.
func Shorten(f *wire.Frame) bool {
	switch {
	case len(f.Data) <= MaxWhole:
		return false
	case f.Kind != wire.KindEvent:
		f.Data = shortJSON(f.Data)
		return true
	}
	e := wire.ParseEvent(f.Data)
	var event []byte
	if e.Name != "" && len(e.Name) <= longMember {
		event = fmt.Appendf(event, "event: %s\n", e.Name)
	}
	if e.HasID && len(e.ID) <= longMember {
		event = fmt.Appendf(event, "id: %s\n", e.ID)
	}
	f.Data = fmt.Appendf(event, "data: %s\n\n", shortJSON(e.Data))
	return true
}

// shortJSON shortens a message. What is none is left out.
func shortJSON(data []byte) []byte {
	out := []byte("{")
	valid := wire.Each(data, func(key, v []byte) bool {
		name, err := json.Marshal(string(key))
		if err != nil || len(name) > longMember || len(out) > MaxWhole {
			return true
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, name...), ':')
		switch {
		case len(v) <= longMember:
			out = append(out, v...)
		case v[0] == '{': // what a reader takes for an object stays one
			out = fmt.Appendf(out, `{"midwire":%q}`, omitted(len(v)))
		default:
			out = fmt.Appendf(out, "%q", omitted(len(v)))
		}
		return true
	})
	if text := bytes.TrimSpace(data); !valid || len(text) == 0 || text[0] != '{' {
		return []byte(omitted(len(data)))
	}
	return append(out, '}')
}
