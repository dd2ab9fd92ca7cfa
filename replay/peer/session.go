package peer

import (
	"fmt"
	"net/http"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// Session is a conversation with a server as one client: what each request repeats.
type Session struct {
	Peer
	Name    string // of the client
	ID      string // of the session, over HTTP
	Version mcp.Version
	Extra   http.Header // of each HTTP request besides
}

// Answer answers what a server asks, as a client that can do little.
func Answer(m *wire.Message) []byte {
	if string(m.Method) == mcp.Ping {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"not declared"}}`, m.ID, mcp.CodeMethodNotFound)
}

// Header are the fields of a request. method and name are what 2026-07-28 repeats there.
func (s *Session) Header(method, name string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if s.ID != "" {
		h.Set(mcp.HeaderSessionID, s.ID)
	}
	if s.Version >= mcp.V20250618 {
		h.Set(mcp.HeaderVersion, string(s.Version))
	}
	if s.Version.IsModern() && method != "" {
		h.Set(mcp.HeaderMethod, method)
		if name != "" {
			h.Set(mcp.HeaderName, mcp.EncodeHeader(name))
		}
	}
	for name, values := range s.Extra {
		h[http.CanonicalHeaderKey(name)] = values
	}
	return h
}

// Request writes a request; id is JSON. members are those of params, as JSON without the
// braces around; what 2026-07-28 wants in _meta is added.
func (s *Session) Request(id, method, members string) string {
	meta := ""
	if s.Version.IsModern() {
		meta = `"` + mcp.MetaProtocolVersion + `":"` + string(s.Version) + `","` + mcp.MetaClientInfo +
			`":{"name":"` + s.Name + `","version":"1.0.0"},"` + mcp.MetaClientCapabilities + `":{"elicitation":{},"roots":{}}`
	}
	if method == mcp.ToolsCall {
		meta = strings.TrimPrefix(meta+`,"`+mcp.MetaProgressToken+`":`+id, ",")
	}
	if meta != "" {
		members = strings.TrimSuffix(`"_meta":{`+meta+`},`+members, ",")
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + members + `}}`
}

// Hello are the members of initialize.
func (s *Session) Hello(version mcp.Version) string {
	return fmt.Sprintf(`"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":%q,"version":"1.0.0"}`, version, s.Name)
}

// Begun takes the response to initialize.
func (s *Session) Begun(r *Response) {
	if r.Message.Kind == wire.MsgResult {
		s.ID = r.Header.Get(mcp.HeaderSessionID)
		s.Version = mcp.Version(wire.Text(wire.Get(r.Message.Result, "protocolVersion")))
	}
}
