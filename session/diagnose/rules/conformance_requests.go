package rules

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// requestsConformance are the checks of what requests of 2026-07-28 and their retries
// carry, and of what belongs to subscriptions.
var requestsConformance = []formal{
	{
		id: "subscription-untagged", on: diagnose.Messages | diagnose.Settled,
		check: checkTag,
	},
	{
		id: "param-header-wrong", on: diagnose.Requests,
		methods: []string{mcp.ToolsCall}, when: asksHeaders,
		check: func(c *diagnose.Case) {
			t, args := c.Facts.Tools[c.Call.Target], c.Param("arguments")
			for _, h := range toolHeaders(t.Input) {
				if h.bad != "" {
					return // the tool should not have been called
				}
				if what := paramFault(c.Exchange.RequestHead, h, wire.Get(args, h.path...)); what != "" {
					c.Say(t.Name+h.name, "The call of "+quote(t.Name)+" ("+frame(c.N)+") "+what+", as its definition ("+frame(t.N)+") requires by x-mcp-header.",
						c.N, t.N)
				}
			}
		},
	},
	{
		id: "retry-reuses-id", on: diagnose.Requests | diagnose.Results | diagnose.Settled,
		check: func(c *diagnose.Case) {
			if c.Call == nil || !c.Call.Modern || c.Call.Dir != wire.ToServer {
				return
			}
			switch {
			case c.Kind == session.EventSettled:
				rememberLost(c)
			case c.Message.Kind == wire.MsgResult:
				if mcp.TakesInput(c.Call.Method) && resultType(c) == "input_required" {
					diagnose.State[sentBefore](c).note(c)
				}
			default:
				checkID(c)
			}
		},
	},
}

func checkTag(c *diagnose.Case) {
	l, s := listening(c)
	switch {
	case l == nil:
	case s == nil:
		untaggedOnStdio(c, l)
	case c.Call != nil:
		if c.N == s.n {
			return
		}
		if c.Kind == session.EventMessage && c.Message.Kind == wire.MsgResult && c.Facts.ServesModern {
			tag := string(wire.Get(c.Result("_meta"), mcp.MetaSubscriptionID))
			mistagged(c, s, "The response", tag)
		}
		l.drop(s)
	case c.Dir != wire.ToClient || string(c.Message.Method) == mcp.NotifyCancelled:
	case !mistagged(c, s, quote(string(c.Message.Method)), subscriptionID(c)):
		granted(c, s)
	}
}

// untaggedOnStdio: on a pipe a change without a tag belongs to no subscription.
func untaggedOnStdio(c *diagnose.Case, l *listeners) {
	if c.Call != nil || c.Exchange != nil || c.Dir != wire.ToClient || !c.IsModern() || c.Blind() {
		return
	}
	method := string(c.Message.Method)
	if mcp.SubscriptionMember(method) == "" && method != mcp.NotifyAcknowledged {
		return
	}
	for i := range l.open {
		if l.open[i].x != 0 {
			continue
		}
		if tag := subscriptionID(c); tag != "" {
			c.Say("other", quote(method)+" ("+frame(c.N)+") belongs to the subscription "+tag+", which is not open. There is "+l.open[i].id+" ("+frame(l.open[i].n)+").",
				c.N, l.open[i].n)
			return
		}
		mistagged(c, &l.open[i], quote(method), "")
		return
	}
}

// mistagged reports a message that does not say which subscription it is of.
func mistagged(c *diagnose.Case, s *listener, what, tag string) bool {
	switch {
	case tag == "":
		c.Say("untagged", what+" ("+frame(c.N)+") does not name in _meta its subscription "+s.id+" ("+frame(s.n)+").",
			c.N, s.n)
	case !sameToken(tag, s.id):
		c.Say("other", what+" ("+frame(c.N)+") names the subscription "+tag+" in _meta, and came on that of "+s.id+" ("+frame(s.n)+").",
			c.N, s.n)
	default:
		return false
	}
	return true
}

// granted reports a notification that was not asked for, or not granted.
func granted(c *diagnose.Case, s *listener) {
	method := string(c.Message.Method)
	if method == mcp.NotifyAcknowledged {
		s.ack, s.grants = c.N, append([]byte(nil), c.Param("notifications")...)
		return
	}
	kind := mcp.SubscriptionMember(method)
	who, filter := "the request did not ask for", s.asked
	if s.ack != 0 && wants(s.asked, kind) {
		who, filter = "the acknowledgement did not grant", s.grants
	}
	if kind != "" && wants(filter, kind) || kind == "" && method != mcp.NotifyMessage && method != mcp.NotifyProgress {
		return
	}
	c.Say(method, quote(method)+" ("+frame(c.N)+") came on the subscription "+s.id+" ("+frame(s.n)+"), and is of a kind that "+who+".",
		c.N, s.n)
}

// wants says whether a filter holds a kind of notification. Whether a resource
// lies below one that was named is the server's to say.
func wants(filter []byte, kind string) bool {
	raw := wire.Get(filter, kind)
	if kind == "resourceSubscriptions" || kind == "taskIds" {
		return wire.IsArray(raw) && !bytes.Equal(bytes.TrimSpace(raw), []byte("[]"))
	}
	return string(raw) == "true"
}

// headed remembers of the latest tool whether its schema asks for headers.
type headed struct {
	tool *diagnose.Tool
	yes  bool
}

// asksHeaders says whether the request in hand calls a tool whose schema asks for headers.
func asksHeaders(c *diagnose.Case) bool {
	if !modernPost(c) || c.Facts == nil {
		return false
	}
	h, t := diagnose.Memory[headed](c), c.Facts.Tools[c.Call.Target]
	if h.tool != t {
		h.tool, h.yes = t, t != nil && bytes.Contains(t.Input, []byte(xHeader))
	}
	return h.yes
}

// paramFault says what is wrong with the header that repeats an argument, ""
// for nothing.
func paramFault(head []byte, h toolHeader, arg []byte) string {
	name := mcp.HeaderParamPrefix + h.name
	value := wire.HeadValue(head, name)
	fields, ok := wire.ParseHead(head)
	there := value != "" || ok && fields.Has(name)
	absent := arg == nil || string(arg) == "null"
	switch {
	case absent && there:
		return "has " + name + ": " + quote(value) + " without that argument"
	case absent:
		return ""
	case !there && string(arg) == `""`: // an empty header may be dropped on the way
		return ""
	case !there:
		return "has the argument " + quote(strings.Join(h.path, ".")) + " and lacks " + name
	}
	decoded, ok := mcp.DecodeHeader(value)
	if !ok || sameArgument(decoded, arg) {
		return ""
	}
	return "says " + quote(decoded) + " in " + name + " and " + quote(string(arg)) + " in its arguments"
}

// sameArgument compares the value of a header with the argument it repeats.
// Numbers are compared as numbers.
func sameArgument(value string, arg []byte) bool {
	switch arg[0] {
	case '"':
		return value == text(arg)
	case 't', 'f':
		return value == string(arg)
	case '{', '[':
		return true // not what x-mcp-header is for
	}
	if value == string(arg) {
		return true
	}
	a, errA := strconv.ParseFloat(value, 64)
	b, errB := strconv.ParseFloat(string(arg), 64)
	return errA == nil && errB == nil && a == b
}

// sentBefore is what may be sent again.
type sentBefore struct {
	rounds
	lost []lostCall
}

// lostCall is a request whose stream broke before its response.
type lostCall struct {
	n, at  uint64
	conn   uint32
	id     string
	method string
	params []byte
}

func rememberLost(c *diagnose.Case) {
	if !c.Tracker().Row(int(c.Row)).Ending.Lost() || len(c.Call.Params) > maxRoundArgs ||
		c.Call.X == 0 {
		return
	}
	s := diagnose.State[sentBefore](c)
	s.lost = kept(s.lost, maxRounds, lostCall{c.Call.N, c.N, c.Call.Conn, c.Call.ID, c.Call.Method, c.Call.Params})
}

func checkID(c *diagnose.Case) {
	if c.Call.Method == mcp.Discover {
		return
	}
	retry := mcp.TakesInput(c.Call.Method) && (c.Param("inputResponses") != nil || c.Param("requestState") != nil)
	if !retry && c.Exchange == nil {
		return
	}
	s := diagnose.State[sentBefore](c)
	if retry {
		checkRetry(c, s)
		return
	}
	i := slices.IndexFunc(s.lost, func(l lostCall) bool {
		return l.conn == c.Call.Conn && l.id == c.Call.ID && l.method == c.Call.Method &&
			bytes.Equal(l.params, c.Call.Params)
	})
	if i >= 0 {
		c.Say("lost", "The request "+quote(c.Call.Method)+" ("+frame(c.N)+") was sent again under the id "+c.Call.ID+" after its stream broke ("+frame(s.lost[i].n)+").",
			c.N, s.lost[i].n)
	}
}

// checkRetry compares the id of a retry with that of the round it continues. A
// round without a state is distinguished from that of another client by its
// connection.
func checkRetry(c *diagnose.Case, s *sentBefore) {
	state := c.Param("requestState")
	for i := len(s.open) - 1; i >= 0; i-- {
		n := s.open[i]
		if !n.continues(c) || n.hasState != (state != nil) || n.state != text(state) ||
			!n.hasState && n.conn != c.Call.Conn {
			continue
		}
		s.open = slices.Delete(s.open, i, i+1)
		if n.id == c.Call.ID {
			c.Say("retry", "The retry of "+quote(c.Call.Method)+" ("+frame(c.N)+") has the id "+c.Call.ID+" of the request it continues ("+frame(n.askedN)+").",
				c.N, n.n, n.askedN)
		}
		return
	}
}
