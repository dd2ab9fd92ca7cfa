package rules

import (
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var idsConformance = []*diagnose.Rule{
	{
		ID: "request-id-reused", On: diagnose.Requests | diagnose.Results | diagnose.Errors | diagnose.Settled,
		Check: func(c *diagnose.Case) {
			switch {
			case c.Call == nil || !assigned(c):
			case c.Kind == session.EventSettled:
				neverServed(c)
			case c.Message.Kind != wire.MsgRequest:
				if c.Exchange == nil || c.Exchange.Status < 300 || c.Call.Dir == wire.ToClient {
					if used := diagnose.State[usedIDs](c); len(used.served) < maxIDs {
						made(&used.served)[keyOf(c)] = true
					}
				}
			case c.Twin >= 0:
				pendingTwin(c)
			default:
				usedBefore(c)
			}
		},
	},
	{ID: "malformed-response", On: diagnose.Errors | diagnose.Results, Alike: true, Check: func(c *diagnose.Case) {
		if c.Message.Kind == wire.MsgResult {
			errorInResult(c)
			return
		}
		code, message := wire.Get(c.Message.Error, "code"), wire.Get(c.Message.Error, "message")
		_, number := wire.Int(code)
		what := ""
		switch {
		case c.Message.Result != nil:
			what = "both a result and an error"
		case code == nil:
			what = "an error without a code"
		case !number:
			what = "an error whose code " + raw(code) + " is no integer"
		case len(message) == 0 || message[0] != '"':
			what = "an error without a message"
		default:
			return
		}
		c.Blame("", what, fill{"what": what}, c.N)
	}},
	{ID: "meta-key", On: diagnose.Metas, Alike: true, Check: func(c *diagnose.Case) {
		meta := c.Param("_meta")
		if c.Message.Kind == wire.MsgResult {
			meta = c.Result("_meta")
		}
		if len(meta) < 3 || !published(c.ProtocolVersion()) {
			return
		}
		if diagnose.ByOutline(c, func() bool { return onlyDefined(meta) }) {
			return
		}
		wire.Members(meta, func(key, _ []byte) bool {
			name := string(key)
			f := diagnose.Finding{Side: c.Sender(), With: fill{"key": name}}
			switch {
			case mcp.IsMetaDefined(key) || strings.ContainsRune(name, '\\'): // escaped, and not worth the work
				return true
			case !properKey().MatchString(name):
			case reserved(name, c.ProtocolVersion()):
				f.Severity, f.Says = diagnose.Note, "reserved"
			default:
				return true
			}
			c.ReportAs(name, f)
			return true
		})
	}},
	{
		ID: "integer-rounded", On: diagnose.Requests | diagnose.Results, Methods: []string{mcp.ToolsCall, mcp.PromptsGet},
		Check: func(c *diagnose.Case) {
			if c.Call == nil || c.Call.Dir != wire.ToServer {
				return
			}
			s := diagnose.State[integers](c)
			if c.Message.Kind == wire.MsgResult {
				eachLarge(c.Message.Result, func(digits string) { s.add(digits, c.N) })
				return
			}
			eachLarge(c.Call.Args, func(digits string) {
				f, _ := strconv.ParseFloat(digits, 64)
				if was, known := s.byFloat[f]; known && was.digits != digits && !s.exact[digits] {
					c.Found("", "", fill{"was": was.digits, "result": was.n, "now": digits}, c.N, was.n)
				}
			})
		},
	},
}

// usedIDs are the ids of requests that got its response, by direction. A request
// that HTTP alone refused may be sent once more as it was.
type usedIDs struct {
	served map[uint64]bool  // by hash. When it is full it knows no further ones
	twins  map[int32]uint64 // frames of requests that took the id of a pending one, by its row
	budget
}

const maxIDs = 1 << 16

// keyOf is the hash of the id of the request in hand and of its direction.
func keyOf(c *diagnose.Case) uint64 { return hashOf(string(rune(c.Call.Dir)), c.Call.ID) }

func pendingTwin(c *diagnose.Case) {
	twin := c.Tracker().Row(int(c.Twin))
	if twin.Status >= 300 || c.IsModern() && !overStdio(c) {
		return
	}
	used := diagnose.State[usedIDs](c)
	if len(used.twins) < maxTokens {
		made(&used.twins)[c.Twin] = c.N
	}
	reused(c, twin, "is still pending")
}

// neverServed looks at a request that ended without a response after another one took
// its id.
func neverServed(c *diagnose.Case) {
	other := diagnose.State[usedIDs](c).twins[c.Call.Row]
	if other == 0 || !c.Tracker().Row(int(c.Row)).Ending.Lost() {
		return
	}
	side := sideOf(c.Call.Dir)
	c.ReportAs("lost", diagnose.Finding{
		Side: side, Frames: []uint64{c.Call.N, other},
		Says: "lost", With: fill{"asker": c.Named(side), "other": other, "id": raw(c.Call.ID)},
	})
}

func usedBefore(c *diagnose.Case) {
	used := diagnose.State[usedIDs](c)
	switch {
	case c.IsModern():
	case c.Call.Method == mcp.Initialize: // a session begins, and ids with it
		clear(used.served)
	case !used.served[keyOf(c)]:
	case !used.spend(): // one more of what was explained often
		c.Blame("", "", fill{"id": raw(c.Call.ID)}, c.N)
	default:
		old := latestCall(c, c.Dir,
			func(r *session.Row, id string) bool { return id == c.Call.ID && r.Session == int32(c.Session.Index) })
		if old != nil {
			reused(c, old, "got its response")
		}
	}
}

func reused(c *diagnose.Case, old *session.Row, then string) {
	before := c.Tracker().Name(old.Name)
	c.Blame("", "", fill{"id": raw(c.Call.ID), "before": before, "old": old.Request, "then": then}, c.N, uint64(old.Request))
}

// needed is the member that a result of a method cannot be without.
var needed = map[string]string{
	mcp.Initialize: "protocolVersion", mcp.ToolsList: "tools", mcp.ToolsCall: "content", mcp.ResourcesList: "resources",
	mcp.ResourcesRead: "contents", mcp.ResourceTemplatesList: "resourceTemplates", mcp.PromptsList: "prompts",
	mcp.PromptsGet: "messages", mcp.Complete: "completion",
}

func errorInResult(c *diagnose.Case) {
	failure := c.Result("error")
	if c.Call == nil || len(failure) == 0 || failure[0] != '{' && failure[0] != '"' || needed[c.Call.Method] == "" ||
		c.Result(needed[c.Call.Method]) != nil || c.Result("resultType") != nil || c.Result("task") != nil {
		return
	}
	said := text(wire.Get(failure, "message"))
	if said == "" {
		said = string(failure)
	}
	c.ReportAs("in result", withAdvice("error as a result", diagnose.Finding{
		Says: "result", With: fill{"said": said},
		Side: c.Sender(), Frames: []uint64{c.N, c.Call.N}, Place: "/result/error",
	}))
}

// properKey is the form of a key of 2025-06-18 basic/index: an optional prefix of labels with
// dots between and a slash behind, and a name.
var properKey = words.Pattern(`^(` + label + `(\.` + label + `)*/)?([A-Za-z0-9]([\w.-]*[A-Za-z0-9])?)?$`)

const label = `[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?`

// reserved says whether the prefix of a key belongs to the protocol. In
// 2025-06-18 it is the last label but one that counts, later on the second.
func reserved(key string, version mcp.Version) bool {
	prefix, _, ok := strings.Cut(key, "/")
	if !ok {
		return false
	}
	labels := strings.Split(prefix, ".")
	at := 1
	if version < mcp.V20251125 {
		at = len(labels) - 2
	}
	return at >= 0 && at < len(labels) && (labels[at] == "modelcontextprotocol" || labels[at] == "mcp")
}

// integers are the large ones of the results of a session, as floating point numbers.
type integers struct {
	byFloat map[float64]large
	exact   map[string]bool
}

type large struct {
	digits string
	n      uint64
}

const (
	maxIntegers   = 4096
	maxLargeBytes = 1 << 20 // of a message
)

func (s *integers) add(digits string, n uint64) {
	if len(s.exact) >= maxIntegers || s.exact[digits] {
		return
	}
	f, _ := strconv.ParseFloat(digits, 64)
	made(&s.exact)[digits] = true
	if _, known := s.byFloat[f]; !known {
		made(&s.byFloat)[f] = large{digits, n}
	}
}

// eachLarge calls do with each run of 16 to 20 digits that is an integer beyond what a
// floating point number has exactly.
func eachLarge(raw []byte, do func(digits string)) {
	raw = raw[:min(len(raw), maxLargeBytes)]
	isDigit := func(i int) bool { return raw[i]-'0' <= 9 }
	for i := 0; i+16 <= len(raw); i++ { // raw[i-1] is no digit
		if !isDigit(i + 15) { // none that begins up to here is long enough
			i += 15
			continue
		}
		start := i + 15
		for start > i && isDigit(start-1) {
			start--
		}
		i += 16
		for i < len(raw) && isDigit(i) {
			i++
		}
		more := i < len(raw) && (raw[i] == '.' || raw[i]|0x20 == 'e')
		inside := start > 0 && (raw[start-1] == '.' || isWordByte(raw[start-1]))
		n := i - start
		if n < 16 || n > 20 || raw[start] == '0' || more || inside || n == 16 && string(raw[start:i]) <= "9007199254740992" {
			continue
		}
		do(string(raw[start:i]))
	}
}

// onlyDefined says whether the protocol defines every member of a _meta.
func onlyDefined(meta []byte) bool {
	only := true
	wire.Members(meta, func(key, _ []byte) bool {
		only = mcp.IsMetaDefined(key)
		return only
	})
	return only
}
