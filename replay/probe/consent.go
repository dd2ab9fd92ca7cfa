package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"midwire/replay"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// maxPages bounds how long a server may go on listing.
const maxPages = 50

// consent looks up what is to be called, and whether it may be.
func (p *prober) consent(ctx context.Context) error {
	tools, doubt := replay.CallsOf(p.raw)
	if doubt != "" && !p.opt.Yes {
		return fmt.Errorf("%s: %w", doubt, ErrConsent)
	}
	if len(tools) == 0 && p.method != mcp.PromptsGet {
		return nil
	}
	if err := p.list(ctx); err != nil {
		return err
	}
	for _, name := range append(tools, p.meant) {
		if name != "" && !p.marks[name] && !p.opt.Yes {
			return fmt.Errorf("%s is %w", name, ErrConsent)
		}
	}
	return nil
}

// list asks the server for its tools, or its prompts, and keeps what it says of the one that
// is called. Where a gateway's prefix hides that one, it is the one that is meant.
func (p *prober) list(ctx context.Context) error {
	method, member := mcp.ToolsList, "tools"
	if p.method == mcp.PromptsGet {
		method, member = mcp.PromptsList, "prompts"
	}
	m, _ := wire.ScanMessage(p.raw)
	called := replay.TargetOf(p.method, m.Params)
	meant := map[string]bool{}
	err := p.pages(ctx, method, func(result []byte) {
		p.marks = p.marks.Add(result)
		wire.Items(wire.Get(result, member), func(_ int, one []byte) bool {
			name := wire.Text(wire.Get(one, "name"))
			before, ok := strings.CutSuffix(called, name)
			prefixed := ok && name != "" && before != "" && strings.ContainsAny(before[len(before)-1:], "_-./:")
			if name == called || prefixed && p.tool == nil {
				p.tool = bytes.Clone(one)
			}
			if prefixed {
				meant[name] = true
			}
			return ctx.Err() == nil
		})
	})
	switch name := wire.Text(wire.Get(p.tool, "name")); {
	case name == called:
	case member == "tools" && len(meant) == 1:
		p.meant = name
	default:
		p.tool = nil
	}
	return err
}

func (p *prober) pages(ctx context.Context, method string, page func(result []byte)) (err error) {
	conn, err := p.open(ctx, nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.opt.Timeout)
	defer cancel()
	s := &opened{Peer: conn, version: p.version}
	defer func() {
		file, closing := p.leave(ctx, s)
		p.keep(file)
		err = errors.Join(err, closing)
	}()
	if _, err := p.begin(ctx, s, true); err != nil {
		return err
	}
	params := map[string]any{}
	message := map[string]any{"jsonrpc": "2.0", "id": "midwire-probe-list", "method": method, "params": params}
	if p.modern {
		unnoted().envelope(params, string(p.version))
	}
	for range maxPages {
		r, err := p.send(ctx, s, replay.Encode(message), p.header(s, nil, method, ""))
		if err != nil || r.Message.Kind != wire.MsgResult {
			return err
		}
		page(r.Message.Result)
		next := wire.Text(wire.Get(r.Message.Result, "nextCursor"))
		if next == "" {
			break
		}
		params["cursor"] = next
	}
	return nil
}
