package rules

import (
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/schema"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var advertisedNotImplemented = &diagnose.Rule{
	ID: "advertised-not-implemented",
	On: diagnose.Results | diagnose.Errors,
	Methods: []string{
		mcp.Discover, mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList,
		mcp.Complete, mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead, mcp.ResourcesSubscribe,
		mcp.ResourcesUnsubscribe,
		mcp.LogSetLevel, mcp.TasksList, mcp.TasksCancel,
		mcp.RootsList, mcp.SamplingCreateMessage, mcp.ElicitationCreate,
	},
	Check: func(c *diagnose.Case) {
		if c.Call == nil {
			return
		}
		if c.Dir == wire.ToServer {
			clientLacks(c)
			return
		}
		if c.Message.Kind == wire.MsgResult || !knowsNoMethod(c) || !c.IsModern() && !c.Facts.Negotiated() {
			return
		}
		made := c.Facts.Offered
		gate := serverGates[c.Call.Method]
		if !diagnose.Capability(made.Caps, gate...) {
			return
		}
		f := diagnose.Finding{
			Message: c.Server() + " declared the capability " + quote(strings.Join(gate, ".")) + " (" + frame(made.N) +
				") and does not know " + quote(c.Call.Method) + " (" + frame(c.N) + "): " +
				quote(errorText(c)) + ".",
			Frames: []uint64{c.N, c.Call.N, made.N},
		}
		list := strings.HasSuffix(c.Call.Method, "/list")
		if list && !c.IsModern() || c.Call.Method == mcp.ResourceTemplatesList ||
			c.Call.Method == mcp.LogSetLevel {
			f.Severity = diagnose.Note // only 2026-07-28 demands it, and of lists
		}
		c.ReportAs(c.Call.Method, f)
	},
}

// knowsNoMethod says whether the error in hand says that its sender has no such method:
// by the code, unless it is what a call asks for that is not there, or by the words.
func knowsNoMethod(c *diagnose.Case) bool {
	said := diagnose.Refusal{Text: errorText(c), Code: int64(errorCode(c))}
	if c.Call.Target != "" && sdkwords.SaysUnknownName(said.Text, c.Call.Target) || byTransport(c) {
		return false
	}
	if said.Words().Own() && !said.Means(sdkwords.MethodUnknown, sdkwords.NotImplemented, sdkwords.CapabilityMissing) {
		return false // some SDKs have one code for whatever is wrong with a request
	}
	if c.Call.Method == mcp.ToolsCall { // the code has another meaning for tasks
		// A tool may quote what another side said to it.
		return wire.Get(c.Call.Params, "task") == nil && said.Means(sdkwords.MethodUnknown) &&
			said.Code != mcp.CodeInternalError
	}
	if errorCode(c) == mcp.CodeMethodNotFound {
		return c.Call.Target == "" || !strings.Contains(said.Text, c.Call.Target) || said.Says("method")
	}
	return said.Means(sdkwords.MethodUnknown, sdkwords.NotImplemented)
}

// clientLacks reports a client that declared a capability and does not know its method.
func clientLacks(c *diagnose.Case) {
	if c.Message.Kind != wire.MsgError || !c.Facts.Negotiated() || !assigned(c) || !knowsNoMethod(c) {
		return
	}
	name, _, _ := strings.Cut(c.Call.Method, "/")
	if !diagnose.Capability(c.Facts.Init.ClientCaps, name) {
		return
	}
	c.ReportAs(c.Call.Method, withAdvice("no handler for what is declared", diagnose.Finding{
		Side: diagnose.Client,
		Message: c.Client() + " declared the capability " + quote(name) + " (" + frame(c.Facts.Init.N) +
			") and does not know " + quote(c.Call.Method) + " (" + frame(c.N) + "): " + quote(errorText(c)) + ".",
		Frames: []uint64{c.N, c.Call.N, c.Facts.Init.N},
	}))
}

// serverGates are the capabilities of a server that a client's requests need.
var serverGates = map[string][]string{
	mcp.ToolsList:             {"tools"},
	mcp.ToolsCall:             {"tools"},
	mcp.PromptsList:           {"prompts"},
	mcp.PromptsGet:            {"prompts"},
	mcp.ResourcesList:         {"resources"},
	mcp.ResourceTemplatesList: {"resources"},
	mcp.ResourcesRead:         {"resources"},
	mcp.ResourcesSubscribe:    {"resources", "subscribe"},
	mcp.ResourcesUnsubscribe:  {"resources", "subscribe"},
	mcp.Complete:              {"completions"},
	mcp.LogSetLevel:           {"logging"},
	mcp.TasksList:             {"tasks", "list"},
	mcp.TasksCancel:           {"tasks", "cancel"},
}

var serverCapabilityMissing = rule("server-capability-missing", diagnose.Requests|diagnose.Finish,
	func(c *diagnose.Case) {
		s := diagnose.State[notAllowed](c)
		switch {
		case c.N == 0:
			s.finish(c)
			return
		case c.Call == nil || c.Call.Dir != wire.ToServer:
			return
		}
		s.goesOn(c)
		gate := serverGates[c.Call.Method]
		if gate == nil || c.Facts == nil || !c.Facts.Negotiated() || len(c.Facts.Init.ServerCaps) == 0 {
			return
		}
		able := s.declared.has(c.Facts.Init, c.Call.Method, gate)
		if able || gate[0] == "completions" && c.ProtocolVersion() < mcp.V20250326 {
			return
		}
		if len(s.open) < maxUndeclared {
			s.open = append(s.open, without{c.Row, c.N, c.Facts.Init.ResponseN, c.Call.Method, strings.Join(gate, ".")})
		}
	})

// notAllowed are the requests that the capabilities do not allow, until it is known
// what came of them.
type notAllowed struct {
	declared
	open []without
}

// without is a request for what was not declared.
type without struct {
	row                int32
	n, caps            uint64 // frames
	method, capability string
}

const maxUndeclared = 64

// goesOn takes a request: whoever sends it did not give up at what was responded before.
func (s *notAllowed) goesOn(c *diagnose.Case) {
	s.open = slices.DeleteFunc(s.open, func(one without) bool {
		r := c.Tracker().Row(int(one.row))
		switch {
		case r.Response == 0:
			return false
		case r.Ending.IsError():
			one.report(c, diagnose.Note, " It was refused ("+frame(r.Response)+"), and the client went on.")
		default:
			one.report(c, diagnose.Note, " It got a result all the same.")
		}
		return true
	})
}

// finish looks at what the client did not go on after.
func (s *notAllowed) finish(c *diagnose.Case) {
	for _, one := range s.open {
		switch r := c.Tracker().Row(int(one.row)); {
		case r.Response != 0 && !r.Ending.IsError():
			one.report(c, diagnose.Note, " It got a result all the same.")
		case r.Response != 0:
			one.report(c, softBefore2025June(c), " It was refused ("+frame(r.Response)+"), and the client sent nothing more.")
		default:
			one.report(c, softBefore2025June(c), "")
		}
	}
	s.open = nil
}

func (one *without) report(c *diagnose.Case, severity diagnose.Severity, said string) {
	c.ReportAs(one.capability+severity.String(), diagnose.Finding{
		Severity: severity, Harmless: severity == diagnose.Note,
		Message: c.Client() + " sent " + quote(one.method) + " (" + frame(one.n) + "), and the server did not declare the capability " +
			quote(one.capability) + " (" + frame(one.caps) + ")." + said,
		Frames: []uint64{one.n, one.caps}, Beside: []uint64{uint64(c.Tracker().Row(int(one.row)).Response)},
	})
}

// declared remembers which methods the capabilities of a handshake allow.
type declared struct {
	init uint64 // frame of the response
	able map[string]bool
}

func (d *declared) has(init *diagnose.Init, method string, gate []string) bool {
	if d.init != init.ResponseN || d.able == nil {
		d.init, d.able = init.ResponseN, map[string]bool{}
	}
	able, known := d.able[method]
	if !known {
		able = diagnose.Capability(init.ServerCaps, gate...)
		d.able[method] = able
	}
	return able
}

var clientCapabilityNeeded = &diagnose.Rule{
	ID: "client-capability-needed", On: diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Dir != wire.ToClient || errorCode(c) != mcp.CodeURLElicitation || !c.Facts.Negotiated() ||
			diagnose.Capability(c.Facts.Init.ClientCaps, "elicitation", "url") {
			return
		}
		c.Found("", c.Call.Target, fill{"said": errorText(c), "init": c.Facts.Init.N}, c.N, c.Call.N, c.Facts.Init.N)
	},
}

var unknownMemberRefused = rule("unknown-member-refused", diagnose.Refusals|diagnose.Errors,
	func(c *diagnose.Case) {
		fromClient := c.Refusal == nil && c.Dir == wire.ToServer && c.Call != nil
		if c.Refusal == nil && !fromClient || c.Call == nil ||
			c.Call.Method == mcp.ToolsCall || c.Call.Method == mcp.PromptsGet { // whose arguments have a schema
			return
		}
		r := c.Refusal
		if r == nil {
			r = &diagnose.Refusal{Text: errorText(c), Data: string(wire.Get(c.Message.Error, "data"))}
		}
		if !r.Says("unrecognized field", "unrecognized key", "unrecognized_keys", "unrecognized property", "unrecognised field", "unknown field", "unknown property", "unknown key",
			"additional propert", "additionalproperties", "extra inputs are not permitted", "extra fields not permitted", "extra_forbidden", "not marked as ignorable",
			"could not find member", "unmapped member", "could not be mapped to any .net member") {
			return
		}
		side := diagnose.Server
		if fromClient {
			side = diagnose.Client
		}
		f := diagnose.Finding{Side: side, Frames: []uint64{c.N, c.Call.N}}
		if c.Exchange != nil && c.Refusal != nil {
			f.Frames = append(f.Frames, headFrames(c.Exchange)...)
		}
		f.Message = c.Named(side) + " refused " + about(c.Call) + " because of a member that it does not know (" + frame(c.N) + "): " + quoteLong(r.Text) +
			". Objects of the protocol may have members that a peer does not know; it has to ignore them."
		c.ReportAs(c.Call.Method, f)
	})

var questionRefused = &diagnose.Rule{
	ID: "question-refused",
	On: diagnose.Errors,
	Methods: []string{
		mcp.SamplingCreateMessage, mcp.ElicitationCreate, mcp.RootsList, mcp.TasksGet, mcp.TasksResult,
	},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToServer || c.Call == nil {
			return
		}
		switch errorCode(c) {
		case mcp.CodeInvalidParams, mcp.CodeInternalError, mcp.CodeInvalidRequest:
		default:
			return // people say no with codes of their own, and what is not known has other rules
		}
		c.Say(c.Call.Method, c.Client()+" refused the request "+about(c.Call)+" of the server with the error "+number(errorCode(c))+" ("+frame(c.N)+"): "+
			quoteLong(errorText(c))+".", c.N, c.Call.N)
	},
}

var questionAnsweredOddly = &diagnose.Rule{
	ID:      "question-answered-oddly",
	On:      diagnose.Replies | diagnose.FailedCalls,
	Methods: []string{mcp.ElicitationCreate, mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		s := diagnose.State[answers](c)
		switch {
		case c.Call == nil:
		case c.Dir == wire.ToServer && c.Call.Method == mcp.ElicitationCreate && c.Message.Kind == wire.MsgResult:
			s.take(c)
		case c.Dir == wire.ToClient && c.Call.Method == mcp.ToolsCall && s.refused != 0 && failure(c) != "":
			s.judged(c)
		}
	},
}

// answers are those of a session to the questions of the server.
type answers struct {
	refused uint64 // frame of the latest decline or cancel
	action  string // and which of both it was
	checked int
}

// atOnce is faster than a person reads a question and answers it, in nanoseconds.
const atOnce = 250e6

// maxAnswers bounds how many answers are compared with their schemas.
const maxAnswers = 1000

func (s *answers) take(c *diagnose.Case) {
	action, took := text(c.Result("action")), c.T-c.Call.T
	s.refused = 0
	switch action {
	case "decline", "cancel":
		if s.refused, s.action = c.N, action; took < atOnce {
			c.ReportAs(action, diagnose.Finding{
				Message: c.Client() + " answered elicitation/create (" + frame(c.Call.N) + ") with " + quote(action) + " after " + number(took/1e6) + " ms (" + frame(c.N) +
					"). No person is that quick: nobody was shown the question, and the server takes it for a decision.",
				Frames: []uint64{c.N, c.Call.N},
			})
		}
	case "accept":
		if s.checked++; s.checked <= maxAnswers {
			accepted(c, took)
		}
	}
}

// accepted compares what was accepted with what the question asks for.
func accepted(c *diagnose.Case, took int64) {
	raw, content := wire.Get(c.Call.Params, "requestedSchema"), c.Result("content")
	if len(raw) == 0 || raw[0] != '{' {
		return
	}
	if content == nil {
		content = []byte("{}")
	}
	want, err := schema.Compile(raw)
	if err != nil {
		return
	}
	faults, _ := want.Check(content)
	if len(faults) == 0 {
		return
	}
	msg := c.Client() + " accepted elicitation/create (" + frame(c.Call.N) + ") with a content that does not fit the requestedSchema (" + frame(c.N) + "): " + placed("content", &faults[0]) + "."
	if took < atOnce {
		msg += " It did so after " + number(took/1e6) + " ms: no person was asked."
	}
	c.ReportAs("content", diagnose.Finding{Severity: diagnose.Warning, Message: msg, Frames: []uint64{c.N, c.Call.N}})
}

// judged looks at a call that failed after a person said no: some servers validate the
// content that is not there.
func (s *answers) judged(c *diagnose.Case) {
	said := failure(c)
	if words.Holds(said, "schema", "required", "validat", "missing") && words.Holds(said, "elicit", "content", "schema") {
		c.ReportAs("judged", withAdvice("content always validated", diagnose.Finding{
			Side: diagnose.Server,
			Message: c.Server() + " failed " + about(c.Call) + " (" + frame(c.N) + "): " + quoteLong(said) +
				". The client had answered the elicitation with " + quote(s.action) + " (" + frame(s.refused) +
				"), which has no content: there was nothing to check against the schema.",
			Frames: []uint64{c.N, c.Call.N, s.refused},
		}))
	}
	s.refused = 0
}
