package oauth

import (
	_ "embed"
	"net/url"
	"slices"
	"strings"
	"sync"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Side is one of two values that a check compares.
type Side struct {
	What  string `json:"what"`
	Value string `json:"value"`           // "" for none
	N     uint64 `json:"frame,omitempty"` // where it was read, 0 for no frame
}

// Check is one that failed.
type Check struct {
	ID   string `json:"id"`
	Step Kind   `json:"step"`
	Text string `json:"text"`
	A    Side   `json:"a"`
	B    Side   `json:"b"`
	Who  Party  `json:"who"`            // has to act
	Fix  string `json:"fix"`            // "" for that of the rule
	Rule string `json:"rule,omitempty"` // that reports it: midwire explain RULE says more
	Spec string `json:"specification,omitempty"`

	Cause  string   `json:"-"` // "" for that of the rule
	Weight string   `json:"-"` // how bad it is, as rules have it; "" for as bad as its rule says
	Seen   bool     `json:"-"` // the cause is not known
	Now    bool     `json:"-"` // what follows cannot change it
	Frames []uint64 `json:"-"` // further evidence
}

// Evidence are the frames that a check is about, the failing one first.
func (c *Check) Evidence() []uint64 {
	var all []uint64
	for _, n := range append([]uint64{c.B.N, c.A.N}, c.Frames...) {
		if n != 0 && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

//go:embed checks.txt
var checksPage string

// sections are those of checks.txt by name, each its lines of key and value.
var sections = sync.OnceValue(func() map[string][][2]string {
	all := map[string][][2]string{}
	for block := range strings.SplitSeq(checksPage, "\n\n") {
		name, lines, _ := strings.Cut(strings.TrimSpace(block), "\n")
		for line := range strings.SplitSeq(lines, "\n") {
			key, value, _ := strings.Cut(line, ":")
			all[name] = append(all[name], [2]string{key, strings.TrimSpace(value)})
		}
	}
	return all
})

// val is a value that a check compares, and the frame where it was read.
type val struct {
	value string
	n     uint64
}

// check is the one of that name in checks.txt, about two values. with are the other values
// that its texts name, each behind its name.
func check(name string, a, b val, with ...string) Check {
	c := Check{ID: name, A: Side{Value: a.value, N: a.n}, B: Side{Value: b.value, N: b.n}}
	c.as(name, with...)
	return c
}

// compare has a check compare another value on its side A.
func (c *Check) compare(value string, n uint64) { c.A.Value, c.A.N = value, n }

// as overlays a check with a section of checks.txt: one that is not there, or a key that is
// unknown, is a mistake in the page.
func (c *Check) as(name string, with ...string) {
	for i := 0; i < len(with); i += 2 {
		with[i] = "{" + with[i] + "}"
	}
	section, ok := sections()[name]
	if !ok {
		panic("checks.txt has no section " + name)
	}
	fill := strings.NewReplacer(with...)
	for _, line := range section {
		value := fill.Replace(line[1])
		switch line[0] {
		case "id":
			c.ID = value
		case "rule":
			c.Rule = value
		case "who":
			c.Who = Party(value)
		case "spec":
			c.Spec = value
		case "text":
			c.Text = value
		case "more":
			c.Text += " " + value
		case "and":
			c.Text += value
		case "cause":
			c.Cause = value
		case "fix":
			c.Fix = value
		case "a":
			c.A.set(line[1], fill)
		case "b":
			c.B.set(line[1], fill)
		case "weight":
			c.Weight = value
		case "seen":
			c.Seen = true
		case "now":
			c.Now = true
		default:
			panic("checks.txt: unknown key " + line[0])
		}
	}
}

// set reads what a side is, and its value where that is always the same.
func (s *Side) set(text string, fill *strings.Replacer) {
	what, value, fixed := strings.Cut(text, " = ")
	if s.What = fill.Replace(what); fixed {
		s.Value = fill.Replace(value)
	}
}

// Deviations are what the exchange of an event has wrong by itself, whatever comes of the
// login: its request has a token in its URL, its refusal does not say how to get in. asked
// is the protocol version in force or else that was requested.
func (b *Book) Deviations(e *session.Event, asked mcp.Version) []Check {
	x := e.Exchange
	switch {
	case x == nil:
	case e.Kind == session.EventRequest:
		if strings.Contains("&"+x.Query, "&access_token=") && b.isMCP(x) {
			query, _ := url.ParseQuery(start(x.Query))
			n := uint64(x.RequestN)
			return []Check{check("token-in-query", val{b.mask(query.Get("access_token")), n}, val{"", n})}
		}
	case x.Status == 401:
		said := wire.HeadValues(x.ResponseHead, "WWW-Authenticate")
		if b.isMCP(x) {
			return b.challengeMissing(x, said, asked)
		}
	}
	return nil
}

// challengeMissing looks at a 401 that does not say how to get in. With a credential at
// hand the metadata are not what is missing.
func (b *Book) challengeMissing(x *session.Exchange, said string, asked mcp.Version) []Check {
	c := check("challenge-missing", val{clip(x.Verb + " " + x.Path), uint64(x.RequestN)}, val{})
	c.as("challenge-missing alone")
	c.B.Value, c.B.N = b.text(said), uint64(x.ResponseN)
	if asked == mcp.V20250618 {
		keyed := slices.ContainsFunc(b.flows, func(f *flow) bool { return f.accepted > 0 })
		if x.Header("Authorization") == "" && !keyed {
			c.Weight = "error"
		}
		if words.Contains(said, "bearer") && !words.Contains(said, "resource_metadata") {
			c.as("challenge-missing no metadata")
			return []Check{c}
		}
	}
	if said != "" {
		return nil
	}
	return []Check{c}
}
