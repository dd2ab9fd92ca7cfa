package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// credentialReason is about who asks.
func credentialReason(c *diagnose.Case) (reason, bool) {
	r, x := c.Refusal, c.Exchange
	if x == nil || r.Status != 401 && r.Status != 403 && !r.Means(sdkwords.Unauthorized, sdkwords.ScopeMissing) {
		return reason{}, false
	}
	sent := x.Header("Authorization") != ""
	page := wire.IsMediaType(x.ResponseHeader("Content-Type"), mediaHTML)
	switch {
	case page || r.Status == 403 && between(x) != "":
		return reasonNamed("refused on the way")
	case r.Means(sdkwords.ScopeMissing) || r.Status == 403 && hasWord(x.ResponseHeader("WWW-Authenticate"), "insufficient_scope"):
		return reasonNamed("scope missing")
	case !sent:
		return reasonNamed("no credential")
	case r.Status == 403:
		return reasonNamed("not permitted")
	}
	if why := c.Logins().Why(uint64(x.ResponseN)); why != nil {
		one := loginFinding(why, why.Evidence())
		return reason{advice{why.Text, one.Remedies, one.Side}, "credential refused", false}, true
	}
	if got, ok := c.Logins().Granted(); ok && got.Response < uint64(x.RequestN) {
		how, fix := meantForOther(&got)
		text := "The server refuses a token that was issued before (" + frame(got.Response) + ")" + how + " " + forOther
		return likely("credential refused", diagnose.Client, text, fix...)
	}
	return reasonNamed("credential refused")
}

// betweenReason is about what a gateway says, or a server that is not there for MCP.
func betweenReason(c *diagnose.Case) (reason, bool) {
	r, x := c.Refusal, c.Exchange
	if x == nil {
		return reason{}, false
	}
	by, side := between(x), diagnose.Server
	page := wire.IsMediaType(x.ResponseHeader("Content-Type"), mediaHTML) && x.ResponseHeader("X-Powered-By") == ""
	if by != "" || page {
		side = diagnose.Gateway
	}
	switch {
	case r.Status == 429 || r.Means(sdkwords.RateLimited):
		return reasonNamed("too many requests")
	case r.Status == 504, r.Status == 408, r.Status == 522, r.Status == 524,
		r.Status >= 500 && r.Means(sdkwords.TimedOut):
		return reasonNamed("gateway gave up")
	case r.Status == 502 || r.Status == 503 || r.Status > 504:
		return reasonNamed("server behind is down")
	case c.IsModern() || r.RPC || x.Verb != "POST":
	case (r.Status == 404 || r.Status == 405 || r.Status == 410) && (c.Facts == nil || c.Facts.LastOK == 0):
		return reasonNamed("no MCP at this URL")
	case r.Status == 422:
		return reasonNamed("message not understood")
	}
	if side == diagnose.Gateway && (r.Status >= 500 || page) {
		return reasonNamed("refused on the way (2)")
	}
	return reason{}, false
}

// argumentReason is about what was sent with a call.
func argumentReason(c *diagnose.Case) (reason, bool) {
	r := c.Refusal
	if c.Call == nil || c.Call.Dir != wire.ToServer || !r.RPC ||
		r.Code != mcp.CodeInvalidParams && !r.Means(sdkwords.BadParams) &&
			!sdkwords.Program(r.Text).Means(sdkwords.BadParams) {
		return reason{}, false
	}
	args := wire.Get(c.Call.Params, "arguments")
	if len(args) > 0 && args[0] != '{' {
		return likely("arguments is no object", diagnose.Client, "The member arguments is "+raw(args)+" and no object.", inClient("send an object, or leave arguments out."))
	}
	if c.Call.Method == mcp.ToolsCall && c.Facts != nil {
		if t := c.Facts.Tools[c.Call.Target]; t != nil && len(t.Input) > 0 && t.Input[0] == '{' {
			if len(args) == 0 {
				args = []byte("{}")
			}
			if len(diagnose.Memory[validators](c).check(t, t.Input, args, true)) == 0 {
				return reasonNamed("valid arguments refused")
			}
			return reasonNamed("arguments invalid")
		}
	}
	if len(c.Call.Params) == 0 && r.Says("missing field", "params is required", "params are required", "missing params") {
		return reasonNamed("params demanded")
	}
	return reasonNamed("parameters refused")
}

// programReason is what the words mean that a program, an SDK or a runtime says.
func programReason(c *diagnose.Case) (reason, bool) {
	a, known := adviceOn(c.Refusal.Text + " " + c.Refusal.Data)
	if !known {
		return reason{}, false
	}
	if a.side == diagnose.Unclear && (c.Refusal.Code == mcp.CodeInternalError || c.Refusal.Status >= 500) {
		a.side = diagnose.Server
	}
	return reason{advice: a, brief: "refused"}, true
}

// codeReason is what is left: the code or the status.
func codeReason(c *diagnose.Case) (reason, bool) {
	switch r := c.Refusal; {
	case r.Means(sdkwords.Forbidden), r.Says("not enabled", "not permitted", "not subscribed", "not allowed"):
		return reasonNamed("not permitted (2)")
	case r.Code == mcp.CodeInternalError, r.Status >= 500:
		brief := ""
		if r.RPC && saysWhatFailed(r.Text) {
			brief = "the server failed inside"
		}
		return likely(brief, diagnose.Server, "The server failed inside; its log has more.", inServer("look up the failure in its log at this time."))
	case r.RPC && r.Means(sdkwords.TimedOut):
		return reasonNamed("timed out inside")
	}
	return reason{}, false
}

// saysWhatFailed says whether the text of an error has more than that there is one.
func saysWhatFailed(text string) bool {
	rest := words.Fold(text)
	for _, bare := range []string{"internal", "server", "error", "unexpected", "unknown", "request", "failed"} {
		rest = strings.ReplaceAll(rest, bare, "")
	}
	return len(strings.Fields(strings.Trim(rest, " :.-"))) >= 2
}

// lossOf is the reason of a call that got no response, by how its HTTP exchange went; ok
// is false where that tells nothing.
func lossOf(c *diagnose.Case) (why reason, ok bool) {
	x, r := c.Exchange, rowOf(c)
	if x == nil || r == nil || x.Calls == 0 || r.Response != 0 || c.Session == nil {
		return why, false
	}
	coding := x.ResponseHeader("Content-Encoding")
	switch {
	case x.Status >= 300 && x.Status < 400:
		why, ok = reasonNamed("redirected")
		why.cause += " It led to " + quote(x.ResponseHeader("Location")) + "."
	case x.Status == 202 && !isSSE(c):
		return reasonNamed("accepted, never answered")
	case x.Status == 204:
		return reasonNamed("answered with nothing")
	case x.Status == 200 && coding != "" && !listsToken(wire.HeadValues(x.RequestHead, "Accept-Encoding"), coding):
		return reasonNamed("encoding not asked for")
	case c.Kind == endKind && x.Status == 0 && c.By == wire.ByServer:
		return reasonNamed("connection closed")
	case c.Kind != endKind || x.Status != 200:
	case x.IsStream && c.By == wire.ByServer && !isSSE(c):
		return reasonNamed("stream ended early")
	case x.IsStream && c.By == wire.ByClient && x.Events == 0 && c.T-x.ResponseT > 3e9 && !isSSE(c):
		return reasonNamed("silent stream")
	}
	return why, ok
}

// unheardReason is why nothing was heard of what failed, by how it went: who was to act,
// and what the server did meanwhile.
func unheardReason(c *diagnose.Case, how *diagnose.Failure) (reason, bool) {
	one, died := how.Asked, how.How == diagnose.ProcessDied
	if len(one) == 0 {
		one = how.Pending
	}
	switch {
	case len(one) == 0 && died:
		return reasonNamed("the process ended")
	case len(one) == 0, died && (how.Code > 128 || how.Code < 0): // somebody ended it
		return reason{}, false
	case died:
		return likely("died at a request", diagnose.Server, "The process of the server ended while it served "+one[0].Method+", and said nothing of why.",
			inServer("send the same request to the server by hand, and see what it says."))
	case one[0].End.Denied():
		return reason{}, false
	}
	if chain := c.Ledger.Chain(one[0].Index); len(chain) > 1 && chain[len(chain)-1].Owes == wire.ToServer {
		return reasonNamed("client owes an answer")
	}
	debt, known := c.Ledger.Of(one[0].Index)
	waited := debt.Wait(c.Until())
	switch {
	case !known:
		return reason{}, false
	case waited >= 1e9 && c.Facts.Init != nil && c.Facts.Init.OK && c.Facts.Initialized == 0:
		return reasonNamed("waits for initialized")
	case waited < 1e9, waited < 3e9 && c.Ledger.Pipes().StdinBy == wire.ByClient:
		return reasonNamed("client did not wait")
	case how.LastOK == nil:
		return reasonNamed("no answer at all")
	}
	return reasonNamed("the request hangs")
}
