package clients

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Client is an MCP client: where its configurations stand, and how it is told
// of a server in them.
type Client struct {
	ID, Name string
	// Files are patterns of its files, as Env.places reads them: of the user, with
	// ./ in front of a project, with ../ of a project and of each folder above.
	Files []string
	// Servers are the places in a file where servers stand: names with slashes.
	// The empty one is the whole file, where no other is there.
	Servers []string
	Shape   Shape
	// Next is what makes a change take effect, if not that the client is started
	// again.
	Next string
	// Where says to people which file to write an entry into.
	Where string
	// Live are files that the client writes all the time, by their last name.
	Live string
	// Programs start it, the shortest name first; among them packages that hold one.
	Programs []string
}

// Shape is how an entry says what is started, or where a server listens.
type Shape struct {
	Command, Args string   // names of members; "command" and "args" when empty
	URL           []string // names of members; nil for url, serverUrl, httpUrl
	Type          string   // what a new entry must say it is
	Array         bool     // the command of a new entry is a list with its arguments
}

func (s Shape) command() string { return cmp.Or(s.Command, "command") }
func (s Shape) args() string    { return cmp.Or(s.Args, "args") }

func (s Shape) urls() []string {
	if s.URL == nil {
		return []string{"url", "serverUrl", "httpUrl"}
	}
	return s.URL
}

//go:embed clients.txt
var table string

// All are the clients that midwire knows, the most used ones first. No one changes them.
var All = sync.OnceValue(func() (all []Client) {
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		switch text, is := strings.CutPrefix(line, "\t"); {
		case line == "" || line[0] == '#':
		case is:
			all[len(all)-1].read(text)
		default:
			id, name, _ := strings.Cut(line, ": ")
			all = append(all, Client{ID: id, Name: name})
		}
	}
	for i := range all {
		if all[i].Servers == nil {
			all[i].Servers = []string{"mcpServers"}
		}
	}
	return all
})

// read takes a line of the table.
func (c *Client) read(line string) {
	key, value, _ := strings.Cut(line, " ")
	switch key {
	case "file":
		c.Files = append(c.Files, value)
	case "servers":
		c.Servers = append(c.Servers, strings.TrimPrefix(value, "."))
	case "url":
		c.Shape.URL = append(c.Shape.URL, value)
	case "array":
		c.Shape.Array = true
	case "program":
		c.Programs = strings.Fields(value)
	default:
		*map[string]*string{
			"command": &c.Shape.Command, "args": &c.Shape.Args, "type": &c.Shape.Type,
			"where": &c.Where, "next": &c.Next, "live": &c.Live,
		}[key] = value
	}
}

// Lookup finds a client by its id.
func Lookup(id string) (Client, bool) {
	return first(func(c Client) bool { return c.ID == id })
}

func first(is func(Client) bool) (c Client, ok bool) {
	i := slices.IndexFunc(All(), is)
	if i < 0 {
		return c, false
	}
	return All()[i], true
}

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
