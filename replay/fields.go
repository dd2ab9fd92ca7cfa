package replay

import (
	"encoding/base64"
	"net/http"
	"strings"

	"midwire/session"
	"midwire/session/handle"
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
	switch strings.ToLower(f.Name) {
	case "mcp-session-id":
		return r.sessionID(l, s, f.Value)
	case "mcp-protocol-version":
		if f.Value == s.Revision && l.revision != "" {
			return l.revision, true
		}
	case "mcp-name":
		if m, ok := wire.ScanMessage(o.payload); ok {
			if target := targetOf(string(m.Method), m.Params); target != "" && len(r.subsOf(o.step)) > 0 {
				return headerText(target), true
			}
		}
	case "origin":
		if f.Value == "http://"+r.Script.Header.Listen {
			return r.opt.URL.Scheme + "://" + r.opt.URL.Host, true
		}
	}
	return r.exchangeValues(f.Value), true
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

// exchangeValues replaces handles in a header field or a query.
func (r *run) exchangeValues(text string) string {
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
		h[headerSession] = []string{l.issued}
	}
	// Required since 2025-06-18, after the handshake.
	if l.revision >= "2025-06-18" {
		h["MCP-Protocol-Version"] = []string{l.revision}
	}
	m, ok := wire.ScanMessage(o.payload)
	if !ok {
		return
	}
	revision := wire.Text(wire.Get(m.Params, "_meta", metaVersion))
	if revision == "" {
		return
	}
	// 2026-07-28, 6.3: the headers mirror the body.
	delete(h, headerSession)
	h["MCP-Protocol-Version"] = []string{revision}
	h["Mcp-Method"] = []string{string(m.Method)}
	switch string(m.Method) {
	case "tools/call", "prompts/get", "resources/read", "tasks/get", "tasks/update", "tasks/cancel":
		h["Mcp-Name"] = []string{headerText(targetOf(string(m.Method), m.Params))}
	}
	if string(m.Method) == methodTool {
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
		h["Mcp-Param-"+name] = []string{headerText(text)}
		return true
	})
}

// headerText writes a value as 2026-07-28 wants it in a header.
func headerText(s string) string {
	plain := strings.TrimSpace(s) == s && !(strings.HasPrefix(s, "=?base64?") && strings.HasSuffix(s, "?="))
	for i := range len(s) {
		plain = plain && s[i] >= 0x20 && s[i] < 0x7f
	}
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

const metaVersion = "io.modelcontextprotocol/protocolVersion"
