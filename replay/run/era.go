package run

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"midwire/replay"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// era says whether a connection speaks as it was recorded, or is translated
// because the target is of the other era: with the handshake of versions up to
// 2025-11-25, or with the envelope of 2026-07-28 on every request.
type era uint8

const (
	eraRecorded era = iota
	eraModern
	eraLegacy
)

// switchEra looks at a response that the recorded server did not give: the
// target may be of the other era. It then goes on in that, and says that the
// response counts for nothing.
func (r *run) switchEra(c *connection, call int32, now *replay.Response) bool {
	if c.era != eraRecorded || c.handshaken {
		return false
	}
	method := r.Script.Method(call)
	was := r.Script.Recorded(call)
	_, wasBad := was.Failure(method)
	_, isBad := now.Failure(method)
	if method == mcp.Discover && !isBad && r.legacyOnly(c, call, now) {
		return true
	}
	if wasBad || was.None != "" || now.None != "" || !isBad {
		c.works = c.works || !isBad && method != mcp.Discover
		return false
	}
	s := &r.Script.Sessions[r.Script.SessionOf(call)]
	switch {
	case method == mcp.Initialize && refusesHandshake(now):
		c.era = eraModern
		r.setAside(call, "the target speaks "+string(mcp.FirstModern)+", which has no handshake")
		return true
	case s.Modern && !c.works && refusesModern(now):
		c.era = eraLegacy
		r.handshake(c, s)
		r.resend(c, call)
		return true
	}
	return false
}

// setAside gives a call that means nothing to the target its outcome.
func (r *run) setAside(call int32, why string) {
	o := r.Script.Outcome(call)
	o.Note = why
	r.add(&o)
}

const needsHandshake = "the target speaks protocol versions with a handshake"

// legacyOnly says whether a server declares that it speaks no protocol version
// without a handshake, and then makes one.
func (r *run) legacyOnly(c *connection, call int32, now *replay.Response) bool {
	supported := string(wire.Get(now.Result(), "supportedVersions"))
	s := &r.Script.Sessions[r.Script.SessionOf(call)]
	if !s.Modern || strings.Contains(supported, `"`+string(s.ProtocolVersion)+`"`) || !strings.Contains(supported, `"2025-`) {
		return false
	}
	c.era = eraLegacy
	r.setAside(call, needsHandshake)
	r.handshake(c, s)
	return true
}

// refusesHandshake says whether a response to initialize means that there is no
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

// refusesModern says whether a response to a request of 2026-07-28 may be that
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

// resend sends a call once more, in the era that the target speaks.
func (r *run) resend(c *connection, call int32) {
	i := r.Script.Calls[call].Step
	payload, _, err := r.Payload(i, r.value)
	if err == nil {
		payload = r.translate(c, i, payload)
	}
	if payload == nil {
		return
	}
	r.done[call] = false
	r.addPending(c, i, payload)
	head, _ := r.Script.RequestHead(i)
	r.send(c, outgoing{step: i, payload: payload, head: head})
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
			return needsHandshake
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

// envelopeOf is the metadata of 2026-07-28 that a request has, as an object, nil
// for none.
func envelopeOf(payload []byte) []byte {
	var meta []byte
	wire.Each(wire.Get(payload, "params", "_meta"), func(key, value []byte) bool {
		if strings.HasPrefix(string(key), mcp.MetaPrefix) {
			meta = append(append(jsonpath.Quote(append(meta, ','), string(key)), ':'), value...)
		}
		return true
	})
	if meta == nil {
		return nil
	}
	meta[0] = '{'
	return append(meta, '}')
}

// withoutEnvelope takes the metadata of 2026-07-28 off a request.
func withoutEnvelope(payload []byte) []byte {
	at := jsonpath.Path{{Name: "params"}, {Name: "_meta"}}
	from, to, ok := at.Find(payload)
	if !ok {
		return payload
	}
	kept := []byte{'{'}
	wire.Each(payload[from:to], func(key, value []byte) bool {
		if !strings.HasPrefix(string(key), mcp.MetaPrefix) {
			if len(kept) > 1 {
				kept = append(kept, ',')
			}
			kept = append(append(jsonpath.Quote(kept, string(key)), ':'), value...)
		}
		return true
	})
	return replay.Apply(payload, replay.Edit{From: from, To: to, With: append(kept, '}')})
}

// withEnvelope puts the metadata of 2026-07-28 on a request, made of what the
// recorded client said of itself in its handshake.
func (r *run) withEnvelope(session int32, payload []byte) []byte {
	client, capabilities := []byte(`{"name":"midwire replay","version":"0"}`), []byte(`{}`)
	for i := range r.Script.Calls {
		call := int32(i)
		if r.Script.SessionOf(call) != session || r.Script.Method(call) != mcp.Initialize {
			continue
		}
		if m, err := r.Script.Request(call); err == nil {
			if v := wire.Get(m.Params, "clientInfo"); v != nil {
				client = v
			}
			if v := wire.Get(m.Params, "capabilities"); v != nil {
				capabilities = v
			}
		}
		break
	}
	return insert(payload, fmt.Appendf(nil, `"%s":"%s","%s":%s,"%s":%s`, mcp.MetaProtocolVersion, mcp.FirstModern,
		mcp.MetaClientInfo, client, mcp.MetaClientCapabilities, capabilities))
}

// insert puts members into params._meta, and makes what is missing of the two.
func insert(payload, members []byte) []byte {
	into := func(from int, object, with []byte) []byte {
		if len(bytes.TrimSpace(object[1:len(object)-1])) > 0 {
			with = append(with[:len(with):len(with)], ',')
		}
		return replay.Apply(payload, replay.Edit{From: from + 1, To: from + 1, With: with})
	}
	if from, to, ok := (jsonpath.Path{{Name: "params"}, {Name: "_meta"}}).Find(payload); ok && payload[from] == '{' {
		return into(from, payload[from:to], members)
	}
	meta := fmt.Appendf(nil, `"_meta":{%s}`, members)
	if from, to, ok := (jsonpath.Path{{Name: "params"}}).Find(payload); ok && payload[from] == '{' {
		return into(from, payload[from:to], meta)
	}
	from := bytes.IndexByte(payload, '{')
	return into(from, payload[from:], fmt.Appendf(nil, `"params":{%s}`, meta))
}
