package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"midwire/intercept/gate"
	"midwire/session/wire"
	"midwire/ui/gating"
	"midwire/ui/internal/scenes"
)

// fakeGates is a gate that holds what a test says, and notes what it is asked for.
type fakeGates struct {
	mu     sync.Mutex // guards what is noted
	did    []gate.Order
	state  gate.Snapshot
	states chan gate.Snapshot // nil ends it
	refuse error
	closed bool
}

func newFakeGates() *fakeGates { return &fakeGates{states: make(chan gate.Snapshot, 16)} }

func (f *fakeGates) Attach(context.Context, string) (gating.Controller, error) {
	return f, f.refuse
}

func (f *fakeGates) Lease() string { return "c1" }

func (f *fakeGates) Next() (gate.Snapshot, error) {
	s, ok := <-f.states
	if !ok {
		return s, errors.New("the proxy has ended, or its gate")
	}
	return s, nil
}

func (f *fakeGates) Show(id int) (gate.Held, error) {
	h := f.state.Held[0]
	h.Cut, h.Payload = false, `{"whole":true}`
	return h, nil
}

func (f *fakeGates) Do(o gate.Order) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.did = append(f.did, o)
	switch o.Do {
	case "arm":
		f.state.Armed = []gate.Armed{{ID: 1, Rule: o.Body, Owner: "c1"}}
	case "disarm":
		f.state.Armed, f.state.Held = nil, nil
	case "release-all":
		f.state.Held = nil
	case "release", "drop", "answer":
		f.state.Held = f.state.Held[1:]
		f.state.Counts.Released++
	}
	if !f.closed {
		f.states <- f.state
	}
	return nil
}

func (f *fakeGates) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.closed = true
		close(f.states)
	}
}

// holds has the gate hold messages: calls of the tape at these frames.
func (f *fakeGates) holds(frames ...uint64) {
	f.state.Held = nil
	for i, n := range frames {
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_in_workspace","arguments":{"workspace":"ws_1b0ea17e0e8d","path":"src/b.go"}}}`, 18+i)
		f.state.Held = append(f.state.Held, gate.Held{
			ID: 7 + i, Frame: n, Dir: ">", Kind: "request", Method: "tools/call", Tool: "read_in_workspace", MessID: fmt.Sprint(18 + i),
			AgeMS: 6100 - 1000*int64(i), Bytes: len(call), Payload: call, Session: "9f3c",
			Head: "POST /mcp HTTP/1.1\r\nHost: localhost:3000\r\nContent-Type: application/json\r\n\r\n",
		})
	}
	f.states <- f.state
}

// guarded is a live recording with two calls on their way, which have the frames that
// are returned, and others that have their answers.
func guarded() (s *fakeSource, first, second uint64) {
	var t scenes.Tape
	call := func(id int, path string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_in_workspace","arguments":{"path":%q}}}`, id, path)
	}
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"team-bot","version":"2.1"}}}`)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1.4"}}}`)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	t.At(5900).Line(wire.ToServer, "%s", call(18, "src/b.go"))
	first = uint64(len(t.Frames))
	t.At(6900).Line(wire.ToServer, "%s", call(19, "src/c.go"))
	second = uint64(len(t.Frames))
	for i := range 30 {
		t.At(int64(7000+40*i)).Line(wire.ToServer, "%s", call(20+i, "src/a.go"))
		t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"contents of src/a.go"}]}}`, 20+i)
	}
	r := Recording{ID: "g", Label: "notes", Tap: "stdio", Where: "node notes.js", Live: true, Control: "unix:/run/gate.sock"}
	return having(r, t.Frames), first, second
}

// atGate is a screen with the gate armed, which holds two calls.
func atGate(t *testing.T, opts Options, w, h int) (*driver, *fakeGates) {
	f := newFakeGates()
	s, first, second := guarded()
	opts.Gates = f.Attach
	d := drive(t, s, opts, w, h)
	d.press("/")
	d.typed("tool:read_in_workspace")
	d.press("enter", "I")
	f.holds(first, second)
	d.send()
	t.Cleanup(f.Close)
	return d, f
}

func (f *fakeGates) last() gate.Order {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.did[len(f.did)-1]
}

func TestGateScreens(t *testing.T) {
	for name, keys := range map[string]string{
		"gate": "", "gate-edit": "e down end left left left left s t", "gate-reply": "r", "gate-filter": "/ x",
	} {
		screens(t, name, func(t *testing.T, w, h int) *driver {
			d, _ := atGate(t, Options{}, w, h)
			d.press(strings.Fields(keys)...)
			return d
		})
	}
	screens(t, "gate-waits", func(t *testing.T, w, h int) *driver {
		d, f := atGate(t, Options{}, w, h)
		f.holds()
		d.send()
		return d
	})
	for name, opts := range map[string]Options{"dark": {Theme: "dark"}, "light": {Theme: "light"}, "ascii": {NoColor: true, ASCII: true}} {
		synctest.Test(t, func(t *testing.T) {
			d, _ := atGate(t, opts, 120, 36)
			d.press("e", "x")
			golden(t, "look-gate-"+name, d.colours())
		})
	}
	synctest.Test(t, func(t *testing.T) {
		d, _ := atGate(t, Options{}, 200, 50)
		golden(t, "gate-200x50", d.screen())
	})
}

// TestGateDecides: each letter is what it says, about what is selected.
func TestGateDecides(t *testing.T) {
	for keys, want := range map[string]string{
		"a": "release 7", "A": "release 7 as received", "X": "drop 7", "] a": "release 8", "] [ a": "release 7",
		"r ctrl+s": `answer 7 {"jsonrpc":"2.0","id":18,"error":{"code":-32603,"message":"Internal error"}}`,
		"I":        "disarm 0", "ctrl+g": "release-all 0", "esc ctrl+g": "release-all 0", "esc / a ctrl+g": "release-all 0", "e ctrl+g": "release-all 0",
	} {
		synctest.Test(t, func(t *testing.T) {
			d, f := atGate(t, Options{}, 120, 36)
			d.press(strings.Fields(keys)...)
			o := f.last()
			got := strings.TrimSpace(fmt.Sprint(o.Do, " ", o.ID, " ", o.Body))
			if o.AsReceived {
				got += " as received"
			}
			if got != want {
				t.Errorf("%s: %s, not %s", keys, got, want)
			}
		})
	}
}

// TestGateEdits: what was written is sent before the release, as compact as it came;
// what is no JSON is not sent.
func TestGateEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := atGate(t, Options{}, 120, 36)
		d.press("e")
		d.press("down", "end", "x")
		d.want("no JSON")
		d.press("esc", "a")
		d.want("it is no JSON")
		if o := f.last(); o.Do != "arm" {
			t.Fatalf("%+v was sent", o)
		}
		d.press("e", "backspace", "left", "backspace", "Z", "esc")
		d.want("was \"src/b.go\"", "valid")
		d.press("a")
		edit, release := f.did[len(f.did)-2], f.last()
		if edit.Do != "edit" || !strings.Contains(edit.Body, `{"workspace":"ws_1b0ea17e0e8d","path":"src/b.gZ"}}`) || release.Do != "release" {
			t.Errorf("%+v, %+v", edit, release)
		}
	})
}

// TestNamedFault: a fault is armed by its name, in the palette and where the gate's rule
// is written.
func TestNamedFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := atGate(t, Options{}, 120, 36)
		armed := func(want string) {
			t.Helper()
			if o := f.last(); o.Do != "arm" || o.Body != want {
				t.Errorf("%+v was sent, not %s", o, want)
			}
		}
		d.press("/", "ctrl+u")
		d.typed("cut-stream reset")
		d.press("enter")
		armed("cut-stream reset")
		d.press("esc", ":")
		d.typed("fault delay")
		d.want("fault delay: ")
		d.typed(" 3s")
		d.press("enter")
		armed("delay 3s")
		d.press(":")
		d.typed("fault gone from the second")
		d.want("fault expire-session: ", "404")
		d.press("enter")
		armed("expire-session")
	})
}

// TestGateEverywhere: the header of other screens says what is held, and rows are
// marked; with the end of the proxy that is over, and it is said.
func TestGateEverywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := atGate(t, Options{}, 120, 36)
		d.press("esc", "g")
		d.want("GATE armed", "2 held 6.1 s", "held at the gate")
		d.press("w")
		d.want("GATE armed", "2 held")
		d.press("esc")
		time.Sleep(1100 * time.Millisecond)
		d.send()
		close(f.states)
		f.closed = true
		d.send()
		d.want("the proxy has ended", "was released")
		d.wantNot("GATE armed", "held at the gate")
	})
}

// TestGateOpensTheEditor gives the user's editor the message in lines.
func TestGateOpensTheEditor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		by := newFakeReplayer()
		d, _ := atGate(t, Options{Replayer: by}, 120, 36)
		d.press("E")
		if len(by.edits) != 1 || !strings.Contains(by.edits[0], "\n    \"name\": \"read_in_workspace\",\n") {
			t.Errorf("the editor was given %q", by.edits)
		}
	})
}

// TestNoGate: where nothing can be held the reason is said.
func TestNoGate(t *testing.T) {
	for why, r := range map[string]Recording{
		"does not run any more":                {ID: "g", Label: "x", Tap: "stdio", Control: "unix:/x"},
		"its proxy was started without --gate": {ID: "g", Label: "x", Tap: "stdio", Live: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := having(r, scenes.Pings(3))
			f := newFakeGates()
			d := drive(t, s, Options{Gates: f.Attach}, 120, 36)
			d.press("2", "I")
			d.want(why)
		})
	}
}

// TestGateRefuses: a filter that asks what is not known yet arms nothing.
func TestGateRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeGates()
		t.Cleanup(f.Close) // the screen listens as soon as it shows the recording
		s, _, _ := guarded()
		d := drive(t, s, Options{Gates: f.Attach}, 120, 36)
		d.press("/")
		d.typed("lat>5s")
		d.press("enter", "I")
		d.want("the gate cannot ask that")
		if len(f.did) > 0 {
			t.Errorf("%+v", f.did)
		}
	})
}

// TestGateKept: of a call that the gate dropped nobody says that the server owes
// anything, and the arrow ends at the gate.
func TestGateKept(t *testing.T) {
	var tape scenes.Tape
	tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kept"}}`)
	tape.Fact(wire.KindGate, wire.ToServer, 0, 1, wire.Gate{What: wire.GateDrop, Frame: 1, Fault: "never"})
	tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fast"}}`)
	tape.Fact(wire.KindGate, wire.ToServer, 0, 1, wire.Gate{What: wire.GateHold, Frame: 3, ID: 1, Rule: "tool:fast => hold"})
	tape.At(600).Fact(wire.KindGate, wire.ToServer, 0, 1, wire.Gate{What: wire.GateRelease, Frame: 3, ID: 1, MS: 530})
	tape.Line(wire.ToClient, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, having(Recording{ID: "g", Label: "notes", Tap: "stdio", Where: "node notes.js"}, tape.Frames), Options{}, 120, 36)
		d.press("2", "g")
		d.want("dropped by fault never", "The gate dropped it: the server never got it.")
		d.wantNot("owed by", `{"what"`)
		d.press("j", "j")
		d.want("held nothing", "of which it waited 530ms at the gate", "held 530 ms, then released by hand")
		d.press("s")
		d.want("kept", " gate   │")
	})
}

// TestGateOfOthers: what another controller holds shows with no key pressed, above the
// list, and I goes there without arming anything.
func TestGateOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeGates()
		t.Cleanup(f.Close)
		s, first, second := guarded()
		d := drive(t, s, Options{Gates: f.Attach}, 120, 36)
		f.state.Armed = []gate.Armed{{ID: 1, Rule: "tool:x => hold", Owner: "c9"}}
		f.holds(first, second)
		d.send()
		d.want("GATE armed", "2 held", "HELD 2", "held at the gate", "ALL")
		d.press("I")
		d.want("Decide", "tool:x", "armed by another controller")
		if len(f.did) > 0 {
			t.Errorf("%+v was sent", f.did)
		}
		d.press("a")
		if o := f.last(); o.Do != "release" || o.ID != 7 {
			t.Errorf("%+v", o)
		}
	})
}

// TestRestart: ^r restarts the server of a proxy that can, and says why not elsewhere.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := atGate(t, Options{}, 120, 36)
		d.press("esc", "ctrl+r")
		d.want("only a proxy that runs with --reload")
		f.state.Reload = true
		f.holds()
		d.send()
		d.press("ctrl+r")
		if got := f.last(); got.Do != "restart" {
			t.Errorf("%+v", got)
		}
	})
}
