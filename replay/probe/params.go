package probe

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"midwire/replay"
	"midwire/session/diagnose/schema"
	"midwire/session/wire"
	"midwire/session/words"
)

// arguments makes the arguments of a call fit the input schema of its tool, as far as
// their names and types go: schema is what the server listed, nil for nothing. A
// member that can be read as what is wanted is converted; one that is wanted and
// missing is made up.
func (c *changes) arguments(params map[string]any, tool []byte) {
	of := schema.Read(wire.Get(tool, "inputSchema"))
	required := of.Required()
	args, ok := params["arguments"].(map[string]any)
	if !ok {
		was, there := params["arguments"]
		args = map[string]any{}
		if text, isText := was.(string); isText && replay.Object([]byte(text)) != nil {
			args = replay.Object([]byte(text)) // JSON in JSON
		}
		c.set(params, "arguments", args, !there && len(required) == 0)
	}
	in := c.member("arguments")
	for _, name := range slices.Sorted(maps.Keys(args)) {
		property, known := of.Member(name)
		switch to, fits := fit(args[name], property); {
		case args[name] == nil && !slices.Contains(required, name):
			in.set(args, name, nil, known && property.Is(nil))
		case !known && of.Closed():
			in.set(args, name, nil, false)
		case !fits:
			in.set(args, name, to, false)
		}
	}
	more := func(names []string, legal bool) {
		for _, name := range names[:min(len(names), maxMembers)] {
			if _, there := args[name]; !there && name != "" {
				property, _ := of.Member(name)
				in.set(args, name, property.Sample(), legal)
			}
		}
	}
	more(required, false)
	if c.more == filled {
		more(slices.Sorted(slices.Values(of.Members())), true)
	}
}

// maxMembers is how many members are made up at most.
const maxMembers = 100

// blanks fills the arguments of a prompt that it requires and that are empty.
func (c *changes) blanks(params map[string]any, prompt []byte) {
	args, ok := params["arguments"].(map[string]any)
	wire.Items(wire.Get(prompt, "arguments"), func(i int, argument []byte) bool {
		name := wire.Text(wire.Get(argument, "name"))
		if string(wire.Get(argument, "required")) == "true" && (args[name] == nil || args[name] == "") {
			if !ok {
				args, ok = map[string]any{}, true
				c.set(params, "arguments", args, false)
			}
			c.member("arguments").set(args, name, "a", false)
		}
		return i < maxMembers
	})
}

// exactly are integers that a floating-point number does not hold.
var exactly = words.Pattern(`\b[1-9][0-9]{15,18}\b`)

// rounded has integers among the arguments as the server gave them, where the client has
// them as floating-point numbers.
func (p *prober) rounded(c *changes, params map[string]any) {
	args, _ := params["arguments"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		sent, ok := args[name].(json.Number)
		if !ok || len(sent) < 16 {
			continue
		}
		if given := p.given64(sent); given != "" {
			c.member("arguments").set(args, name, given, false)
		}
	}
}

// given64 is the integer of an earlier result that was rounded to a number, "" for none, or
// for several.
func (p *prober) given64(sent json.Number) (given json.Number) {
	float, err := sent.Float64()
	if err != nil {
		return ""
	}
	for i := range p.script.Calls {
		call := int32(i)
		if int(p.script.SessionOf(call)) != p.session.Index || p.script.CallRow(call).Request >= p.frame {
			continue
		}
		was := p.script.Recorded(call)
		for _, digits := range exactly().FindAll(was.Result(), -1) {
			n := json.Number(digits)
			switch f, _ := n.Float64(); {
			case n == sent:
				return ""
			case f == float && given != "" && given != n:
				return ""
			case f == float:
				given = n
			}
		}
	}
	return given
}

// fit says whether a value is of the type and among the choices that a schema has, and else
// how it would be.
func fit(v any, of schema.Place) (to any, fits bool) {
	if of.Is(v) {
		return v, true
	}
	text, isText := v.(string)
	number := isText && wire.Valid([]byte(text))
	for _, want := range of.Types() {
		switch want {
		case "string":
			to = string(replay.Encode(v))
		case "integer", "number":
			if _, err := strconv.ParseFloat(text, 64); err != nil || !number {
				continue
			}
			to = json.Number(text)
		case "boolean":
			if to = text == "true"; text != "true" && text != "false" {
				continue
			}
		case "object":
			object := replay.Object([]byte(text))
			if to = object; object == nil {
				continue
			}
		case "array":
			to = []any{v}
		}
		if v != nil && to != nil && of.Is(to) {
			return to, false
		}
	}
	return of.Sample(), false
}
