package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// initOf is the latest handshake of the session in hand, nil when none was
// seen.
func initOf(c *diagnose.Case) *diagnose.Init {
	if c.Facts == nil {
		return nil
	}
	return c.Facts.Init
}

// blamesHandshake says whether a refusal complains of a handshake that is
// missing or not complete, in the words of the known servers.
func blamesHandshake(c *diagnose.Case) bool { return missesHandshake(c.Refusal) }

func missesHandshake(r *diagnose.Refusal) bool {
	// Python servers do not look at the parameters of a request that comes too
	// early, and yet say that they are invalid.
	return r.Says("not initialized", "during session initialization", "before initialization") ||
		r.Code == mcp.CodeInvalidParams && r.Text == "Invalid request parameters"
}

// blamesSession says whether a refusal complains of a session that is not
// known.
func blamesSession(r *diagnose.Refusal) bool {
	if !r.Says("session") {
		return false
	}
	return r.Says("not found", "no valid session", "invalid", "expired", "unknown", "terminated", "no such", "does not exist",
		"doesn't exist", "could not find", "no session", "closed", "closing", "ended", "no longer", "stale", "lost", "gone",
		"timed out", "not recognized", "unrecognized", "not active", "inactive", "no active", "no transport", "mismatch",
		"not exist", "reinitialize", "re-initialize", "initialize again", "new session")
}

// blamesMissingID says whether a refusal complains of a session id that is not
// there.
func blamesMissingID(r *diagnose.Refusal) bool {
	return r.Says("session") && r.Says("required", "missing", "must be provided", "no valid session", "requires an")
}

// toolText is the text of a tool's result, the beginning of it.
func toolText(result []byte) string {
	text := ""
	wire.Items(wire.Get(result, "content"), func(_ int, item []byte) bool {
		text += wire.Text(wire.Get(item, "text")) + "\n"
		return len(text) < 4096
	})
	return text
}
