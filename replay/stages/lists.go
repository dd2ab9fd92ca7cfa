package stages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"midwire/replay"
	"midwire/session/diagnose/schema"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var listings = [...]struct{ method, member, capability string }{
	{mcp.ToolsList, "tools", "tools"},
	{mcp.ResourcesList, "resources", "resources"},
	{mcp.ResourceTemplatesList, "resourceTemplates", "resources"},
	{mcp.PromptsList, "prompts", "prompts"},
}

// lists reads all lists with all pages, and asks for what is not declared.
func (t *tester) lists(c *conn) error {
	strange, err := t.begun(odd)
	if err != nil {
		return err
	}
	defer strange.close()
	t.tools, t.uri, t.prompt = nil, "", ""
	for _, l := range listings {
		if t.able[l.capability] == nil {
			r := strange.ask(l.method, "")
			if r.Message.Kind == wire.MsgResult && len(wire.Get(r.Message.Result, l.member)) > len("[]") {
				t.should(l.method, "it lists "+l.member+" and does not declare the capability "+l.capability+
					": clients will not ask", "2025-11-25 basic/lifecycle: Capability Negotiation")
			} else if !answered(&r) {
				t.must(l.method, said(&r)+", where an error is due", specJSONRPC)
			}
			continue
		}
		t.list(c, l.method, l.member)
	}
	return nil
}

// maxPages bounds how long a server may continue a list.
const maxPages = 50

func (t *tester) list(c *conn, method, member string) {
	const spec = "2025-11-25 server/utilities/pagination"
	members, pages, entries := "", 0, 0
	cursors, names := map[string]bool{}, map[string]bool{}
	wrong := ""
	for range maxPages {
		r := c.ask(method, members)
		if r.Message.Kind != wire.MsgResult {
			if wrong = said(&r); method == mcp.ResourceTemplatesList && r.Message.Kind == wire.MsgError {
				return // which a server without templates need not have
			}
			break
		}
		pages++
		wire.Items(wire.Get(r.Message.Result, member), func(_ int, one []byte) bool {
			name := wire.Text(wire.Get(one, "name"))
			if method == mcp.ToolsList && names[name] {
				wrong = fmt.Sprintf("the name %q is listed twice", name)
			}
			names[name] = true
			entries++
			t.listed(method, one)
			return t.ctx.Err() == nil
		})
		cursor := wire.Text(wire.Get(r.Message.Result, "nextCursor"))
		if cursor == "" {
			break
		}
		if cursors[cursor] {
			wrong = "nextCursor comes again: the list never ends"
			break
		}
		cursors[cursor] = true
		quoted, _ := json.Marshal(cursor)
		members = `"cursor":` + string(quoted)
	}
	if wrong != "" {
		t.must(method, wrong, spec)
		return
	}
	text := words.CountOf(entries, "entry", "entries")
	if pages > 1 {
		text += fmt.Sprintf(" in %d pages", pages)
	}
	t.fine(method, "%s: %s", method, text)
}

// listed keeps what other stages need of an entry.
func (t *tester) listed(method string, one []byte) {
	switch method {
	case mcp.ToolsList:
		t.tools = append(t.tools, newTool(one))
	case mcp.ResourcesList:
		t.uri = cmp.Or(t.uri, wire.Text(wire.Get(one, "uri")))
	case mcp.PromptsList:
		needs := false
		wire.Items(wire.Get(one, "arguments"), func(_ int, argument []byte) bool {
			needs = needs || string(wire.Get(argument, "required")) == "true"
			return !needs
		})
		if !needs {
			t.prompt = cmp.Or(t.prompt, wire.Text(wire.Get(one, "name")))
		}
	}
}

var unprefixed = words.Pattern(`[^a-zA-Z0-9_-]`)

// maxName is how long the name of a tool may be for most models.
const maxName = 64

// definitions are held against what clients and models make of them. What the rules find
// about them is added in the end.
func (t *tester) definitions(*conn) error {
	long := 0
	refused := map[string][]string{} // names, by what is refused
	for i := range t.tools {
		one := &t.tools[i]
		// Claude Code calls a tool mcp__SERVER__TOOL, with the name from its configuration.
		full := "mcp__" + unprefixed().ReplaceAllString(t.info, "_") + "__" + one.name
		if len(full) > maxName && len(one.name) <= maxName {
			if long++; long <= 3 {
				t.should(full, fmt.Sprintf("%d characters with a client's prefix; most models take %d", len(full), maxName),
					"2025-11-25 server/tools: Tool Names")
			}
		}
		if t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		if at := refusedByModels(one.raw); at != "" {
			refused[at] = append(refused[at], one.name)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(refused)) {
		t.should(words.List(refused[at], 3), at, "2025-11-25 server/tools: Tool")
	}
	if long > 3 {
		t.should("names", fmt.Sprintf("%d more are too long with a client's prefix", long-3), "2025-11-25 server/tools: Tool Names")
	}
	if len(t.tools) > 0 {
		t.fine("definitions", "%s read", words.CountOf(len(t.tools), "definition", "definitions"))
	}
	return nil
}

// refusedByModels is the first place in a schema that is valid and that interfaces of models
// refuse, with who does; "" for none. They read keywords where they stand.
func refusedByModels(raw []byte) (found string) {
	for _, key := range [...]string{"oneOf", "anyOf", "allOf"} {
		if wire.Get(raw, key) != nil {
			return "inputSchema has " + key + " at its top: Claude and OpenAI refuse it"
		}
	}
	left := maxPlaces
	var look func(v any, at []string) bool
	look = func(v any, at []string) bool {
		of, _ := v.(map[string]any)
		if left--; of == nil || left < 0 || len(at) > maxPlaceDepth {
			return true
		}
		where := words.Ellipsis("inputSchema"+strings.Join(at, ""), 200)
		switch properties := of["properties"]; {
		case of["type"] == "object" && properties == nil && of["additionalProperties"] == nil:
			found = where + " is an object without properties: OpenAI refuses it"
		case of["type"] == "array" && of["items"] == nil && of["prefixItems"] == nil:
			found = where + " is a list without items: OpenAI and Gemini refuse it"
		}
		members, _ := of["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if found == "" && !look(members[name], append(at, "."+name)) {
				return false
			}
		}
		return found == "" && look(of["items"], append(at, "[]"))
	}
	if len(raw) <= schema.MaxSchema {
		look(replay.Object(raw), nil)
	}
	return found
}

// How many parts of one schema are looked at, and how deep.
const (
	maxPlaces     = 10_000
	maxPlaceDepth = 64
)

// capabilities asks for what the server declares beside its lists.
func (t *tester) capabilities(c *conn) error {
	const spec = "2025-11-25 basic/lifecycle: Capability Negotiation"
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	missing := func(name string, r *response) {
		wrong := ""
		if !answered(r) || code(r) == mcp.CodeMethodNotFound {
			wrong = "declared, and gets " + said(r)
		}
		t.must(name, wrong, spec)
	}
	ask := func(name, method, members string) {
		r := c.ask(method, members)
		missing(name, &r)
	}
	if t.able["logging"] != nil && !t.now {
		ask("logging", mcp.LogSetLevel, `"level":"warning"`)
	}
	if t.able["completions"] != nil && t.prompt != "" {
		ask("completions", mcp.Complete, `"ref":{"type":"ref/prompt","name":`+quoted(t.prompt)+`},"argument":{"name":"a","value":""}`)
	}
	if t.prompt != "" {
		ask(mcp.PromptsGet, mcp.PromptsGet, `"name":`+quoted(t.prompt))
	}
	if t.uri == "" {
		return nil
	}
	ask(mcp.ResourcesRead, mcp.ResourcesRead, `"uri":`+quoted(t.uri))
	if string(wire.Get(t.able["resources"], "subscribe")) == "true" && !t.now {
		ask("resources.subscribe", mcp.ResourcesSubscribe, `"uri":`+quoted(t.uri))
		ask("resources.unsubscribe", mcp.ResourcesUnsubscribe, `"uri":`+quoted(t.uri))
	}
	return nil
}
