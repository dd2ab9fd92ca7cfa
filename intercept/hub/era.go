package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// A client and a server may speak versions of different eras. Then what a request
// of 2026-07-28 says of its client, in _meta, is taken off or added; everything
// else of _meta passes as it is.

// envelope are the keys of _meta by which a request of 2026-07-28 says who the
// client is.
var envelope = []string{mcp.MetaProtocolVersion, mcp.MetaClientCapabilities, mcp.MetaClientInfo, mcp.MetaLogLevel}

func (b *backend) isModern() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.modern
}

// inEra returns a request as the server's era has it.
func (b *backend) inEra(text []byte) []byte {
	m, ok := onlyMessage(text)
	if !ok || !isRequest(&m) || string(m.Method) == mcp.Discover {
		return text
	}
	is, has := b.isModern(), wire.Get(m.Params, "_meta", mcp.MetaProtocolVersion) != nil
	switch {
	case is && !has:
		return b.s.withEnvelope(&m)
	case !is && has:
		meta := wire.Get(m.Params, "_meta")
		return splice(m.Raw, meta, withoutMembers(meta, envelope...))
	}
	return text
}

// withoutMembers is an object without some of its members.
func withoutMembers(object []byte, names ...string) string {
	var kept []string
	wire.Members(object, func(key, value []byte) bool {
		if !slices.Contains(names, string(key)) {
			kept = append(kept, quote(string(key))+":"+string(value))
		}
		return true
	})
	return "{" + strings.Join(kept, ",") + "}"
}

// withEnvelope says who the client is by the parameters of its handshake.
func (s *session) withEnvelope(m *wire.Message) []byte {
	if m.Params == nil {
		return request(string(m.ID), string(m.Method), tagged(nil, s.envelope()))
	}
	return splice(m.Raw, m.Params, string(tagged(m.Params, s.envelope())))
}

func (s *session) envelope() string {
	handshake := s.params()
	all := fmt.Sprintf(`%q:%q,%q:%s`, mcp.MetaProtocolVersion, mcp.Latest,
		mcp.MetaClientCapabilities, object(wire.Get(handshake, "capabilities")))
	if info := wire.Get(handshake, "clientInfo"); len(object(info)) > 2 {
		all += fmt.Sprintf(`,%q:%s`, mcp.MetaClientInfo, info)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.level != "" {
		all += fmt.Sprintf(`,%q:%s`, mcp.MetaLogLevel, quote(s.level))
	}
	return all
}

// probeTime is how long a server may take to say that it is of the era without
// handshake. One that does not answer is asked for its handshake then.
const probeTime = 10 * time.Second

// probe asks a server first whether it is of the era without handshake, as the client is.
// A server that ends of the question is begun again.
func (b *backend) probe(ctx context.Context) (done bool, err error) {
	asked, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	b.mu.Lock()
	b.probing = true
	b.mu.Unlock()
	err = b.discover(asked)
	b.mu.Lock()
	b.probing = false
	running := b.leg != nil
	b.mu.Unlock()
	if err == nil || running || ctx.Err() != nil {
		return err == nil, nil
	}
	_, err = b.launch("it ended when it was asked by server/discover: begun again, with a handshake")
	return false, err
}

// wantLog tells a server with a handshake how much of its log a request of 2026-07-28
// wants, if that is not what it was told last.
func (b *backend) wantLog(ctx context.Context, m *wire.Message) {
	level := wire.Text(wire.Get(m.Params, "_meta", mcp.MetaLogLevel))
	b.mu.Lock()
	due := level != "" && level != b.level
	if due {
		b.level = level
	}
	b.mu.Unlock()
	if due && b.can("logging") {
		b.ask(ctx, mcp.LogSetLevel, []byte(`{"level":`+quote(level)+`}`))
	}
}

// discover asks a server that has refused the handshake whether it is of the era
// without one.
func (b *backend) discover(ctx context.Context) error {
	b.mu.Lock()
	b.modern = true
	b.mu.Unlock()
	answer := b.ask(ctx, mcp.Discover, []byte(`{"_meta":{`+b.s.envelope()+`}}`))
	m, ok := onlyMessage(answer)
	speaks := false
	wire.Items(wire.Get(m.Result, "supportedVersions"), func(_ int, v []byte) bool {
		speaks = wire.Text(v) == string(mcp.Latest)
		return !speaks
	})
	if !ok || !speaks {
		b.mu.Lock()
		b.modern = false
		b.mu.Unlock()
		return errors.New("it is of no version that the hub knows")
	}
	b.met(fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"instructions":%s,"serverInfo":%s}`, mcp.Latest,
		object(wire.Get(m.Result, "capabilities")), text(wire.Get(m.Result, "instructions")),
		object(wire.Get(m.Result, "_meta", mcp.MetaServerInfo))))
	return nil
}

// text is raw JSON that is a text, or else an empty one.
func text(raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '"' {
		return []byte(`""`)
	}
	return raw
}
