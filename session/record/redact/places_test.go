package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"midwire/fixtures/effort"
	"midwire/session/encoding"
	"midwire/session/wire"
)

// value is a secret that is known wherever it turns up, in whole or in part.
const value = "5ecr3tAbC5ecr3tDeF5ecr3t"

// leak says where a part of the secret is.
func leak(b []byte) string {
	for _, part := range []string{"5ecr", "cr3t", "r3tA", "AbC5", "3tDe", "DeF5"} {
		if at := bytes.Index(b, []byte(part)); at >= 0 {
			return fmt.Sprintf("…%.100q", b[max(at-40, 0):min(at+20, len(b))])
		}
	}
	return ""
}

// quoted is text as a JSON string, with quotes escaped as \u0022 or not.
func quoted(text string, unicode bool) string {
	b, _ := json.Marshal(text)
	s := string(b)
	if unicode {
		s = `"` + strings.ReplaceAll(s[1:len(s)-1], `\"`, `\u0022`) + `"`
	}
	return s
}

// escapedName spells one letter of a name as an escape.
func escapedName(name string, i int) string {
	i %= len(name)
	return name[:i] + fmt.Sprintf(`\u%04x`, name[i]) + name[i+1:]
}

// documents are JSON with the secret under a name.
func documents(name string) map[string]string {
	plain := fmt.Sprintf(`{"a":1,%q:"%s","b":[]}`, name, value)
	pair := fmt.Sprintf(`%q:"%s"`, name, value)
	return map[string]string{
		"member": plain, "spaced": fmt.Sprintf("{\n  %q :\n    \"%s\"\n}", name, value),
		"first letter escaped": fmt.Sprintf(`{"%s":"%s"}`, escapedName(name, 0), value),
		"last letter escaped":  fmt.Sprintf(`{"%s":"%s"}`, escapedName(name, len(name)-1), value),
		"letter escaped":       fmt.Sprintf(`{"%s":"%s"}`, escapedName(name, len(name)-3), value),
		"array":                fmt.Sprintf(`{%q:["%s", "%s"],"b":1}`, name, value, value),
		"nested":               fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"params":{"arguments":{"x":[{%s}]}}}`, pair),
		"raw newline":          fmt.Sprintf("{%q:\"%s\n%s\",\"b\":1}", name, value, value),
		"in a string":          `{"text":` + quoted(plain, false) + `}`,
		"in a string, unicode": `{"text":` + quoted(plain, true) + `}`,
		"twice in a string":    `{"text":` + quoted(`{"t":`+quoted(plain, false)+`}`, false) + `}`,
		"unicode in a string":  `{"text":` + quoted(`{"t":`+quoted(plain, true)+`}`, false) + `}`,
		"spaced in a string":   `{"text":` + quoted(fmt.Sprintf("{\n\t%q: \"%s\"\n}", name, value), false) + `}`,
		"with quotes":          fmt.Sprintf(`{%q:"%s\"%s\\"}`, name, value, value),
		"array in a string":    `{"text":` + quoted(fmt.Sprintf(`{%q:["%s"]}`, name, value), false) + `}`,
		"no end":               fmt.Sprintf(`{"text":"{\"%s\":\"%s`, name, value),
		"name and value":       fmt.Sprintf(`[{"name":%q,"value":"%s"}]`, name, value),
	}
}

// cases are frames with the secret under a name, in every place, or without
// every in a few.
type cases struct {
	all   map[string][]*wire.Frame
	every bool
}

func payloads(where spot, name string, every bool) map[string][]*wire.Frame {
	c := &cases{map[string][]*wire.Frame{}, every}
	switch where {
	case inHeader:
		c.fields(name)
	case inQuery:
		c.targets(name)
		c.forms(name)
	case inJSON:
		c.members(name)
	case inEnv:
		c.one("line of a log", wire.KindStderr, "starting with "+name+"="+value+" and more")
		c.one("quoted in a log", wire.KindStderr, name+`="`+value+`"`)
	case inFlag:
		c.one("command in a log", wire.KindStderr, "run: server "+name+" "+value+" --port 3")
	}
	return c.all
}

// one is a case of one frame.
func (c *cases) one(what string, k wire.Kind, text string) {
	c.all[what] = []*wire.Frame{{Kind: k, Dir: wire.ToServer, Data: []byte(text)}}
}

// body is a case of a body behind its head.
func (c *cases) body(what, fields, text string) {
	c.all[what] = []*wire.Frame{
		{Kind: wire.KindRequest, Dir: wire.ToServer, X: 1, Data: []byte("POST /mcp HTTP/1.1\r\n" + fields + "\r\n")},
		{Kind: wire.KindBody, Dir: wire.ToServer, X: 1, Data: []byte(text)},
	}
}

func encode(coding, text string) string { return string(encoding.Parse(coding).Encode([]byte(text))) }

func (c *cases) fields(name string) {
	c.one("field", wire.KindRequest, "GET / HTTP/1.1\r\n"+name+": "+value+"\r\nHost: h\r\n\r\n")
	if !c.every {
		return
	}
	c.one("lower case", wire.KindResponse, "HTTP/1.1 200 OK\r\n"+strings.ToLower(name)+":"+value+"\r\n\r\n")
	c.one("upper case, scheme", wire.KindRequest, "GET / HTTP/1.1\r\n"+strings.ToUpper(name)+": Bearer "+value+"\r\n\r\n")
	c.one("folded", wire.KindRequest, "GET / HTTP/1.1\r\n"+name+": "+value+"\r\n  "+value+"\r\n\r\n")
	c.one("trailer", wire.KindTrailer, name+": "+value+"\r\n\r\n")
	c.one("raw", wire.KindRaw, "\xff\nGET / HTTP/1.1\r\n"+name+" : "+value+"\r\n")
	c.one("in a log", wire.KindStderr, "sent "+name+": Bearer "+value)
	if strings.Contains(name, "-") {
		c.one("in JSON", wire.KindLine, `{"headers":{"`+name+`":"Bearer `+value+`"}}`)
	}
}

// targets are queries, wherever a URL stands.
func (c *cases) targets(name string) {
	query := "a=1&" + url.QueryEscape(name) + "=" + value + "&b=2"
	c.one("target", wire.KindRequest, "GET /mcp?"+query+" HTTP/1.1\r\nHost: h\r\n\r\n")
	c.one("URL in JSON", wire.KindLine, `{"url":"https://h/x?`+query+`"}`)
	if !c.every {
		return
	}
	c.one("Referer", wire.KindRequest, "GET / HTTP/1.1\r\nReferer: http://h/?"+query+"\r\n\r\n")
	c.one("path before a gateway", wire.KindRequest, "GET / HTTP/1.1\r\nX-Envoy-Original-Path: /mcp?"+query+"\r\n\r\n")
	c.one("Location", wire.KindResponse, "HTTP/1.1 302 Found\r\nLocation: http://h/#"+query+"\r\n\r\n")
	c.one("endpoint", wire.KindEvent, "event: endpoint\ndata: /messages?"+query+"\n\n")
	c.one("URL in JSON, as Go writes it", wire.KindLine, `{"url":"https://h/x?`+strings.ReplaceAll(query, "&", `\u0026`)+`"}`)
	c.one("URL in JSON, as PHP writes it", wire.KindLine, `{"url":"https:\/\/h\/x?`+query+`"}`)
	c.one("URL in text in JSON", wire.KindEvent, `data: {"text":"see https://h/x?`+query+` for\nmore"}`+"\n\n")
	c.one("edit", wire.KindEdit, `{"what":"location","was":"/x?`+query+`","now":"http://h/x?`+query+`"}`)
	c.one("raw", wire.KindRaw, "\x00\nGET /mcp?"+query+" HTTP/1.1\r\n")
}

func (c *cases) forms(name string) {
	const isForm = "Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n"
	pair := url.QueryEscape(name) + "=" + value
	query := "a=1&" + pair + "&b=2"
	if !c.every {
		c.body("form", isForm, query)
		return
	}
	for _, start := range []string{"", "\r\n", "  ", "=", "{", "=&", "&&", "\t", "[", "<", "a&"} {
		c.body(fmt.Sprintf("form after %q", start), isForm, start+"&"+query)
		c.body(fmt.Sprintf("first in form after %q", start), isForm, start+map[bool]string{true: "&"}[strings.ContainsAny(start, "={[<a")]+pair)
	}
	c.body("form without its type", "", query)
	c.body("multipart", "Content-Type: multipart/form-data; boundary=b\r\n", "--b\r\nContent-Disposition: form-data; name=\""+name+"\"\r\n\r\n"+value+"\r\n"+value+"\r\n--b--\r\n")
	c.body("multipart with a beginning", "Content-Type: Multipart/Form-Data; boundary=b\r\n", "\r\n--b\nContent-Disposition: form-data; name="+name+"\nContent-Type: text/plain\n\n"+value+"\n--b--\n")
	for _, coding := range []string{"gzip", "x-gzip", "deflate", "br", "zstd", "identity", "gzip, br", "deflate,gzip,zstd"} {
		c.body("form in "+coding, isForm+"Content-Encoding: "+coding+"\r\n", encode(coding, "\r\n"+query))
	}
}

func (c *cases) members(name string) {
	if !c.every {
		c.one("line", wire.KindLine, fmt.Sprintf(`{"a":1,%q : "%s"}`, name, value))
		c.one("array in a string", wire.KindEvent, `data: {"text":`+quoted(fmt.Sprintf(`{%q:["%s"]}`, name, value), true)+"}\n\n")
		return
	}
	for what, doc := range documents(name) {
		c.one("line, "+what, wire.KindLine, doc)
		c.one("gate, "+what, wire.KindGate, doc)
		c.one("stderr, "+what, wire.KindStderr, "got "+doc)
		c.body("body, "+what, "Content-Type: application/json\r\n", doc)
		c.one("event, "+what, wire.KindEvent, "event: message\ndata: "+strings.ReplaceAll(doc, "\n", "\ndata: ")+"\n\n")
		if what == "member" || what == "raw newline" {
			c.body("gzip, br, "+what, "Content-Encoding: gzip, br\r\n", encode("gzip, br", doc))
			c.body("transfer coding, "+what, "Transfer-Encoding: gzip, chunked\r\n", encode("gzip", doc))
		}
	}
}

// written is what a frame becomes, unfolded.
func written(r *Redactor, f *wire.Frame, about string) []byte {
	names := r.Names()
	wire.ScanLine(f.Data, names)
	names.Known = names.Known && f.Kind != wire.KindEvent
	data, masked := r.FrameNamed(f, names)
	if !masked || f.Kind != wire.KindBody || utf8.Valid(data) {
		return data
	}
	for _, coding := range []string{"gzip, br", "deflate,gzip,zstd", "gzip", "deflate", "br", "zstd"} {
		if plain, ok := encoding.Parse(coding).Decode(data); ok && strings.Contains(about, coding) {
			return plain
		}
	}
	return data
}

// Under thousands of names of real APIs, in every place and encoding, nothing
// is written of a secret.
func TestSecretsEverywhere(t *testing.T) {
	count, bad := 0, 0
	listed := listedNames(t)
	for where, names := range realNames(t) {
		for _, name := range effort.Sample(3, names) {
			// Names that vendors.txt makes are alike.
			every := listed[name] && !testing.Short()
			r := New(Options{}, testKey)
			for what, frames := range payloads(where, name, every) {
				for _, f := range frames {
					count++
					was := wire.Valid(f.Data)
					got := written(r, f, what)
					if bad > 40 {
						t.Fatal("and more")
					}
					if s := leak(got); s != "" {
						bad++
						t.Errorf("%s, %s: %s", name, what, s)
					} else if f.Kind != wire.KindBody && was && !wire.Valid(got) {
						bad++
						t.Errorf("%s, %s: no longer valid: %s", name, what, got)
					}
				}
			}
		}
	}
	if count < 15_000 && !testing.Short() {
		t.Errorf("only %d frames", count)
	}
}

// Wherever a long unit is cut in two, or in three, nothing of a secret is in
// any part.
func TestSecretsInParts(t *testing.T) {
	cut := func(what, fields, text string) {
		t.Helper()
		for i := range len(text) {
			for _, j := range []int{i, min(i+1, len(text)), min(i+9, len(text)), min(i+30, len(text))} {
				r := New(Options{}, testKey)
				r.Frame(&wire.Frame{Kind: wire.KindRequest, Dir: wire.ToServer, X: 1, Data: []byte("POST / HTTP/1.1\r\n" + fields + "\r\n")})
				var all []byte
				for n, part := range []string{text[:i], text[i:j], text[j:]} {
					f := wire.Frame{Kind: wire.KindBody, Dir: wire.ToServer, X: 1, Data: []byte(part), Part: wire.More}
					if n == 2 {
						f.Part = wire.Whole
					}
					data, _ := r.Frame(&f)
					all = append(append(all, data...), '|')
				}
				if s := leak(all); s != "" {
					t.Errorf("%s cut at %d and %d: %s", what, i, j, s)
					return
				}
				if len(r.parts) > 0 {
					t.Fatalf("%s: something is still waited for", what)
				}
			}
		}
	}
	const isForm = "Content-Type: application/x-www-form-urlencoded\r\n"
	for _, name := range []string{"access_token", "clientSecret", "X-Api-Key", "password"} {
		for what, doc := range documents(name) {
			if what != "name and value" { // the two may be far apart
				cut(name+", "+what, "", doc)
			}
		}
		cut(name+" in an object", "", `{"a":"b","credentials":{"user":"u","`+name+`":"`+value+`","x":["`+value+`"]},"c":1}`)
		cut(name+" in a form", isForm, "a=1&"+name+"="+value+"&b="+strings.Repeat("x", 40)+"&"+name+"="+value)
		cut(name+" in parts", "Content-Type: multipart/form-data; boundary=b\r\n", "--b\r\nContent-Disposition: form-data; name=\""+name+"\"\r\n\r\n"+value+"\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nz\r\n--b--\r\n")
	}
	r := New(Options{}, testKey)
	r.Frame(&wire.Frame{Kind: wire.KindBody, Dir: wire.ToServer, X: 3, Data: []byte(`{"token":"`), Part: wire.More})
	if r.Frame(&wire.Frame{Kind: wire.KindClose, X: 3, Data: []byte(`{}`)}); len(r.parts) > 0 {
		t.Error("the rest of a body is waited for after its end")
	}
	long := strings.Repeat(value, 200)
	cutLong := []string{`{"token":"`, long, long, `","a":1}`}
	for i, part := range cutLong {
		f := wire.Frame{Kind: wire.KindLine, Data: []byte(part), Part: wire.More}
		if i == len(cutLong)-1 {
			f.Part = wire.Whole
		}
		if data, _ := r.Frame(&f); leak(data) != "" || i == 3 && !bytes.HasSuffix(data, []byte(`","a":1}`)) {
			t.Errorf("part %d: %q", i, data)
		}
	}
}

// lines are command lines with secrets.
func TestSecretsInArguments(t *testing.T) {
	check := func(args ...string) {
		t.Helper()
		if s := leak([]byte(strings.Join(Args(append([]string{"server"}, args...)), " "))); s != "" {
			t.Errorf("%q: %s", args, s)
		}
	}
	names := realNames(t)
	for _, name := range names[inFlag] {
		check(name, value)
		check(name + "=" + value)
		check("-c", "exec server "+name+" "+value+" --port 1")
		check("-c", "exec server "+name+"='"+value+"'")
		check(name, "-----BEGIN PRIVATE KEY-----\n"+value+"\n-----END PRIVATE KEY-----")
	}
	for _, name := range names[inEnv] {
		check(name + "=" + value)
		check("-e", name+"="+value)
		check("--env=" + name + "=" + value)
		check("sh", "-c", "A=b "+name+"="+value+" exec server")
		check(`{"mcpServers":{"a":{"env":{"` + name + `":"` + value + `"}}}}`)
	}
	for _, name := range names[inHeader] {
		check("-H", name+": "+value)
		check("-H" + name + ": Bearer " + value)
		check("--header", name+":"+value)
		check("--header=" + name + ": Bearer " + value)
		check("-c", "curl -H '"+name+": Bearer "+value+"' http://h/")
	}
	for _, name := range names[inQuery] {
		check("http://h/mcp?" + url.QueryEscape(name) + "=" + value)
		check("--url=http://h/mcp?a=1&" + url.QueryEscape(name) + "=" + value)
	}
	for _, args := range [][]string{
		{"-u", "user:" + value},
		{"-uuser:" + value},
		{"--user=user:" + value},
		{"--proxy-user", "u:" + value},
		{"--dsn", "u:" + value + "@tcp(127.0.0.1:3306)/db"},
		{"--dsn=u:" + value + "@unix(/x)/db"},
		{"u:" + value + "@h:5432/db"},
		{"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + value + "==;EndpointSuffix=x"},
		{"Server=h;User=u;Password=" + value + ";"},
		{"--connection", "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=" + value},
		{"postgres://u:" + value + "@h/db"},
		{"https://" + value + "@h/"},
		{"redis://:" + value + "@h"},
		{"-c", "psql mysql://u:" + value + "@h/x"},
		{"--header", "Cookie: a=1; b=" + value},
		{"--config", `{"headers":{"Authorization":"Bearer ` + value + `"}}`},
	} {
		check(args...)
	}
}
