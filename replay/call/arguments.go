package call

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"midwire/session/diagnose/schema"
	"midwire/session/wire"
	"midwire/session/words"
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
func Arguments(raw []byte, all []Argument) (map[string]json.RawMessage, error) {
	of := schema.Read(raw)
	out := map[string]json.RawMessage{}
	lists, times := map[string][]json.RawMessage{}, map[string]int{}
	for _, a := range all {
		times[a.Name]++
	}
	for _, a := range all {
		if a.JSON {
			out[a.Name] = json.RawMessage(a.Value)
			continue
		}
		member, _ := of.Member(a.Name)
		value, err := typed(a, member)
		if slices.Contains(member.Types(), "array") && (err != nil || times[a.Name] > 1) {
			if value, err = typed(a, member.Items()); err == nil {
				lists[a.Name] = append(lists[a.Name], value)
				value, _ = json.Marshal(lists[a.Name]) // checked above
			}
		}
		if err != nil {
			return nil, err
		}
		out[a.Name] = value
	}
	return out, nil
}

// typed is the value of an argument as JSON. A text is one where the schema lets it be one and
// nothing else fits, or where it says nothing.
func typed(a Argument, of schema.Place) (json.RawMessage, error) {
	text, _ := json.Marshal(a.Value) // a string
	types := of.Types()
	if len(types) == 0 {
		return text, nil
	}
	raw := bytes.TrimSpace([]byte(a.Value))
	if v, err := wire.Value(raw); err == nil && of.Is(v) {
		if _, isText := v.(string); !isText {
			return raw, nil
		}
	}
	if slices.Contains(types, "string") {
		return text, nil
	}
	what := strings.Join(types, " or ")
	if some := of.Choices(); some != nil {
		listed, _ := json.Marshal(some[:min(len(some), 8)])
		what = "one of " + words.Ellipsis(string(listed), 200)
	}
	return nil, fmt.Errorf("%s is %s by the schema of the tool, not %q", a.Name, what, a.Value)
}

// Signature is a tool in one line: its name, and its arguments with their types.
func Signature(tool []byte) string {
	of := schema.Read(wire.Get(tool, "inputSchema"))
	required := of.Required()
	var all []string
	for _, name := range of.Members() {
		member, _ := of.Member(name)
		if len(all) == 40 {
			all = append(all, "…")
			break
		}
		if !slices.Contains(required, name) {
			name += "?"
		}
		all = append(all, words.Join(name, strings.Join(member.Types(), "|")))
	}
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
