package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var envelopeConformance = []formal{
	{
		id: "session-leftovers", on: diagnose.HTTPResponses | diagnose.SSE,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if c.Facts == nil || !c.Facts.ServesModern || c.Row < 0 {
				return
			}
			if x.Calls == 0 {
				if c.Kind == session.EventResponse {
					plainLeftover(c)
				}
				return
			}
			if !c.Tracker().Row(int(c.Row)).Modern {
				return
			}
			what := ""
			switch {
			case c.SSE.HasID && c.SSE.ID != "" && x.Events > 0:
				what = "an event id, " + quote(c.SSE.ID)
			case c.SSE.Retry != "" && x.Events > 0:
				what = "retry, " + quote(c.SSE.Retry)
			case x.Events == 0 && x.Status < 300 && x.ResponseHeader(mcp.HeaderSessionID) != "":
				what = "a session id, " + quote(x.ResponseHeader(mcp.HeaderSessionID))
			default:
				return
			}
			c.Say(what[:8], "The response to the request of 2026-07-28 in "+frame(x.RequestN)+" has "+what+" ("+frame(c.N)+").",
				c.N, uint64(x.RequestN))
		},
	},
	{
		id: "envelope-incomplete", on: diagnose.Requests,
		check: func(c *diagnose.Case) {
			if c.Dir != wire.ToServer || c.Session.Transport == session.TransportSSE {
				return
			}
			meta := c.Call.Meta
			if !c.Modern && !c.IsModern() && c.Facts.Negotiated() && len(meta) < 60 {
				return // too short to hold a part of the envelope
			}
			if c.Modern && c.Call.Version != "" && len(c.Call.Caps) > 0 && c.Call.Caps[0] == '{' &&
				wire.Get(meta, mcp.MetaClientInfo) != nil {
				return
			}
			if !c.Modern && !claimsModern(c, meta) {
				return
			}
			var missing []string
			for _, key := range []string{mcp.MetaProtocolVersion, mcp.MetaClientCapabilities} {
				raw := wire.Get(meta, key)
				if raw == nil || key == mcp.MetaProtocolVersion && text(raw) == "" ||
					key == mcp.MetaClientCapabilities && raw[0] != '{' {
					missing = append(missing, strings.TrimPrefix(key, mcp.MetaPrefix))
				}
			}
			if missing != nil {
				list := strings.Join(missing, " and ")
				c.Say(list, "The request "+quote(c.Call.Method)+" ("+frame(c.N)+") is of 2026-07-28, and its params._meta lacks "+list+".")
				return
			}
			if wire.Get(meta, mcp.MetaClientInfo) == nil {
				c.ReportAs("clientInfo", diagnose.Finding{
					Severity: diagnose.Note, // it is for display only
					Message:  "The request " + quote(c.Call.Method) + " (" + frame(c.N) + ") does not say which client sent it: params._meta lacks clientInfo.",
				})
			}
		},
	},
	{
		id: "request-state-wrong", on: diagnose.Requests | diagnose.Results,
		methods: []string{mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead},
		check: func(c *diagnose.Case) {
			if c.Call == nil || !c.Call.Modern {
				return
			}
			if c.Message.Kind == wire.MsgResult {
				if resultType(c) == "input_required" {
					diagnose.State[rounds](c).note(c)
				}
				return
			}
			state, responses := c.Param("requestState"), c.Param("inputResponses")
			if state == nil && responses == nil {
				return
			}
			checkState(c, diagnose.State[rounds](c), state)
		},
	},
	{
		id: "log-unrequested", on: diagnose.Requests | diagnose.Results | diagnose.Errors | diagnose.Settled | diagnose.Notifications,
		check: checkLog,
	},
	{
		id: "header-value-encoding", on: diagnose.ModernRequests,
		methods: []string{
			mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead, mcp.TasksGet, mcp.TasksUpdate, mcp.TasksCancel,
		},
		check: func(c *diagnose.Case) {
			if !modernPost(c) || !isEncoded(c.Exchange.RequestHead) {
				return
			}
			if param := mcp.NameParam(c.Call.Method); param != "" {
				badValue(c, mcp.HeaderName, c.Exchange.Header(mcp.HeaderName), text(c.Param(param)))
			}
			eachParamHeader(c.Exchange.RequestHead, func(name, value string) { badValue(c, name, value, "") })
		},
	},
}

// plainLeftover looks at the response to a GET or DELETE of 2026-07-28.
func plainLeftover(c *diagnose.Case) {
	x := c.Exchange
	if x.Verb != "GET" && x.Verb != "DELETE" || !mcp.Version(x.Header(mcp.HeaderVersion)).IsModern() ||
		x.Status == 405 || x.Status >= 500 || x.Status == 401 || x.Status == 403 || x.Status == 429 {
		return
	}
	c.Say(x.Verb, c.Server()+" responded to a "+x.Verb+" of 2026-07-28 ("+frame(x.RequestN)+") with "+number(x.Status)+" instead of 405.",
		c.N, uint64(x.RequestN))
}

// claimsModern says whether a request without a protocolVersion in its body is
// of 2026-07-28 anyway.
func claimsModern(c *diagnose.Case, meta []byte) bool {
	switch c.Call.Method {
	case mcp.Discover, mcp.Listen:
		return true
	case mcp.Initialize, mcp.Ping:
		return false
	}
	if c.Exchange != nil && mcp.Version(c.Exchange.Header(mcp.HeaderVersion)).IsModern() {
		return !c.Facts.Negotiated()
	}
	return meta != nil && (wire.Get(meta, mcp.MetaClientCapabilities) != nil ||
		wire.Get(meta, mcp.MetaClientInfo) != nil)
}

// checkState compares the state of a retry with what was given. Where it is not
// sure which response the request continues, any that fits will do.
func checkState(c *diagnose.Case, s *rounds, state []byte) {
	var nearest *round
	for i := len(s.open) - 1; i >= 0; i-- {
		n := &s.open[i]
		if state != nil && n.hasState && n.state == text(state) {
			return
		}
		if !n.continues(c) {
			continue
		}
		if state == nil && !n.hasState {
			return
		}
		if nearest == nil {
			nearest = n
		}
	}
	if nearest == nil || s.lost || c.Blind() {
		return
	}
	what := ""
	switch {
	case state == nil:
		what = "does not return the requestState"
	case nearest.hasState:
		what = "returns another requestState than the one"
	default:
		c.Say("invented", "The retry of "+quote(c.Call.Method)+" ("+frame(c.N)+") has a requestState, although the response it continues ("+frame(nearest.n)+") had none.",
			c.N, nearest.n)
		return
	}
	c.Say(what, "The retry of "+quote(c.Call.Method)+" ("+frame(c.N)+") "+what+" of the response it continues ("+frame(nearest.n)+").",
		c.N, nearest.n)
}

// logging is the requests on stdio that asked for log messages: there a message
// does not say which of them it is for.
type logging struct{ rows []int32 }

const maxLogging = 256

// follow notes that a request on stdio began or ended.
func follow(c *diagnose.Case) {
	m := diagnose.Memory[logging](c)
	switch i := slices.Index(m.rows, c.Call.Row); {
	case i >= 0:
		m.rows = slices.Delete(m.rows, i, i+1)
	case len(m.rows) < maxLogging && c.Kind == session.EventMessage && c.Message.Kind == wire.MsgRequest:
		m.rows = append(m.rows, c.Call.Row)
	}
}

func checkLog(c *diagnose.Case) {
	if c.Call != nil {
		if c.Call.LogLevel != "" && c.Call.X == 0 {
			follow(c)
		}
		return
	}
	if string(c.Message.Method) != mcp.NotifyMessage || c.Dir != wire.ToClient || c.Blind() {
		return
	}
	call := c.Parent
	switch {
	case c.Exchange == nil && (call == nil || call.Method != mcp.Listen):
		if len(diagnose.Memory[logging](c).rows) == 0 {
			c.Say("none", c.Server()+" sent a log message ("+frame(c.N)+") while no request ran that asked for log messages.")
		}
	case call == nil || !call.Modern:
	case call.Method == mcp.Listen:
		c.Say("listen", c.Server()+" sent a log message ("+frame(c.N)+") on the stream of a subscription ("+frame(call.N)+"), which carries only the requested changes.",
			c.N, call.N)
	case call.LogLevel == "":
		c.Say("unasked", c.Server()+" sent a log message ("+frame(c.N)+") for "+quote(call.Method)+" ("+frame(call.N)+"), which did not ask for log messages: its _meta has no logLevel.",
			c.N, call.N)
	default:
		level := text(c.Param("level"))
		if has, least := logRank(level), logRank(call.LogLevel); has >= 0 && least >= 0 && has < least {
			c.ReportAs("below", diagnose.Finding{
				Severity: diagnose.Note,
				Message:  c.Server() + " sent a log message of the level " + level + " (" + frame(c.N) + ") for a request that asked for " + call.LogLevel + " and above (" + frame(call.N) + ").",
				Frames:   []uint64{c.N, call.N},
			})
		}
	}
}

// logRank is the weight of a log level, -1 for one that is unknown.
func logRank(level string) int {
	return slices.Index([]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}, level)
}

// isEncoded says whether a head may hold a value in base64, or one that should
// be.
func isEncoded(head []byte) bool {
	for i, b := range head {
		if b >= 0x7f || b < 0x20 && b != '\r' && b != '\n' && b != '\t' ||
			b == '=' && i+1 < len(head) && head[i+1] == '?' {
			return true
		}
	}
	return false
}

// badValue reports a header that holds what it cannot hold. body is what it
// repeats, "" when that is not known.
func badValue(c *diagnose.Case, name, value, body string) {
	_, ok := mcp.DecodeHeader(value)
	raw := strings.IndexFunc(value, func(r rune) bool { return r < 0x20 && r != '\t' || r > 0x7e }) >= 0
	what := ""
	switch {
	case raw:
		what = "has unencoded characters beyond ASCII"
	case !ok && value != body:
		what = "begins with =?base64? and is not valid base64"
	case value == body && strings.HasPrefix(value, mcp.EncodedPrefix) && mcp.NeedsEncoding(body):
		what = "is not encoded, although the value itself begins with =?base64?"
	default:
		return
	}
	c.Say(name, "The header "+name+" of "+frame(c.N)+" "+what+": "+quote(value)+".")
}

// eachParamHeader calls yield with every header that repeats an argument.
func eachParamHeader(head []byte, yield func(name, value string)) {
	_, rest := wire.CutLine(head)
	for len(rest) > 0 {
		var line []byte
		line, rest = wire.CutLine(rest)
		if !words.HasPrefix(string(line), mcp.HeaderParamPrefix) {
			continue
		}
		if name, value, ok := strings.Cut(string(line), ":"); ok {
			yield(name, strings.Trim(value, " \t"))
		}
	}
}
