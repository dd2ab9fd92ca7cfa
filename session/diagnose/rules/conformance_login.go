package rules

import (
	"midwire/session/diagnose"
	"midwire/session/oauth"
	"midwire/session/words"
)

// loginConformance are the checks that the model of logins makes, and the deviations of
// single exchanges that it knows.
var loginConformance = append([]*diagnose.Rule{
	{ID: "challenge-missing", On: diagnose.Refusals, Check: func(c *diagnose.Case) {
		if !aboutSession(c) {
			deviates(c)
		}
	}},
	{ID: "token-in-query", On: diagnose.HTTPRequests, Check: deviates},
},
	loginChecked(
		"authorization-refused", "oauth-issuer-differs", "oauth-metadata-incomplete", "oauth-metadata-missing",
		"oauth-metadata-not-requested", "oauth-resource-differs", "oauth-server-metadata-missing",
		"oauth-step-failed", "refresh-token-missing", "refresh-token-reused", "registration-not-offered",
		"resource-parameter-differs", "resource-parameter-missing", "scope-insufficient", "token-not-requested",
	)...)

func loginChecked(ids ...string) (rows []*diagnose.Rule) {
	for _, id := range ids {
		rows = append(rows, rule(id, loginOn, failedLogin))
	}
	return rows
}

// loginOn is what rules are asked about that report what fails in a login.
const loginOn = diagnose.OtherRequests | diagnose.OtherResponses | diagnose.OtherBodies | diagnose.Refusals |
	diagnose.Overall

// loginChecks are those that fail, as of a change of the model.
type loginChecks struct {
	changes int
	all     []oauth.Check
}

// failedLogin reports what fails in the model of logins under the id of the rule in hand,
// and was not reported yet.
func failedLogin(c *diagnose.Case) {
	book, known := c.Logins(), diagnose.Shared[loginChecks](c)
	if known.changes != book.Changes() {
		*known = loginChecks{book.Changes(), book.Problems()}
	}
	told := diagnose.Memory[map[uint64]bool](c)
	for i := range known.all {
		one := &known.all[i]
		if one.Rule != c.Rule().ID {
			continue
		}
		frames := one.Evidence()
		if key := hashOf(one.ID, frame(frames[0])); !(*told)[key] && len(*told) < 1024 {
			made(told)[key] = true
			c.ReportAs(one.ID+one.A.Value, loginFinding(one, frames))
		}
	}
}

// deviates reports what the exchange in hand has wrong by itself under the id of the rule
// in hand, as the model of logins sees it.
func deviates(c *diagnose.Case) {
	if c.Exchange == nil || c.Kind == bodyKind && c.Refusal == nil && c.Exchange.Status >= 400 {
		return // a refusal is asked about by itself
	}
	asked := c.ProtocolVersion()
	if asked == "" && c.Facts != nil && c.Facts.Init != nil {
		asked = c.Facts.Init.Requested
	}
	for _, one := range c.Logins().Deviations(c.Event, asked) {
		if one.Rule == c.Rule().ID {
			c.ReportAs(one.B.What+one.B.Value, loginFinding(&one, one.Evidence()))
		}
	}
}

func loginFinding(one *oauth.Check, frames []uint64) diagnose.Finding {
	f := diagnose.Finding{Frames: frames, Cause: one.Cause, Remedies: loginFix(one)}
	f.Side = map[oauth.Party]diagnose.Side{
		oauth.Client: diagnose.Client, oauth.MCPServer: diagnose.Server, oauth.AuthServer: diagnose.Server,
		oauth.Midwire: diagnose.Gateway,
	}[one.Who]
	f.Severity, _ = named(one.Weight, diagnose.Error, diagnose.Note)
	f.Seen = one.Seen
	f.Message = one.Text
	for i, s := range []oauth.Side{one.A, one.B} {
		f.Message += [...]string{" In this login, ", "; "}[i] + s.What + ": " + quoteOr(s.Value, "none")
		if s.N != 0 {
			f.Message += " (" + frame(s.N) + ")"
		}
	}
	f.Message += "."
	return f
}

// loginFix is who must change what, nil where the page of the rule says it.
func loginFix(one *oauth.Check) []diagnose.Remedy {
	if one.Fix == "" {
		return nil
	}
	text := words.Fold(one.Fix[:1]) + one.Fix[1:]
	switch one.Who {
	case oauth.Client:
		return fixes(inClient(text))
	case oauth.MCPServer:
		return fixes(inServer(text))
	case oauth.AuthServer:
		return fixes(diagnose.Remedy{Side: diagnose.AuthServer, Text: text})
	}
	return fixes(diagnose.Remedy{Text: one.Fix})
}
