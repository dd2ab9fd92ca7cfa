package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/session/record"
	"midwire/session/wire"
	"midwire/ui/agent/ask"
)

// TestTokensAreNotGivenAway: what looks like a token is masked on the way to a
// model, wherever a text is cut.
func TestTokensAreNotGivenAway(t *testing.T) {
	const token = "ghp_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2c3"
	dir := t.TempDir()
	w, err := record.Create(dir, record.Header{Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 { // at every place of a cut
		text := strings.Repeat("x ", 50+5*i) + token + strings.Repeat(" y", 100)
		for _, line := range []string{
			fmt.Sprintf(`>{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","arguments":{"note":"%s"}}}`, i, text),
			fmt.Sprintf(`<{"jsonrpc":"2.0","id":%d,"error":{"code":-32600,"message":"Server not initialized %s"}}`, i, text),
		} {
			w.Append(&wire.Frame{Kind: wire.KindLine, Dir: wire.Dir(line[0]), X: 1, EOL: "\n", Data: []byte(line[1:])})
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := &ask.Recordings{
		Folder:  func() (string, error) { return dir, nil },
		Masking: func() (record.Options, error) { return record.Options{}, nil },
	}
	defer r.Close()
	here, there := mcp.NewInMemoryTransports()
	if _, err := New(r).Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "agent"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id := w.ID()
	none := func(tool string, args map[string]any) {
		raw, err := call(t.Context(), s, tool, args)
		if at := strings.Index(raw, token[:10]); err != nil || at >= 0 {
			t.Errorf("%s %v: %v …%s", tool, args, err, raw[max(at-80, 0):min(max(at, 0)+60, len(raw))])
		}
	}
	none("diagnose", nil)
	none("messages", map[string]any{"session": id, "limit": 100})
	none("search", map[string]any{"text": "x ghp", "limit": 50})
	none("search", map[string]any{"text": "Server not", "limit": 50})
	none("compare", map[string]any{"a": id, "b": id})
	none("wait", map[string]any{"session": id, "since": 1})
	none("message", map[string]any{"session": id, "frame": 1, "path": ".params.arguments.note[100:115]"})
	for i := range 40 {
		none("message", map[string]any{"session": id, "frame": 1, "offset": 150 + i})
	}
}

// call is the whole result of a tool as it goes over the wire.
func call(ctx context.Context, s *mcp.ClientSession, tool string, args map[string]any) (string, error) {
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: prefix + tool, Arguments: args})
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(res)
	return string(raw), err
}
