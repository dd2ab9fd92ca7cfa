package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionIDCharacters = &diagnose.Rule{
	ID:       "session-id-characters",
	Title:    "The session id has characters that are not allowed",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "A session id is sent in a header and must have only visible ASCII characters. Software between client and server changes or refuses blanks, control characters and letters beyond ASCII.",
		Wire:  "Mcp-Session-Id of the response to initialize has a byte outside 0x21 to 0x7E.",
		Cause: "The server uses a name or a text of the user as the id.",
		Fix:   "In the server: use a random UUID, or encode the id (base64url, hex).",
		Spec:  "2025-11-25 basic/transports: Session Management",
		Example: `< 200 Mcp-Session-Id: Anna's laptop
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25",…}}`,
	},
	On: diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Calls == 0 || x.Status > 299 || rowName(c) != mcp.Initialize {
			return
		}
		for i, b := range []byte(x.ResponseHeader(mcp.HeaderSessionID)) {
			if b < 0x21 || b > 0x7e {
				c.Report(diagnose.Finding{
					Message: "The server assigned the session id " + quote(x.ResponseHeader(mcp.HeaderSessionID)) + " (" + frame(uint64(x.ResponseN)) + "), whose byte " +
						strconv.Itoa(i+1) + " is 0x" + strconv.FormatUint(uint64(b), 16) + ".",
					Frames: headFrames(x),
				})
				return
			}
		}
	},
}
