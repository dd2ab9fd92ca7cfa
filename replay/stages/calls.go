package stages

import (
	"encoding/json"
	"fmt"
	"maps"

	"midwire/replay"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// tool is a tool as the server lists it.
type tool struct {
	name     string
	readOnly bool
	schema   map[string]any // its input schema
}

func newTool(raw []byte) (t tool) {
	t.name = wire.Text(wire.Get(raw, "name"))
	t.readOnly = string(wire.Get(raw, "annotations", "readOnlyHint")) == "true"
	t.schema = replay.Object(wire.Get(raw, "inputSchema"))
	return t
}

func (t *tool) required() (names []string) {
	list, _ := t.schema["required"].([]any)
	for _, one := range list {
		if name, ok := one.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// arguments are such as the schema allows, as far as that is easily said.
func (t *tool) arguments() map[string]any {
	args, _ := replay.Sample(t.schema).(map[string]any)
	return args
}

// maxTools is how many tools are called.
const maxTools = 20

const specCalls = "server/tools: Error Handling"

// calls calls the tools that may be called: with arguments that fit, without one that is
// required, and with one of another type.
func (t *tester) calls() error {
	if t.able["tools"] == nil {
		return nil
	}
	c, err := t.open(proper)
	if err != nil {
		return err
	}
	defer func() { c.close() }()
	c.begin(mcp.LastHandshake)
	strange, err := t.open(odd)
	if err != nil {
		return err
	}
	defer strange.close()
	strange.begin(mcp.LastHandshake)
	r := strange.ask(mcp.ToolsCall, `{"name":"midwire_no_such_tool","arguments":{}}`)
	wrong := ""
	if _, refused := failure(&r); none(&r) || !refused {
		wrong = said(&r) + " instead of an error"
	}
	t.must("a tool that does not exist", wrong, specCalls)
	called, left := 0, 0
	for i := range t.tools {
		one := &t.tools[i]
		if !one.readOnly && !t.opt.Yes || called == maxTools {
			left++
			continue
		}
		called++
		if c.Exited() { // the last call ended it
			c.close()
			if c, err = t.open(proper); err != nil {
				return err
			}
			c.begin(mcp.LastHandshake)
		}
		t.call(c, strange, one)
	}
	if left > 0 {
		t.check(fmt.Sprintf("%d of %d tools", left, len(t.tools)), Skipped, "not marked read-only: --yes calls them", "")
	}
	return nil
}

func (t *tester) call(c, strange *conn, one *tool) {
	ask := func(c *conn, args map[string]any) response {
		raw, _ := json.Marshal(map[string]any{"name": one.name, "arguments": args})
		return c.ask(mcp.ToolsCall, string(raw))
	}
	r := ask(c, one.arguments())
	name := one.name
	switch why, refused := failure(&r); {
	case none(&r) && c.Exited():
		t.must(name+" with arguments that fit", "the server ended", specCalls)
		return
	case none(&r):
		t.should(name+" with arguments that fit", said(&r)+" in time", specCalls)
		return
	case refused:
		t.should(name+" with arguments that fit", why, specCalls) // values are made up
	default:
		t.must(name+" with arguments that fit", "", specCalls)
	}
	for _, required := range one.required() {
		args := maps.Clone(one.arguments())
		delete(args, required)
		r := ask(strange, args)
		t.bad(name+" without "+required, &r)
		args[required] = one.other(required)
		r = ask(strange, args)
		t.bad(name+" with "+required+" of another type", &r)
		break // one says it
	}
}

// bad checks the response to a call whose arguments are wrong.
func (t *tester) bad(name string, r *response) {
	switch _, refused := failure(r); {
	case none(r):
		t.must(name, "no response", specCalls)
	case !refused:
		t.should(name, "it is served, against its own input schema", specCalls)
	default:
		t.must(name, "", specCalls)
	}
}

// other is a value of another type than the schema of a member wants.
func (t *tool) other(name string) any {
	properties, _ := t.schema["properties"].(map[string]any)
	property, _ := properties[name].(map[string]any)
	if property["type"] == "object" {
		return "a"
	}
	return map[string]any{"midwire": true}
}
