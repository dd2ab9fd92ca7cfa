package probe

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"midwire/replay"
	"midwire/session/words"
)

// arguments makes the arguments of a call fit the input schema of its tool, as far as
// their names and types go: schema is what the server listed, nil for nothing. A
// member that can be read as what is wanted is converted; one that is wanted and
// missing is made up.
func (c *changes) arguments(params, tool map[string]any) {
	schema, _ := tool["inputSchema"].(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	args, ok := params["arguments"].(map[string]any)
	if !ok {
		was, there := params["arguments"]
		args = map[string]any{}
		if text, isText := was.(string); isText && replay.Object([]byte(text)) != nil {
			args = replay.Object([]byte(text)) // JSON in JSON
		}
		c.set(params, "arguments", args, !there && len(required) == 0)
	}
	in := c.within("arguments")
	for _, name := range slices.Sorted(maps.Keys(args)) {
		property, known := properties[name].(map[string]any)
		switch to, fits := fit(args[name], property); {
		case args[name] == nil && !slices.Contains(required, any(name)):
			in.set(args, name, nil, known && nullable(property))
		case !known && schema["additionalProperties"] == false:
			in.set(args, name, nil, false)
		case known && !fits:
			in.set(args, name, to, false)
		}
	}
	for _, one := range required {
		name, _ := one.(string)
		property, _ := properties[name].(map[string]any)
		if _, there := args[name]; !there && name != "" {
			in.set(args, name, replay.Sample(property), false)
		}
	}
	if c.more == filled {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			property, _ := properties[name].(map[string]any)
			if _, there := args[name]; !there {
				in.set(args, name, replay.Sample(property), true)
			}
		}
	}
}

func nullable(schema map[string]any) bool {
	text := string(replay.Encode(schema))
	return schema["type"] == nil && schema["anyOf"] == nil || strings.Contains(text, `"null"`)
}

// blanks fills the arguments of a prompt that it requires and that are empty.
func (c *changes) blanks(params, prompt map[string]any) {
	args, ok := params["arguments"].(map[string]any)
	wanted, _ := prompt["arguments"].([]any)
	for _, one := range wanted {
		argument, _ := one.(map[string]any)
		name, _ := argument["name"].(string)
		if argument["required"] != true || args[name] != nil && args[name] != "" {
			continue
		}
		if !ok {
			args, ok = map[string]any{}, true
			c.set(params, "arguments", args, false)
		}
		c.within("arguments").set(args, name, "a", false)
	}
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
			c.as(onRounded).within("arguments").set(args, name, given, false)
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

// fit says whether a value has the type that a schema wants, and else how it would.
func fit(v any, schema map[string]any) (to any, fits bool) {
	if list, ok := schema["enum"].([]any); ok && len(list) > 0 {
		same := func(one any) bool { return bytes.Equal(replay.Encode(one), replay.Encode(v)) }
		if slices.ContainsFunc(list, same) {
			return v, true
		}
		return list[0], false
	}
	want, _ := schema["type"].(string)
	if want == "" || isA(v, want) { // several types, or none, are not judged
		return v, true
	}
	text, isText := v.(string)
	switch want {
	case "string":
		if v != nil {
			return string(replay.Encode(v)), false
		}
	case "integer", "number":
		if _, err := strconv.ParseFloat(text, 64); isText && err == nil && isA(json.Number(text), want) {
			return json.Number(text), false
		}
	case "boolean":
		if text == "true" || text == "false" {
			return text == "true", false
		}
	case "object":
		if o := replay.Object([]byte(text)); o != nil {
			return o, false
		}
	case "array":
		if v != nil {
			return []any{v}, false
		}
	}
	return replay.Sample(schema), false
}

func isA(v any, want string) bool {
	switch x := v.(type) {
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case json.Number:
		_, err := strconv.ParseInt(x.String(), 10, 64)
		return want == "number" || want == "integer" && err == nil
	case map[string]any:
		return want == "object"
	case []any:
		return want == "array"
	}
	return want == "null"
}
