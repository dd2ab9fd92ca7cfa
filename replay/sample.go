package replay

import "encoding/json"

// Sample is a value that a schema allows, as far as that is easily said.
func Sample(schema map[string]any) any {
	for _, key := range [...]string{"default", "const"} {
		if v, ok := schema[key]; ok {
			return v
		}
	}
	for _, key := range [...]string{"enum", "examples"} {
		if list, ok := schema[key].([]any); ok && len(list) > 0 {
			return list[0]
		}
	}
	kind := schema["type"]
	if list, ok := kind.([]any); ok && len(list) > 0 {
		kind = list[0]
	}
	switch kind {
	case "integer", "number":
		if least, ok := schema["minimum"].(json.Number); ok {
			return least
		}
		return json.Number("1")
	case "boolean":
		return false
	case "array":
		if least, ok := schema["minItems"].(json.Number); ok && least != "0" {
			items, _ := schema["items"].(map[string]any)
			return []any{Sample(items)}
		}
		return []any{}
	case "object":
		return sampleObject(schema)
	case "null":
		return nil
	}
	return "a"
}

func sampleObject(schema map[string]any) map[string]any {
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, one := range required {
		if name, ok := one.(string); ok {
			property, _ := properties[name].(map[string]any)
			object[name] = Sample(property)
		}
	}
	return object
}
