package rules

import (
	"cmp"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/ledger"
	"midwire/session/oauth"
	"midwire/session/wire"
)

var credentialRefused = rule("credential-refused",
	diagnose.Refusals|diagnose.Results|diagnose.Finish,
	func(c *diagnose.Case) {
		d := diagnose.State[denied](c)
		x := c.Exchange
		switch {
		case c.N == 0: // the recording is over
			if d.n != 0 && !later(c, d.t) {
				d.report(c)
			}
		case x == nil:
		case c.Session == nil:
		case c.Refusal == nil:
			if c.Call != nil && x.Status/100 == 2 {
				*d = denied{}
			}
		case posts(c) && deniesCredential(c):
			d.refuse(c)
		}
	})

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

// denied are the requests of a session that were refused with 401, since the latest
// that was not.
type denied struct {
	n          uint64 // frame of the first response
	t          int64
	credential string
	finding    diagnose.Finding
	again      int // how often it was sent once more
	reported   bool
	other      bool // it is not a token that was asked for
	mute       bool // the response does not say why
}

func (d *denied) refuse(c *diagnose.Case) {
	x := c.Exchange
	who := x.Header("Authorization")
	if d.n != 0 && d.credential == who {
		if x.RequestT > d.t && len(d.finding.Frames) < diagnose.MaxFrames {
			d.finding.Frames = append(d.finding.Frames, headFrames(x)...)
			if d.again++; who != "" && d.again > 1 { // two may be on their way before a token is renewed
				d.report(c)
			}
		}
		return
	}
	f := refusalOf(c)
	challenge := wire.HeadValues(x.ResponseHead, "WWW-Authenticate")
	why := cmp.Or(oauth.ChallengeParam(challenge, "error_description"), oauth.ChallengeParam(challenge, "error"))
	if why != "" && why != plain(c.Refusal.Text) {
		f.Message += ", " + quote(why)
	}
	other := who == "" && oauth.OtherScheme(challenge)
	page := !other && f.Side == diagnose.Gateway && wire.IsMediaType(x.ResponseHeader("Content-Type"), mediaHTML)
	if f.Side = diagnose.Client; page {
		advise(&f, "login of a platform")
	}
	if who == "" {
		f.Message += ". It carried no Authorization header"
	}
	if other {
		f.Message += "; WWW-Authenticate asks for " + quote(challenge)
		advise(&f, "another scheme")
	} else if who == "" && !page {
		advise(&f, "credential not given")
		if challenge == "" && x.Header("X-Api-Key") != "" {
			f.Message += ", but X-Api-Key"
			f.Remedies = fixes(inClient("in its configuration, send the key in the header that the server reads, often Authorization: Bearer …."))
		}
	}
	if who != "" {
		f.Message += ". It carried an Authorization header"
	}
	f.Message += ", and no later request was accepted."
	if d.mute && d.credential != "" && who != "" && why == "" && oauth.ChallengeParam(challenge, "resource_metadata") != "" {
		f.Message += " It is another token than the one that was refused before (" + frame(d.n) + "), and neither response says why."
		advise(&f, "another token refused too")
	}
	if d.n != 0 && !d.reported { // with another credential
		f.Frames = append(f.Frames, d.finding.Frames[:min(len(d.finding.Frames), diagnose.MaxFrames/2)]...)
	}
	*d = denied{n: c.N, t: c.T, credential: who, finding: f, other: other, mute: why == ""}
}

func (d *denied) report(c *diagnose.Case) {
	if !d.reported {
		d.reported = true
		if d.known(c) || d.issued(c) {
			c.ReportAs(d.credential, d.finding)
			return
		}
		if d.credential == "" && !d.other && c.Logins().LatestStep() > d.t {
			d.finding.Severity = diagnose.Note
			d.finding.Message += " A login had begun."
		}
		c.ReportAs(d.credential, d.finding)
	}
}

// known looks at what the model of the login knows of why: its side and its cause are
// those that the login itself shows.
func (d *denied) known(c *diagnose.Case) bool {
	for _, n := range d.finding.Frames {
		if why := c.Logins().Why(n); why != nil {
			one := loginFinding(why, why.Evidence())
			d.finding.Side, d.finding.Cause, d.finding.Remedies = one.Side, why.Text, one.Remedies
			d.finding.Message += " " + one.Message
			d.finding.Frames = distinct(append(d.finding.Frames, one.Frames...))
			return true
		}
	}
	return false
}

// issued looks at the token that was issued at last: it was never used, or is the one
// that was refused.
func (d *denied) issued(c *diagnose.Case) bool {
	step, ok := c.Logins().Granted()
	if !ok || d.credential == "" && step.Response < d.n {
		return false
	}
	f := &d.finding
	if step.Response > d.n {
		if due, _ := c.Ledger.Other(ledger.TokenUse, -1); c.Until()-step.T < due.About().Within || !due.Missing() {
			return false // the recording ends there
		}
		f.Frames = append(f.Frames, step.Response, step.Request)
		f.Message += " The client then got a token (" + frame(step.Response) + "), and sent no request with it."
		advise(f, "token never used")
		return true
	}
	f.Frames = append(f.Frames, step.Response, step.Request)
	f.Message += " The token had been issued just before (" + frame(step.Response) + ")"
	how, fix := meantForOther(&step)
	f.Message += how
	f.Cause, f.Remedies = forOther, fix
	f.Seen = step.Resource != "" || step.Refresh // the client named the server: what it got is not its doing
	return true
}

const forOther = "The token is meant for something else than this server (audience), or lacks the scope that it looks for: some authorization servers issue such a token when the request names neither scope nor resource."

// meantForOther says how a token was requested that its server refuses, and what to do.
func meantForOther(step *oauth.Grant) (how string, fix []diagnose.Remedy) {
	if step.Refresh {
		how = " for a refresh token"
	}
	switch {
	case step.Scope == "" && step.Resource == "":
		how += "; the request for it (" + frame(step.Request) + ") named neither scope nor resource."
	case step.Resource == "":
		how += "; the request for it (" + frame(step.Request) + ") named no resource."
	default:
		how += "."
	}
	if step.Granted != "" {
		how += " It was issued with the scope " + quote(step.Granted) + "."
	}
	return how, fixes(inClient("send resource, and the scope of the first authorization, with every request for a token, refreshes included."), inServer("compare the claims of the token (aud, scp, scope) with what is checked."))
}
