package clients

import (
	"errors"
	"fmt"
	"strconv"

	"midwire/intercept/clients/syntax"
)

// Entries are the servers in the files of a client, by name, as values: texts,
// booleans, lists and tables. Of two of one name the first counts. An only path is
// read instead of the client's files. odd has a sentence for each file and
// entry that cannot be read.
func (e Env) Entries(c Client, only string) (entries map[string]map[string]any, odd []string) {
	entries = map[string]map[string]any{}
	files := []place{{path: only}}
	if only == "" {
		files = e.places(c)
	}
	for _, p := range files {
		in, err := parse(p.path)
		if err != nil {
			odd = append(odd, fmt.Sprintf("%s: %v", p.path, err))
			continue
		}
		for _, at := range c.addresses(in.Root, e.names()...) {
			node, err := at.find(in.Root)
			value, isMap := map[string]any(nil), false
			if err == nil {
				if value, isMap = valueOf(node).(map[string]any); !isMap {
					err = errors.New("the entry is no table")
				}
			}
			switch {
			case err != nil:
				odd = append(odd, fmt.Sprintf("%s, %s: %v", p.path, at, err))
			case entries[at.Name] == nil:
				entries[at.Name] = value
			}
		}
	}
	return entries, odd
}

// valueOf is a node as encoding/json would read it.
func valueOf(n *syntax.Node) any {
	switch n.Kind {
	case syntax.String:
		return n.Text
	case syntax.List:
		out := make([]any, 0, len(n.Items))
		for _, item := range n.Items {
			out = append(out, valueOf(item))
		}
		return out
	case syntax.Map:
		out := map[string]any{}
		for _, m := range n.Members {
			out[m.Name] = valueOf(m.Value)
		}
		return out
	}
	switch n.Text {
	case "true":
		return true
	case "false":
		return false
	case "null", "~", "":
		return nil
	}
	if f, err := strconv.ParseFloat(n.Text, 64); err == nil {
		return f
	}
	return n.Text
}
