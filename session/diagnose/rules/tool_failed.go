package rules

import (
	"bytes"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var toolFailed = &diagnose.Rule{
	ID:         "tool-failed",
	Title:      "Every call of a tool failed in the tool",
	Brief:      "tool never succeeded",
	Severity:   diagnose.Note,
	Side:       diagnose.Unclear,
	Confidence: diagnose.Possible,
	On:         diagnose.Results | diagnose.Finish,
	Fallback:   true,
	Check: func(c *diagnose.Case) {
		s := diagnose.State[toolOutcomes](c)
		if c.N == 0 {
			s.report(c)
		} else if c.Call != nil && c.Call.Dir == wire.ToServer && c.Call.Method == mcp.ToolsCall && resultType(c) != "input_required" {
			s.take(c)
		}
	},
}

// toolOutcomes is what came of the calls of a session, by tool.
type toolOutcomes struct {
	served bool // some call had a result that is none of a failure
	tools  map[string]*toolOutcome
}

type toolOutcome struct {
	served   bool
	failures int
	n, callN uint64 // the first failure
	what     string // how it says so
	said     string
	sent     string // what is remarkable about the arguments
	client   bool   // and that may be the reason
}

const maxTools = 256

func (s *toolOutcomes) take(c *diagnose.Case) {
	o := s.tools[c.Call.Target]
	if o == nil {
		if len(s.tools) >= maxTools {
			return
		}
		o = &toolOutcome{}
		made(&s.tools)[c.Call.Target] = o
	}
	if o.served && s.served {
		return
	}
	said := strings.TrimSpace(toolText(c.Message.Result))
	what := failedAs(c, said)
	if what == "" {
		o.served, s.served = true, true
		return
	}
	if o.failures++; o.failures == 1 {
		o.n, o.callN, o.what, o.said = c.N, c.Call.N, what, words.Line(said, 400)
		o.sent, o.client = remarkable(c)
	}
}

// failedAs says how a result says that the tool failed, "" when it does not.
func failedAs(c *diagnose.Case, said string) string {
	switch {
	case string(c.Result("isError")) == "true":
		return "with isError"
	case soundsFailed(said):
		return "without isError, as a text"
	}
	return ""
}

// soundsFailed says whether a text begins as errors do.
func soundsFailed(said string) bool {
	s := strings.ToLower(strings.TrimLeft(said[:min(len(said), 200)], " \n\t❌⚠️*#"))
	for _, begin := range [...]string{
		"error", "exception", "traceback (most recent", "failed to", "unable to", "could not", "mcp error", "internal error", "fatal", "unauthorized", "forbidden", "access denied",
		`{"error"`, `{ "error"`, "{\n  \"error\"", `{"success":false`, `{"success": false`, `{"status":"error"`, `{"status": "error"`, `{"ok":false`,
	} {
		if strings.HasPrefix(s, begin) {
			return true
		}
	}
	return namesError(said)
}

// remarkable says what is unusual in the arguments of the call in hand, and whether that
// may be why it failed.
func remarkable(c *diagnose.Case) (sent string, client bool) {
	args := wire.Get(c.Call.Params, "arguments")
	if len(args) == 0 || string(args) == "null" {
		return "The call had no arguments at all", true
	}
	var nulls, empty []string
	wire.Each(args, func(name, value []byte) bool {
		switch string(bytes.TrimSpace(value)) {
		case "null":
			nulls = append(nulls, quote(string(name)))
		case `""`, "{}":
			empty = append(empty, quote(string(name)))
		}
		return len(nulls)+len(empty) < 8
	})
	switch {
	case len(nulls) > 0:
		return "Sent as null, instead of left out: " + strings.Join(nulls, ", "), true
	case len(empty) > 0:
		return "Sent empty: " + strings.Join(empty, ", "), true
	}
	return "", false
}

func (s *toolOutcomes) report(c *diagnose.Case) {
	names := slices.DeleteFunc(sortedKeys(s.tools), func(name string) bool {
		o := s.tools[name]
		_, known := adviceOn(o.said)
		plain := !known && !o.client && o.what == "with isError" // that is what isError is for
		return o.served || o.failures < 3 && s.served || plain && o.failures < 2
	})
	slices.SortFunc(names, func(a, b string) int { return int(s.tools[a].n) - int(s.tools[b].n) })
	for _, name := range names[:min(len(names), 4)] {
		s.tools[name].report(c, name)
	}
}

func (o *toolOutcome) report(c *diagnose.Case, name string) {
	f := diagnose.Finding{Frames: []uint64{o.n, o.callN}}
	f.Message = "The tool " + quote(name) + " was called " + words.CountOf(o.failures, "time", "times") + " and never succeeded: tools/call (" + frame(o.callN) + ") got a result " + o.what + " (" + frame(o.n) + ")"
	if o.said != "" {
		f.Message += ": " + quoteLong(o.said)
	}
	f.Message += "."
	if o.sent != "" {
		f.Message += " " + o.sent + "."
	}
	a, known := adviceOn(o.said)
	if known {
		f.Cause, f.Fix, f.Side = a.cause, a.fix, a.side
	}
	if o.client && (!known || a.side == diagnose.Unclear || o.what == "with isError") {
		f.Side = diagnose.Client
	}
	c.ReportAs(name, f)
}
