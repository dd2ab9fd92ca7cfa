package stages

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"midwire/replay/checks"
	"midwire/session/mcp"
	"midwire/session/wire"
)

const (
	specEnvelope = "2026-07-28 basic/index: _meta"
	specHeaders  = "2026-07-28 basic/transports/streamable-http: Standard Request Headers"
)

// discover is what a server of 2026-07-28 says of itself, and what it refuses.
func (t *tester) discover(*conn) error {
	c, err := t.open(odd)
	if err != nil {
		return err
	}
	defer c.close()
	r := c.begin(mcp.FirstModern)
	t.must(mcp.Discover, unless(&r), "2026-07-28 server/discover")
	if r.Message.Kind != wire.MsgResult {
		return errEnds
	}
	result := r.Message.Result
	if t.r.Version != "" {
		t.r.Version += ", "
	}
	t.r.Version += string(mcp.FirstModern)
	t.named(wire.Get(result, "_meta", mcp.MetaServerInfo))
	t.able = objectOf(wire.Get(result, "capabilities"))
	c.Version = "2099-12-31"
	r = c.ask(mcp.Discover, "")
	wrong := ""
	switch {
	case r.Message.Kind == wire.MsgResult || !answered(&r):
		wrong = said(&r) + ", where an error is due"
	case code(&r) != mcp.CodeUnsupportedVersion:
		wrong = said(&r) + fmt.Sprintf(" instead of %d", mcp.CodeUnsupportedVersion)
	case wire.Get(r.Message.Error, "data", "supported") == nil:
		wrong = "the error does not name what is supported"
	}
	t.must("an unknown version", wrong, specVersions)
	c.Version = mcp.FirstModern
	r = c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"bare-%d","method":"%s","params":{}}`, t.ids, t.anyList()), nil)
	switch {
	case !answered(&r):
		t.must("a request without _meta", said(&r), specEnvelope)
	case r.Message.Kind == wire.MsgResult && t.legacy:
		t.fine("a request without _meta", "a request without _meta is one of an older version")
	case r.Message.Kind == wire.MsgResult:
		t.must("a request without _meta", "it is served", specEnvelope)
	default:
		t.must("a request without _meta", "", specEnvelope)
	}
	return t.listen()
}

// listen opens a subscription for a moment, where changes are declared. Its recording is
// not judged by the rules, as it is midwire that leaves the stream; judge looks there for
// what has to come first.
func (t *tester) listen() error {
	filter := ""
	for _, change := range mcp.ListChanges() {
		if capability := strings.Split(change, "/")[1]; string(wire.Get(t.able[capability], "listChanged")) == "true" {
			filter = `"` + mcp.SubscriptionMember(change) + `":true`
		}
	}
	if filter == "" {
		return nil
	}
	c, err := t.begun(odd)
	if err != nil {
		return err
	}
	defer c.close()
	c.patient = 2 * time.Second
	r := c.ask(mcp.Listen, `"notifications":{`+filter+`}`)
	wrong := ""
	if r.Message.Kind == wire.MsgError || r.Status >= 400 {
		wrong = said(&r) + ", although listChanged is declared"
	}
	t.listened = t.check(mcp.Listen, checks.Failed, wrong, "2026-07-28 basic/patterns/subscriptions")
	if t.opt.URL == nil {
		c.send(`{"jsonrpc":"2.0","method":"`+mcp.NotifyCancelled+`","params":{"requestId":`+c.t.last+`}}`, nil)
	}
	return nil
}

// headers are those that repeat what the body says: they must be there, and agree.
func (t *tester) headers(c *conn) error {
	set := func(field, value string) func(http.Header) {
		return func(h http.Header) {
			if h.Del(field); value != "" {
				h.Set(field, value)
			}
		}
	}
	for _, one := range [...]struct {
		name, method, members string
		change                func(http.Header)
	}{
		{"no Mcp-Method", mcp.Discover, "", set(mcp.HeaderMethod, "")},
		{"another Mcp-Method", mcp.Discover, "", set(mcp.HeaderMethod, mcp.PromptsList)},
		{"another version in the header", mcp.Discover, "", set(mcp.HeaderVersion, string(mcp.LastHandshake))},
		{"another Mcp-Name", mcp.ToolsCall, `"name":"midwire_no_such_tool","arguments":{}`, set(mcp.HeaderName, "midwire_other")},
	} {
		if one.method == mcp.ToolsCall && t.able["tools"] == nil {
			continue
		}
		r := c.send(c.request(one.method, one.members), one.change)
		switch {
		case !answered(&r):
			t.must(one.name, said(&r), specHeaders)
		case r.Message.Kind == wire.MsgResult:
			t.must(one.name, "it is served", specHeaders)
		case code(&r) != mcp.CodeHeaderMismatch:
			t.check(one.name, checks.Noted, said(&r)+fmt.Sprintf(" instead of %d", mcp.CodeHeaderMismatch), specHeaders)
		default:
			t.status(one.name, &r, http.StatusBadRequest, checks.Failed, specHeaders)
		}
	}
	return nil
}
