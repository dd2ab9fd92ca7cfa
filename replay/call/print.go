package call

import (
	"fmt"
	"strings"

	"midwire/session/wire"
	"midwire/session/words"
)

// Outcome is what a result of tools/call comes to.
type Outcome struct {
	Text  string // of its content, a line for what is no text; from the wire
	Error bool   // the tool failed
	Input bool   // it asks for input instead (2026-07-28)
}

// Read reads a result.
func Read(result []byte) Outcome {
	o := Outcome{Error: string(wire.Get(result, "isError")) == "true"}
	if wire.Text(wire.Get(result, "resultType")) == "input_required" {
		o.Input = true
		o.Text = "The tool asks for input, which this command does not give:\n" + string(wire.Get(result, "inputRequests"))
		return o
	}
	var all []string
	wire.Items(wire.Get(result, "content"), func(_ int, block []byte) bool {
		all = append(all, textOf(block))
		return true
	})
	if structured := wire.Get(result, "structuredContent"); structured != nil && len(all) == 0 {
		all = append(all, string(structured))
	}
	o.Text = strings.Join(all, "\n")
	return o
}

func textOf(block []byte) string {
	kind := wire.Text(wire.Get(block, "type"))
	switch kind {
	case "text":
		return wire.Text(wire.Get(block, "text"))
	case "resource":
		if text := wire.Get(block, "resource", "text"); text != nil {
			return wire.Text(text)
		}
		return "[resource " + wire.Text(wire.Get(block, "resource", "uri")) + "]"
	case "resource_link":
		return "[link " + wire.Text(wire.Get(block, "uri")) + "]"
	}
	data := wire.Text(wire.Get(block, "data"))
	return strings.TrimSpace(fmt.Sprintf("[%s %s %s]", kind, wire.Text(wire.Get(block, "mimeType")), words.Count(len(data)*3/4, "byte")))
}
