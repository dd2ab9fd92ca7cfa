package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"midwire/replay"
	"midwire/replay/peer"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/record/redact"
	"midwire/session/wire"
	"midwire/session/words"
)

type attempt struct {
	handshake   bool // initialize first
	initialized bool // and notifications/initialized
	message     map[string]any
	fields      map[string]string // header fields that are not a conforming client's; "" leaves one out
	raw         []byte            // sent in the place of message, nil for not
	odd         []question        // what is answered as it was recorded
	batch       bool              // sent as a batch of one
	before      bool              // behind the calls that came before it in the session
}

// answer is what came of an attempt, as far as answers are compared.
type answer struct {
	step   string // the step that was refused before the call, "" for none
	served bool
	status int
	code   int64
	tool   bool // the tool says that it failed
	text   string
	none   bool // nothing came
	exited bool // the server ended in the place of a response
	result []byte
}

func (a answer) denied() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
}

func (a answer) equals(b answer) bool {
	return !a.served && !b.served && a.none == b.none && a.step == b.step &&
		a.status == b.status && a.code == b.code && a.tool == b.tool &&
		diagnose.Shape(a.text) == diagnose.Shape(b.text)
}

// words says the answer in a line, with so much of its text. It may hold text from the wire.
func (a answer) words(most int) string {
	var parts []string
	if a.step != "" {
		parts = append(parts, a.step+":")
	}
	switch {
	case a.exited:
		return strings.Join(append(parts, "no response: the server ended"), " ")
	case a.none && a.text == "":
		return strings.Join(append(parts, "no response"), " ")
	case a.served && a.status == 0:
		return "served"
	case a.served:
		return fmt.Sprint(a.status)
	}
	if a.status != 0 {
		parts = append(parts, fmt.Sprint(a.status))
	}
	if a.code != 0 {
		parts = append(parts, fmt.Sprint(a.code))
	}
	if a.tool {
		parts = append(parts, "isError")
	}
	if a.text != "" {
		parts = append(parts, `"`+words.Line(redact.Text(a.text), most)+`"`)
	}
	return strings.Join(parts, " ")
}

// recorded is the answer that the recording has.
func recorded(s *replay.Script, call int32) answer {
	was := s.Recorded(call)
	a := answer{status: was.Status, none: was.None != "" || was.Body == nil && was.Status < 400}
	row := s.CallRow(call)
	if row.Response != 0 && was.Body == nil {
		if raw, err := s.Payload(row.Response); err == nil {
			a.text = string(words.Clip(raw, maxText))
		}
	}
	a.body(s.Method(call), was.Body, was.Error)
	return a
}

const maxText = 2048

func (a *answer) body(method string, body []byte, isError bool) {
	switch {
	case body == nil:
	case isError:
		a.code, _ = wire.Int(wire.Get(body, "code"))
		a.text = wire.Text(wire.Get(body, "message"))
	case string(wire.Get(body, "isError")) == "true":
		r := replay.Response{Body: body}
		a.text, a.tool = r.Failure(method)
	default:
		a.served, a.result = true, body
	}
}

func answerOf(method string, r *peer.Response) answer {
	a := answer{status: r.Status, text: r.Text, none: !r.Came && r.Status == 0}
	switch r.Message.Kind {
	case wire.MsgResult:
		a.body(method, r.Message.Result, false)
	case wire.MsgError:
		a.body(method, r.Message.Error, true)
	default:
		a.none = a.none || r.Status < 400 // a response that is none
	}
	return a
}

// opened is a session that an attempt has opened.
type opened struct {
	peer.Peer
	id      string
	version mcp.Version
}

// try makes an attempt in a session of its own.
func (p *prober) try(ctx context.Context, a *attempt) (answer, error) {
	conn, err := p.open(ctx, answers(a.odd))
	if err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.opt.Timeout)
	defer cancel()
	s := &opened{Peer: conn, version: p.version}
	got, err := p.talk(ctx, s, a)
	got.exited = got.none && p.opt.URL == nil && ctx.Err() == nil && s.Exited()
	file, closing := p.leave(ctx, s)
	p.keep(file)
	return got, errors.Join(err, closing)
}

func (p *prober) leave(ctx context.Context, s *opened) (recording string, err error) {
	if s.id != "" {
		s.Leave(ctx, p.header(s, nil, "", ""))
	}
	return s.Close()
}

// begin makes the handshake of a session, if its version has one. The response is that
// to initialize.
func (p *prober) begin(ctx context.Context, s *opened, ready bool) (r peer.Response, err error) {
	if p.modern {
		return r, nil
	}
	r, err = p.send(ctx, s, replay.Encode(p.initialize), p.header(s, nil, mcp.Initialize, ""))
	if err != nil || r.Message.Kind != wire.MsgResult {
		return r, err
	}
	s.id = r.Header.Get(mcp.HeaderSessionID)
	s.version = cmp.Or(mcp.Version(wire.Text(wire.Get(r.Message.Result, "protocolVersion"))), s.version)
	if ready {
		note := []byte(`{"jsonrpc":"2.0","method":"` + mcp.NotifyInitialized + `"}`)
		_, err = p.send(ctx, s, note, p.header(s, nil, mcp.NotifyInitialized, ""))
	}
	return r, err
}

func (p *prober) talk(ctx context.Context, s *opened, a *attempt) (answer, error) {
	if a.handshake {
		r, err := p.begin(ctx, s, a.initialized)
		if err != nil {
			return answer{}, err
		}
		if r.Message.Kind != wire.MsgResult {
			got := answerOf(mcp.Initialize, &r)
			got.step, got.served = mcp.Initialize, false
			return got, nil
		}
	}
	payload := a.raw
	if payload == nil {
		payload = replay.Encode(a.message)
	}
	m, _ := wire.ScanMessage(payload)
	if a.batch {
		payload = fmt.Appendf(nil, "[%s]", payload)
	}
	if a.before {
		if err := p.earlier(ctx, s); err != nil {
			return answer{}, err
		}
	}
	header := p.header(s, a.fields, p.method, replay.TargetOf(p.method, m.Params))
	r, err := p.send(ctx, s, payload, header)
	if err != nil {
		return answer{}, err
	}
	return answerOf(p.method, &r), nil
}

// maxBefore bounds how many earlier calls are sent.
const maxBefore = 50

// comesBefore are the calls of the session before the request that can be sent again.
func (p *prober) comesBefore() (payloads [][]byte) {
	s := p.script
	for i := range s.Calls {
		call := int32(i)
		row, method := s.CallRow(call), s.Method(call)
		if int(s.SessionOf(call)) != p.session.Index || row.Request >= p.frame || len(payloads) >= maxBefore {
			continue
		}
		raw, err := s.Element(row.Request, row.Batch)
		tools, doubt := replay.CallsOf(raw)
		refused := func(name string) bool { return !p.marks[name] && !p.opt.Yes }
		if err != nil || method == mcp.Initialize || doubt != "" || replay.FindMask(raw) != "" {
			continue
		}
		if slices.ContainsFunc(tools, refused) {
			continue
		}
		payloads = append(payloads, raw)
	}
	return payloads
}

func (p *prober) earlier(ctx context.Context, s *opened) error {
	for _, payload := range p.comesBefore() {
		m, _ := wire.ScanMessage(payload)
		method := string(m.Method)
		if _, err := p.send(ctx, s, payload, p.header(s, nil, method, replay.TargetOf(method, m.Params))); err != nil {
			return err
		}
	}
	return nil
}

// send sends what holds no mask.
func (p *prober) send(ctx context.Context, s *opened, payload []byte, h http.Header) (peer.Response, error) {
	if replay.FindMask(payload) != "" {
		return peer.Response{}, errMasked
	}
	return s.Send(ctx, payload, h)
}

// header is that of a conforming client, which has what the recorded one sent besides,
// with some fields otherwise.
func (p *prober) header(s *opened, otherwise map[string]string, method, target string) http.Header {
	h := http.Header{}
	if p.opt.URL == nil {
		return h
	}
	for _, f := range p.head.Fields {
		if !replay.OwnField(f.Name) && !replay.ProtocolField(f.Name) && !replay.HasMask(f.Value) {
			h.Add(f.Name, f.Value)
		}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if s.id != "" {
		h.Set(mcp.HeaderSessionID, s.id)
	}
	if method == "" { // the end of the session
		h.Del("Content-Type")
	}
	if method != mcp.Initialize && (s.version >= mcp.V20250618 || p.modern) {
		h.Set(mcp.HeaderVersion, string(s.version))
	}
	if p.modern {
		h.Set(mcp.HeaderMethod, method)
		if target != "" && mcp.NameParam(method) != "" {
			h.Set(mcp.HeaderName, mcp.EncodeHeader(target))
		}
	}
	for name, values := range p.opt.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	for name, value := range otherwise {
		if h.Del(name); value != "" {
			h.Set(name, value)
		}
	}
	return h
}
