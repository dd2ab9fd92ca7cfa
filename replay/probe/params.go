package probe

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"midwire/replay"
)

// arguments makes the arguments of a call fit the input schema of its tool, as far as
// their names and types go: schema is what the server listed, nil for nothing. A
// member that can be read as what is wanted is converted; one that is wanted and
// missing is made up.
func (c *changes) arguments(params, tool map[string]any) {
	schema, _ := tool["inputSchema"].(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	args, ok := params["arguments"].(map[string]any)
	if schema == nil {
		return
	}
	if !ok {
		args = map[string]any{}
		if text, isText := params["arguments"].(string); isText && replay.Object([]byte(text)) != nil {
			args = replay.Object([]byte(text)) // JSON in JSON
		}
		c.set(params, "arguments", args, params["arguments"] == nil && schema["required"] == nil)
	}
	in := &changes{at: append(slices.Clone(c.at), "arguments"), add: c.add}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		property, known := properties[name].(map[string]any)
		switch to, fits := fit(args[name], property); {
		case !known && schema["additionalProperties"] == false:
			in.set(args, name, nil, false)
		case known && !fits:
			in.set(args, name, to, false)
		}
	}
	required, _ := schema["required"].([]any)
	for _, one := range required {
		name, _ := one.(string)
		property, _ := properties[name].(map[string]any)
		if _, there := args[name]; !there && name != "" {
			in.set(args, name, replay.Sample(property), false)
		}
	}
	if c.fill {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			property, _ := properties[name].(map[string]any)
			if _, there := args[name]; !there {
				in.set(args, name, replay.Sample(property), true)
			}
		}
	}
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
