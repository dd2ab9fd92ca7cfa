package rules

import (
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/operation"
	"midwire/session/wire"
	"midwire/session/words"
)

var toolFailed = rule("tool-failed", diagnose.Finish, func(c *diagnose.Case) {
	a := c.Operations().Of(c.Session.Index)
	if a == nil {
		return
	}
	most := 4
	for _, o := range slices.Concat(a.Bad, a.Odd()) {
		if most > 0 && o.Method == mcp.ToolsCall && (o.Came == operation.Failed || o.Came == operation.Odd) &&
			(&failedTool{Case: c, a: a, o: o}).report() {
			most--
		}
	}
})

// failedTool is calls that failed in the tool, in the same words.
type failedTool struct {
	*diagnose.Case
	a    *operation.Account
	o    *operation.Operation
	says string // its words, or those of the server on standard error meanwhile
}

// toolCauses are the causes that the words of a tool hold; the first that holds counts.
var toolCauses = []struct {
	advice string
	holds  func(*failedTool) bool
}{
	{"token refused behind the server", func(t *failedTool) bool {
		return wire.HeadValue(t.o.Head, "Authorization") != "" && sdkwords.Program(t.o.Words).Means(sdkwords.TokenInvalid)
	}},
	{"compares folders wrongly", func(t *failedTool) bool { return inside(t.o.Words) }},
	{"argument beyond the schema", func(t *failedTool) bool { return t.extra() != "" }},
}

func (t *failedTool) report() bool {
	o := t.o
	t.says = o.Words
	a, known := adviceOn(t.says)
	if heard := t.heard(); !known && heard != "" {
		if a, known = adviceOn(heard); known {
			t.says = heard
		}
	}
	f := diagnose.Finding{Frames: t.frames(), Cause: a.cause, Remedies: a.fix, Side: a.side}
	for _, one := range toolCauses {
		if one.holds(t) {
			advise(&f, one.advice)
			known = true
			break
		}
	}
	calls := t.a.Tally(mcp.ToolsCall)
	all, never := o.Count == calls.Asked, t.never()
	nothing := calls.Asked == calls.Failed+calls.Refused+calls.Silent || o.Came == operation.Odd && all
	broken := known && isBroken(t.says)
	f.Spoils = all && known && nothing && !strings.ContainsAny(string(o.Args), `/\`)
	switch {
	case o.Count > 1 && (all || never && (broken && nothing || o.Count > 2)), t.extra() != "" && all:
		f.Severity = diagnose.Warning
	case never && (known || nothing && (o.Count > 1 || o.Came == operation.Odd)):
	default:
		return false
	}
	f.With = diagnose.Values{
		"failed": max(calls.Failed, o.Count), "calls": words.CountOf(calls.Asked, "call", "calls"), "said": words.Line(o.Words, 1200), "first": o.N,
		"result": o.Response, "extra": t.extra(), "heard": "", "as": "with isError",
	}
	if o.Came == operation.Odd {
		f.With["as"] = "without isError, as a text"
	}
	if t.says != o.Words {
		f.With["heard"] = t.says
	}
	t.ReportAs(number(o.N), f)
	return true
}

func (t *failedTool) frames() (all []uint64) {
	for _, m := range t.o.Members {
		all = append(all, m.Response, m.N)
	}
	return distinct(all)
}

// never reports whether no call of the tools was served.
func (t *failedTool) never() bool {
	return !slices.ContainsFunc(t.o.Members, func(m operation.Member) bool { return t.a.Plain(m.Target) > 0 })
}

// heard is the trouble that the server wrote to standard error since the first of the calls.
func (t *failedTool) heard() string {
	if line := t.a.Stderr.Telling(); overStdio(t.Case) && line.N > t.o.N {
		return line.Text
	}
	return ""
}

// extra is an argument that was sent, that the failure speaks of, and that the inputSchema of the
// tool does not have; "" for none.
func (t *failedTool) extra() string {
	tool := t.Facts.Tools[t.o.Target]
	if tool == nil {
		return ""
	}
	return diagnose.Memory[validators](t.Case).unlisted(tool, t.o.Args, func(name string) bool {
		return len(name) > 3 && words.Contains(t.o.Words, name)
	})
}

// inside reports whether a text that refuses a path names a folder as allowed that the path lies in.
func inside(said string) bool {
	_, path, _ := strings.Cut(said, "outside allowed directories: ")
	path, folder, _ := strings.Cut(path, " not in ")
	folder = strings.TrimRight(strings.TrimSpace(folder), `/\`)
	return folder != "" && words.HasPrefix(path, folder) && strings.IndexAny(path[len(folder):], `/\`) == 0
}
