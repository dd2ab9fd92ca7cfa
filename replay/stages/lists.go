package stages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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
			} else if none(&r) {
				t.must(l.method, "no response, where an error is due", specJSONRPC)
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
	members, pages := "", 0
	var cursors, names []string
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
			if method == mcp.ToolsList && slices.Contains(names, name) {
				wrong = fmt.Sprintf("the name %q is listed twice", name)
			}
			names = append(names, name)
			t.listed(method, one)
			return true
		})
		cursor := wire.Text(wire.Get(r.Message.Result, "nextCursor"))
		if cursor == "" {
			break
		}
		if slices.Contains(cursors, cursor) {
			wrong = "nextCursor comes again: the list never ends"
			break
		}
		cursors = append(cursors, cursor)
		quoted, _ := json.Marshal(cursor)
		members = `"cursor":` + string(quoted)
	}
	if wrong != "" {
		t.must(method, wrong, spec)
		return
	}
	text := words.CountOf(len(names), "entry", "entries")
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
		if !strings.Contains(string(wire.Get(one, "arguments")), `"required":true`) {
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
		if at := refusedByModels(one.schema, "inputSchema"); at != "" {
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
// refuse, with who does; "" for none.
func refusedByModels(schema map[string]any, at string) string {
	if at == "inputSchema" {
		for _, key := range [...]string{"oneOf", "anyOf", "allOf"} {
			if schema[key] != nil {
				return at + " has " + key + " at its top: Claude and OpenAI refuse it"
			}
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	if schema["type"] == "object" && schema["properties"] == nil && schema["additionalProperties"] == nil {
		return at + " is an object without properties: OpenAI refuses it"
	}
	if schema["type"] == "array" && schema["items"] == nil && schema["prefixItems"] == nil {
		return at + " is a list without items: OpenAI and Gemini refuse it"
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if one, ok := properties[name].(map[string]any); ok {
			if bad := refusedByModels(one, at+"."+name); bad != "" {
				return bad
			}
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		return refusedByModels(items, at+"[]")
	}
	return ""
}

// capabilities asks for what the server declares beside its lists.
func (t *tester) capabilities(c *conn) error {
	const spec = "2025-11-25 basic/lifecycle: Capability Negotiation"
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	missing := func(name string, r *response) {
		wrong := ""
		if none(r) || code(r) == mcp.CodeMethodNotFound {
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
