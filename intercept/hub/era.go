package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	m, ok := one(text)
	if !ok || !isRequest(&m) || string(m.Method) == mcp.Discover {
		return text
	}
	is, has := b.isModern(), wire.Get(m.Params, "_meta", mcp.MetaProtocolVersion) != nil
	switch {
	case is && !has:
		return withEnvelope(&m, b.s.params())
	case !is && has:
		meta := wire.Get(m.Params, "_meta")
		return splice(m.Raw, meta, withoutEnvelope(meta))
	}
	return text
}

func withoutEnvelope(meta []byte) string {
	var kept []string
	wire.Members(meta, func(key, value []byte) bool {
		if !slices.Contains(envelope, string(key)) {
			kept = append(kept, quote(string(key))+":"+string(value))
		}
		return true
	})
	return "{" + strings.Join(kept, ",") + "}"
}

// withEnvelope says who the client is by the parameters of its handshake.
func withEnvelope(m *wire.Message, handshake []byte) []byte {
	if m.Params == nil {
		return request(string(m.ID), string(m.Method), tagged(nil, envelopeOf(handshake)))
	}
	return splice(m.Raw, m.Params, string(tagged(m.Params, envelopeOf(handshake))))
}

func envelopeOf(handshake []byte) string {
	return fmt.Sprintf(`%q:%q,%q:%s,%q:%s`, mcp.MetaProtocolVersion, mcp.Latest,
		mcp.MetaClientCapabilities, object(wire.Get(handshake, "capabilities")),
		mcp.MetaClientInfo, object(wire.Get(handshake, "clientInfo")))
}

// discover asks a server that has refused the handshake whether it is of the era
// without one.
func (b *backend) discover(ctx context.Context) error {
	b.mu.Lock()
	b.modern = true
	b.mu.Unlock()
	answer := b.ask(ctx, mcp.Discover, []byte(`{"_meta":{`+envelopeOf(b.s.params())+`}}`))
	m, ok := one(answer)
	if !ok || wire.Get(m.Result, "supportedVersions") == nil {
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
