package run

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"midwire/replay"
	"midwire/session"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// era reports whether a connection speaks as it was recorded, or is translated
// because the target is of the other era: with the handshake of versions up to
// 2025-11-25, or with the envelope of 2026-07-28 on every request.
type era uint8

const (
	eraRecorded era = iota
	eraModern
	eraLegacy
)

// switchEra looks at a response that the recorded server did not give: the
// target may be of the other era. It then continues in that, and says that the
// response counts for nothing.
func (r *run) switchEra(c *connection, call int32, now *replay.Response) bool {
	if c.era != eraRecorded || c.handshaken {
		return false
	}
	method := r.Script.Method(call)
	was := r.Script.Recorded(call)
	_, wasBad := was.Failure(method)
	_, isBad := now.Failure(method)
	s := &r.Script.Sessions[r.Script.SessionOf(call)]
	older := method == mcp.Discover && !isBad && namesOlder(s, now)
	if !older && (wasBad || was.None != "" || now.None != "" || !isBad) {
		c.works = c.works || !isBad && method != mcp.Discover
		return false
	}
	switch {
	case method == mcp.Initialize && refusesHandshake(now):
		c.era = eraModern
	case s.Modern && (older || !c.works && refusesModern(now)):
		c.era = eraLegacy
		r.handshake(c, s)
	default:
		return false
	}
	r.done[call] = false
	r.sendStep(c, r.Script.Calls[call].Step)
	return true
}

// namesOlder reports whether a server declares that it speaks versions with a handshake and
// not the one that was recorded.
func namesOlder(s *replay.Session, now *replay.Response) bool {
	supported := string(wire.Get(now.Result(), "supportedVersions"))
	return !strings.Contains(supported, `"`+string(s.ProtocolVersion)+`"`) && strings.Contains(supported, `"2025-`)
}

// refusesHandshake reports whether a response to initialize means that there is no
// such method here any more (2026-07-28, 6.10).
func refusesHandshake(now *replay.Response) bool {
	code, _ := wire.Int(wire.Get(now.ErrorObject(), "code"))
	supported := string(wire.Get(now.ErrorObject(), "data", "supported"))
	switch {
	case strings.Contains(supported, `"2024-`), strings.Contains(supported, `"2025-`):
		return false // it names versions that have one
	case code == mcp.CodeUnsupportedVersion, code == mcp.CodeMethodNotFound:
		return true
	}
	return now.Body == nil && now.Status == http.StatusNotFound
}

// refusesModern reports whether a response to a request of 2026-07-28 may be that
// of an older server: anything but a fault that only a modern one finds.
func refusesModern(now *replay.Response) bool {
	code, _ := wire.Int(wire.Get(now.ErrorObject(), "code"))
	switch code {
	case mcp.CodeHeaderMismatch, mcp.CodeMissingCapability:
		return false
	}
	switch {
	case now.Status == http.StatusUnauthorized, now.Status == http.StatusForbidden, now.Status >= 500:
		return false
	case !now.Error:
		return now.Status >= 400
	}
	switch code {
	case mcp.CodeMethodNotFound, mcp.CodeUnsupportedVersion, mcp.CodeInvalidRequest,
		mcp.CodeInvalidParams, mcp.CodeBadSession, 0:
		return true
	}
	return false
}

// translate makes a payload one of the era that the target speaks. Nil means
// that there is nothing to send.
func (r *run) translate(c *connection, i int32, payload []byte) []byte {
	s := &r.Script.Steps[i]
	modern := r.Script.Sessions[s.Session].Modern && c.era == eraRecorded || c.era == eraModern
	if s.Cancels >= 0 && modern && r.opt.URL != nil {
		// Over HTTP a modern call is cancelled by closing its stream.
		c.peer.leave(r.Script.Calls[s.Cancels].Step)
		if _, ok := r.pending[s.Cancels]; ok {
			r.endCall(s.Cancels, replay.NoResponse(replay.Cancelled))
		}
		return nil
	}
	m, ok := wire.ScanMessage(payload)
	if c.era == eraRecorded || !ok {
		return payload
	}
	if why := foreign(c.era, string(m.Method)); why != "" {
		r.leaveOut(i, replay.Skipped, why)
		return nil
	}
	if m.Kind != wire.MsgRequest {
		return payload
	}
	if c.era == eraLegacy {
		return withoutEnvelope(payload)
	}
	return r.withEnvelope(s.Session, payload)
}

// foreign says why a method means nothing in an era.
func foreign(e era, method string) string {
	switch method {
	case mcp.Discover:
		if e == eraLegacy {
			return "the target speaks protocol versions with a handshake"
		}
	case mcp.Initialize, mcp.NotifyInitialized, mcp.Ping, mcp.LogSetLevel,
		mcp.ResourcesSubscribe, mcp.ResourcesUnsubscribe,
		mcp.NotifyRootsListChanged, mcp.NotifyProgress, mcp.TasksList, mcp.TasksResult:
		if e == eraModern {
			return "not in " + string(mcp.FirstModern)
		}
	case mcp.Listen:
		if e == eraLegacy {
			return "not before " + string(mcp.FirstModern)
		}
	}
	return ""
}

func change(payload []byte, how func(params map[string]any)) []byte {
	m := replay.Object(payload)
	if m == nil {
		return payload
	}
	params, ok := m["params"].(map[string]any)
	if !ok {
		params = map[string]any{}
		m["params"] = params
	}
	how(params)
	return replay.Encode(m)
}

// envelopeOf is the metadata of 2026-07-28 that a request has.
func envelopeOf(payload []byte) map[string]any {
	params, _ := replay.Object(payload)["params"].(map[string]any)
	meta, _ := params["_meta"].(map[string]any)
	maps.DeleteFunc(meta, func(key string, _ any) bool { return !strings.HasPrefix(key, mcp.MetaPrefix) })
	return meta
}

func withoutEnvelope(payload []byte) []byte {
	return change(payload, func(params map[string]any) {
		meta, _ := params["_meta"].(map[string]any)
		maps.DeleteFunc(meta, func(key string, _ any) bool { return strings.HasPrefix(key, mcp.MetaPrefix) })
	})
}

// withEnvelope puts the metadata of 2026-07-28 on a request, made of what the
// recorded client said of itself in its handshake.
func (r *run) withEnvelope(session int32, payload []byte) []byte {
	var said map[string]any
	for i := range r.Script.Calls {
		if call := int32(i); r.Script.SessionOf(call) == session && r.Script.Method(call) == mcp.Initialize {
			params, _ := r.Script.Params(call)
			said = replay.Object(params)
			break
		}
	}
	given := func(name string, otherwise map[string]any) any {
		if v, ok := said[name]; ok {
			return v
		}
		return otherwise
	}
	return change(payload, func(params map[string]any) {
		meta, ok := params["_meta"].(map[string]any)
		if !ok {
			meta = map[string]any{}
			params["_meta"] = meta
		}
		meta[mcp.MetaProtocolVersion] = mcp.FirstModern
		meta[mcp.MetaClientInfo] = given("clientInfo", map[string]any{"name": "midwire replay", "version": "0"})
		meta[mcp.MetaClientCapabilities] = given("capabilities", map[string]any{})
	})
}

// handshakeID is the id of the handshake that a run makes itself.
const handshakeID = `"midwire-replay"`

// handshake makes the handshake that the recording does not hold. A server that
// refuses it may still do without.
func (r *run) handshake(c *connection, s *replay.Session) {
	c.handshaken = true
	version := cmp.Or(s.ProtocolVersion, mcp.V20250618)
	if c.era == eraLegacy {
		version = mcp.LastHandshake
	}
	quote := func(text string) []byte { return jsonpath.Quote(nil, text) }
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":%s,`+
		`"capabilities":{"roots":{},"sampling":{},"elicitation":{}},"clientInfo":{"name":%s,"version":%s}}}`,
		handshakeID, quote(string(version)), quote(cmp.Or(s.Client.Name, "midwire replay")), quote(cmp.Or(s.Client.Version, "0")))
	m := r.exchangeOwn(c, handshakeID, outgoing{step: -1, payload: body})
	if m == nil || m.Kind != wire.MsgResult {
		r.AddProblem(int32(s.Index), "the server refused the handshake made for it")
		return
	}
	c.version = mcp.Version(wire.Text(wire.Get(m.Result, "protocolVersion")))
	before := c.heads
	r.send(c, outgoing{step: -1, payload: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)})
	if r.opt.URL != nil { // over HTTP the next request could overtake it
		r.await(r.opt.Timeout, func() bool { return c.heads > before || c.lost != "" })
	}
	if s.Transport != session.TransportHTTP {
		r.listen(c, 0)
	}
}

// exchangeOwn sends a request of the run's own, which has that id, and returns
// the response, nil for none.
func (r *run) exchangeOwn(c *connection, id string, o outgoing) *wire.Message {
	c.own[id] = nil
	r.send(c, o)
	r.await(r.opt.Timeout, func() bool { return c.own[id] != nil || c.lost != "" })
	return c.own[id]
}
