package replay

import (
	"net/url"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
)

// Destination is where a plan is sent, as far as that decides what is sent.
type Destination struct {
	URL       *url.URL // nil for a command
	Transport string   // "sse" for HTTP+SSE
	// Header are fields that take the place of recorded ones.
	Header   map[string][]string
	OnlyRead bool // what needs the user's consent is left out
}

// KeepsPaths reports whether the recorded paths are sent to a target.
func (p *Plan) KeepsPaths(u *url.URL) bool {
	return (u.Path == "" || u.Path == "/") && p.Script.Header.Tap == "http"
}

// Aim points a URL where the recorded request went: to its path when that is
// kept, and with its query where the user gave none. A "?" alone is an empty
// one. The host stays.
func Aim(u *url.URL, keep bool, target string) {
	if target == "" {
		return
	}
	at, err := url.ParseRequestURI(target)
	if err != nil {
		at, err = url.ParseRequestURI("/" + target)
	}
	switch {
	case err != nil:
	case keep:
		u.Path, u.RawPath, u.RawQuery = at.Path, at.RawPath, at.RawQuery
	case u.RawQuery == "" && !u.ForceQuery:
		u.RawQuery = at.RawQuery
	}
}

// ownFields are about the recorded connection or coding: the new one has its own.
var ownFields = [...]string{
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Accept-Encoding", "Content-Encoding",
	"Expect", "Keep-Alive", "Te", "Trailer", "Upgrade", "Proxy-Connection", "Cookie",
}

// OwnField reports whether a field of a recorded HTTP request is about its connection or
// coding, and is not sent again.
func OwnField(name string) bool {
	return slices.ContainsFunc(ownFields[:], func(own string) bool { return strings.EqualFold(own, name) })
}

// sendsMasked reports whether what is masked of a recorded URL would be sent. Over
// HTTP+SSE the server says where to.
func (p *Plan) sendsMasked(step int32, target string, to *Destination) bool {
	over := p.Script.Sessions[p.Script.Steps[step].Session].Transport
	if to.URL == nil || to.Transport == "sse" || over == session.TransportSSE {
		return false
	}
	u := *to.URL
	Aim(&u, p.KeepsPaths(to.URL), target)
	mask := FindMask([]byte(u.RequestURI()))
	return mask != "" && !p.knows(mask)
}

// ProtocolField says whether a header field is one of those that MCP is about.
func ProtocolField(name string) bool {
	return slices.ContainsFunc([]string{
		"Content-Type", "Accept", "Origin", mcp.HeaderSessionID, mcp.HeaderVersion, mcp.HeaderMethod, mcp.HeaderName,
	}, func(own string) bool { return strings.EqualFold(own, name) })
}

// JoinWords writes the words of a command in a line, as sh and SplitWords read it.
func JoinWords(words []string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; w == "" || strings.Trim(w, plain) != "" {
			out[i] = `'` + strings.ReplaceAll(w, `'`, `'"'"'`) + `'`
		}
	}
	return strings.Join(out, " ")
}

// SplitWords splits a command line as a shell does, with quotes and nothing
// else that a shell knows. It is false when a quote is not closed.
func SplitWords(text string) (words []string, ok bool) {
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			begun, quote = true, c
		case c == ' ' || c == '\t' || c == '\n':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteRune(c)
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words, quote == 0
}
