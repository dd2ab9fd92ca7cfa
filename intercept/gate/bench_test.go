package gate

import (
	"strings"
	"testing"

	"midwire/session/wire"
)

// sink is a carrier that forgets everything.
type sink struct{ *fake }

func (sink) Received(wire.Dir, []byte)    {}
func (sink) Write(wire.Dir, []byte) error { return nil }

// BenchmarkLane is the cost of a call and its response with a rule that is for
// neither.
func BenchmarkLane(b *testing.B) {
	for name, tc := range map[string][3]string{
		"stdio":  {"stdio", toolCall(1, "a") + "\n", result(1, "x") + "\n"},
		"http":   {"http", post(toolCall(1, "a")), reply(result(1, "x"))},
		"stream": {"http", post(toolCall(1, "a")), streamHead + chunk(event(result(1, "x"))) + "0\r\n\r\n"},
		"burst":  {"stdio", strings.Repeat(toolCall(1, "a")+"\n", 300), result(1, "x") + "\n"},
	} {
		b.Run(name, func(b *testing.B) {
			g := New(tc[0])
			g.Bind(func(wire.Gate) {})
			rules, _ := Parse("tool:zzz => drop")
			_ = g.Arm(rules, "")
			c, _ := g.Open(1, sink{newFake()})
			c.Begin(State{Up: wire.NewRequestStream(), Down: wire.NewResponseStream()})
			up, down := []byte(tc[1]), []byte(tc[2])
			b.ReportAllocs()
			for b.Loop() {
				_, _ = c.Feed(wire.ToServer, up)
				_, _ = c.Feed(wire.ToClient, down)
			}
		})
	}
}
