package replay

import (
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// Without consent a replay calls no tool but those that both the recording and
// the server mark read-only: a recording may come from anyone, and what it says
// of a server need not be true of the one it is sent to. What is judged is the
// bytes that are sent, and what any server may read in them.

// CallsOf returns the tools that a payload has a server call, and why it cannot
// be known what else a server does with it, "" when it can: servers differ in
// which of two members they take, and in whether "Name" is "name".
func CallsOf(payload []byte) (tools []string, doubt string) {
	n, _ := wire.ScanMessages(payload, func(_ int, m wire.Message) bool {
		if m.Kind == wire.MsgInvalid {
			doubt = "a message that is no JSON-RPC"
			return true
		}
		_, plain := lastMember(m.Raw, "method", "params")
		switch {
		case !plain:
			doubt = "a message that servers may read in two ways"
		case string(m.Method) == mcp.ToolsCall:
			name, plain := lastMember(m.Params, "name")
			if !plain {
				doubt = "a call that servers may read in two ways"
			}
			tools = append(tools, wire.Text(name))
		}
		return true
	})
	if n == 0 {
		doubt = "bytes that are no JSON-RPC"
	}
	return tools, doubt
}

// lastMember returns the last of some members of an object. It is false when a reader
// that takes the first of two, or overlooks case, may find another value.
func lastMember(object []byte, names ...string) (value []byte, sure bool) {
	sure = true
	seen := make([]bool, len(names))
	wire.Each(object, func(key, v []byte) bool {
		for i, name := range names {
			if strings.EqualFold(string(key), name) {
				value, sure = v, sure && !seen[i] && string(key) == name
				seen[i] = true
			}
		}
		return true
	})
	return value, sure
}

// Marks are the tools that a server lists, each with whether it is marked
// read-only.
type Marks map[string]bool

// Add returns the marks with those of one more list of tools: of what is said
// twice, the word that it is not read-only counts.
func (m Marks) Add(result []byte) Marks {
	all := Marks{}
	maps.Copy(all, m)
	all.add(result)
	return all
}

func (m Marks) add(result []byte) {
	each(result, "tools", func(list []byte) {
		wire.Items(list, func(_ int, v []byte) bool {
			names := 0
			each(v, "name", func([]byte) { names++ })
			marked := names == 1 && readOnly(v)
			each(v, "name", func(name []byte) {
				before, known := m[wire.Text(name)]
				m[wire.Text(name)] = marked && (before || !known)
			})
			return true
		})
	})
}

// each calls yield with every member that may be read as that one.
func each(object []byte, name string, yield func(value []byte)) {
	wire.Each(object, func(key, v []byte) bool {
		if strings.EqualFold(string(key), name) {
			yield(v)
		}
		return true
	})
}

func readOnly(tool []byte) bool {
	notes, sure := lastMember(tool, "annotations")
	hint, plain := lastMember(notes, "readOnlyHint")
	harm, clear := lastMember(notes, "destructiveHint")
	return sure && plain && clear && string(hint) == "true" && string(harm) != "true"
}

// Tool is what the recorded server said of a tool.
type Tool struct {
	Input    []byte // schema of its arguments
	Output   []byte // schema of its structured result
	ReadOnly bool   // it marked it read-only, wherever it listed it
}

// Tool returns what the recorded server said of a tool, nothing for one that it
// did not list.
func (p *Plan) Tool(name string) Tool {
	if p.tools != nil {
		return p.tools[name]
	}
	p.tools = map[string]Tool{}
	marks := Marks{}
	s := p.Script
	for i := range s.Calls {
		if s.Method(int32(i)) != mcp.ToolsList {
			continue
		}
		recorded := s.Recorded(int32(i))
		marks.add(recorded.Result())
		wire.Items(wire.Get(recorded.Result(), "tools"), func(_ int, v []byte) bool {
			p.tools[wire.Text(wire.Get(v, "name"))] = Tool{
				Input:  wire.Get(v, "inputSchema"),
				Output: wire.Get(v, "outputSchema"),
			}
			return true
		})
	}
	for name, marked := range marks {
		t := p.tools[name]
		t.ReadOnly = marked
		p.tools[name] = t
	}
	return p.tools[name]
}

// Guarded returns by step what needs the user's consent, as far as the recording
// says: names of tools, and what cannot be judged.
func (p *Plan) Guarded() map[int32][]string {
	if p.guards != nil {
		return p.guards
	}
	p.guards = map[int32][]string{}
	for i := range p.Script.Steps {
		step := int32(i)
		if p.Script.Steps[i].Kind != StepSend || !p.takes(step) {
			continue
		}
		payload, _, err := p.Payload(step, func(int32) (string, bool) { return "", false })
		if err != nil {
			continue // it is not sent
		}
		tools, doubt := CallsOf(payload)
		if head, ok := p.Script.RequestHead(step); ok && doubt == "" && !isUTF8(head.Get("Content-Type")) {
			doubt = "a body that is not in UTF-8"
		}
		names := slices.DeleteFunc(tools, func(name string) bool { return p.Tool(name).ReadOnly })
		if doubt != "" {
			names = append(names, fmt.Sprintf("#%d (%s)", p.Script.Steps[i].Frame, doubt))
		}
		if len(names) > 0 {
			p.guards[step] = names
		}
	}
	return p.guards
}

// isUTF8 reports whether a body of that type is read as UTF-8, which it is judged
// as.
func isUTF8(contentType string) bool {
	_, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return contentType == "" || err == nil && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// Unmarked names the tools that the plan calls and that the recorded server did
// not mark read-only, and what servers may take for such a call, in
// alphabetical order.
func (p *Plan) Unmarked() []string {
	names := slices.Concat(slices.Collect(maps.Values(p.Guarded()))...)
	slices.Sort(names)
	return slices.Compact(names)
}
