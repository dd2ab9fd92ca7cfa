package clients

import (
	"fmt"
	"slices"
	"strings"
)

// Popular are the clients that most people use: each has a Where.
func Popular() []Client {
	return slices.DeleteFunc(slices.Clone(All()), func(c Client) bool { return c.Where == "" })
}

// Sample is an entry with midwire in front of a server, for people to copy into
// the file that Where names.
func (c Client) Sample() string {
	if c.Servers[0] == "mcp_servers" {
		return "[mcp_servers.files]\ncommand = \"midwire\"\nargs = [\"--\", \"node\",\n  \"build/index.js\"]"
	}
	place := c.Servers[slices.IndexFunc(c.Servers, func(place string) bool { return !strings.Contains(place, "/") })]
	var members []string
	if c.Shape.Type != "" {
		members = append(members, fmt.Sprintf(`"type": %q`, c.Shape.Type))
	}
	if c.Shape.Array {
		members = append(members, "\"command\": [\"midwire\", \"--\",\n        \"node\", \"build/index.js\"]")
	} else {
		members = append(members, `"command": "midwire"`, "\"args\": [\"--\", \"node\",\n        \"build/index.js\"]")
	}
	return fmt.Sprintf("{\n  %q: {\n    \"files\": {\n      %s\n    }\n  }\n}", place, strings.Join(members, ",\n      "))
}
