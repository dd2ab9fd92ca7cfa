package stages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"midwire/replay/checks"
	"midwire/session/diagnose/schema"
	"midwire/session/mcp"
	"midwire/session/wire"
)

type tool struct {
	name     string
	readOnly bool
	raw      []byte // its input schema
}

func newTool(raw []byte) (t tool) {
	t.name = wire.Text(wire.Get(raw, "name"))
	t.readOnly = string(wire.Get(raw, "annotations", "readOnlyHint")) == "true"
	t.raw = bytes.Clone(wire.Get(raw, "inputSchema"))
	return t
}

const maxTools = 20

const specCalls = "2025-11-25 server/tools: Error Handling"

// calls calls the tools that may be called: with arguments that fit, without one that is
// required, and with one of another type.
func (t *tester) calls(*conn) error {
	if t.able["tools"] == nil {
		return nil
	}
	c, err := t.begun(proper)
	if err != nil {
		return err
	}
	defer func() { c.close() }()
	strange, err := t.begun(odd)
	if err != nil {
		return err
	}
	defer func() { strange.close() }()
	r := strange.ask(mcp.ToolsCall, `"name":"midwire_no_such_tool","arguments":{}`)
	wrong := ""
	if _, refused := failure(&r); !answered(&r) || !refused {
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
		if c, err = t.renew(c); err == nil {
			strange, err = t.renew(strange)
		}
		if err != nil {
			return err
		}
		t.call(c, strange, one)
	}
	if left > 0 {
		t.check(fmt.Sprintf("%d of %d tools", left, len(t.tools)), checks.Skipped, "not marked read-only: --yes calls them", "")
	}
	return nil
}

// renew is a session, or a new one in place of one that the last call ended.
func (t *tester) renew(c *conn) (*conn, error) {
	if !c.Exited() {
		return c, nil
	}
	c.close()
	return t.begun(c.kind)
}

func (t *tester) call(c, strange *conn, one *tool) {
	ask := func(c *conn, args map[string]any) response {
		name, _ := json.Marshal(one.name)
		raw, _ := json.Marshal(args)
		return c.complete(mcp.ToolsCall, `"name":`+string(name)+`,"arguments":`+string(raw))
	}
	// Such as the schema allows, as far as that is easily said.
	of := schema.Read(one.raw)
	args, isObject := of.Sample().(map[string]any)
	if !isObject {
		args = map[string]any{}
	}
	required := of.Required()
	r := ask(c, args)
	name := one.name
	switch why, refused := failure(&r); {
	case noResponse(&r) && c.Exited():
		t.must(name+" , with arguments that fit", "the server ended", specCalls)
		return
	case noResponse(&r) && r.Status == 0:
		t.should(name+" with arguments that fit", said(&r)+" in time", specCalls)
		return
	case !answered(&r):
		t.must(name+" with arguments that fit", said(&r), specCalls)
		return
	case refused && len(required) > 0:
		t.check(name, checks.Skipped, "it rejects midwire's sample values: "+why, specCalls)
	case refused:
		t.should(name+" without arguments, of which none is required", why, specCalls)
	default:
		t.must(name, "", specCalls)
	}
	if len(required) == 0 {
		return
	}
	first := required[0] // one says it
	args = maps.Clone(args)
	delete(args, first)
	r = ask(strange, args)
	t.bad(strange, name+" without "+first, &r)
	args[first] = map[string]any{"midwire": true}
	if member, _ := of.Member(first); member.Is(args[first]) {
		if args[first] = "a"; member.Is("a") {
			return // any value fits
		}
	}
	r = ask(strange, args)
	t.bad(strange, name+" with "+first+" of another type", &r)
}

// complete asks, and gives what the server wants to know in between.
func (c *conn) complete(method, members string) (r response) {
	more := ""
	for range 4 {
		r = c.ask(method, members+more)
		if !c.Version.IsModern() || wire.Text(wire.Get(r.Message.Result, "resultType")) != "input_required" {
			return r
		}
		given := map[string]any{}
		wire.Each(wire.Get(r.Message.Result, "inputRequests"), func(key, request []byte) bool {
			var name string
			if json.Unmarshal(key, &name) != nil {
				name = string(key)
			}
			switch wire.Text(wire.Get(request, "method")) {
			case mcp.RootsList:
				given[name] = map[string]any{"roots": []any{}}
			case mcp.ElicitationCreate:
				given[name] = map[string]any{"action": "decline"}
			}
			return true
		})
		raw, _ := json.Marshal(given)
		more = `,"inputResponses":` + string(raw)
		if state := wire.Get(r.Message.Result, "requestState"); state != nil {
			more += `,"requestState":` + string(state)
		}
	}
	return r
}

// bad checks the response to a call whose arguments are wrong.
func (t *tester) bad(c *conn, name string, r *response) {
	switch _, refused := failure(r); {
	case noResponse(r) && c.Exited():
		t.must(name, "ends the process", specCalls)
	case !answered(r):
		t.unanswered(name, r, specCalls)
	case !refused:
		t.should(name, "it is served, against its own input schema", specCalls)
	default:
		t.must(name, "", specCalls)
	}
}

// objectOf are the members of an object, none of what is none.
func objectOf(raw []byte) (members map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &members)
	return members
}
