package replay

import (
	"net/http"
	"strings"

	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// era says whether a lane speaks as it was recorded, or was translated because
// the target is of the other era: with the handshake of revisions up to
// 2025-11-25, or with the envelope of 2026-07-28 on every request.
type era uint8

const (
	eraRecorded era = iota
	eraModern
	eraLegacy
)

// switchEra looks at an answer that the recorded server did not give: the
// target may be of the other era. It then goes on in that, and says that the
// answer counts for nothing.
func (r *run) switchEra(l *lane, call int32, now *Answer) bool {
	if l.era != eraRecorded || l.greeted {
		return false
	}
	method := r.Script.Method(call)
	was := r.Script.recorded(call)
	_, wasBad := was.failed(method)
	_, isBad := now.failed(method)
	if method == mcp.Discover && !isBad && r.legacyOnly(l, call, now) {
		return true
	}
	if wasBad || was.None != "" || now.None != "" || !isBad {
		l.settled = l.settled || !isBad && method != mcp.Discover
		return false
	}
	s := &r.Script.Sessions[r.Script.Steps[r.Script.Calls[call].Step].Session]
	switch {
	case method == mcp.Initialize && refusesHandshake(now):
		l.era = eraModern
		o := r.outcome(call)
		o.Verdict, o.Note = Same, "the target speaks "+string(mcp.FirstModern)+", which has no handshake"
		r.add(o)
		return true
	case s.Modern && !l.settled && refusesModern(now):
		l.era = eraLegacy
		r.greet(l, s)
		r.resend(l, call)
		return true
	}
	return false
}

// legacyOnly says whether a server tells of itself that it speaks no revision
// without a handshake, and then makes one.
func (r *run) legacyOnly(l *lane, call int32, now *Answer) bool {
	supported := string(wire.Get(now.Message.Result, "supportedVersions"))
	s := &r.Script.Sessions[r.Script.Steps[r.Script.Calls[call].Step].Session]
	if !s.Modern || strings.Contains(supported, `"`+string(s.ProtocolVersion)+`"`) || !strings.Contains(supported, `"2025-`) {
		return false
	}
	l.era = eraLegacy
	o := r.outcome(call)
	o.Verdict, o.Note = Same, "the target speaks revisions with a handshake"
	r.add(o)
	r.greet(l, s)
	return true
}

// refusesHandshake says whether an answer to initialize means that there is no
// such method here any more (2026-07-28, 6.10).
func refusesHandshake(a *Answer) bool {
	code, _ := wire.Int(wire.Get(a.Message.Error, "code"))
	supported := string(wire.Get(a.Message.Error, "data", "supported"))
	switch {
	case strings.Contains(supported, `"2024-`), strings.Contains(supported, `"2025-`):
		return false // it names revisions that have one
	case code == mcp.CodeUnsupportedVersion, code == mcp.CodeMethodNotFound:
		return true
	}
	return a.Message.Kind == wire.MsgInvalid && a.Status == http.StatusNotFound
}

// refusesModern says whether an answer to a request of 2026-07-28 may be that
// of an older server: anything but a fault that only a modern one finds.
func refusesModern(a *Answer) bool {
	code, _ := wire.Int(wire.Get(a.Message.Error, "code"))
	switch {
	case code == mcp.CodeHeaderMismatch, code == mcp.CodeMissingCapability, a.Status == http.StatusUnauthorized, a.Status == http.StatusForbidden, a.Status >= 500:
		return false
	case a.Message.Kind == wire.MsgError:
		return code == mcp.CodeMethodNotFound || code == mcp.CodeUnsupportedVersion || code == mcp.CodeInvalidRequest || code == mcp.CodeInvalidParams || code == mcp.CodeBadSession || code == 0
	}
	return a.Status >= 400
}

// resend sends a call once more, in the era that the target speaks.
func (r *run) resend(l *lane, call int32) {
	i := r.Script.Calls[call].Step
	payload, _, err := r.payload(i, r.value)
	if err == nil {
		payload = r.translate(l, i, payload)
	}
	if payload == nil {
		return
	}
	r.done[call] = false
	r.takeOff(l, i, payload)
	head, _ := r.Script.head(i)
	r.send(l, outgoing{step: i, payload: payload, head: head})
}

// translate makes a payload one of the era that the target speaks. Nil means
// that there is nothing to send.
func (r *run) translate(l *lane, i int32, payload []byte) []byte {
	s := &r.Script.Steps[i]
	modern := r.Script.Sessions[s.Session].Modern && l.era == eraRecorded || l.era == eraModern
	if s.Cancels >= 0 && modern && r.opt.URL != nil {
		// Over HTTP a modern call is cancelled by closing its stream.
		l.peer.leave(r.Script.Calls[s.Cancels].Step)
		if _, ok := r.flying[s.Cancels]; ok {
			r.settle(s.Cancels, Answer{None: noneCancelled})
		}
		return nil
	}
	m, ok := wire.ScanMessage(payload)
	if l.era == eraRecorded || !ok {
		return payload
	}
	if why := foreign(l.era, string(m.Method)); why != "" {
		r.note(i, Skipped, why)
		return nil
	}
	if m.Kind != wire.MsgRequest {
		return payload
	}
	if l.era == eraLegacy {
		return withoutEnvelope(payload)
	}
	return r.withEnvelope(s.Session, payload)
}

// foreign says why a method means nothing in an era.
func foreign(e era, method string) string {
	switch method {
	case mcp.Discover:
		if e == eraLegacy {
			return "the target speaks revisions with a handshake"
		}
	case mcp.Initialize, mcp.NotifyInitialized, mcp.Ping, mcp.LogSetLevel, mcp.ResourcesSubscribe, mcp.ResourcesUnsubscribe,
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
	return apply(payload, []edit{{from, to, append(kept, '}')}})
}

// withEnvelope puts the metadata of 2026-07-28 on a request, made of what the
// recorded client said of itself in its handshake.
func (r *run) withEnvelope(session int32, payload []byte) []byte {
	client, capabilities := []byte(`{"name":"midwire replay","version":"0"}`), []byte(`{}`)
	for call := range r.Script.Calls {
		if r.Script.Steps[r.Script.Calls[call].Step].Session != session || r.Script.Method(int32(call)) != mcp.Initialize {
			continue
		}
		if m, err := r.Script.request(int32(call)); err == nil {
			if v := wire.Get(m.Params, "clientInfo"); v != nil {
				client = v
			}
			if v := wire.Get(m.Params, "capabilities"); v != nil {
				capabilities = v
			}
		}
		break
	}
	envelope := []byte(`"` + mcp.MetaProtocolVersion + `":"` + string(mcp.FirstModern) + `","` + mcp.MetaClientInfo + `":`)
	envelope = append(append(append(envelope, client...), `,"`+mcp.MetaClientCapabilities+`":`...), capabilities...)
	return insert(payload, envelope)
}

// insert puts members into params._meta, and makes what is missing of the two.
func insert(payload, members []byte) []byte {
	into := func(from int, object []byte, with []byte) []byte {
		if string(strings.TrimSpace(string(object[1:len(object)-1]))) != "" {
			with = append(with[:len(with):len(with)], ',')
		}
		return apply(payload, []edit{{from + 1, from + 1, with}})
	}
	if from, to, ok := (jsonpath.Path{{Name: "params"}, {Name: "_meta"}}).Find(payload); ok && payload[from] == '{' {
		return into(from, payload[from:to], members)
	}
	meta := append(append([]byte(`"_meta":{`), members...), '}')
	if from, to, ok := (jsonpath.Path{{Name: "params"}}).Find(payload); ok && payload[from] == '{' {
		return into(from, payload[from:to], meta)
	}
	from := strings.IndexByte(string(payload), '{')
	return into(from, payload[from:], append(append([]byte(`"params":{`), meta...), '}'))
}
