package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// listing says what the result of a method lists: under which member, by which
// capability, and what names an item.
type listing struct{ member, capability, key string }

func listingOf(method string) listing {
	switch method {
	case mcp.ToolsList:
		return listing{"tools", "tools", "name"}
	case mcp.PromptsList:
		return listing{"prompts", "prompts", "name"}
	case mcp.ResourcesList:
		return listing{"resources", "resources", "uri"}
	}
	return listing{"resourceTemplates", "resources", "uriTemplate"}
}

// maxPages bounds the pages of one list of one server.
const maxPages = 1000

// list puts the lists of all servers together, whole. Servers that have failed are
// named in _meta; what the others say is there anyway.
func (s *session) list(ctx context.Context, m *wire.Message, p *reply) []byte {
	l := listingOf(string(m.Method))
	if wire.Get(m.Params, "cursor") != nil {
		return failure(m.ID, mcp.CodeInvalidParams, "", "the hub's lists have one page: it has issued no cursor")
	}
	var mu sync.Mutex // guards found and failed
	found, failed := map[*backend][][]byte{}, map[string]string{}
	s.each(func(b *backend) {
		items, err := s.listOf(ctx, b, m, p, l)
		mu.Lock()
		defer mu.Unlock()
		found[b] = items
		if err != "" {
			failed[b.part.Name] = err
		}
	})
	var all [][]byte
	for _, b := range s.backends {
		for _, item := range found[b] {
			named, ok := s.publish(b, item, l)
			if !ok {
				failed[b.part.Name] = fmt.Sprintf("%s is left out: its name would be that of another server's", wire.Get(item, l.key))
				continue
			}
			all = append(all, named)
		}
	}
	value := `{"` + l.member + `":[` + string(bytes.Join(all, []byte(","))) + `]`
	if len(failed) > 0 {
		names, _ := json.Marshal(failed)
		value += `,"_meta":{"midwire/unavailable":` + string(names) + `}`
	}
	return result(m.ID, value+"}")
}

// listOf is the whole list of one server. The first page is requested with the
// client's own request.
func (s *session) listOf(
	ctx context.Context, b *backend, m *wire.Message, p *reply, l listing,
) (items [][]byte, failed string) {
	if err := b.use(); err != nil {
		return nil, err.Error()
	}
	if !b.can(l.capability) {
		return nil, ""
	}
	answer := s.passOn(ctx, b, m, m.Raw, p)
	for page := 1; ; page++ {
		got, ok := onlyMessage(answer)
		if !ok || got.Result == nil {
			return items, wire.Text(wire.Get(got.Error, "message"))
		}
		wire.Items(wire.Get(got.Result, l.member), func(_ int, item []byte) bool {
			items = append(items, item)
			return true
		})
		cursor := wire.Get(got.Result, "nextCursor")
		if wire.Text(cursor) == "" {
			return items, ""
		}
		if page == maxPages {
			return items, fmt.Sprintf("its list has more than %d pages", maxPages)
		}
		answer = b.ask(ctx, string(m.Method), fmt.Appendf(nil, `{"cursor":%s}`, cursor))
	}
}

// publish returns an item as the hub lists it: that of tools and prompts begins
// with the name of the server, nothing else of it changes. False when the name
// would lead to another server.
func (s *session) publish(b *backend, item []byte, l listing) ([]byte, bool) {
	name := wire.Get(item, l.key)
	text := wire.Text(name)
	if l.key != "name" {
		if !strings.Contains(text, "{") {
			s.claim(text, b)
		}
		return item, true
	}
	full := b.part.Name + separator + text
	if to, _ := s.owner(full); to != b || name == nil {
		return nil, false
	}
	return splice(item, name, quote(full)), true
}

// encodeGreeting writes the result of the hub's handshake.
func encodeGreeting(version string, capabilities map[string]any, texts []string, own string) string {
	g := struct {
		Version      string         `json:"protocolVersion"`
		Capabilities map[string]any `json:"capabilities"`
		Server       any            `json:"serverInfo"`
		Instructions string         `json:"instructions,omitempty"`
	}{version, capabilities, map[string]string{"name": "midwire-hub", "version": own}, strings.Join(texts, "\n\n")}
	b, _ := json.Marshal(g) // what was read from JSON
	return string(b)
}

// merge adds the capabilities of a server to those of others.
func merge(into map[string]any, capabilities []byte) {
	var given map[string]any
	if json.Unmarshal(object(capabilities), &given) != nil {
		return
	}
	for name, v := range given {
		have, isObject := into[name].(map[string]any)
		add, ok := v.(map[string]any)
		if !isObject || !ok {
			into[name] = v
			continue
		}
		for k, v := range add {
			if v != false || have[k] == nil {
				have[k] = v
			}
		}
	}
}
