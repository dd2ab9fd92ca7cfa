package rules

import (
	"cmp"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// reasonOf is the reason of the refusal in hand: of several that apply the most specific.
func reasonOf(c *diagnose.Case) reason {
	all := [...]func(*diagnose.Case) (reason, bool){
		versionReason, sessionReason, handshakeReason, headerReason, bodyReason, nameReason,
		credentialReason, betweenReason, argumentReason, programReason, codeReason,
	}
	page := c.Exchange != nil && wire.IsMediaType(c.Exchange.ResponseHeader("Content-Type"), mediaHTML)
	if why, ok := notReachedReason(c); ok {
		return why
	}
	if c.Refusal.RPC && c.Message.Raw != nil && wire.Get(c.Message.Raw, "result") != nil {
		why, _ := reasonNamed("result and error")
		return why
	}
	for i, look := range all {
		if page && i < 6 { // it is not written in the words of MCP
			continue
		}
		if why, ok := look(c); ok {
			return why
		}
	}
	return reason{}
}

func likely(brief string, side diagnose.Side, cause string, fix ...diagnose.Remedy) (reason, bool) {
	return reason{advice{cause, fix, side}, brief, false}, true
}

func notReachedReason(c *diagnose.Case) (reason, bool) {
	if !c.Refusal.Says("midwire: cannot reach") {
		return reason{}, false
	}
	var f diagnose.Finding
	notReached(c.Refusal, &f)
	if c.Facts != nil && c.Facts.LastOK != 0 {
		f.Cause += " It had worked before: its process crashed, exited, or was stopped or restarted." + lastReached(c)
	}
	return reason{advice{f.Cause, f.Remedies, f.Side}, "server not reached", false}, true
}

// lastReached names the last that a server got before it could not be reached.
func lastReached(c *diagnose.Case) string {
	for _, r := range c.Latest(64) {
		asks := r.Kind == session.RowCall && r.Dir == wire.ToServer || r.Kind == session.RowHTTP
		if asks && r.Status != 502 && uint64(r.Request) < c.N {
			return " The last that it got before is " + quote(c.Tracker().Name(r.Name)) + " (" + frame(r.Request) + ")."
		}
	}
	return ""
}

func versionReason(c *diagnose.Case) (reason, bool) {
	if !c.Refusal.Means(sdkwords.VersionUnsupported, sdkwords.VersionHeader) {
		return reason{}, false
	}
	if overStdio(c) && c.Refusal.RPC && c.Refusal.Says("_meta") {
		return reasonNamed("_meta incomplete")
	}
	if c.Facts != nil && c.Facts.ServesModern && c.IsModern() {
		return reasonNamed("its own version refused")
	}
	in, x := initOf(c), c.Exchange
	if in != nil && in.OK && x != nil && x.Header(mcp.HeaderVersion) == string(in.Chosen) {
		return reasonNamed("agreed version refused")
	}
	return reasonNamed("version refused")
}

// sessionReason is about a session id that is missing, or not known.
func sessionReason(c *diagnose.Case) (reason, bool) {
	lost, missing := blamesSession(c.Refusal), blamesMissingID(c.Refusal)
	if c.Session == nil || !lost && !missing {
		return reason{}, false
	}
	issued := c.Session.IDSource == session.IDServer || c.Session.IDSource == session.IDReplaced
	sent := c.Exchange == nil || c.Exchange.SessionID != "" || isSSE(c)
	in := initOf(c)
	switch {
	case c.Method() == mcp.Initialize && sent:
		return reasonNamed("initialize with an id")
	case missing && !lost && c.Exchange != nil && c.Exchange.SessionID == c.Session.ID && issued:
		return reasonNamed("header lost on the way")
	case c.IsModern() && c.Facts.ServesModern:
		return reasonNamed("session asked of 2026-07-28")
	case !sent && in != nil && in.OK && issued:
		return reasonNamed("session id left out")
	case !sent && in != nil && in.OK:
		return reasonNamed("no session id was given")
	case !sent || !issued && in == nil && !isSSE(c):
		return reasonNamed("handshake skipped")
	case c.Refusal.Status == 404:
		return reasonNamed("session lost, not renewed")
	}
	return reasonNamed("session lost")
}

func handshakeReason(c *diagnose.Case) (reason, bool) {
	in := initOf(c)
	begins := asksFirst(c.Method())
	switch says := blamesHandshake(c.Refusal); {
	case c.Refusal.RPC && c.Refusal.Code == mcp.CodeMissingCapability:
		return reasonNamed("client capability missing")
	case c.Refusal.Means(sdkwords.AlreadyInitialized):
		return reasonNamed("one transport for all")
	case says && in != nil && in.OK && c.Facts.Initialized != 0:
		return reasonNamed("handshake forgotten")
	case says && in != nil && in.OK && !begins:
		return reasonNamed("initialized missing")
	case c.Session == nil || begins || c.IsModern() && !says || in != nil || c.Blind() || !c.Refusal.RPC ||
		!says && c.Refusal.Code != mcp.CodeInvalidParams && c.Refusal.Code != mcp.CodeInvalidRequest:
		return reason{}, false
	}
	return reasonNamed("handshake skipped (2)")
}

func headerReason(c *diagnose.Case) (reason, bool) {
	r, x := c.Refusal, c.Exchange
	if x == nil {
		return reason{}, false
	}
	accept := wire.HeadValues(x.RequestHead, "Accept")
	right := listsToken(accept, mediaStream) && (x.Verb == "GET" || listsToken(accept, mediaJSON))
	switch {
	case r.Status == 406 || r.Means(sdkwords.NotAcceptable):
		if right {
			return reasonNamed("Accept refused")
		}
		return reasonNamed("Accept wrong")
	case r.Status == 415 || r.Means(sdkwords.ContentType):
		if wire.IsMediaType(x.Header("Content-Type"), mediaJSON) {
			return reasonNamed("Content-Type refused")
		}
		return reasonNamed("Content-Type wrong")
	case r.Code == mcp.CodeHeaderMismatch && repeatsBody(c):
		return reasonNamed("header lost on the way")
	case r.Code == mcp.CodeHeaderMismatch || r.Means(sdkwords.HeaderMismatch, sdkwords.MetaMissing):
		return reasonNamed("header and body differ")
	case r.Status == 421 || r.Means(sdkwords.HostRejected):
		return reasonNamed("host rejected")
	case r.Means(sdkwords.OriginRejected):
		return reasonNamed("origin rejected")
	case x.Verb == "OPTIONS":
		return reasonNamed("preflight refused")
	}
	return reason{}, false
}

// repeatsBody says whether the headers of a request say what its body says, as 2026-07-28
// demands; those that a tool asks for are left out.
func repeatsBody(c *diagnose.Case) bool {
	x := c.Exchange
	name, _ := mcp.DecodeHeader(x.Header(mcp.HeaderName))
	return c.Call != nil && c.Call.Modern && x.Header(mcp.HeaderMethod) == c.Call.Method &&
		x.Header(mcp.HeaderVersion) == string(c.Call.Version) && (c.Call.Target == "" || name == c.Call.Target) &&
		!c.Refusal.Says("mcp-param")
}

// bodyReason is about a body that the server could not read.
func bodyReason(c *diagnose.Case) (reason, bool) {
	r, x, call := c.Refusal, c.Exchange, cmp.Or(c.Call, c.Pending(c.Row))
	switch {
	case r.Status == 413 || r.Means(sdkwords.TooLarge):
		if x != nil && between(x) != "" {
			return reasonNamed("request too large (2)")
		}
		return reasonNamed("request too large")
	case r.Means(sdkwords.BatchRefused):
		return reasonNamed("batch refused")
	case call == nil || call.Dir != wire.ToServer:
		return reason{}, false
	case len(call.Params) > 0 && call.Params[0] != '{':
		return likely("params is no object", diagnose.Client,
			"The member params of the request is "+words.Line(raw(call.Params), 40)+" and no object.", inClient("send an object, or leave params out."))
	case r.Code == mcp.CodeParseError || r.Means(sdkwords.Unreadable, sdkwords.BodyConsumed):
		if x != nil && hasWord(x.Header("Transfer-Encoding"), "chunked") {
			return reasonNamed("valid request not read (2)")
		}
		return reasonNamed("valid request not read")
	case r.Means(sdkwords.IDInUse):
		return reasonNamed("id in use")
	}
	return reason{}, false
}

// family is the capability that a method belongs to, "" for none.
func family(method string) string {
	name, _, _ := strings.Cut(method, "/")
	switch name {
	case "tools", "prompts", "resources", "logging", "tasks":
		return name
	case "completion":
		return "completions"
	}
	return ""
}

// nameReason is about a method, a tool and so on that the server does not know.
func nameReason(c *diagnose.Case) (reason, bool) {
	r := c.Refusal
	if c.Call == nil || c.Call.Dir != wire.ToServer {
		return reason{}, false
	}
	method, target := c.Call.Method, c.Call.Target
	if saysNoMethod(r) {
		return methodReason(c, method)
	}
	switch {
	case r.Means(sdkwords.TaskUnknown):
		last := ""
		if task, ok := c.Ledger.Latest(ledger.Task, c.Session.Index); ok && task.Status != "" {
			last = " Its status was " + quote(task.Status) + " before (" + frame(task.Told) + "): it had not ended."
		}
		return likely("task forgotten", diagnose.Server, "The server gave the id of the task, and does not know it any more: it was deleted, or belongs to another session."+last,
			inServer("keep a task until it has ended and its ttl is over."))
	case r.Means(sdkwords.CursorInvalid, sdkwords.RequestStateInvalid):
		return reasonNamed("own cursor refused")
	case target == "", !r.Means(sdkwords.ToolUnknown, sdkwords.PromptUnknown, sdkwords.ResourceUnknown) &&
		!sdkwords.SaysUnknownName(r.Text, target):
		return reason{}, false
	case c.Facts != nil && c.Facts.Tools[target] != nil:
		return reasonNamed("its own tool unknown")
	}
	return reasonNamed("unknown name")
}

// saysNoMethod says whether a refusal is one of a method that the server does not have, with
// whatever code or status.
func saysNoMethod(r *diagnose.Refusal) bool {
	return r.Code == mcp.CodeMethodNotFound || r.Means(sdkwords.MethodUnknown, sdkwords.NotImplemented) ||
		r.Says("missing handler", "no handler", "not implemented", "unknown method")
}

func methodReason(c *diagnose.Case, method string) (reason, bool) {
	in, of := initOf(c), family(method)
	switch {
	case method == mcp.Ping:
		return reasonNamed("ping refused")
	case in != nil && in.OK && of != "" && diagnose.Capability(in.ServerCaps, of):
		return reasonNamed("promised and not there")
	case in != nil && in.OK && of != "":
		return reasonNamed("not offered")
	}
	return reasonNamed("method unknown")
}
