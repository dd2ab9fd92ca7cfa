package insight

import (
	"bytes"

	"midwire/session/wire"
	"midwire/session/words"
)

// Cost is about how many tokens a definition takes in every conversation (words.Tokens): what
// clients give a model of it. The output schema is not counted: hosts use it, models rarely
// get it.
type Cost struct{ Name, Description, Schema int }

// All is the sum.
func (c Cost) All() int { return c.Name + c.Description + c.Schema }

// envelope is what surrounds a definition: braces, and the names of its members.
const envelope = 9

// CostOf counts a definition as it was listed. Space between members of the schema does not
// count: clients write it again.
func CostOf(definition []byte) Cost {
	c := Cost{Name: envelope + words.Tokens([]byte(wire.Said(wire.Get(definition, "name"))))}
	c.Description = words.Tokens([]byte(wire.Said(wire.Get(definition, "description"))))
	if schema := wire.Get(definition, "inputSchema"); schema != nil {
		c.Schema = words.Tokens(compact(schema))
	}
	return c
}

// compact returns JSON without the space between its tokens.
func compact(raw []byte) []byte {
	if bytes.IndexByte(raw, ' ') < 0 && bytes.IndexByte(raw, '\n') < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case ' ', '\n', '\t', '\r':
			i++
		case '"':
			end := max(wire.StringEnd(raw, i), i+1)
			out, i = append(out, raw[i:end]...), end
		default:
			out, i = append(out, c), i+1
		}
	}
	return out
}

// ResultTokens is about how many tokens of a result a model reads: texts, and what is
// structured where there are none. Pictures and sound are not counted.
func ResultTokens(result []byte) (n int) {
	found := false
	text := func(raw []byte) {
		if raw != nil {
			found = true
			n += words.Tokens([]byte(wire.Said(raw)))
		}
	}
	for _, member := range [...]string{"content", "contents"} {
		wire.Items(wire.Get(result, member), func(_ int, block []byte) bool {
			text(wire.Get(block, "text"))
			text(wire.Get(block, "resource", "text"))
			return true
		})
	}
	if structured := wire.Get(result, "structuredContent"); !found && structured != nil {
		n = words.Tokens(structured)
	}
	return n
}
