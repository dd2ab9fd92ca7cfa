package replay

import (
	"bytes"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// Without leave a replay calls no tool but those that both the recording and
// the server mark read-only: a recording may come from anybody, and what it says
// of a server need not be true of the one it is sent to. What is judged is the
// bytes that are sent, and what any server may read in them.

// callsOf returns the tools that a payload has a server call, and why it cannot
// be known what else a server does with it, "" when it can: servers differ in
// which of two members they take, and in whether "Name" is "name".
func callsOf(payload []byte) (tools []string, doubt string) {
	n, _ := wire.ScanMessages(payload, func(_ int, m wire.Message) bool {
		if m.Kind == wire.MsgInvalid {
			doubt = "a message that is no JSON-RPC"
			return true
		}
		_, plain := only(m.Raw, "method", "params")
		switch {
		case !plain:
			doubt = "a message that servers may read in two ways"
		case string(m.Method) == mcp.ToolsCall:
			name, plain := only(m.Params, "name")
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

// only returns the last of some members of an object. It is false when a reader
// that takes the first of two, or overlooks case, may find another value.
func only(object []byte, names ...string) (value []byte, sure bool) {
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

// markTools notes what a list of tools says of each: of what is said twice, the
// word that it is not read-only counts.
func markTools(marks map[string]bool, result []byte) map[string]bool {
	marks = maps.Clone(marks)
	if marks == nil {
		marks = map[string]bool{}
	}
	each(result, "tools", func(list []byte) {
		wire.Items(list, func(_ int, v []byte) bool {
			names := 0
			each(v, "name", func([]byte) { names++ })
			marked := names == 1 && readOnly(v)
			each(v, "name", func(name []byte) {
				before, known := marks[wire.Text(name)]
				marks[wire.Text(name)] = marked && (before || !known)
			})
			return true
		})
	})
	return marks
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
	notes, sure := only(tool, "annotations")
	hint, plain := only(notes, "readOnlyHint")
	harm, clear := only(notes, "destructiveHint")
	return sure && plain && clear && string(hint) == "true" && string(harm) != "true"
}

// tool is what the recorded server said of a tool.
type tool struct {
	input  []byte // properties of its arguments
	schema []byte // of its structured result
}

// tools collects what the recorded server said of its tools.
func (p *Plan) tools() map[string]tool {
	if p.known != nil {
		return p.known
	}
	p.known, p.marks = map[string]tool{}, map[string]bool{}
	s := p.Script
	for i := range s.Calls {
		if s.Method(int32(i)) != mcp.ToolsList {
			continue
		}
		m, err := s.answer(int32(i))
		if err != nil {
			continue
		}
		p.marks = markTools(p.marks, m.Result)
		wire.Items(wire.Get(m.Result, "tools"), func(_ int, v []byte) bool {
			p.known[wire.Text(wire.Get(v, "name"))] = tool{
				input:  wire.Get(v, "inputSchema", "properties"),
				schema: wire.Get(v, "outputSchema"),
			}
			return true
		})
	}
	return p.known
}

// guarded returns by step what needs the user's leave, as far as the recording
// tells: names of tools, and what cannot be judged.
func (p *Plan) guarded() map[int32][]string {
	if p.guards != nil {
		return p.guards
	}
	p.tools()
	p.guards = map[int32][]string{}
	for i := range p.Script.Steps {
		step := int32(i)
		if p.Script.Steps[i].Kind != StepSend || !p.takes(step) {
			continue
		}
		payload, _, err := p.payload(step, func(int32) (string, bool) { return "", false })
		if err != nil {
			continue // it is not sent
		}
		tools, doubt := callsOf(payload)
		if head, ok := p.Script.head(step); ok && doubt == "" && !isUTF8(head.Get("Content-Type")) {
			doubt = "a body that is not in UTF-8"
		}
		var names []string
		for _, name := range tools {
			if !p.marks[name] {
				names = append(names, name)
			}
		}
		if doubt != "" {
			names = append(names, fmt.Sprintf("#%d (%s)", p.Script.Steps[i].Frame, doubt))
		}
		if len(names) > 0 {
			p.guards[step] = names
		}
	}
	return p.guards
}

// isUTF8 says whether a body of that type is read as UTF-8, which it is judged
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
	var names []string
	for _, some := range p.guarded() {
		names = append(names, some...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// skipped are the steps that are left out.
func (p *Plan) skipped(opt *Options) map[int32]bool {
	skip := map[int32]bool{}
	if opt.OnlyRead && !opt.Yes {
		for step := range p.guarded() {
			skip[step] = true
		}
	}
	return skip
}

// forbidden returns what of a payload that is about to be sent needs leave that
// nobody gave. It asks the server for its tools when that was not done.
func (r *run) forbidden(l *lane, o outgoing, payload []byte) []string {
	if r.opt.Yes {
		return nil
	}
	tools, doubt := callsOf(payload)
	if len(tools) == 0 && doubt == "" {
		return nil
	}
	var names []string
	if doubt != "" {
		names = append(names, doubt+" (--yes sends it)")
	}
	r.tools()
	for _, name := range tools {
		if r.Plan.marks[name] && !l.marks[name] && !l.listed {
			r.listTools(l, o, payload)
		}
		switch {
		case !r.Plan.marks[name]:
			names = append(names, name+" is not marked read-only in the recording (--yes calls it)")
		case !l.marks[name]:
			names = append(names, name+" is not marked read-only by this server (--yes calls it)")
		}
	}
	return names
}

// maxPages bounds how long a server may go on listing tools.
const maxPages = 100

// listTools asks a server for its tools, in the manner of the call that is to be
// sent.
func (r *run) listTools(l *lane, o outgoing, payload []byte) {
	l.listed = true
	var params [][]byte
	if meta := envelopeOf(payload); meta != nil {
		params = append(params, slices.Concat([]byte(`"_meta":`), meta))
	}
	own := len(params)
	for range maxPages {
		l.asks++
		id := fmt.Sprintf(`"midwire-replay-%d"`, l.asks)
		ask := slices.Concat([]byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"`+mcp.ToolsList+`","params":{`), bytes.Join(params, []byte{','}), []byte("}}"))
		m := r.exchangeOwn(l, id, outgoing{step: -1, head: o.head, payload: ask})
		if m == nil || m.Kind != wire.MsgResult {
			return
		}
		l.marks = markTools(l.marks, m.Result)
		next := wire.Get(m.Result, "nextCursor")
		if wire.Text(next) == "" {
			return
		}
		params = append(params[:own], slices.Concat([]byte(`"cursor":`), next))
	}
}

// withhold does not take a step, and says why.
func (r *run) withhold(step int32, names []string) {
	s := &r.Script.Steps[step]
	why := strings.Join(names, ", ")
	r.note(step, Skipped, why)
	if !r.opt.OnlyRead {
		r.problem(s.Session, fmt.Sprintf("#%d was not sent: %s", s.Frame, why))
	}
	r.taken[step] = true
}
