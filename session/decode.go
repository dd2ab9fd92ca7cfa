package session

import "midwire/session/coded"

// MaxDecoded is the most that Decode returns: a small body can unfold to
// gigabytes.
const MaxDecoded = coded.MaxDecoded

// Decode undoes a Content-Encoding on a copy of a body, at most MaxDecoded
// bytes of it. Of a body that is incomplete it returns what can be read. False
// means that the coding is unknown or the bytes are not coded that way.
func Decode(encoding string, data []byte) ([]byte, bool) { return coded.Parse(encoding).Decode(data) }

// unfolder decodes a stream that arrives in pieces, by decoding all of it anew
// and passing over what was returned before. That is quadratic, so the work is
// bounded: a stream that has used up its budget is decoded only each time it
// has grown by half.
type unfolder struct {
	coding coded.Coding
	raw    []byte
	given  int // decoded bytes returned so far
	spent  int
	next   int // length of raw at which to decode again
	failed bool
}

const (
	maxFolded    = 16 << 20
	unfoldBudget = 64 << 20
)

// feed takes the next piece and returns what can be read now and was not
// before. The result is valid until the next call.
func (u *unfolder) feed(p []byte, last bool) []byte {
	if u.failed || len(u.raw)+len(p) > maxFolded {
		u.failed = true
		u.raw = nil
		return nil
	}
	u.raw = append(u.raw, p...)
	if !last && len(u.raw) < u.next {
		return nil
	}
	out, _ := u.coding.Decode(u.raw)
	if u.spent += len(u.raw) + len(out); u.spent > unfoldBudget {
		u.next = len(u.raw) + len(u.raw)/2
	}
	if len(out) <= u.given {
		return nil
	}
	out = out[u.given:]
	u.given += len(out)
	return out
}
