package evidence

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"midwire/session/mcp"
	"midwire/session/operation"
	"midwire/session/wire"
	"midwire/session/words"
)

// field is a header.
type field struct{ name, value string }

// dull are headers that tell nothing of why a request was refused.
var dull = []string{
	"content-length", "user-agent", "connection", "host", "accept-encoding", "content-type", "accept", "accept-language",
	"date", "keep-alive", "transfer-encoding", "te", "priority", "traceparent", "tracestate", "cache-control",
}

// gotNames are the headers of a refusal that tell something.
var gotNames = []string{
	"www-authenticate", "location", "server", "via", "age", "x-varnish", "retry-after", "allow", "x-cache", "cf-ray",
	"x-powered-by", "access-control-allow-origin", "mcp-session-id",
}

// headers are the fields of a head that tell something.
func headers(head []byte) (all []field) {
	_, rest := wire.CutLine(head)
	for len(rest) > 0 {
		var line []byte
		line, rest = wire.CutLine(rest)
		name, value, ok := bytes.Cut(line, []byte(":"))
		f := field{string(name), strings.TrimSpace(string(value))}
		low := words.Fold(f.name)
		if !ok || slices.Contains(dull, low) || strings.HasPrefix(low, "sec-") || len(all) >= 24 {
			continue
		}
		if low == "authorization" || low == "cookie" || low == "proxy-authorization" {
			f.value, _, _ = strings.Cut(f.value, " ")
		}
		all = append(all, f)
	}
	return all
}

// telling are the fields of a head with one of the names.
func telling(head string, names []string) (all []field) {
	for _, f := range headers([]byte(head)) {
		if slices.Contains(names, words.Fold(f.name)) {
			all = append(all, f)
		}
	}
	return all
}

// refusedFor are statuses that may be about a header that tells nothing else.
var refusedFor = map[string][]int{"Host": {403, 421}, "Accept": {400, 406}, "Content-Type": {415}}

// sent shows the headers of a request that was not served.
func (o *of) sent(p *operation.Operation) {
	if len(p.Head) == 0 {
		return
	}
	l := on(Sent)
	all := headers(p.Head)
	for _, name := range []string{"Host", "Accept", "Content-Type"} { // dull, unless they are what is refused
		if slices.Contains(refusedFor[name], p.Status) {
			if v := wire.HeadValue(p.Head, name); v != "" {
				all = append(all, field{name, v})
			}
		}
	}
	for _, f := range all {
		sep(l)
		l.put(f.name, ": ").quote(f.value)
	}
	o.add(l)
}

// before shows what was served last of the same, and what differs since.
func (o *of) before(p *operation.Operation) (served, differs *builder) {
	served, differs = on(Served), on(Differs)
	b := p.Before
	if b == nil {
		return served, differs
	}
	served.put(called(cmp.Or(b.Target, b.Method))).at(b.N)
	arguments(served, b, string(b.Args))
	if b.Words != "" {
		served.put(" → ").quote(b.Words)
	}
	served.cite(b.Response).put(", " + Took(p.T-b.T) + " before #" + strconv.FormatUint(p.N, 10))
	for _, d := range o.differences(b, p) {
		sep(differs)
		differs.put(d)
	}
	differs.cite(p.N, b.N)
	return served, differs
}

// differences are those of a request from one that was served before.
func (o *of) differences(b, p *operation.Operation) (all []string) {
	was, now := headers(b.Head), headers(p.Head)
	find := func(in []field, name string) (string, bool) {
		i := slices.IndexFunc(in, func(f field) bool { return words.Equal(f.name, name) })
		if i < 0 {
			return "", false
		}
		return in[i].value, true
	}
	for _, f := range was {
		switch v, there := find(now, f.name); {
		case !there:
			all = append(all, "- "+f.name)
		case v != f.value && len(b.Head) > 0:
			all = append(all, f.name+" was "+Shorten(one(f.value), 40)+", is "+Shorten(one(v), 40))
		}
	}
	for _, f := range now {
		of := words.Equal(f.name, mcp.HeaderSessionID) || words.Equal(f.name, mcp.HeaderVersion)
		first := of && b.Kind == operation.Handshake
		if _, there := find(was, f.name); !there && len(b.Head) > 0 && !first { // the handshake has neither
			all = append(all, "+ "+f.name)
		}
	}
	if p.Method == b.Method && p.Target == b.Target {
		all = append(all, members(string(b.Args), string(p.Args))...)
	}
	if p.Len > 4*b.Len && p.Len > 2000 {
		all = append(all, Bytes(b.Len)+" then, "+Bytes(p.Len)+" now")
	}
	for _, in := range o.book.Inits {
		if in.N > b.N && in.N < p.N && in.N != p.N && b.Kind != operation.Handshake {
			who := "another client"
			if in.Client != "" {
				who = Shorten(one(in.Client), 40)
			}
			if all = append(all, "initialize of "+who+" (#"+strconv.FormatUint(in.N, 10)+") in between"); len(all) > 8 {
				break
			}
		}
	}
	if len(all) == 0 && p.Method == b.Method && p.Target == b.Target && bytes.Equal(p.Args, b.Args) {
		all = append(all, "nothing in the requests")
	}
	return all
}

// members are those that arguments have, and others had not; values are not compared.
func members(was, now string) (all []string) {
	names := func(object string) (list []string) {
		wire.Members([]byte(object), func(key, _ []byte) bool {
			if string(key) != "_meta" {
				list = append(list, called(string(key)))
			}
			return len(list) < 16
		})
		return list
	}
	a, b := names(was), names(now)
	for _, n := range a {
		if !slices.Contains(b, n) {
			all = append(all, "- "+n)
		}
	}
	for _, n := range b {
		if !slices.Contains(a, n) {
			all = append(all, "+ "+n)
		}
	}
	return all
}

// schema shows what a call is checked against, or what was listed of what it asks for.
func (o *of) schema(p *operation.Operation) *builder {
	l := on(Schema)
	switch p.Method {
	case mcp.ToolsCall:
		if o.Schema == nil || p.Target == "" {
			return nil
		}
		input, n := o.Schema(p.Target)
		switch {
		case input == nil && len(o.a.Tools) > 0:
			return l.put("no tool of the name ").quote(p.Target).put(" was listed").cite(o.a.ToolsN)
		case input == nil:
			return nil
		}
		return properties(l.put("inputSchema of").at(n).put(": "), input)
	case mcp.ResourcesRead:
		if len(o.a.Resources) > 0 {
			l.put("listed: ")
			for i, r := range o.a.Resources[:min(len(o.a.Resources), 4)] {
				if i > 0 {
					l.put(", ")
				}
				l.quote(r)
			}
			return l
		}
	}
	return nil
}

func properties(l *builder, input []byte) *builder {
	var names, required []string
	wire.Members(wire.Get(input, "properties"), func(key, value []byte) bool {
		name := called(string(key))
		if t := wire.Said(wire.Get(value, "type")); t != "" {
			name += " " + called(t)
		}
		names = append(names, name)
		return len(names) < 8
	})
	wire.Items(wire.Get(input, "required"), func(_ int, v []byte) bool {
		required = append(required, called(wire.Said(v)))
		return len(required) < 8
	})
	closed := string(wire.Get(input, "additionalProperties")) == "false"
	switch {
	case len(names) == 0 && closed:
		l.put("it lists no arguments and allows none")
	case len(names) == 0:
		l.put("it lists no arguments")
	default:
		l.put(strings.Join(names, ", "))
		if closed {
			l.put(", no others")
		}
		l.put("; required: " + cmp.Or(strings.Join(required, ", "), "none"))
	}
	return l
}
