package stages

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// reach is whether there is a server at all.
func (t *tester) reach() error {
	if t.opt.URL == nil {
		_, err := exec.LookPath(t.opt.Command[0])
		if errors.Is(err, exec.ErrDot) {
			err = nil
		}
		return t.ends("program", err)
	}
	ctx, cancel := context.WithTimeout(t.ctx, t.opt.Timeout)
	defer cancel()
	host, port := t.opt.URL.Hostname(), t.opt.URL.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[t.opt.URL.Scheme]
	}
	if port == "" {
		port = "80"
	}
	addresses, err := net.DefaultResolver.LookupHost(ctx, host)
	if err := t.ends("DNS", err); err != nil {
		return err
	}
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(addresses[0], port))
	if err := t.ends("TCP", err); err != nil {
		return err
	}
	defer c.Close()
	if t.opt.URL.Scheme != "https" || t.opt.HTTP.Insecure || t.opt.HTTP.CACert != "" {
		return nil
	}
	return t.ends("TLS", tls.Client(c, &tls.Config{ServerName: host}).HandshakeContext(ctx))
}

// ends is a check whose failure ends the test.
func (t *tester) ends(name string, err error) error {
	if err != nil {
		t.must(name, err.Error(), "")
		return errEnds
	}
	t.must(name, "", "")
	return nil
}

const (
	specLifecycle = "basic/lifecycle: Version Negotiation"
	specJSONRPC   = "JSON-RPC 2.0: Error object"
	specPing      = "basic/utilities/ping: Behavior Requirements"
)

// handshake is initialize, with versions that the server knows and does not know.
func (t *tester) handshake() error {
	c, err := t.open(odd)
	if err := t.ends("start", err); err != nil {
		return err
	}
	defer c.close()
	r := c.begin(mcp.LastHandshake)
	switch {
	case r.Status == 401 || r.Status == 403:
		t.must("initialize", said(&r)+": give the credential with --header; midwire auth says what is wrong with a login", "")
		return errEnds
	case r.Message.Kind != wire.MsgResult && !none(&r) && t.modernOnly(c):
		t.check("initialize", Skipped, "the server speaks only "+string(mcp.FirstModern)+", whose stages are not there yet", "")
		return errEnds
	case r.Message.Kind != wire.MsgResult:
		t.must("initialize", said(&r), specLifecycle)
		return errEnds
	}
	result := r.Message.Result
	t.r.Version = string(c.version)
	t.r.Name = words.Join(wire.Text(wire.Get(result, "serverInfo", "name")), wire.Text(wire.Get(result, "serverInfo", "version")))
	_ = json.Unmarshal(wire.Get(result, "capabilities"), &t.able)
	wrong := ""
	if !c.version.IsPublished() || c.version.IsModern() {
		wrong = fmt.Sprintf("it chose the version %q", c.version)
	}
	t.must("initialize "+string(mcp.LastHandshake), wrong, specLifecycle)
	if r = c.ask(mcp.Ping, "{}"); r.Message.Kind != wire.MsgResult {
		t.must("ping", said(&r), specPing)
	} else {
		t.must("ping", "", specPing)
	}
	r = c.ask("midwire/no-such-method", "{}")
	t.unknown("unknown method", &r)
	c.send(`{"jsonrpc":"2.0","method":"notifications/midwire-unknown"}`, nil)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never-sent"}}`, nil)
	wrong = ""
	if r = c.ask(mcp.Ping, "{}"); r.Message.Kind != wire.MsgResult {
		wrong = "after them: " + said(&r)
	}
	t.must("unknown notification, and a cancellation of nothing", wrong, "basic/utilities/cancellation: Error Handling")
	for _, version := range [...]mcp.Version{"1999-01-01", mcp.V20241105} {
		t.version(version)
	}
	return nil
}

// unknown checks the response to a method that does not exist.
func (t *tester) unknown(name string, r *response) {
	switch code, _ := wire.Int(wire.Get(r.Message.Error, "code")); {
	case none(r):
		t.must(name, "no response", specJSONRPC)
	case r.Message.Kind == wire.MsgResult:
		t.must(name, "a result", specJSONRPC)
	case r.Message.Kind == wire.MsgError && code != mcp.CodeMethodNotFound:
		t.should(name, said(r)+" instead of -32601", specJSONRPC)
	default:
		t.must(name, "", specJSONRPC)
	}
}

// version begins a session with another version.
func (t *tester) version(version mcp.Version) {
	c, err := t.open(odd)
	if err != nil {
		return
	}
	defer c.close()
	r := c.begin(version)
	name := "initialize " + string(version)
	switch {
	case none(&r):
		t.must(name, "no response", specLifecycle)
	case r.Message.Kind != wire.MsgResult:
		t.should(name, said(&r)+" instead of a version that it speaks", specLifecycle)
	case !c.version.IsPublished():
		t.must(name, fmt.Sprintf("it chose the version %q", c.version), specLifecycle)
	default:
		t.must(name, "", specLifecycle)
	}
}

// modernOnly says whether the server has no handshake.
func (t *tester) modernOnly(c *conn) bool {
	meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + string(mcp.FirstModern) + `","io.modelcontextprotocol/clientInfo":` +
		`{"name":"midwire-test","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}}`
	c.version = mcp.FirstModern
	r := c.send(`{"jsonrpc":"2.0","id":"test-d","method":"`+mcp.Discover+`","params":`+meta+`}`, func(h httpHeader) {
		h.Set(mcp.HeaderMethod, mcp.Discover)
	})
	return r.Message.Kind == wire.MsgResult && wire.Get(r.Message.Result, "supportedVersions") != nil
}

// maxPages bounds how long a server may go on listing.
const maxPages = 50

// lists reads all lists with all pages, and asks for what is not declared.
func (t *tester) lists() error {
	c, err := t.open(proper)
	if err != nil {
		return err
	}
	defer c.close()
	strange, err := t.open(odd)
	if err != nil {
		return err
	}
	defer strange.close()
	c.begin(mcp.LastHandshake)
	strange.begin(mcp.LastHandshake)
	for _, l := range [...]struct{ method, member, capability string }{
		{mcp.ToolsList, "tools", "tools"},
		{mcp.ResourcesList, "resources", "resources"},
		{mcp.ResourceTemplatesList, "resourceTemplates", "resources"},
		{mcp.PromptsList, "prompts", "prompts"},
	} {
		if t.able[l.capability] == nil {
			r := strange.ask(l.method, "{}")
			if r.Message.Kind == wire.MsgResult && len(wire.Get(r.Message.Result, l.member)) > len("[]") {
				t.should(l.method, "it lists "+l.member+" and does not declare the capability "+l.capability+
					": clients will not ask", "basic/lifecycle: Capability Negotiation")
			} else if none(&r) {
				t.must(l.method, "no response, where an error is due", specJSONRPC)
			}
			continue
		}
		t.list(c, l.method, l.member)
	}
	return nil
}

func (t *tester) list(c *conn, method, member string) {
	const spec = "server/utilities/pagination"
	params := "{}"
	var cursors, names []string
	wrong := ""
	for range maxPages {
		r := c.ask(method, params)
		if r.Message.Kind != wire.MsgResult {
			if wrong = said(&r); method == mcp.ResourceTemplatesList && r.Message.Kind == wire.MsgError {
				return // which a server without templates need not have
			}
			break
		}
		wire.Items(wire.Get(r.Message.Result, member), func(_ int, one []byte) bool {
			name := wire.Text(wire.Get(one, "name"))
			if method == mcp.ToolsList {
				t.tools = append(t.tools, newTool(one))
				if slices.Contains(names, name) {
					wrong = fmt.Sprintf("the name %q is listed twice", name)
				}
			}
			names = append(names, name)
			return true
		})
		cursor := wire.Text(wire.Get(r.Message.Result, "nextCursor"))
		if cursor == "" {
			break
		}
		if slices.Contains(cursors, cursor) {
			wrong = "nextCursor comes again: the list never ends"
			break
		}
		cursors = append(cursors, cursor)
		quoted, _ := json.Marshal(cursor)
		params = `{"cursor":` + string(quoted) + `}`
	}
	t.must(fmt.Sprintf("%s: %s", method, words.CountOf(len(names), "entry", "entries")), wrong, spec)
}

// sessions has two sessions beside each other.
func (t *tester) sessions() error {
	a, err := t.open(proper)
	if err != nil {
		return err
	}
	defer a.close()
	b, err := t.open(proper)
	if err != nil {
		return err
	}
	defer b.close()
	a.begin(mcp.LastHandshake)
	b.begin(mcp.LastHandshake)
	wrong := ""
	for i, c := range []*conn{a, b, a, b} {
		if r := c.ask(mcp.Ping, "{}"); r.Message.Kind != wire.MsgResult {
			wrong = fmt.Sprintf("the %s of two sessions gets %s", [...]string{"first", "second"}[i%2], said(&r))
		}
	}
	if wrong == "" && a.id != "" && a.id == b.id {
		wrong = "both have the same session id"
	}
	t.must("two sessions in turns", wrong, "basic/transports: Session Management")
	return nil
}

// sizes sends long requests.
func (t *tester) sizes() error {
	for _, n := range [...]int{64 << 10, 1 << 20, 10 << 20} {
		c, err := t.open(odd)
		if err != nil {
			return err
		}
		c.begin(mcp.LastHandshake)
		r := c.ask(mcp.Ping, `{"_meta":{"midwire/pad":"`+strings.Repeat("x", n)+`"}}`)
		name := "a request of " + words.Size(n)
		switch {
		case r.Message.Kind == wire.MsgResult:
			t.must(name, "", specPing)
		case n < 1<<20 && none(&r):
			t.must(name, said(&r), specPing)
		default:
			t.should(name, said(&r), specPing) // a limit is a server's own
		}
		c.close()
	}
	return nil
}
