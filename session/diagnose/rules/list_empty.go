package rules

import (
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

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
