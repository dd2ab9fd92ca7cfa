package hub

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"midwire/session/diagnose/schema"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// A request of 2026-07-28 repeats in headers what its tool marks by x-mcp-header
// (2026-07-28 basic/transports/streamable-http: Custom Headers from Tool Parameters). The
// hub is the one that has to compare them, where the server behind it sees no headers,
// and to send them where the client of an earlier version does not.

// headed is an argument that is repeated in a header.
type headed struct {
	header string
	path   []string
}

// headedBy are the arguments that a schema marks.
func headedBy(input []byte) (all []headed) {
	for _, h := range schema.Headers(input) {
		if h.Bad == "" {
			all = append(all, headed{http.CanonicalHeaderKey(mcp.HeaderParamPrefix + h.Name), h.Path})
		}
	}
	return all
}

// learnHeaders remembers what the tools of a list want to have repeated.
func (b *backend) learnHeaders(answer []byte) {
	found := map[string][]headed{}
	wire.Items(wire.Get(answer, "result", "tools"), func(_ int, tool []byte) bool {
		if bytes.Contains(tool, []byte(schema.XHeader)) {
			found[wire.Text(wire.Get(tool, "name"))] = headedBy(wire.Get(tool, "inputSchema"))
		}
		return len(found) < maxOwned
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.headed == nil || len(found) > 0 {
		b.headed = found
	}
}

// prepare makes ready what goes with a request beside its text. It returns an error
// response when the headers of a call do not say what its arguments say.
func (b *backend) prepare(ctx context.Context, m *wire.Message, text []byte, p *reply) []byte {
	if !b.isModern() {
		b.wantLog(ctx, m)
	}
	if string(m.Method) != mcp.ToolsCall || p == nil {
		return nil
	}
	now, _ := onlyMessage(text)
	if p.asked == nil {
		if b.isModern() {
			p.params = b.repeated(ctx, &now)
		}
		return nil
	}
	for _, h := range b.marked(&now) {
		value, _ := mcp.DecodeHeader(p.params.Get(h.header))
		if want := argument(&now, h); value != want && !sameNumber(value, want) {
			return failure(m.ID, mcp.CodeHeaderMismatch, "", "header mismatch: %s header value %q does not match body value %q", h.header, value, want)
		}
	}
	return nil
}

func (b *backend) marked(m *wire.Message) []headed {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.headed[wire.Text(wire.Get(m.Params, "name"))]
}

// repeated are the headers for a call of a client that sends none. The tools are asked
// for if nobody has done so.
func (b *backend) repeated(ctx context.Context, m *wire.Message) http.Header {
	b.mu.Lock()
	_, isRemote := b.leg.(*remote)
	known := b.headed != nil
	b.mu.Unlock()
	if !isRemote {
		return nil
	}
	if !known {
		b.learnHeaders(b.ask(ctx, mcp.ToolsList, nil))
	}
	out := http.Header{}
	for _, h := range b.marked(m) {
		if value := argument(m, h); value != "" {
			out.Set(h.header, mcp.EncodeHeader(value))
		}
	}
	return out
}

// argument is the value of an argument as a header has it, "" for none.
func argument(m *wire.Message, h headed) string {
	switch raw := wire.Get(m.Params, slices.Concat([]string{"arguments"}, h.path)...); {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case raw[0] == '"':
		return wire.Text(raw)
	default:
		return string(raw)
	}
}

func sameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(strings.TrimSpace(a), 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

// mirrored are the headers by which a request repeats arguments of a tool.
func mirrored(h http.Header) http.Header {
	out := http.Header{}
	for name, values := range h {
		if strings.HasPrefix(name, http.CanonicalHeaderKey(mcp.HeaderParamPrefix)) {
			out[name] = values
		}
	}
	return out
}
