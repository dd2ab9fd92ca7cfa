package session

import (
	"testing"

	"midwire/session/wire"
)

// TestDefect: what watches may panic at every event, and what is read of the
// sessions is the same; a frame that the tracker itself stumbles over is one frame.
func TestDefect(t *testing.T) {
	read := func(watch func(*Event)) *Tracker {
		tr := New(Options{Tap: "stdio", Watch: watch})
		for i, line := range []string{
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"c"}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		} {
			tr.Apply(&wire.Frame{N: uint64(i + 1), Kind: wire.KindLine, Dir: wire.ToServer, X: 1, Data: []byte(line)})
		}
		return tr
	}
	whole, broken := read(func(*Event) {}), read(func(*Event) { panic("broken") })
	if whole.Rows() != broken.Rows() || len(whole.Sessions()) != len(broken.Sessions()) || len(broken.Defects()) == 0 {
		t.Errorf("%d rows, %d with a broken watcher; %v", whole.Rows(), broken.Rows(), broken.Defects())
	}
	broken.groups, broken.list = nil, nil // as a mistake of its own might leave it
	if step := broken.Apply(&wire.Frame{N: 3, Kind: wire.KindLine, Dir: wire.ToClient, X: 1, Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)}); step.Session >= 0 {
		t.Errorf("%+v", step)
	}
}
