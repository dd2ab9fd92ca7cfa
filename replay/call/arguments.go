package call

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"midwire/session/wire"
)

// Argument is one of a call: name=text or name:=JSON.
type Argument struct {
	Name  string
	Value string
	JSON  bool
}

// ParseArgument reads name=text or name:=JSON.
func ParseArgument(word string) (a Argument, err error) {
	name, value, ok := strings.Cut(word, "=")
	if a.Name, a.Value = name, value; strings.HasSuffix(name, ":") {
		a.Name, a.JSON = strings.TrimSuffix(name, ":"), true
	}
	switch {
	case !ok || a.Name == "":
		return a, fmt.Errorf("an argument is name=text or name:=JSON, not %q", word)
	case a.JSON && !wire.Valid([]byte(value)):
		return a, fmt.Errorf("%s:= takes JSON, and this is none: %s", a.Name, value)
	}
	return a, nil
}

// Arguments makes the arguments of a call, as the schema of the tool has their types. A name
// that comes again makes a list of an array.
func Arguments(schema []byte, all []Argument) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	lists := map[string][]json.RawMessage{}
	for _, a := range all {
		of := wire.Get(schema, "properties", a.Name)
		if a.JSON {
			out[a.Name] = json.RawMessage(a.Value)
			continue
		}
		types := typesOf(of)
		if slices.Contains(types, "array") && !strings.HasPrefix(strings.TrimSpace(a.Value), "[") {
			one, err := typed(a, typesOf(wire.Get(of, "items")))
			if err != nil {
				return nil, err
			}
			lists[a.Name] = append(lists[a.Name], one)
			out[a.Name], _ = json.Marshal(lists[a.Name]) // checked above
			continue
		}
		value, err := typed(a, types)
		if err != nil {
			return nil, err
		}
		out[a.Name] = value
	}
	return out, nil
}

// typesOf are the types that a schema allows, nil for any.
func typesOf(schema []byte) (types []string) {
	switch kind := wire.Get(schema, "type"); {
	case len(kind) > 0 && kind[0] == '"':
		return []string{wire.Text(kind)}
	case len(kind) > 0 && kind[0] == '[':
		wire.Items(kind, func(_ int, one []byte) bool {
			types = append(types, wire.Text(one))
			return true
		})
		return types
	}
	for _, of := range [...]string{"anyOf", "oneOf"} {
		wire.Items(wire.Get(schema, of), func(_ int, one []byte) bool {
			types = append(types, typesOf(one)...)
			return len(types) < 16
		})
	}
	return types
}

// typed is the value of an argument as JSON. A text is one where the schema lets it be one and
// nothing else fits, or where it says nothing.
func typed(a Argument, types []string) (json.RawMessage, error) {
	raw := bytes.TrimSpace([]byte(a.Value))
	text, _ := json.Marshal(a.Value) // a string
	if len(types) == 0 {
		return text, nil
	}
	if wire.Valid(raw) {
		for _, t := range types {
			if isOf(raw, t) {
				return raw, nil
			}
		}
	}
	if slices.Contains(types, "string") {
		return text, nil
	}
	return nil, fmt.Errorf("%s is %s by the schema of the tool, not %q", a.Name, strings.Join(types, " or "), a.Value)
}

// isOf says whether a JSON value is of a type that is no string.
func isOf(raw []byte, of string) bool {
	switch c := raw[0]; of {
	case "integer":
		return (c == '-' || c >= '0' && c <= '9') && !bytes.ContainsAny(raw, ".eE")
	case "number":
		return c == '-' || c >= '0' && c <= '9'
	case "boolean":
		return c == 't' || c == 'f'
	case "null":
		return c == 'n'
	case "object":
		return c == '{'
	case "array":
		return c == '['
	}
	return false
}

// Signature is a tool in one line: its name, and its arguments with their types.
func Signature(tool []byte) string {
	required := map[string]bool{}
	schema := wire.Get(tool, "inputSchema")
	wire.Items(wire.Get(schema, "required"), func(_ int, name []byte) bool {
		required[wire.Text(name)] = true
		return true
	})
	var all []string
	wire.Members(wire.Get(schema, "properties"), func(key, value []byte) bool {
		name := string(key)
		if !required[name] {
			name += "?"
		}
		all = append(all, strings.TrimSpace(name+" "+strings.Join(typesOf(value), "|")))
		return len(all) < 40
	})
	return wire.Text(wire.Get(tool, "name")) + "(" + strings.Join(all, ", ") + ")"
}

// errNoTool is a tool that the server does not list.
var errNoTool = errors.New("the server lists no such tool")

// Find returns the tool of that name.
func Find(tools []json.RawMessage, name string) (json.RawMessage, error) {
	var names []string
	for _, t := range tools {
		one := wire.Text(wire.Get(t, "name"))
		if one == name {
			return t, nil
		}
		if names = append(names, one); len(names) > 20 {
			names = append(names[:20], "…")
		}
	}
	return nil, fmt.Errorf("%w: %q. It has %s", errNoTool, name, strings.Join(names, ", "))
}
