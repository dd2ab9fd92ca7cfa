package run

import (
	"net/http"
	"slices"
	"strings"

	"midwire/replay"
	"midwire/session"
	"midwire/session/diagnose/schema"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// fields are the header fields of a request: as they were recorded, with
// another server's ids; made, when the recording has none.
func (r *run) fields(c *connection, o outgoing, method string) http.Header {
	h := http.Header{}
	if o.head.Method == "" || c.era != eraRecorded || o.step < 0 {
		r.makeFields(h, c, o, method)
	} else {
		r.recordedFields(h, c, o)
		if _, ok := r.Tooled(o.step); ok {
			r.mirror(h, o)
		}
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

func (r *run) recordedFields(h http.Header, c *connection, o outgoing) {
	s := &r.Script.Sessions[r.Script.Steps[o.step].Session]
	for _, f := range o.head.Fields {
		value, keep := r.field(c, s, o, f)
		if keep {
			h[f.Name] = append(h[f.Name], value)
		}
	}
	// The recorded server issued no id, and the new one does.
	m, _ := wire.ScanMessage(o.payload)
	none := (s.ID == "" || s.IDSource == session.IDMeta) && !s.Modern && !o.head.Has(mcp.HeaderSessionID)
	if c.sessionID != "" && none && string(m.Method) != mcp.Initialize {
		h[mcp.HeaderSessionID] = []string{c.sessionID}
	}
	if !o.head.Has("User-Agent") {
		h["User-Agent"] = []string{""} // which keeps net/http from sending its own
	}
}

// field is what becomes of a recorded field.
func (r *run) field(c *connection, s *replay.Session, o outgoing, f wire.Field) (value string, keep bool) {
	is := func(name string) bool { return strings.EqualFold(f.Name, name) }
	switch {
	case replay.OwnField(f.Name):
		return "", false
	case is(mcp.HeaderSessionID):
		return issuedID(c, s, f.Value)
	case is(mcp.HeaderVersion):
		if f.Value == string(s.ProtocolVersion) && c.version != "" {
			return string(c.version), true
		}
	case is(mcp.HeaderName):
		if m, ok := wire.ScanMessage(o.payload); ok {
			target := replay.TargetOf(string(m.Method), m.Params)
			if target != "" && len(r.SubsOf(o.step)) > 0 {
				return mcp.EncodeHeader(target), true
			}
		}
	case is("Origin"):
		if f.Value == "http://"+r.Script.Header.Listen {
			return r.opt.URL.Scheme + "://" + words.HostOf(r.opt.URL), true
		}
	}
	return r.Exchange(f.Value, r.Handles, strings.Clone), true
}

// issuedID is what to send for a recorded session id: the one that the new
// server issued for one that the recorded server issued. What a client invented
// or took from elsewhere is what it was recorded for.
func issuedID(c *connection, s *replay.Session, was string) (string, bool) {
	switch {
	case s.IDSource == session.IDForeign && !s.Middle, s.IDSource == session.IDClient, was != s.ID:
		return was, true
	case c.sessionID != "":
		return c.sessionID, true
	case s.Middle: // the server works with ids that it did not issue
		return was, true
	}
	return "", false
}

// makeFields makes the fields that the target's transport and version want.
func (r *run) makeFields(h http.Header, c *connection, o outgoing, method string) {
	h["User-Agent"] = []string{"midwire-replay"}
	h["Accept"] = []string{"application/json, text/event-stream"}
	switch method {
	case http.MethodPost:
		h["Content-Type"] = []string{"application/json"}
	case http.MethodGet:
		h["Accept"] = []string{"text/event-stream"}
	}
	if c.sessionID != "" {
		h[mcp.HeaderSessionID] = []string{c.sessionID}
	}
	// Required since 2025-06-18, after the handshake.
	if c.version >= mcp.V20250618 {
		h[mcp.HeaderVersion] = []string{string(c.version)}
	}
	r.mirror(h, o)
}

// mirror makes the fields that repeat what is in the body (2026-07-28, 6.3).
func (r *run) mirror(h http.Header, o outgoing) {
	m, ok := wire.ScanMessage(o.payload)
	if !ok {
		return
	}
	version := wire.Text(wire.Get(m.Params, "_meta", mcp.MetaProtocolVersion))
	if version == "" {
		return
	}
	for name := range h { // also as they were recorded
		for _, own := range [...]string{mcp.HeaderSessionID, mcp.HeaderVersion, mcp.HeaderMethod} {
			if strings.EqualFold(name, own) {
				delete(h, name)
			}
		}
	}
	h[mcp.HeaderVersion] = []string{version}
	h[mcp.HeaderMethod] = []string{string(m.Method)}
	if mcp.NameParam(string(m.Method)) != "" {
		h[mcp.HeaderName] = []string{mcp.EncodeHeader(replay.TargetOf(string(m.Method), m.Params))}
	}
	if string(m.Method) == mcp.ToolsCall {
		r.mirrorArguments(h, &m)
	}
}

// mirrorArguments makes the headers that a tool wants for some of its
// arguments: x-mcp-header in its input schema (2026-07-28, 6.3).
func (r *run) mirrorArguments(h http.Header, m *wire.Message) {
	for _, x := range schema.Headers(r.Tool(wire.Text(wire.Get(m.Params, "name"))).Input) {
		value := wire.Get(m.Params, slices.Concat([]string{"arguments"}, x.Path)...)
		if x.Bad != "" || len(value) == 0 || string(value) == "null" {
			continue
		}
		text := string(value)
		if value[0] == '"' {
			text = wire.Text(value)
		}
		h[mcp.HeaderParamPrefix+x.Name] = []string{mcp.EncodeHeader(text)}
	}
}
