package hub

import (
	"net/http"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// modern returns the version of the protocol of a message that needs no session,
// "" for one of the versions with a handshake.
func modern(r *http.Request, m *wire.Message) string {
	v := wire.Text(wire.Get(m.Params, "_meta", mcp.MetaProtocolVersion))
	if v == "" && mcp.Version(r.Header.Get(mcp.HeaderVersion)).IsModern() {
		v = r.Header.Get(mcp.HeaderVersion)
	}
	return v
}

func (h *Hub) stateless(w http.ResponseWriter, _ *http.Request, m *wire.Message, _, _ string) {
	refuse(w, m.ID, &refusal{http.StatusBadRequest, mcp.CodeUnsupportedVersion, "unsupported protocol version"})
}
