package rules

import (
	"bytes"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var mixedBatch = rule("mixed-batch", diagnose.Messages|diagnose.Noise,
	func(c *diagnose.Case) {
		if c.Exchange == nil || c.Dir != wire.ToServer {
			return
		}
		if c.Data != nil {
			if emptyArray(c.Data) {
				c.Say("empty", c.Client()+" posted an empty batch ("+frame(c.N)+").")
			}
			return
		}
		if !c.Batched || c.ProtocolVersion() != mcp.V20250326 {
			return
		}
		b := diagnose.State[mixture](c)
		if b.n != c.N {
			*b = mixture{n: c.N}
		}
		if c.Message.IsResponse() {
			b.responses = true
		} else {
			b.asks = true
		}
		if b.responses && b.asks && !b.told {
			b.told = true
			c.Say("mixed", c.Client()+" posted a batch ("+frame(c.N)+") with responses and with requests or notifications.")
		}
	})

// mixture is what the latest batch holds.
type mixture struct {
	n                     uint64
	asks, responses, told bool
}

func emptyArray(data []byte) bool {
	data = bytes.TrimSpace(data)
	return len(data) > 1 && data[0] == '[' && data[len(data)-1] == ']' && len(bytes.TrimSpace(data[1:len(data)-1])) == 0
}
