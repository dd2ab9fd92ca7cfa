package rules

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"midwire/session/diagnose"
	"midwire/session/diagnose/schema"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// toolsConformance are those of tools, their lists and their results.
var toolsConformance = []*diagnose.Rule{
	{ID: "structured-content-missing", On: diagnose.Results, Methods: toolCalls, Check: func(c *diagnose.Case) {
		t := promised(c)
		if t != nil && c.Result("structuredContent") == nil {
			c.Found("", t.Name, fill{"list": t.N}, c.N, c.Call.N, t.N)
		}
	}},
	{ID: "structured-content-invalid", On: diagnose.Results, Methods: toolCalls, Check: func(c *diagnose.Case) {
		value := c.Result("structuredContent")
		if value == nil || !isToolResponse(c) {
			return
		}
		f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N}, Place: "/result/structuredContent"}
		if value[0] != '{' && !c.ProtocolVersion().IsModern() {
			f.Says, f.With = "object", fill{"value": value}
			c.ReportAs(c.Call.Target+"object", f)
			return
		}
		t := promised(c)
		if t == nil {
			return
		}
		if faults := diagnose.Memory[validators](c).check(c.Outline(), t, false, value); len(faults) > 0 {
			fault := &faults[0]
			f.Frames, f.Place = append(f.Frames, t.N), place(f.Place, fault)
			f.With = fill{"list": t.N, "fault": placed("structuredContent", fault)}
			c.ReportAs(t.Name+anyIndex(fault.Path)+fault.Keyword, f)
		}
	}},
	{ID: "tool-arguments-invalid", On: diagnose.Requests | diagnose.FailedCalls, Methods: toolCalls, Check: func(c *diagnose.Case) {
		if !ofClient(c) || c.Facts == nil || c.Call.Params == nil {
			return
		}
		t, args := checkable(c)
		if t == nil {
			return
		}
		faults := diagnose.Memory[validators](c).check(c.Outline(), t, true, args)
		if len(faults) == 0 {
			return
		}
		f, other := &faults[0], ""
		if f.Missing != "" {
			other = diagnose.Memory[validators](c).unlisted(t, args, func(string) bool { return true })
		}
		key := t.Name + anyIndex(f.Path) + f.Keyword
		if c.Message.Kind != wire.MsgRequest {
			if said := failure(c); namesMember(said, f, other) {
				c.Confirm(key, c.N, "refused", fill{"said": plain(said)})
			}
			return
		}
		c.ReportAs(key, diagnose.Finding{
			Seen: true, // until the server refuses it for that
			With: fill{"list": t.N, "fault": placed("arguments", f), "other": other}, Frames: []uint64{c.N, t.N},
			Place: place("/params/arguments", f),
		})
	}},
	{ID: "tool-definition-invalid", On: diagnose.Results, Methods: toolLists, Check: func(c *diagnose.Case) {
		if !ofClient(c) {
			return
		}
		d, version := diagnose.Memory[definitions](c), c.ProtocolVersion()
		wire.Items(c.Result("tools"), func(i int, tool []byte) bool {
			if tool[0] != '{' {
				return true
			}
			name := text(wire.Get(tool, "name"))
			for _, f := range d.of(tool, version) {
				c.ReportAs(name+f.key+f.text, diagnose.Finding{
					Severity: f.severity, Items: []string{name}, With: fill{"tool": name, "flaw": f.text},
					Frames: []uint64{c.N, c.Call.N}, Place: "/result/tools/" + strconv.Itoa(i) + f.place,
				})
			}
			return true
		})
	}},
	{ID: "list-changed-ignored", On: diagnose.Finish, Check: func(c *diagnose.Case) {
		if c.Blind() {
			return
		}
		for _, d := range c.Ledger.Missing(c.Session.Index, c.Until()) {
			if d.Kind == ledger.List && d.Times > 0 {
				went, read := c.Tracker().Row(int(d.Went[0])).Request, c.Tracker().Row(int(d.Row)).Request
				c.Found("", d.Method, fill{
					"times": words.CountOf(d.Questions, "time", "times"), "list": d.Method, "told": d.N, "went": went, "read": read,
				}, d.N, uint64(went), uint64(read))
			}
		}
	}},
	{ID: "tool-header-invalid", On: diagnose.ModernResults, Methods: toolLists, Check: func(c *diagnose.Case) {
		if !modernResponse(c) || c.Call.X == 0 || !bytes.Contains(c.Message.Result, []byte(schema.XHeader)) {
			return
		}
		wire.Items(c.Result("tools"), func(_ int, tool []byte) bool {
			input := wire.Get(tool, "inputSchema")
			if !bytes.Contains(input, []byte(schema.XHeader)) {
				return true
			}
			headers := schema.Headers(input)
			if i := slices.IndexFunc(headers, func(h schema.Header) bool { return h.Bad != "" }); i >= 0 {
				name, h := text(wire.Get(tool, "name")), headers[i]
				c.ReportAs(name, diagnose.Finding{
					With:   fill{"tool": name, "header": h.Name, "path": strings.Join(h.Path, "."), "bad": h.Bad},
					Frames: []uint64{c.N, c.Call.N}, Items: []string{name},
				})
			}
			return true
		})
	}},
	{ID: "tool-name-unusual", On: diagnose.Results, Methods: toolLists, Check: func(c *diagnose.Case) {
		if !ofClient(c) {
			return
		}
		seen, odd := map[string]bool{}, []string(nil)
		wire.Items(c.Result("tools"), func(_ int, tool []byte) bool {
			name := text(wire.Get(tool, "name"))
			switch {
			case name == "":
				return true
			case seen[name]:
				c.ReportAs("twice"+name, diagnose.Finding{
					Severity: diagnose.Warning, Items: []string{name}, Frames: []uint64{c.N, c.Call.N},
					Says: "twice", With: fill{"tool": name},
				})
			}
			seen[name] = true
			if len(name) > 64 || strings.ContainsFunc(name, isUnusual) {
				odd = append(odd, name)
			}
			return len(seen) < maxNames
		})
		if len(odd) == 0 {
			return
		}
		says := "one"
		if len(odd) > 1 {
			says = "several"
		}
		c.ReportAs("", diagnose.Finding{
			Items: odd, Says: says, With: fill{"tool": odd[0], "count": len(odd)}, Frames: []uint64{c.N, c.Call.N},
		})
	}},
	{ID: "list-pages-unread", On: diagnose.Finish, Check: func(c *diagnose.Case) {
		for _, d := range c.Ledger.Missing(c.Session.Index, c.Until()) {
			k := kindOf(d.Method)
			if d.Kind != ledger.Page || d.Times < 2 || k == nil { // it may still come back for it
				continue
			}
			if l := listOf(c, k); l != nil && !l.full {
				c.Found("", k.word, fill{"read": words.Count(len(l.names), k.word), "page": d.N}, d.N)
			}
		}
	}},
	{ID: "cursor-loop", On: diagnose.Results, Methods: lists, Check: func(c *diagnose.Case) {
		next := c.Result("nextCursor")
		if c.Call == nil || c.Dir != wire.ToClient || c.Session == nil {
			return
		}
		cursor := wire.Get(c.Call.Params, "cursor")
		walks := made(diagnose.State[map[string]int](c)) // read from the beginning, by list, and its latest page
		before, items := walks["page of "+c.Call.Method], listItems(c)
		walks["page of "+c.Call.Method] = int(hashOf(items))
		if len(next) < 2 || next[0] != '"' {
			if len(cursor) > 2 && len(items) > 2 && before == int(hashOf(items)) {
				c.Found("ignored", c.Call.Method, fill{"cursor": cursor})
			}
			return
		}
		method, page := hashOf(c.Call.Method), hashOf(items, next)
		in := c.Session.Index
		if len(cursor) == 0 || string(cursor) == "null" {
			walks[c.Call.Method]++
			c.Progress(in, method)
			c.Again(in, method, page)
			return
		}
		with := fill{"cursor": cursor, "next": next}
		if s := c.Again(in, method, page); s.Count >= 2 && string(cursor) == string(next) {
			c.Found("same", c.Call.Method, with, s.Frames...)
			return
		}
		// A client may ask for a page once more, as when a response was lost.
		s := c.Again(in, hashOf(c.Call.Method, string(cursor)), hashOf(string(next), number(walks[c.Call.Method])))
		if with["times"] = s.Count; s.Count >= 3 {
			c.Found("circle", c.Call.Method, with, s.Frames...)
		}
	}},
	{ID: "structured-content-alone", On: diagnose.Results, Methods: toolCalls, Alike: true, Check: func(c *diagnose.Case) {
		if !isToolResponse(c) || c.Result("structuredContent") == nil {
			return
		}
		some := false
		if wire.Items(c.Result("content"), func(int, []byte) bool { some = true; return false }) && !some {
			c.Found("", c.Call.Target, nil)
		}
	}},
}

// promised is the tool with an outputSchema whose result is in hand, nil for none.
func promised(c *diagnose.Case) *diagnose.Tool {
	if !isToolResponse(c) {
		return nil
	}
	if t := c.Facts.Tools[c.Call.Target]; t != nil && len(t.Output) > 0 && t.Output[0] == '{' {
		return t
	}
	return nil
}

// isToolResponse says whether a result is the response of a tool that did its work:
// no error, no question, no task.
func isToolResponse(c *diagnose.Case) bool {
	if !ofClient(c) || c.Facts == nil || string(c.Result("isError")) == "true" {
		return false
	}
	kind := resultType(c)
	return (kind == "" || kind == "complete") && c.Result("task") == nil
}

// namesMember says whether a refusal names what a fault is about: the member that is wrong or
// missing, or the other that was sent in its place.
func namesMember(said string, f *schema.Fault, other string) bool {
	name := f.Missing
	if name == "" {
		parts := strings.Split(strings.TrimRight(anyIndex(f.Path), "/*"), "/")
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[len(parts)-1])
	}
	return name != "" && hasWord(said, words.Fold(name)) || other != "" && hasWord(said, words.Fold(other))
}

const maxNames = 4096

// isUnusual says whether a character in the name of a tool is one that some clients refuse.
func isUnusual(r rune) bool { return r >= utf8.RuneSelf || !isWordByte(byte(r)) && r != '-' }

// lists are the methods with pages.
var lists = []string{mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList, mcp.TasksList}
