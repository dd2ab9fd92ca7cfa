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

// reason is why an operation failed, by the evidence of that operation alone: the words of
// who refused it, what the request lacks or has by the specification, what the server
// had shown before, and in the end the status or the code.
type reason struct {
	advice
	brief string
	sure  diagnose.Confidence
}

// reasonOf is the reason of the refusal in hand: of several that apply the most specific.
func reasonOf(c *diagnose.Case) reason {
	first := [...]func(*diagnose.Case) (reason, bool){
		versionReason, sessionReason, handshakeReason, headerReason, bodyReason, nameReason,
	}
	page := c.Exchange != nil && wire.IsMediaType(c.Exchange.ResponseHeader("Content-Type"), mediaHTML)
	if why, ok := notReachedReason(c); ok {
		return why
	}
	if c.Refusal.RPC && c.Message.Raw != nil && wire.Get(c.Message.Raw, "result") != nil {
		why, _ := likely("result and error", diagnose.Server, "The response has both a result and an error, and JSON-RPC allows exactly one of them: clients take either.", inServer("send result or error, never both."))
		return why
	}
	for i := 0; i < len(first) && !page; i++ { // a page is not written in the words of MCP
		if why, ok := first[i](c); ok {
			return why
		}
	}
	for _, look := range [...]func(*diagnose.Case) (reason, bool){
		credentialReason, betweenReason, argumentReason, programReason, codeReason,
	} {
		if why, ok := look(c); ok {
			return why
		}
	}
	return reason{}
}

func likely(brief string, side diagnose.Side, cause string, fix ...diagnose.Remedy) (reason, bool) {
	return reason{advice{cause, fix, side}, brief, diagnose.Likely}, true
}

func possibly(brief string, side diagnose.Side, cause string, fix ...diagnose.Remedy) (reason, bool) {
	return reason{advice{cause, fix, side}, brief, diagnose.Possible}, true
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
	return reason{advice{f.Cause, f.Remedies, f.Side}, "server not reached", diagnose.Likely}, true
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
	if c.Facts != nil && c.Facts.ServesModern && c.IsModern() {
		return likely("its own version refused", diagnose.Server,
			"The server said before that it serves this protocol version, and refuses it now.",
			inServer("list only versions in server/discover that every request is served in."))
	}
	in, x := initOf(c), c.Exchange
	if in != nil && in.OK && x != nil && x.Header(mcp.HeaderVersion) == string(in.Chosen) {
		return likely("agreed version refused", diagnose.Server,
			"The header has the protocol version that this server chose in the handshake.",
			inServer("take the version that it chose itself; without sessions, take each version that it may choose."))
	}
	return likely("version refused", diagnose.Client, "The server does not speak the protocol version that the client names.",
		inClient("use a version that the server lists, and the one that the handshake chose in every later request."),
		inServer("support the version, or name those that it supports."))
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
		return likely("initialize with an id", diagnose.Client,
			"initialize carries a session id, which only the response to initialize can give.",
			inClient("send initialize without Mcp-Session-Id."), inGateway("do not pass on the session id of another connection."))
	case !sent && in != nil && in.OK && issued:
		return likely("session id left out", diagnose.Client,
			"The response to initialize had a session id, and the request does not send it back.",
			inClient("send the Mcp-Session-Id of the response to initialize with every later request."))
	case !sent && in != nil && in.OK:
		return likely("no session id was given", diagnose.Server,
			"The server demands a session id, and the response to initialize has none that the client could send: the server does not set it, or a gateway or proxy before it removes the header Mcp-Session-Id.",
			inServer("send Mcp-Session-Id with the response to initialize."), inGateway("pass the header on, in both directions."))
	case !sent || !issued && in == nil && !isSSE(c):
		return likely("handshake skipped", diagnose.Client,
			"No session was begun here: the client sends a request without initialize, or with a session id that this server did not give.",
			inClient("begin with initialize, and send the session id of its response."))
	case c.Refusal.Status == 404:
		return likely("session lost, not renewed", diagnose.Client,
			"The server no longer knows the session: it was restarted, the session expired, or another instance got the request. After 404 it is for the client to begin a new session.",
			inClient("send initialize without the id after 404."), inServer("keep sessions where each instance finds them, over a restart too."))
	}
	return likely("session lost", diagnose.Server,
		"The server gave the session id itself, and no longer knows it: it was restarted, the session expired, or another instance got the request. It does not say so with 404, which alone makes a client begin a new session.",
		inServer("keep sessions where each instance finds them, and respond with 404 to an id that it does not know."),
		inClient("begin again with initialize."))
}

func handshakeReason(c *diagnose.Case) (reason, bool) {
	in := initOf(c)
	begins := asksFirst(c.Method())
	switch says := blamesHandshake(c); {
	case c.Refusal.Means(sdkwords.AlreadyInitialized):
		return likely("one transport for all", diagnose.Server,
			"The server was initialized before, by this client or another one, and has one transport for all of them.",
			inServer("make a transport and a server object for each session."))
	case says && in != nil && in.OK && c.Facts.Initialized != 0:
		return likely("handshake forgotten", diagnose.Server,
			"The handshake was complete, and the server no longer knows of it: it makes a new transport for each request, or another instance got this one.",
			inServer("keep one transport for each session, or serve requests without sessions."))
	case says && in != nil && in.OK && !begins:
		return likely("initialized missing", diagnose.Client,
			"The server had responded to initialize, and got no notifications/initialized before this request.",
			inClient("send notifications/initialized after the response to initialize, and requests after that."))
	case c.Session == nil || begins || c.IsModern() && !says || in != nil || c.Blind() || !c.Refusal.RPC ||
		!says && c.Refusal.Code != mcp.CodeInvalidParams && c.Refusal.Code != mcp.CodeInvalidRequest:
		return reason{}, false
	}
	return likely("handshake skipped", diagnose.Client,
		"Nothing was initialized in this session before: the client sends the request without the handshake.",
		inClient("send initialize, wait for its response, send notifications/initialized, and then requests."),
		inServer("say that initialize is missing."))
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
		return demandReason("Accept", right, "Accept: application/json, text/event-stream")
	case r.Status == 415 || r.Means(sdkwords.ContentType):
		return demandReason("Content-Type", wire.IsMediaType(x.Header("Content-Type"), mediaJSON), "Content-Type: application/json")
	case r.Code == mcp.CodeHeaderMismatch || r.Means(sdkwords.HeaderMismatch, sdkwords.MetaMissing):
		return likely("header and body differ", diagnose.Client,
			"2026-07-28 has headers repeat what the body says (Mcp-Method, Mcp-Name, Mcp-Param-…, MCP-Protocol-Version). A client, or a gateway that rewrites one of the two, has to make both agree.",
			inClient("send those headers, made from the body that is sent."), inGateway("make them anew when the body changes."))
	case r.Status == 421 || r.Means(sdkwords.HostRejected):
		return likely("host rejected", diagnose.Server,
			"The server serves certain names in Host only, against DNS rebinding, and got "+quote(x.Header("Host"))+".",
			inServer("add the public name to its allowed hosts."), inGateway("send the Host that the server expects."))
	case r.Means(sdkwords.OriginRejected):
		return likely("origin rejected", diagnose.Server, "The server does not allow pages of the origin "+quote(x.Header("Origin"))+".",
			inServer("allow the origin, if the page is to use the server."))
	case x.Verb == "OPTIONS":
		return likely("preflight refused", diagnose.Server,
			"A browser asks with OPTIONS, without a credential, before it sends the request, and sends none when that is refused.",
			inServer("answer OPTIONS with 204 and the Access-Control headers, before any check of credentials."),
			inGateway("let OPTIONS through."))
	}
	return reason{}, false
}

func demandReason(name string, right bool, wants string) (reason, bool) {
	if right {
		return likely(name+" refused", diagnose.Server,
			"The request has the "+name+" that MCP demands ("+wants+"), and it is refused all the same: the server compares it too strictly, or a wrapper or gateway before it does not pass it on.",
			inServer("compare media types without parameters, and look at what it gets."), inGateway("pass "+name+" on."))
	}
	return likely(name+" wrong", diagnose.Client, "The request lacks what MCP demands: "+wants+".", inClient("send "+wants+"."))
}

// bodyReason is about a body that the server could not read.
func bodyReason(c *diagnose.Case) (reason, bool) {
	r, x, call := c.Refusal, c.Exchange, cmp.Or(c.Call, c.Pending(c.Row))
	switch {
	case r.Status == 413 || r.Means(sdkwords.TooLarge):
		side := diagnose.Server
		if x != nil && between(x) != "" {
			side = diagnose.Gateway
		}
		return likely("request too large", side, "The request is larger than the limit of the server, or of the gateway before it.",
			responsible("raise the limit for bodies."), inClient("send less at once."))
	case r.Means(sdkwords.BatchRefused):
		return likely("batch refused", diagnose.Client, "The message is a batch, which this server does not take.", inClient("send one message at a time."))
	case call == nil || call.Dir != wire.ToServer:
		return reason{}, false
	case len(call.Params) > 0 && call.Params[0] != '{':
		return likely("params is no object", diagnose.Client,
			"The member params of the request is "+words.Line(raw(call.Params), 40)+" and no object.", inClient("send an object, or leave params out."))
	case r.Code == mcp.CodeParseError || r.Means(sdkwords.Unreadable, sdkwords.BodyConsumed):
		cause := "The request is a valid message here, and the server could not read it: its web framework read the body before, or a wrapper or gateway changed it on the way."
		if x != nil && hasWord(x.Header("Transfer-Encoding"), "chunked") {
			cause = "The request is a valid message here; its body came in chunks (Transfer-Encoding: chunked, without Content-Length), which the server cannot read."
		}
		return likely("valid request not read", diagnose.Server, cause,
			inServer("let nothing read the body before MCP does, and read bodies in chunks."), inGateway("pass bodies on as they are."))
	case r.Means(sdkwords.IDInUse):
		return likely("id in use", diagnose.Client, "Another request with the same id is pending.", inClient("give every request an id of its own."))
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
	if r.Code == mcp.CodeMethodNotFound || r.Means(sdkwords.MethodUnknown, sdkwords.NotImplemented) ||
		r.Says("missing handler", "no handler", "not implemented", "unknown method") {
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
		return possibly("own cursor refused", diagnose.Server, "The server refuses a value that it gave itself, if the client sent it back unchanged.",
			inServer("take each cursor and state that it gave, as long as it is valid."), inClient("send such values back unchanged."))
	case target == "", !r.Means(sdkwords.ToolUnknown, sdkwords.PromptUnknown, sdkwords.ResourceUnknown) &&
		!sdkwords.SaysUnknownName(r.Text, target):
		return reason{}, false
	case c.Facts != nil && c.Facts.Tools[target] != nil:
		return likely("its own tool unknown", diagnose.Server,
			"The server, or the gateway before it, listed the tool and does not know it when it is called.", inServer("serve what it lists."), inGateway("route the name to the server that has it."))
	}
	return likely("unknown name", diagnose.Client, "The name is none that the server listed: it is from another server or an older list, or has a prefix that a gateway has to take off.",
		inClient("use the names of the latest list."), inGateway("take the prefix off before the call is passed on."))
}

func methodReason(c *diagnose.Case, method string) (reason, bool) {
	in, of := initOf(c), family(method)
	switch {
	case method == mcp.Ping:
		return likely("ping refused", diagnose.Server, "Every server has to answer ping with an empty result.", inServer("answer ping with {}."))
	case in != nil && in.OK && of != "" && diagnose.Capability(in.ServerCaps, of):
		return likely("promised and not there", diagnose.Server,
			"The server declared the capability "+quote(of)+" in the handshake, and nothing handles "+method+".",
			inServer("handle the method, or do not declare "+of+"."), inClient("continue without it."))
	case in != nil && in.OK && of != "":
		return likely("not offered", diagnose.Client, "The server did not declare the capability "+quote(of)+", and the client asks for it.",
			inClient("ask only for what the server declared, and do not take this error for a failure of the connection."))
	}
	return possibly("method unknown", diagnose.Client, "The server has no such method.", inClient("ask for methods of the protocol version in force that the server offers."))
}
