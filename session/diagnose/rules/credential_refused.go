package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
)

var credentialRefused = &diagnose.Rule{
	ID:         "credential-refused",
	Title:      "The server demands a credential, and got none or one that it refuses",
	Severity:   diagnose.Error,
	Side:       diagnose.Client,
	Confidence: diagnose.Likely,
	Header:     "Authorization",
	On:         diagnose.Refusals | diagnose.Results | diagnose.OtherResponses | diagnose.Finish,
	Check: func(c *diagnose.Case) {
		d := diagnose.State[denied](c)
		x := c.Exchange
		switch {
		case c.N == 0: // the recording is over
			if d.n != 0 && !later(c, d.t) {
				d.report(c)
			}
		case x == nil:
		case c.Kind == responseKind:
			if x.Messages == 0 && (strings.Contains(x.Path, "/.well-known/") || isLoginStep(x)) {
				*diagnose.Memory[loginSeen](c) = loginSeen(c.T)
			}
		case c.Session == nil:
		case c.Refusal == nil:
			if c.Call != nil && x.Status/100 == 2 {
				*d = denied{}
			}
		case posts(c) && deniesCredential(c):
			d.again(c)
		}
	},
}

// deniesCredential says whether a refusal is one of the credential: by the status that
// says so, or in words.
func deniesCredential(c *diagnose.Case) bool {
	switch c.Exchange.Status {
	case 401:
		return !aboutSession(c)
	case 400:
		return c.Refusal.Means(sdkwords.Unauthorized, sdkwords.TokenInvalid)
	}
	return false
}

// loginSeen is when a step of a login was seen, also one that failed: other rules
// explain that.
type loginSeen int64

// denied are the requests of a session that were refused with 401, since the latest
// that was not.
type denied struct {
	n          uint64 // frame of the first response
	t          int64
	credential string
	finding    diagnose.Finding
	reported   bool
}

func (d *denied) again(c *diagnose.Case) {
	x := c.Exchange
	who := x.Header("Authorization")
	if d.n != 0 && d.credential == who {
		if x.RequestT > d.t && len(d.finding.Frames) < diagnose.MaxFrames {
			d.finding.Frames = append(d.finding.Frames, headFrames(x)...)
			if who != "" {
				d.report(c)
			}
		}
		return
	}
	f := refusalOf(c)
	challenge := headerValues(x.ResponseHead, "WWW-Authenticate")
	why := challengeParam(challenge, "error_description")
	if why == "" {
		why = challengeParam(challenge, "error")
	}
	if why != "" {
		f.Message += ", " + quote(why)
	}
	f.Side = diagnose.Client
	if who == "" {
		f.Message += ". It carried no Authorization header"
		f.Cause = "The client has no credential for this server, and did not get one by a login."
		f.Fix = "In the client's configuration: add the key or token that the server wants (header Authorization), or log in. If the server offers a login, see why the client did not begin or end it."
		if challenge == "" && x.Header("X-Api-Key") != "" {
			f.Message += ", but X-Api-Key"
			f.Fix = "In the client's configuration: send the key in the header that the server reads, often Authorization: Bearer …."
		}
	} else {
		f.Message += ". It carried an Authorization header"
	}
	f.Message += ", and no later request was accepted."
	*d = denied{n: c.N, t: c.T, credential: who, finding: f}
}

func (d *denied) report(c *diagnose.Case) {
	if !d.reported {
		d.reported = true
		if d.credential == "" && int64(*diagnose.Memory[loginSeen](c)) > d.t {
			d.finding.Severity = diagnose.Note
			d.finding.Message += " A login had begun."
		}
		c.ReportAs(d.credential, d.finding)
	}
}
