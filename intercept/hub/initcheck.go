package hub

import (
	"fmt"
	"strings"

	"midwire/session/wire"
)

// initMembers are the members of the body of POST /session/init, and what each may be.
// "*" stands for every name.
var initMembers = []struct{ path, kinds string }{
	{"", "object"},
	{"clientInfo", "object"},
	{"clientInfo.name", "string"},
	{"clientInfo.version", "string"},
	{"protocolVersion", "string"},
	{"workingDirectory", "string"},
	{"capabilities", "object"},
	{"capabilities.filesystem", "boolean or object"},
	{"capabilities.experimental", "array or object"},
	{"capabilities.roots", "object"},
	{"capabilities.sampling", "object"},
	{"capabilities.elicitation", "object"},
	{"capabilities.tasks", "object"},
	{"capabilities.extensions", "object"},
	{"preferences", "object"},
	{"preferences.executionContext", "object"},
	{"preferences.executionContext.*", "string"},
	{"credentials", "object"},
	{"credentials.*", "string"},
}

// checkInit names the first member of a body that is of another type than it must be. What is
// null is left out, but for the body and its values by name.
func checkInit(body []byte) error {
	for _, m := range initMembers {
		path, named := strings.CutSuffix(m.path, ".*")
		at := body
		if path != "" {
			at = wire.Get(body, strings.Split(path, ".")...)
		}
		if !named {
			if kind := kindOf(at); !strings.Contains(m.kinds, kind) && (kind != "null" || path == "") {
				return wrongType(path, kind, m.kinds)
			}
			continue
		}
		var err error
		wire.Members(object(at), func(key, value []byte) bool {
			if kind := kindOf(value); kind != m.kinds {
				err = wrongType(path+"."+clip(string(key)), kind, m.kinds)
			}
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func wrongType(name, is, want string) error {
	if name == "" {
		name = "the body"
	}
	return fmt.Errorf("%s is of type %s. Send it as %s", name, is, want)
}

// kindOf is the type of a JSON value, "null" also for one that is not there.
func kindOf(raw []byte) string {
	raw = []byte(strings.TrimSpace(string(raw[:min(len(raw), 64)])))
	if len(raw) == 0 {
		return "null"
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}
