package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var modernClientLegacyServer = &diagnose.Rule{
	ID:       "modern-client-legacy-server",
	Title:    "A client without a handshake meets a server that requires one",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means: "The client uses protocol version 2026-07-28, which has no handshake; the server supports only protocol versions that begin with initialize. A client that supports both falls back to initialize when its first request is refused. This client did not.",
		Wire:  "Requests with io.modelcontextprotocol/protocolVersion in _meta are refused (“Server not initialized”, “Method not found” for server/discover, 404, or -32022 with older protocol versions only), and no initialize follows.",
		Cause: "The client supports only 2026-07-28, or is pinned to it; or it considers the refusal a failure of the server and gives up.",
		Fix:   "Let the client fall back to initialize (SDK option for automatic version negotiation), pin it to a protocol version up to 2025-11-25, or update the server.",
		Spec:  "2026-07-28 basic/versioning: Backward Compatibility",
		Example: `> POST /mcp, MCP-Protocol-Version: 2026-07-28 {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",…}}}
< 400 {"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}`,
	},
	On: diagnose.Refusals | diagnose.Finish,
	Check: func(c *diagnose.Case) {
		s := diagnose.State[eraRefusal](c)
		if c.Refusal != nil {
			s.add(c)
			return
		}
		onlyProbe := s.discovers == s.count && c.Session.Transport == session.TransportStdio
		if s.count == 0 || s.other || onlyProbe || c.Facts.LastOK != 0 || c.Session.Probe || fellBack(c) {
			return
		}
		c.Report(diagnose.Finding{
			Message: "The client sent " + quote(s.method) + " as of " + string(c.Session.ProtocolVersion) + " (" + frame(s.call) + "), the server refused: " +
				quote(s.text) + ", and the client did not continue with initialize.",
			Confidence: diagnose.Likely,
			Frames:     []uint64{s.call, s.response},
		})
	},
}

// eraRefusal is the first refusal of a modern session that shows a server
// of the other era.
type eraRefusal struct {
	call, response   uint64
	method, text     string
	count, discovers int
	other            bool // something was refused for another reason
}

func (s *eraRefusal) add(c *diagnose.Case) {
	r := c.Refusal
	if c.Call == nil {
		return
	}
	older := r.Code == mcp.CodeUnsupportedVersion && len(supportedVersions(c)) > 0 &&
		!offersModern(supportedVersions(c))
	legacy := older || r.Says("not initialized", "during session initialization") ||
		c.Call.Method == mcp.Discover && (r.Code == mcp.CodeMethodNotFound || r.Status == 404 || r.Status == 405) ||
		r.Says("session") && r.Status == 400
	if !legacy {
		s.other = true
		return
	}
	if s.count++; c.Call.Method == mcp.Discover {
		s.discovers++
	}
	if s.count == 1 {
		s.call, s.response, s.method, s.text = c.Call.N, c.N, c.Call.Method, r.Text
	}
}

// offersModern says whether one of the versions has no handshake.
func offersModern(versions []string) bool {
	for _, v := range versions {
		if mcp.Version(v).IsModern() {
			return true
		}
	}
	return false
}

// fellBack says whether a handshake was made at the same place: by the same
// client, or by whomever after the session in hand began.
func fellBack(c *diagnose.Case) bool {
	for s := range c.Sessions {
		if f := c.FactsOf(s.Index); f != nil && f.Init != nil && s.Endpoint == c.Session.Endpoint &&
			(f.Init.T >= c.Session.Started || s.Client == c.Session.Client) {
			return true
		}
	}
	return false
}
