package forward

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/session/wire"
)

// sink is a server that keeps what it gets, whatever that is, and answers each
// request line.
func sink(t *testing.T, response string) (addr string, got func() string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all bytes.Buffer
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			served.Go(func() {
				defer c.Close()
				buf := make([]byte, 4096)
				for {
					n, err := c.Read(buf)
					mu.Lock()
					all.Write(buf[:n])
					mu.Unlock()
					if err != nil {
						return
					}
					for range bytes.Count(buf[:n], []byte(" HTTP/1.1\r\n")) {
						_, _ = io.WriteString(c, response)
					}
				}
			})
		}
	})
	t.Cleanup(func() { ln.Close() })
	return ln.Addr().String(), func() string { mu.Lock(); defer mu.Unlock(); return all.String() }
}

const fine = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

// say sends pieces over one connection, each after the response to the one before,
// ends it, and returns all that comes back.
func say(t *testing.T, r *running, pieces ...string) string {
	t.Helper()
	c, err := net.Dial("tcp", r.Listen.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	var all []byte
	buf := make([]byte, 4096)
	for i, piece := range pieces {
		if _, err := io.WriteString(c, piece); err != nil {
			break
		}
		for i < len(pieces)-1 && bytes.Count(all, []byte("HTTP/1.1 ")) <= i {
			n, err := c.Read(buf)
			if all = append(all, buf[:n]...); err != nil {
				return string(all)
			}
		}
	}
	_ = c.(*net.TCPConn).CloseWrite()
	rest, _ := io.ReadAll(c)
	return string(all) + string(rest)
}

// What cannot be read on a kept connection is never taken for another request to the
// server before.
func TestUnreadableTargetsGoToNobodyElse(t *testing.T) {
	const refused = ""
	for _, tc := range []struct{ line, path string }{ // B is the other server
		{"GET http://B/x%zz HTTP/1.1", "GET /x%zz HTTP/1.1"},
		{"GET http://B/100% HTTP/1.1", "GET /100% HTTP/1.1"},
		{"GET http://B/a\x01b\x7f?\x00 HTTP/1.1", "GET /a\x01b\x7f?\x00 HTTP/1.1"},
		{"GET http://B/a b HTTP/1.1", "GET /a b HTTP/1.1"},
		{"GET http://B?q=%gg HTTP/1.1", "GET /?q=%gg HTTP/1.1"},
		{"GET http://B#f HTTP/1.1", "GET /#f HTTP/1.1"},
		{"GET HTTP://me:pw@B/x HTTP/1.1", "GET /x HTTP/1.1"},
		{"OPTIONS http://B HTTP/1.1", "OPTIONS * HTTP/1.1"},
		{"GET http://B%00/x HTTP/1.1", refused},
		{"GET http://B\x00/x HTTP/1.1", refused},
		{"GET http://A\\@B/x HTTP/1.1", refused},
		{"GET http://me@A@B/x HTTP/1.1", refused},
		{"GET http://A B/x HTTP/1.1", refused},
		{"GET http://B:80:80/x HTTP/1.1", refused},
		{"GET http://b:+80/x HTTP/1.1", refused},
		{"GET http:///x HTTP/1.1", refused},
		{"GET http:B/x HTTP/1.1", refused},
		{"GET //B/x HTTP/1.1", refused},
		{"GET /x HTTP/1.1", refused},
		{"GET * HTTP/1.1", refused},
		{"GET https://B/x HTTP/1.1", refused},
		{"GET  http://B/x HTTP/1.1", refused},
		{"GET\thttp://B/x HTTP/1.1", refused},
		{"GET http://B/x", refused},
		{"GET http://B/x HTTP/1.1 ", refused},
		{"get-me-http://B/x", refused},
		{"CONNECT B HTTP/1.1", refused},
		{" GET http://B/x HTTP/1.1", refused},
		{"\x81\x83GET http://B/x HTTP/1.1", "\x81\x83GET /x HTTP/1.1"},
		{"\x81\x83GET", refused},
	} {
		a, gotA := sink(t, fine)
		b, gotB := sink(t, fine)
		r := start(t, nil, a) // b is a tunnel
		auth := "Proxy-Authorization: Basic " + basic(r.url) + "\r\n"
		first := "GET http://" + a + "/ HTTP/1.1\r\nHost: " + a + "\r\nUpgrade: x\r\n" + auth + "\r\n"
		line := strings.NewReplacer("http://B", "http://"+b, "@B", "@"+b, "CONNECT B", "CONNECT "+b, "A", a, "//B", "//"+b).Replace(tc.line)
		second := line + "\r\nHost: " + b + "\r\nAuthorization: Bearer FOR-B\r\n" + auth + "\r\n"
		for _, pieces := range [][]string{{first, second}, {first + second}} {
			said := say(t, r, pieces...)
			if strings.Contains(gotA(), "FOR-B") {
				t.Fatalf("%q: the server before got %q", tc.line, gotA())
			}
			if tc.path == refused && (strings.Contains(gotB(), "FOR-B") || !strings.Contains(said, "400 Bad Request")) {
				t.Errorf("%q: the server got %q, the client %q", tc.line, gotB(), said)
			}
			if tc.path != refused && !strings.Contains(gotB(), tc.path+"\r\nHost: "+b+"\r\nAuthorization: Bearer FOR-B\r\n\r\n") {
				t.Errorf("%q: the server got %q, the client %q", tc.line, gotB(), said)
			}
		}
		if tc.path == refused && !has(r.frames(t), wire.KindNote, "a request was refused") {
			t.Errorf("%q: that it was refused is not recorded", tc.line)
		}
	}
}

// A body whose end cannot be told has nothing behind it that could be somebody
// else's.
func TestUnreadableBodiesGoNoFurther(t *testing.T) {
	for _, body := range []string{
		"Transfer-Encoding: gzip\r\n\r\n", "Content-Length: 1, 2\r\n\r\n", "Content-Length: +1\r\n\r\n",
		"Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
		"Content-Length: 0\r\nContent-Length: 40\r\n\r\n",
	} {
		a, gotA := sink(t, fine)
		b, gotB := sink(t, fine)
		r := start(t, nil, a, b)
		auth := "Proxy-Authorization: Basic " + basic(r.url) + "\r\n"
		said := say(t, r, "POST http://"+a+"/ HTTP/1.1\r\nHost: "+a+"\r\n"+auth+body+
			"GET http://"+b+"/ HTTP/1.1\r\nHost: "+b+"\r\nAuthorization: FOR-B\r\n\r\n")
		if !strings.Contains(said, "400 Bad Request") || strings.Contains(gotA()+gotB(), "FOR-B") {
			t.Errorf("%q: the client got %q, the servers %q and %q", body, said, gotA(), gotB())
		}
	}
}

// The server is that of the URL: Host says the same, whatever it said.
func TestHostFollowsTheURL(t *testing.T) {
	for _, tc := range []struct{ host, want, was string }{
		{"Host: evil.test\r\nX: 1\r\n", "Host: A\r\nX: 1\r\n", "evil.test"},
		{"X: 1\r\nhOsT:evil.test\r\n", "X: 1\r\nhOsT: A\r\n", "evil.test"},
		{"X: 1\r\n", "Host: A\r\nX: 1\r\n", ""},
		{"Host: A\r\nhost: evil.test\r\n", "Host: A\r\n", "A"},
		{"Host : evil.test\r\n", "Host: A\r\n", "evil.test"},
		{"Host:\r\n evil.test\r\nX: 1\r\n", "Host: A\r\nX: 1\r\n", "evil.test"},
		{"Host: A\r\n", "Host: A\r\n", "-"},
	} {
		a, gotA := sink(t, fine)
		r := start(t, nil, a)
		said := strings.ReplaceAll(tc.host, "A", a)
		auth := "Proxy-Authorization: Basic " + basic(r.url) + "\r\n"
		good := "GET http://" + a + "/ HTTP/1.1\r\nHost: " + a + "\r\n" + auth + "\r\n"
		say(t, r, good, "GET http://"+a+"/p HTTP/1.1\r\n"+said+"\r\n")
		if want := "GET /p HTTP/1.1\r\n" + strings.ReplaceAll(tc.want, "A", a) + "\r\n"; !strings.HasSuffix(gotA(), want) {
			t.Errorf("%q: the server got %q, want %q", tc.host, gotA(), want)
		}
		text := `"what":"host"`
		if tc.was != "" && tc.was != "-" {
			text += `,"was":"` + strings.ReplaceAll(tc.was, "A", a) + `"`
		}
		if has(r.frames(t), wire.KindEdit, text) == (tc.was == "-") {
			t.Errorf("%q: the edit", tc.host)
		}
	}
}

// The password of the run reaches no server, however it is written.
func TestPasswordGoesToNobody(t *testing.T) {
	for name, text := range map[string]string{
		"case":         "pROXY-aUTHORIZATION: Basic PW\r\n\r\n",
		"white space":  "Proxy-Authorization \t: Basic PW\r\n\r\n",
		"folded":       "Proxy-Authorization:\r\n Basic\r\n\tPW\r\nX: 1\r\n\r\n",
		"twice":        "Proxy-Authorization: Basic PW\r\nX: 1\r\nProxy-Authorization: Basic PW\r\n\r\n",
		"bare":         "X: 1\nProxy-Authorization: Basic PW\n\n",
		"old line end": "X: 1\rProxy-Authorization: Basic PW\r\n\r\n",
		"odd name":     "Proxy-Authorization\x00: Basic PW\r\n\r\n",
		"another name": "Authorization: Basic PW\r\n\r\n",
		"no colon":     "Proxy-Authorization Basic PW\r\n\r\n",
		"trailer":      "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: 1\r\nproxy-authorization: Basic PW\r\n\r\n",
		"extension":    "Transfer-Encoding: chunked\r\n\r\n2;x=PW\r\n{}\r\n0\r\n\r\n",
		"continue":     "Expect: 100-continue\r\nContent-Length: 2\r\nProxy-Authorization: Basic PW\r\n\r\n{}",
		"body":         "Content-Length: LEN\r\n\r\nProxy-Authorization: Basic PW",
		"cut off":      "Proxy-Authorization: Basic PW",
		"half":         "Proxy-Authorization: Basic PW\r\nX: ",
	} {
		a, gotA := sink(t, fine)
		r := start(t, nil, a)
		pw := basic(r.url)
		text = strings.NewReplacer("PW", pw, "LEN", "105").Replace(text)
		auth := "Proxy-Authorization: Basic " + pw + "\r\n"
		absolute := "POST http://" + a + "/ HTTP/1.1\r\nHost: " + a + "\r\n"
		inside := "POST / HTTP/1.1\r\nHost: " + a + "\r\n"
		connect := "CONNECT " + a + " HTTP/1.1\r\n" + auth + "\r\n"
		get := absolute + auth + "\r\n"
		for way, pieces := range map[string][]string{
			"first":     {absolute + auth + text},
			"kept":      {get, absolute + text},
			"pipelined": {get + absolute + text + get},
			"CONNECT":   {connect, inside + text},
			"leaky":     {connect, inside + auth + "\r\n", inside + text},
		} {
			say(t, r, pieces...)
			if got := gotA(); strings.Contains(got, pw) || strings.Contains(got, pw[:20]) && way != "CONNECT" {
				t.Errorf("%s, %s: the server got %q", name, way, got)
			}
		}
		for _, f := range r.frames(t) {
			if bytes.Contains(f.Data, []byte(pw)) {
				t.Errorf("%s: recorded: %q", name, f.Data)
			}
		}
	}
}

// pieces is a connection that is read a given number of bytes at a time.
type pieces struct {
	net.Conn
	data []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	n := copy(b, p.data[:min(p.size, len(p.data))])
	if p.data = p.data[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Nothing but the password is touched, however the bytes come.
func TestGuardKeepsAllElse(t *testing.T) {
	p := &Proxy{Secret: NewSecret()}
	g := p.guard(&link{})
	code := string(g.code)
	blank := strings.Repeat("x", len(code))
	for text, want := range map[string]string{
		"": "", "b": "b", "bWlkd2ly": "bWlkd2ly", "bWlkd2lyZTq=": "bWlkd2lyZTq=", "bbWlbWlkd2lyZ": "bbWlbWlkd2lyZ",
		"a" + code[:30] + "!" + code + "z": "a" + code[:30] + "!" + blank + "z",
		code + code:                        blank + blank, "\x16" + code: "\x16" + code, code[:20] + code: code[:20] + blank,
	} {
		for size := 1; size < 200; size++ {
			g := &guard{inside: inside{&pieces{data: []byte(text), size: size}}, code: []byte(code), found: func() {}}
			got, err := io.ReadAll(g)
			said := string(got)
			for n := range tellTale { // that much of it is the same in every run
				said = strings.ReplaceAll(said, code[:n]+"x", strings.Repeat("x", n+1))
			}
			if err != nil || said != want {
				t.Fatalf("%q in pieces of %d: %q, %v", text, size, got, err)
			}
		}
	}
}

// The authority is that which net/url reads, or none.
func FuzzTarget(f *testing.F) {
	for _, s := range []string{"http://a/x", "http://[::1]:8080/", "http://a:080/%zz", "http://u:p@a", "http://a\\b", "http://a:", "http://[fe80::1%25eth0]/", "http://a#@b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, given string) {
		to, why := readTarget(given)
		if why != "" {
			return
		}
		if to.given != given || to.origin == "" {
			t.Fatalf("%q is %+v", given, to)
		}
		if u, err := url.Parse(given); err == nil && u.Hostname() != "" {
			port := u.Port()
			if port == "" {
				port = "80"
			}
			theirs := readAuthority(u.Host, "80")
			if theirs != to.origin {
				t.Fatalf("%q is at %s, url.Parse says %s", given, to.origin, theirs)
			}
		}
		head := "GET " + given + " HTTP/1.1\r\n\r\n"
		if out, _ := to.onward([]byte(head)); !strings.Contains(given, "\n") && requestTarget([]byte(head)) == given &&
			!bytes.HasPrefix(out, []byte("GET "+pathOf(given)+" HTTP/1.1\r\nHost: "+to.authority+"\r\n\r\n")) {
			t.Fatalf("%q goes on as %q", given, out)
		}
	})
}

// An address is not learnt, with TLS or without, in whatever spelling.
func TestAddressesAreNotLearnt(t *testing.T) {
	hosts, _ := ParseHosts([]string{"mcp.test"})
	l := &Learner{Hosts: hosts}
	for _, at := range []string{
		"http://10.0.0.7/", "https://10.0.0.7/", "http://[::1]:9/", "http://127.0.0.1:80/x", "http://2130706433/", "http://0x7f.1/", "https://10.7/",
	} {
		l.learn(at, "issuer", "mcp.test")
	}
	if len(l.origins) > 0 {
		t.Errorf("learnt: %v", l.origins)
	}
	l.learn("http://auth.test/", "issuer", "mcp.test")
	if !l.Has("auth.test:80") || slices.Contains(hosts.Names(), "auth.test") {
		t.Error("a name of http is not learnt")
	}
}
