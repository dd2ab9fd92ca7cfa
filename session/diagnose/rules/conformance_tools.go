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
var toolsConformance = []formal{
	{
		id: "structured-content-missing", on: diagnose.Results, methods: []string{mcp.ToolsCall}, when: isToolResponse,
		check: func(c *diagnose.Case) {
			t := c.Facts.Tools[c.Call.Target]
			if t == nil || len(t.Output) == 0 || t.Output[0] != '{' || c.Result("structuredContent") != nil {
				return
			}
			c.Say(t.Name, "The tool "+quote(t.Name)+" declares an outputSchema ("+frame(t.N)+"), and its result ("+frame(c.N)+") has no structuredContent.",
				c.N, c.Call.N, t.N)
		},
	},
	{
		id: "structured-content-invalid", on: diagnose.Results, methods: []string{mcp.ToolsCall}, when: isToolResponse,
		check: func(c *diagnose.Case) {
			value := c.Result("structuredContent")
			if value == nil {
				return
			}
			if value[0] != '{' && !c.ProtocolVersion().IsModern() {
				c.ReportAs(c.Call.Target+"object", diagnose.Finding{
					Message: "The result of " + quote(c.Call.Target) + " (" + frame(c.N) + ") has structuredContent that is not an object: " + quoteJSON(value) + ".",
					Place:   "/result/structuredContent",
					Frames:  []uint64{c.N, c.Call.N},
				})
				return
			}
			t := c.Facts.Tools[c.Call.Target]
			if t == nil || len(t.Output) == 0 || t.Output[0] != '{' {
				return
			}
			faults := diagnose.Memory[validators](c).checkPart(c, t, t.Output, value, false)
			if len(faults) == 0 {
				return
			}
			f := &faults[0]
			c.ReportAs(t.Name+anyIndex(f.Path)+f.Keyword, diagnose.Finding{
				Message: "The result of " + quote(t.Name) + " (" + frame(c.N) + ") does not fit its outputSchema (" + frame(t.N) + "): " + placed("structuredContent", f) + ".",
				Frames:  []uint64{c.N, c.Call.N, t.N},
				Place:   place("/result/structuredContent", f),
			})
		},
	},
	{
		id: "tool-arguments-invalid", on: diagnose.Requests | diagnose.FailedCalls, methods: []string{mcp.ToolsCall},
		check: func(c *diagnose.Case) {
			if c.Call == nil || c.Call.Dir != wire.ToServer || c.Facts == nil || c.Call.Params == nil {
				return
			}
			t := c.Facts.Tools[c.Call.Target]
			if t == nil || len(t.Input) == 0 || t.Input[0] != '{' {
				return
			}
			args := wire.Get(c.Call.Params, "arguments")
			if args == nil {
				args = []byte("{}")
			}
			if args[0] != '{' { // the schema of the message says so
				return
			}
			faults := diagnose.Memory[validators](c).checkPart(c, t, t.Input, args, true)
			if len(faults) == 0 {
				return
			}
			f, more := &faults[0], ""
			key := t.Name + anyIndex(f.Path) + f.Keyword
			other := ""
			if f.Missing != "" {
				every := func(string) bool { return true }
				other = diagnose.Memory[validators](c).unlisted(t, args, every)
			}
			if c.Message.Kind != wire.MsgRequest {
				if said := failure(c); namesMember(said, f, other) {
					c.Confirm(key, c.N, " The server names it ("+frame(c.N)+"): "+quote(plain(said))+".")
				}
				return
			}
			if other != "" {
				more = " They have " + quote(other) + ", which the schema does not list."
			}
			c.ReportAs(key, diagnose.Finding{
				Seen:    true, // until the server refuses it for that
				Message: "The call of " + quote(t.Name) + " (" + frame(c.N) + ") does not fit its inputSchema (" + frame(t.N) + "): " + placed("arguments", f) + "." + more,
				Frames:  []uint64{c.N, t.N},
				Place:   place("/params/arguments", f),
			})
		},
	},
	{
		id: "tool-definition-invalid", on: diagnose.Results, methods: []string{mcp.ToolsList}, when: ofClient,
		check: func(c *diagnose.Case) {
			d := diagnose.Memory[definitions](c)
			version := c.ProtocolVersion()
			wire.Items(c.Result("tools"), func(i int, tool []byte) bool {
				if tool[0] != '{' {
					return true
				}
				flaws := d.of(tool, version)
				if len(flaws) == 0 {
					return true
				}
				name := text(wire.Get(tool, "name"))
				for _, f := range flaws {
					c.ReportAs(name+f.key+f.text, diagnose.Finding{
						Severity: f.severity, Items: []string{name},
						Message: "The tool " + quote(name) + " (" + frame(c.N) + ") " + f.text + ".",
						Frames:  []uint64{c.N, c.Call.N},
						Place:   "/result/tools/" + strconv.Itoa(i) + f.place,
					})
				}
				return true
			})
		},
	},
	{
		id: "list-changed-ignored", on: diagnose.Finish,
		check: func(c *diagnose.Case) {
			if c.Blind() {
				return
			}
			for _, d := range c.Ledger.Missing(c.Session.Index, c.Until()) {
				if d.Kind != ledger.List || d.Times == 0 {
					continue
				}
				went, read := c.Tracker().Row(int(d.Went[0])), c.Tracker().Row(int(d.Row))
				c.Say(d.Method, "The server said "+words.CountOf(d.Questions, "time", "times")+" that the list of "+quote(d.Method)+" has changed ("+frame(d.N)+"). "+c.Client()+
					" went on ("+frame(went.Request)+") and never listed it again: it knows the list of "+frame(read.Request)+" only, and what is new cannot be used.",
					d.N, uint64(went.Request), uint64(read.Request))
			}
		},
	},
	{
		id: "tool-header-invalid", on: diagnose.ModernResults, methods: []string{mcp.ToolsList},
		check: func(c *diagnose.Case) {
			if !modernResponse(c) || c.Call.X == 0 || !bytes.Contains(c.Message.Result, []byte(schema.XHeader)) {
				return
			}
			wire.Items(c.Result("tools"), func(_ int, tool []byte) bool {
				if bad := badToolHeader(wire.Get(tool, "inputSchema")); bad != "" {
					name := text(wire.Get(tool, "name"))
					c.ReportAs(name, diagnose.Finding{
						Message: "The tool " + quote(name) + " (" + frame(c.N) + ") asks for an invalid header: " + bad + ". Clients leave it out.",
						Frames:  []uint64{c.N, c.Call.N}, Items: []string{name},
					})
				}
				return true
			})
		},
	},
	{
		id: "tool-name-unusual", on: diagnose.Results, methods: []string{mcp.ToolsList}, when: ofClient,
		check: func(c *diagnose.Case) {
			var names []string
			wire.Items(c.Result("tools"), func(_ int, tool []byte) bool {
				if name := text(wire.Get(tool, "name")); name != "" {
					names = append(names, name)
				}
				return len(names) < maxNames
			})
			seen := make(map[string]bool, len(names))
			for _, name := range names {
				if seen[name] {
					c.ReportAs("twice"+name, diagnose.Finding{
						Severity: diagnose.Warning, Items: []string{name},
						Message: "There are two tools of the name " + quote(name) + " in one list (" + frame(c.N) + ").",
						Frames:  []uint64{c.N, c.Call.N},
					})
				}
				seen[name] = true
			}
			reportNames(c, names)
		},
	},
	{
		id: "list-pages-unread", on: diagnose.Finish,
		check: func(c *diagnose.Case) {
			for _, d := range c.Ledger.Missing(c.Session.Index, c.Until()) {
				k := kindOf(d.Method)
				if d.Kind != ledger.Page || d.Times < 2 || k == nil { // it may still come back for it
					continue
				}
				if l := listOf(c, k); l != nil && !l.full {
					c.Say(k.word, c.Client()+" read "+words.Count(len(l.names), k.word)+" of the list; the page "+frame(d.N)+" has a nextCursor, and it never asked for the next page.", d.N)
				}
			}
		},
	},
	{
		id: "cursor-loop", on: diagnose.Results, methods: lists,
		check: func(c *diagnose.Case) {
			next := c.Result("nextCursor")
			if c.Call == nil || c.Dir != wire.ToClient || c.Session == nil || len(next) < 2 || next[0] != '"' {
				return
			}
			cursor := wire.Get(c.Call.Params, "cursor")
			page := hashOf(listItems(c), next)
			in, walks := c.Session.Index, made(diagnose.State[map[string]int](c)) // read from the beginning, by list
			if len(cursor) == 0 || string(cursor) == "null" {
				walks[c.Call.Method]++
				c.Progress(in, hashOf(c.Call.Method))
				c.Again(in, hashOf(c.Call.Method), page)
				return
			}
			what := "The page of " + quote(c.Call.Method) + " for the cursor " + raw(cursor) + " (" + frame(c.N) + ")"
			if s := c.Again(in, hashOf(c.Call.Method), page); s.Count >= 2 && string(cursor) == string(next) {
				c.ReportAs(c.Call.Method, diagnose.Finding{
					Message: what + " is the same as the page before it, with the same nextCursor " + raw(next) + ". A client that follows it never comes to the end.",
					Frames:  s.Frames,
				})
				return
			}
			// A client may ask for a page once more, as when a response was lost.
			s := c.Again(in, hashOf(c.Call.Method, string(cursor)), hashOf(string(next), number(walks[c.Call.Method])))
			if s.Count >= 3 {
				c.ReportAs(c.Call.Method, diagnose.Finding{
					Message: what + " came " + number(s.Count) + " times in one walk through the list: its cursors go round in a circle.",
					Frames:  s.Frames,
				})
			}
		},
	},
}

// isToolResponse says whether a result is the response of a tool that did its work:
// no error, no question, no task.
func isToolResponse(c *diagnose.Case) bool {
	if c.Call == nil || c.Facts == nil || c.Call.Dir != wire.ToServer || string(c.Result("isError")) == "true" {
		return false
	}
	if kind := resultType(c); kind != "" && kind != "complete" {
		return false
	}
	return c.Result("task") == nil
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

// badToolHeader says what is wrong with the x-mcp-header of an input schema, ""
// for nothing.
func badToolHeader(input []byte) string {
	if !bytes.Contains(input, []byte(schema.XHeader)) {
		return ""
	}
	for _, h := range schema.Headers(input) {
		if h.Bad != "" {
			return "x-mcp-header " + quote(h.Name) + " at " + quote(strings.Join(h.Path, ".")) + " " + h.Bad
		}
	}
	return ""
}

const maxNames = 4096

// reportNames reports the unusual names of a list, those that the protocol version
// advises against apart from those that only some clients refuse.
func reportNames(c *diagnose.Case, names []string) {
	names = slices.DeleteFunc(names, func(name string) bool {
		other := func(r rune) bool { return r >= utf8.RuneSelf || !isWordByte(byte(r)) && r != '-' }
		return len(name) <= 64 && !strings.ContainsFunc(name, other)
	})
	if len(names) == 0 {
		return
	}
	what := "The name of the tool " + quote(names[0]) + " (" + frame(c.N) + ") has"
	if len(names) > 1 {
		what = "The names of " + number(len(names)) + " tools (" + frame(c.N) + "), such as " + quote(names[0]) + ", have"
	}
	what += " other characters than letters, digits, _ and -, or more than 64 of them"
	c.ReportAs("", diagnose.Finding{
		Items: names, Message: what + ", which some clients and models refuse.", Frames: []uint64{c.N, c.Call.N},
	})
}

// lists are the methods with pages.
var lists = []string{mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList, mcp.TasksList}
