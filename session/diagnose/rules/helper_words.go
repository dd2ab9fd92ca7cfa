package rules

import (
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
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
// missing or not complete.
func blamesHandshake(c *diagnose.Case) bool { return missesHandshake(c.Refusal) }

func missesHandshake(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.InitializeMissing, sdkwords.NotInitialized)
}

// blamesSession says whether a refusal complains of a session that is not
// known.
func blamesSession(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.SessionUnknown, sdkwords.SessionEnded)
}

// blamesMissingID says whether a refusal complains of a session id that is not
// there.
func blamesMissingID(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.SessionIDMissing)
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
