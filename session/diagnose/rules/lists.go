package rules

import (
	"maps"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var listChangedLoop = &diagnose.Rule{
	ID: "list-changed-loop",
	On: diagnose.Requests | diagnose.Results | diagnose.Notifications,
	Methods: []string{
		mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList,
		mcp.NotifyToolsListChanged, mcp.NotifyPromptsListChanged, mcp.NotifyResourcesListChanged,
	},
	Check: func(c *diagnose.Case) {
		if c.Session == nil {
			return
		}
		lists, k := made(diagnose.State[map[*kind]*reading](c)), kindOf(c.Method())
		list := lists[k]
		if list == nil {
			list = &reading{row: -1}
			lists[k] = list
		}
		switch {
		case c.Message.Kind == wire.MsgNotification:
			list.changed = c.N
			return
		case c.Call == nil || c.Call.Dir != wire.ToServer || len(wire.Get(c.Call.Params, "cursor")) > 2:
			return
		case c.Message.Kind == wire.MsgRequest:
			if list.row = -1; list.changed != 0 {
				list.row, list.because, list.changed = c.Row, list.changed, 0
			}
			return
		}
		method, in := c.Call.Method, c.Session.Index
		if list.row != c.Row {
			c.Progress(in, hashOf(method)) // the client had reasons of its own
		}
		s := c.Again(in, hashOf(method), hashOf(listItems(c)))
		if s.Count < 5 || s.Every() > 10e9 {
			return
		}
		c.ReportAs(method, diagnose.Finding{
			Message: "The list of " + quote(method) + " is the same as before (" + frame(c.N) + "). The server has said that it changed and the client has read it " +
				often(s) + ".",
			Frames: append([]uint64{c.N, list.because}, s.Frames...),
		})
	},
}

type reading struct {
	changed uint64 // the notification that it has not followed yet, 0 for none
	row     int32  // the latest call that followed one, -1 for none
	because uint64 // the notification that this one followed
}

var listEmpty = rule("list-empty", diagnose.Results|diagnose.Finish, func(c *diagnose.Case) {
	s := diagnose.State[offered](c)
	switch {
	case c.N == 0:
		s.report(c)
	case !s.some && c.Call != nil && c.Call.Dir == wire.ToServer:
		s.take(c)
	}
})

// offered is what a server has listed in a session.
type offered struct {
	some   bool     // something was listed, or asked for by name
	empty  []string // methods with an empty list
	frames []uint64
}

func (s *offered) take(c *diagnose.Case) {
	if k := kindOf(c.Call.Method); k != nil && k.use == c.Call.Method {
		s.some = true
	}
	if !strings.HasSuffix(c.Call.Method, "/list") || c.Call.Method == mcp.RootsList || c.Call.Method == mcp.TasksList {
		return
	}
	any := false
	wire.Items(listItems(c), func(int, []byte) bool { any = true; return false })
	if any || len(c.Result("nextCursor")) > 2 {
		s.some = true
	} else if len(s.empty) < 8 {
		s.empty, s.frames = append(s.empty, c.Call.Method), append(s.frames, c.N, c.Call.N)
	}
}

func (s *offered) report(c *diagnose.Case) {
	if c.Blind() || s.some || c.Session.Probe || c.Facts == nil {
		return
	}
	in := c.Facts.Init
	noTools := slices.Contains(s.empty, mcp.ToolsList) || in != nil && wire.Get(in.ServerCaps, "tools") == nil
	switch {
	case len(s.empty) > 0 && noTools:
		f := diagnose.Finding{Frames: s.frames}
		f.Message = "The response to " + strings.Join(distinct(s.empty), ", ") + " is an empty list (" + frame(s.frames[0]) + "), and nothing else was listed in this session: there is nothing to use."
		if said := hear(c).tail(); said != "" {
			f.Message += " The last lines on stderr: " + quoteLong(said) + "."
			if a, known := adviceOn(said); known {
				f.Cause, f.Remedies = a.cause, a.fix
			}
		}
		if len(distinct(s.empty)) == 1 && s.empty[0] == mcp.ResourcesList && c.Facts.Calls == len(s.empty) {
			f.Message += " Resources with parameters are templates, which resources/list does not have; " + c.Client() + " never asked for resources/templates/list."
			advise(&f, "templates only")
		}
		c.ReportAs("", f)
	case c.Facts.Calls == 0 && in != nil && in.OK && c.Facts.Initialized != 0 && !offersAnything(in.ServerCaps):
		c.ReportAs("", withAdvice("capabilities not declared", diagnose.Finding{
			Frames:  []uint64{in.ResponseN, in.N},
			Message: c.Server() + " declared neither tools nor resources nor prompts (" + frame(in.ResponseN) + "), and " + words.Fold(c.Client()[:1]) + c.Client()[1:] + " asked for nothing.",
		}))
	}
}

func offersAnything(caps []byte) bool {
	offers := func(name string) bool { return wire.Get(caps, name) != nil }
	return slices.ContainsFunc([]string{"tools", "resources", "prompts", "completions", "tasks"}, offers)
}

var listedUnknown = &diagnose.Rule{
	ID:      "listed-unknown",
	On:      diagnose.FailedCalls,
	Methods: []string{mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer || c.Session == nil {
			return
		}
		k := kindOf(c.Call.Method)
		l, why, name := listOf(c, k), failure(c), c.Call.Target
		if l == nil || why == "" || l.names[name] == 0 || !sdkwords.SaysUnknownName(why, name) && !k.errs(c) ||
			c.Message.Kind == wire.MsgResult && !sdkwords.SaysUnknown(why) {
			return
		}
		f := diagnose.Finding{
			Message: c.Server() + " listed the " + k.word + " " + quote(name) + " (" + frame(l.names[name]) +
				") and does not know it when asked (" + frame(c.Call.N) + "): " + quote(why) + ".",
			Frames: []uint64{c.Call.N, c.N, l.names[name]},
		}
		if k.list == mcp.ResourcesList {
			f.Severity = diagnose.Warning // resources come and go
		}
		if l.cached != "" && l.names[name] == l.page {
			f.Side = diagnose.Gateway
			f.Message += " The list came out of a cache (" + l.cached + ")."
			advise(&f, "list from a cache")
		} else if l.changed != 0 {
			f.Message += " It had said that the list changed (" + frame(l.changed) + "), and nobody asked for the list again."
			advise(&f, "old list still used")
			f.Frames = append(f.Frames, l.changed)
		}
		c.ReportAs(k.word+" "+name, f)
	},
}

var nameNotListed = &diagnose.Rule{
	ID: "name-not-listed",
	On: diagnose.Results | diagnose.Errors | diagnose.Notifications,
	Methods: []string{
		mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList,
		mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead,
		mcp.NotifyToolsListChanged, mcp.NotifyPromptsListChanged, mcp.NotifyResourcesListChanged,
	},
	Check: func(c *diagnose.Case) {
		if c.Message.Kind == wire.MsgNotification {
			listTakenBack(c)
			return
		}
		if c.Call == nil || c.Call.Dir != wire.ToServer || c.Session == nil {
			return
		}
		k := kindOf(c.Call.Method)
		switch {
		case c.Call.Method != k.list:
			notListed(c, k)
		case c.Message.Kind == wire.MsgResult:
			learnList(c, k)
		}
	},
}

func listTakenBack(c *diagnose.Case) {
	if c.Session == nil || c.Dir != wire.ToClient {
		return
	}
	if l := listOf(c, kindOf(string(c.Message.Method))); l != nil {
		l.changed = c.N
	}
}

// notListed explains why a name is not known that is not on the list.
func notListed(c *diagnose.Case, k *kind) {
	why, name := failure(c), c.Call.Target
	if why == "" {
		return
	}
	l := listOf(c, k)
	if l == nil || l.full || l.names[name] != 0 || !sdkwords.SaysUnknownName(why, name) && !k.errs(c) {
		return
	}
	f := diagnose.Finding{
		Message: c.Client() + " asked for the " + k.word + " " + quote(name) + " (" + frame(c.Call.N) + "), and the server does not know it: " + quote(why) + ".",
		Frames:  []uint64{c.Call.N, c.N, l.page},
	}
	switch like, how := l.misspelled(name); {
	case like != "":
		f.Message += " It lists " + quote(like) + " (" + frame(l.names[like]) + "), which " + how + "."
		f.Frames[2] = l.names[like]
		advise(&f, "another spelling")
	case l.next != "":
		f.Message += " The list has a next page (nextCursor in " + frame(l.page) + ") that nobody asked for."
		advise(&f, "first page only")
	case k.list == mcp.ResourcesList && stoppedBySlash(c, &f):
		advise(&f, "variable stops at a slash")
	default:
		return // asked for by a mistake that the error explains
	}
	c.ReportAs(k.word+" "+name, f)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

var callLoop = &diagnose.Rule{
	ID:      "call-loop",
	On:      diagnose.Results | diagnose.Errors,
	Methods: []string{mcp.ToolsCall, mcp.ResourcesRead, mcp.PromptsGet, mcp.Complete},
	Check: func(c *diagnose.Case) {
		s := diagnose.State[repeated](c)
		failing := &s.failing
		failed := c.Message.Kind == wire.MsgError || string(c.Result("isError")) == "true"
		if c.Call == nil || c.Session == nil || c.Dir != wire.ToClient {
			return
		}
		if s.same(c, failed); !failed && *failing == 0 {
			return
		}
		in, what := c.Session.Index, c.Call.Same()
		if !failed {
			c.Progress(in, what)
			return
		}
		*failing++
		how := c.Message.Error
		if c.Message.Kind == wire.MsgResult {
			how = c.Result("content")
		}
		if s := c.Again(in, what, hashOf(how)); s.Count >= 5 {
			c.ReportAs(number(what>>1), diagnose.Finding{
				Message: c.Client() + " sent " + about(c.Call) + " with the same parameters " + often(s) + ", and it failed the same way each time (" + frame(c.N) + ").",
				Frames:  append([]uint64{c.N, c.Call.N}, s.Frames...),
			})
		}
	},
}

// repeated are the latest calls of a session.
type repeated struct {
	failing int    // how many have failed and not succeeded since
	last    uint64 // the latest call and its result, by hash
	count   int    // how often they came in a row
	first   uint64
	since   int64
	ended   int64    // when the latest one had its result
	gaps    [2]int64 // the shortest and the longest time until the next one
}

// thinks says whether a model may be what repeats the calls: it takes a moment for
// each, never the same. A script or something that polls keeps its pace.
func (r *repeated) thinks() bool { return r.gaps[0] >= 100e6 && r.gaps[1] >= r.gaps[0]*3/2 }

// oftenSame is how often a call is made in a row before somebody asks why.
const oftenSame = 10

// same counts calls that succeed in the same way in a row, and nothing between them.
func (r *repeated) same(c *diagnose.Case, failed bool) {
	what := hashOf(c.Message.Result) ^ c.Call.Same()
	if failed || what != r.last || diagnose.AsksForState(c.Call.Target) {
		*r = repeated{failing: r.failing, last: what, count: 1, first: c.Call.N, since: c.T, ended: c.T}
		return
	}
	gap := c.Call.T - r.ended
	if r.count++; r.count == 2 {
		r.gaps = [2]int64{gap, gap}
	}
	r.gaps, r.ended = [2]int64{min(r.gaps[0], gap), max(r.gaps[1], gap)}, c.T
	if r.count < oftenSame || !r.thinks() || c.T-r.since > int64(r.count)*10e9 {
		return
	}
	c.ReportAs("same", withAdvice("result does not reach the model", diagnose.Finding{
		Seen: true,
		Message: c.Client() + " made the same call " + number(r.count) + " times in a row, " + about(c.Call) + ", and got the same result each time (" + frame(c.N) +
			"). It asked for nothing else since " + frame(r.first) + ".",
		Frames: []uint64{c.N, c.Call.N, r.first},
	}))
}

var callDoubled = rule("call-doubled", diagnose.Requests|diagnose.Finish, func(c *diagnose.Case) {
	s := diagnose.State[doubles](c)
	if c.N == 0 {
		s.report(c)
	} else if c.Call != nil && c.Call.Method == mcp.ToolsCall {
		s.take(c)
	}
})

// doubles are calls of a session that are like the one before them.
type doubles struct {
	last    *diagnose.Call // nil for none, and after two that are a pair
	calls   int
	count   int
	frames  []uint64
	about   string
	nearest int64 // the shortest time between two
}

// together is how far two calls are apart that were meant as one, in nanoseconds.
const together = 100e6

func (s *doubles) take(c *diagnose.Case) {
	last := s.last
	s.last = c.Call
	s.calls++
	if last == nil || c.T-last.T >= together || c.Pending(last.Row) != last || last.Same() != c.Call.Same() {
		return
	}
	if s.count++; s.count == 1 || c.T-last.T < s.nearest {
		s.nearest, s.about = c.T-last.T, about(c.Call)
	}
	if len(s.frames) < 8 {
		s.frames = append(s.frames, c.N, last.N)
	}
	s.last = nil // three are not two pairs
}

func (s *doubles) report(c *diagnose.Case) {
	// Once may be what somebody wanted; most calls of a session are not.
	if s.count < 2 || s.count*3 < s.calls {
		return
	}
	c.Say("", c.Client()+" sent the same call twice, with the same arguments and another id, "+words.CountOf(s.count, "time", "times")+
		" in this session, such as "+s.about+", "+number(s.nearest/1e6)+" ms after the first. What the tool does, it did twice.", s.frames...)
}
