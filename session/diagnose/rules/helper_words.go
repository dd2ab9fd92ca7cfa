package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
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

// said quotes the text of a refusal, and its data if that is what speaks. It says whose
// words they are, where only one or two SDKs or gateways say so: with several programs in
// the path that shows which refused.
func said(r *diagnose.Refusal) string {
	text, names := quote(r.Text), r.SDKs()
	if strings.HasPrefix(strings.TrimSpace(r.Text), "<") {
		text = quote(pageText(r.Text))
	}
	if r.Data != "" && len(r.Words().Phrases) > 0 && len(sdkwords.Find(r.Code, r.Text).Phrases) == 0 {
		text += ", " + quote(r.Data)
	}
	if len(names) == 0 || len(names) > 2 {
		return text
	}
	for i, name := range names {
		if strings.HasSuffix(name, " SDK") {
			names[i] = "the " + name
		}
	}
	return text + ", in the words of " + strings.Join(names, " or ")
}
