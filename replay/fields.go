package replay

import (
	"net/http"
	"strings"

	"midwire/session"
	"midwire/session/handle"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// fields are the header fields of a request: as they were recorded, with
// another server's ids; made, when the recording has none.
func (r *run) fields(l *lane, o outgoing, method string) http.Header {
	h := http.Header{}
	if o.head.Method == "" || l.era != eraRecorded || o.step < 0 {
		r.makeFields(h, l, o, method)
	} else {
		r.recordedFields(h, l, o)
	}
	for name, values := range r.opt.Header {
		for k := range h {
			if strings.EqualFold(k, name) {
				delete(h, k)
			}
		}
		if len(values) > 0 && values[0] != "" {
			h[name] = values
		}
	}
	return h
}

// unsaid are fields that are about the recorded connection or coding.
var unsaid = [...]string{
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Accept-Encoding", "Content-Encoding",
	"Expect", "Keep-Alive", "Te", "Trailer", "Upgrade", "Proxy-Connection", "Cookie",
}

func (r *run) recordedFields(h http.Header, l *lane, o outgoing) {
	s := &r.Script.Sessions[r.Script.Steps[o.step].Session]
	for _, f := range o.head.Fields {
		value, keep := r.field(l, s, o, f)
		if keep {
			h[f.Name] = append(h[f.Name], value)
		}
	}
	if !o.head.Has("User-Agent") {
		h["User-Agent"] = []string{""} // which keeps net/http from sending its own
	}
}

// field is what becomes of a recorded field.
func (r *run) field(l *lane, s *Session, o outgoing, f wire.Field) (value string, keep bool) {
	for _, name := range unsaid {
		if strings.EqualFold(f.Name, name) {
			return "", false
		}
	}
	switch {
	case strings.EqualFold(f.Name, mcp.HeaderSessionID):
		return r.sessionID(l, s, f.Value)
	case strings.EqualFold(f.Name, mcp.HeaderVersion):
		if f.Value == string(s.ProtocolVersion) && l.revision != "" {
			return string(l.revision), true
		}
	case strings.EqualFold(f.Name, mcp.HeaderName):
		if m, ok := wire.ScanMessage(o.payload); ok {
			if target := targetOf(string(m.Method), m.Params); target != "" && len(r.subsOf(o.step)) > 0 {
				return mcp.EncodeHeader(target), true
			}
		}
	case strings.EqualFold(f.Name, "Origin"):
		if f.Value == "http://"+r.Script.Header.Listen {
			return r.opt.URL.Scheme + "://" + r.opt.URL.Host, true
		}
	}
	return r.exchangeValues(f.Value, strings.Clone), true
}

// sessionID is what to send for a recorded session id: the one that the new
// server issued for one that the recorded server issued. What a client made up
// or took from elsewhere is what it was recorded for.
func (r *run) sessionID(l *lane, s *Session, was string) (string, bool) {
	switch {
	case s.IDSource == session.IDForeign && !s.Middle, s.IDSource == session.IDClient, was != s.ID:
		return was, true
	case l.issued != "":
		return l.issued, true
	case s.Middle: // the server works with ids that it did not issue
		return was, true
	}
	return "", false
}

// exchangeValues replaces handles in a header field or a query, and masks whose
// values the user gave; escape writes such a value as it is wanted there.
func (r *run) exchangeValues(text string, escape func(string) string) string {
	for _, s := range r.Options.Set {
		if isMask(s.Was) {
			text = strings.ReplaceAll(text, s.Was, escape(s.Value))
		}
	}
	if len(r.values) == 0 || text == "" {
		return text
	}
	if now, ok := r.values[text]; ok {
		return now
	}
	return replaceTokens(text, func(_ int, token string) (string, bool) {
		now, ok := r.values[token]
		return now, ok && handle.Opaque(token)
	})
}

// makeFields makes the fields that the target's transport and revision want.
func (r *run) makeFields(h http.Header, l *lane, o outgoing, method string) {
	h["User-Agent"] = []string{"midwire-replay"}
	h["Accept"] = []string{"application/json, text/event-stream"}
	switch method {
	case http.MethodPost:
		h["Content-Type"] = []string{"application/json"}
	case http.MethodGet:
		h["Accept"] = []string{"text/event-stream"}
	}
	if l.issued != "" {
		h[mcp.HeaderSessionID] = []string{l.issued}
	}
	// Required since 2025-06-18, after the handshake.
	if l.revision >= mcp.V20250618 {
		h[mcp.HeaderVersion] = []string{string(l.revision)}
	}
	m, ok := wire.ScanMessage(o.payload)
	if !ok {
		return
	}
	revision := wire.Text(wire.Get(m.Params, "_meta", mcp.MetaProtocolVersion))
	if revision == "" {
		return
	}
	// 2026-07-28, 6.3: the headers mirror the body.
	delete(h, mcp.HeaderSessionID)
	h[mcp.HeaderVersion] = []string{revision}
	h[mcp.HeaderMethod] = []string{string(m.Method)}
	if mcp.NameParam(string(m.Method)) != "" {
		h[mcp.HeaderName] = []string{mcp.EncodeHeader(targetOf(string(m.Method), m.Params))}
	}
	if string(m.Method) == mcp.ToolsCall {
		r.mirrorArguments(h, &m)
	}
}

// mirrorArguments makes the headers that a tool wants for some of its
// arguments: x-mcp-header in its input schema (2026-07-28, 6.3).
func (r *run) mirrorArguments(h http.Header, m *wire.Message) {
	args := wire.Get(m.Params, "arguments")
	wire.Each(r.tools()[wire.Text(wire.Get(m.Params, "name"))].input, func(key, property []byte) bool {
		name := wire.Text(wire.Get(property, "x-mcp-header"))
		value := wire.Get(args, string(key))
		if name == "" || len(value) == 0 || string(value) == "null" {
			return true
		}
		text := string(value)
		if value[0] == '"' {
			text = wire.Text(value)
		}
		h[mcp.HeaderParamPrefix+name] = []string{mcp.EncodeHeader(text)}
		return true
	})
}
