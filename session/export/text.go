package export

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
)

// writeText writes what Show does.
func writeText(w io.Writer, s *Source) error {
	out := &brief{w: w}
	p := NewPrinter("s", s.tracker, s.Load)
	p.clean = s.clean
	write := func(text string) bool { return out.write(text) }
	var loose []uint32
	if s.Session == 0 {
		loose = s.tracker.Loose()
	}
	p.show(s.sessions(), loose, write)
	if s.Trouble != "" {
		write("the recording: " + safe.Clean(s.Trouble) + "\n")
	}
	return out.err
}

// jsonMessage is a line of a jsonl export. Its JSON names are stable.
type jsonMessage struct {
	N         uint64          `json:"n"`
	Time      string          `json:"time"`
	Direction string          `json:"direction"` // "to-server" or "to-client"
	Session   int             `json:"session"`   // from 1; 0 when it is not known whose it is
	SessionID string          `json:"session_id,omitempty"`
	Kind      string          `json:"kind"` // "request", "notification", "result", "error" or "invalid"
	Method    string          `json:"method,omitempty"`
	ID        json.RawMessage `json:"id,omitempty"`
	LatencyMS *float64        `json:"latency_ms,omitempty"` // of a response
	Request   uint64          `json:"request,omitempty"`    // of a response: frame of its request
	Payload   json.RawMessage `json:"payload"`
}

// writeJSONL writes a line for each message. It reads the frames once more, to
// have the messages whole and decompressed.
func writeJSONL(w io.Writer, s *Source) error {
	out := &brief{w: w}
	only := s.Session
	s.read(func(e *session.Event) {
		if e.Kind != session.EventMessage || out.err != nil {
			return
		}
		m := s.jsonMessage(e)
		if only != 0 && m.Session != only {
			return
		}
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(m); err != nil {
			out.err = err
			return
		}
		out.write(escapeHarm(strings.TrimSuffix(buf.String(), "\n")), "\n")
	})
	return out.err
}

func (s *Source) jsonMessage(e *session.Event) jsonMessage {
	m := jsonMessage{
		N: e.N, Time: s.at(e.T).Format(time.RFC3339Nano), Direction: direction(e.Dir),
		Kind:   [...]string{"invalid", "request", "notification", "result", "error"}[e.Message.Kind],
		Method: s.clean(string(e.Message.Method)), Payload: s.raw(e.Message.Raw),
	}
	if e.Message.ID != nil {
		m.ID = s.raw(e.Message.ID)
	}
	if e.Session != nil {
		m.Session, m.SessionID = e.Session.Index+1, e.Session.ID
	}
	if e.Row < 0 {
		return m
	}
	r := s.tracker.Row(int(e.Row))
	if r.Session >= 0 && m.Session == 0 {
		m.Session = int(r.Session) + 1
	}
	if e.Message.IsResponse() && r.Kind == session.RowCall {
		m.Method, m.Request = s.clean(s.tracker.Name(r.Name)), uint64(r.Request)
		if r.End != 0 {
			ms := float64(r.Latency()/1e3) / 1e3
			m.LatencyMS = &ms
		}
	}
	return m
}

func direction(d wire.Dir) string {
	switch d {
	case wire.ToServer:
		return "to-server"
	case wire.ToClient:
		return "to-client"
	}
	return ""
}

// raw is JSON from the wire as it may be embedded: in UTF-8, null where it is
// no JSON at all.
func (s *Source) raw(b []byte) json.RawMessage {
	text := s.clean(string(b))
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	if !json.Valid([]byte(text)) {
		return json.RawMessage("null")
	}
	return json.RawMessage(text)
}
