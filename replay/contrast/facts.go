package contrast

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"midwire/replay"
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// kind is what a fact is about. Those that decide more often come first.
type kind uint8

const (
	ofHeader kind = iota
	ofHandshake
	ofArgument
	ofMeta
	ofDefinition
	ofVersion
	ofCapability
	ofProgram
	ofNumber
	ofAnswer
	kinds
)

// weight is how much a kind of fact counts against the others.
func (k kind) weight() float64 {
	return [kinds]float64{1, 0.98, 0.95, 0.9, 0.88, 0.85, 0.8, 0.75, 0.7, 0.6}[k]
}

// fact names something that can be said of a session. Its texts may hold what a peer
// said.
type fact struct {
	kind kind
	name string
	from string // the method of the response that says it, "" where no response is needed
}

// facts are what is so in one session. A fact that is not there has no value.
type facts struct {
	is      map[fact]string
	numbers map[fact]float64
	served  map[string]bool // methods that got a result
}

// reader gathers the facts of one session up to a call.
type reader struct {
	facts
	s       *replay.Script
	session *replay.Session
	steps   []int32 // of the session, up to the call
	calls   []int32
	last    int32 // the call, -1 for none
}

// gather reads the facts of a session up to the call that is the nth of a method and
// target; of fewer than n the last one counts, and of none the session whole.
func gather(s *replay.Script, session int, label string, n int) facts {
	r := reader{s: s, session: &s.Sessions[session], last: -1}
	r.facts = facts{map[fact]string{}, map[fact]float64{}, map[string]bool{}}
	r.upTo(label, n)
	r.peers()
	r.headers()
	r.order()
	r.definitions()
	if r.last >= 0 {
		r.call()
	}
	r.counts()
	return r.facts
}

func (r *reader) upTo(label string, n int) {
	for i := range r.s.Calls {
		if call := int32(i); r.s.SessionOf(call) == int32(r.session.Index) && n > 0 && r.s.Label(call) == label {
			r.last, n = call, n-1
		}
	}
	end := ^uint32(0)
	if r.last >= 0 {
		end = r.s.Steps[r.s.Calls[r.last].Step].Frame
	}
	for i := range r.s.Steps {
		step := &r.s.Steps[i]
		if int(step.Session) != r.session.Index || step.Frame > end {
			continue
		}
		r.steps = append(r.steps, int32(i))
		for call := step.First; call < step.First+step.Count; call++ {
			r.calls = append(r.calls, call)
		}
	}
}

func (r *reader) set(k kind, name, value string) { r.setFrom("", k, name, value) }

// setFrom notes what the response to a method says.
func (r *reader) setFrom(method string, k kind, name, value string) {
	if value != "" {
		r.is[fact{k, name, method}] = value
	}
}

// peers are what both sides say of themselves.
func (r *reader) peers() {
	x := r.session
	r.setFrom(mcp.Initialize, ofVersion, "protocol version", string(x.ProtocolVersion))
	r.set(ofVersion, "client version", words.Join(x.Client.Name, x.Client.Version))
	r.setFrom(mcp.Initialize, ofVersion, "server version", words.Join(x.Server.Name, x.Server.Version))
	r.set(ofVersion, "transport", x.Transport.String())
	r.set(ofProgram, "server", targetOf(&r.s.Header))
	r.set(ofProgram, "working directory", r.s.Header.Cwd)
	for _, file := range r.s.Programs() {
		r.set(ofProgram, file.Path, fmt.Sprintf("%d bytes of %s, %s", file.Size, file.Modified.Format(time.DateTime), file.Hash))
	}
	for _, call := range r.calls {
		m, err := r.s.Request(call)
		if err != nil {
			continue
		}
		switch r.s.Method(call) {
		case mcp.Initialize:
			r.set(ofVersion, "protocol version asked for", wire.Text(wire.Get(m.Params, "protocolVersion")))
			r.able("", "client capability ", wire.Get(m.Params, "capabilities"), 2)
		case mcp.Discover:
		default:
			continue
		}
		if raw, err := r.s.RawResponse(call); err == nil {
			r.able(r.s.Method(call), "server capability ", wire.Get(raw, "result", "capabilities"), 2)
		}
	}
}

// able notes the members of capabilities, to a depth.
func (r *reader) able(from, name string, raw []byte, depth int) {
	wire.Members(raw, func(key, value []byte) bool {
		name := name + string(key)
		r.setFrom(from, ofCapability, name, "declared")
		if depth > 1 && len(value) > 0 && value[0] == '{' {
			r.able(from, name+".", value, depth-1)
		}
		return true
	})
}

// plain are header fields whose value says something of the client, and not of one run.
var plain = [...]string{
	"accept", "content-type", "origin", "user-agent", "mcp-protocol-version",
}

// headers are the header fields of the requests: which of them are sent, in how many.
func (r *reader) headers() {
	type seen struct {
		n, of  int
		values map[string]bool
	}
	all, heads := map[string]*seen{}, 0
	for _, i := range r.steps {
		head, ok := r.s.RequestHead(i)
		if first := r.s.Steps[i].First; !ok || r.s.Steps[i].Count > 0 && r.s.Method(first) == mcp.Initialize {
			continue // it has neither a session nor a version to name
		}
		heads++
		for _, f := range head.Fields {
			name := words.Fold(f.Name)
			if all[name] == nil {
				all[name] = &seen{values: map[string]bool{}}
			}
			if one := all[name]; one.of < heads {
				one.n, one.of = one.n+1, heads
				one.values[f.Value] = true
			}
		}
	}
	for name, one := range all {
		value := "sent"
		switch {
		case one.n < heads:
			value = "sent in some"
		case slices.Contains(plain[:], name) && len(one.values) <= 3:
			value = strings.Join(slices.Sorted(maps.Keys(one.values)), " / ")
		}
		r.set(ofHeader, textproto.CanonicalMIMEHeaderKey(name)+" of requests", value)
	}
}

// order is what came before the call: the handshake, and what was asked.
func (r *reader) order() {
	for n, i := range r.steps {
		name := r.s.Name(r.s.Row(r.s.Steps[i].Row))
		if n == 0 {
			r.set(ofHandshake, "first message", name)
		}
		if r.last < 0 || i != r.s.Calls[r.last].Step {
			r.set(ofHandshake, name+" before it", "sent")
		}
	}
	for _, call := range r.calls {
		row := r.s.CallRow(call)
		if row.Ending == session.Served {
			r.served[r.s.Method(call)] = true
		} else if call != r.last {
			r.set(ofHandshake, "before it: "+refusal(row), "yes")
		}
		if r.s.Method(call) != mcp.Initialize {
			continue
		}
		if head, ok := r.s.ResponseHead(r.s.CallRow(call)); ok {
			if head.Has(mcp.HeaderSessionID) {
				r.setFrom(mcp.Initialize, ofHandshake, mcp.HeaderSessionID+" of the response to initialize", "sent")
			}
			for _, name := range [...]string{"Server", "Via", "X-Powered-By"} {
				r.setFrom(mcp.Initialize, ofAnswer, name+" of responses", head.Get(name))
			}
		}
		if row.Ending == session.Served {
			awaited := "awaited"
			for _, i := range r.steps {
				if step := &r.s.Steps[i]; step.Frame > row.Request && step.Frame < row.Response {
					awaited = "not awaited"
				}
			}
			r.setFrom(mcp.Initialize, ofHandshake, "response to initialize", awaited)
		}
	}
}

// refusal says how a request failed, in words that are the same for each of its kind.
func refusal(row *session.Row) string {
	if row.Status >= 400 {
		return fmt.Sprintf("a request refused with HTTP %d", row.Status)
	}
	return "a request that was " + row.Ending.String()
}

// definitions are the tools that were listed, and how the one that is called is defined.
func (r *reader) definitions() {
	wanted := ""
	if r.last >= 0 && r.s.Method(r.last) == mcp.ToolsCall {
		wanted = r.s.Target(r.last)
	}
	for _, call := range r.calls {
		raw, err := r.s.RawResponse(call)
		if err != nil || r.s.Method(call) != mcp.ToolsList {
			continue
		}
		wire.Items(wire.Get(raw, "result", "tools"), func(_ int, tool []byte) bool {
			name := wire.Text(wire.Get(tool, "name"))
			r.setFrom(mcp.ToolsList, ofDefinition, "tool "+name, "listed")
			if name == wanted {
				r.setFrom(mcp.ToolsList, ofDefinition, "definition of "+name, digest(tool))
			}
			return true
		})
	}
}

func digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:4])
}

func (r *reader) call() {
	m, err := r.s.Request(r.last)
	if err != nil {
		return
	}
	r.set(ofMeta, "id", idKind(m.ID))
	wire.Members(m.Params, func(key, value []byte) bool {
		switch string(key) {
		case "_meta":
			wire.Members(value, func(key, _ []byte) bool {
				r.set(ofMeta, "_meta "+string(key), "sent")
				return true
			})
		case "arguments":
			wire.Members(value, func(key, value []byte) bool {
				r.argument("argument "+string(key), value, 2)
				return true
			})
		default:
			r.set(ofArgument, "params."+string(key), "sent")
		}
		return true
	})
}

func idKind(raw []byte) string {
	if len(raw) > 0 && raw[0] == '"' {
		return "text"
	}
	return "number"
}

// argument is the shape of a value: its type, whether it is empty, and whether a text
// has letters that programs stumble over. Values themselves differ from call to call.
func (r *reader) argument(name string, raw []byte, depth int) {
	r.set(ofArgument, name, shape(raw))
	if len(raw) == 0 {
		return
	}
	switch raw[0] {
	case '{':
		wire.Members(raw, func(key, value []byte) bool {
			if depth > 1 {
				r.argument(name+"."+string(key), value, depth-1)
			}
			return true
		})
	case '"':
		text := wire.Text(raw)
		r.number(ofArgument, "length of "+name, float64(len(text)))
		for what, has := range map[string]bool{
			"letters beyond ASCII": strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }),
			"line breaks":          strings.ContainsAny(text, "\r\n"),
			"quotes":               strings.ContainsAny(text, `"'`),
			"spaces at its ends":   text != strings.TrimSpace(text),
			"backslashes":          strings.Contains(text, `\`),
		} {
			if has {
				r.set(ofArgument, what+" in "+name, "yes")
			}
		}
	}
}

// shape is the type of a JSON value, and whether it is empty.
func shape(raw []byte) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "no JSON"
	}
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case string:
		if v == "" {
			return "empty text"
		}
		return "text"
	case []any:
		if len(v) == 0 {
			return "empty list"
		}
		return "list"
	case map[string]any:
		if len(v) == 0 {
			return "empty object"
		}
		return "object"
	}
	return "number"
}
