package intercept

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"midwire/session/record"
	"midwire/session/wire"
)

// FuzzEndpoint gives the endpoint editor a stream, whole and cut small. What
// comes out must not depend on the cuts, must be the input but for one URL of
// the server, and that must be the one that a reader of the whole stream finds.
func FuzzEndpoint(f *testing.F) {
	for _, s := range []string{
		"event: endpoint\ndata: http://up.example/m\n\nrest", "\xef\xbb\xbfid: 1\r\rdata: //UP.example./\revent: endpoint\r\rdata: x",
		": c\n\nretry: 1\n\nevent: endpoint\r\ndata:\thttp://a@up.example:80?x \r\n\r\n", "data: {\n\nevent: endpoint\ndata: http://up.example/\n\n",
		"event: endpoint\n\ndata: http://up.example/\n\n", "data: http://up.example/\ndata: 2\nevent: endpoint\n\n",
	} {
		f.Add([]byte(s), []byte{1}, true)
		f.Add([]byte(s), []byte{3, 1, 9}, false)
	}
	target := &url.URL{Scheme: "http", Host: "up.example"}
	f.Fuzz(func(t *testing.T, content, cuts []byte, chunked bool) {
		if len(content) > maxEndpoint/2 { // beyond, less is looked at
			return
		}
		want := endpointReplaced(content, target)
		for _, cuts := range [][]byte{nil, cuts, {0}} {
			got, raw, sent := edited(t, target, content, cuts, chunked)
			if !bytes.Equal(got, want) {
				t.Fatalf("%q with cuts %v became %q, want %q", content, cuts, got, want)
			}
			if bytes.Equal(content, want) && raw != sent {
				t.Fatalf("changed without need: %q, was %q", raw, sent)
			}
		}
	})
}

// endpointReplaced reads the whole stream at once.
func endpointReplaced(content []byte, target *url.URL) []byte {
	var framer wire.EventFramer
	at, out := 0, content
	found := false
	framer.Feed(append(bytes.Clone(content), "\n"...), func(block []byte) {
		at += len(block)
		// A block that only the added line feed ends may have been ended by us.
		e := wire.ParseEvent(block)
		if found || !e.HasData {
			return
		}
		found = true
		data := strings.TrimSpace(string(e.Data))
		u, err := url.Parse(data)
		if e.Name != "endpoint" || err != nil || bytes.ContainsRune(e.Data, '\n') || !sameOrigin(u, target) || at > len(content) {
			return
		}
		_, rest, _ := strings.Cut(data, "//")
		path := ""
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			path = rest[i:]
		}
		start := at - len(block)
		out = append(bytes.Clone(content[:start]), bytes.Replace(block, []byte(data), []byte("http://us.example"+path), 1)...)
		out = append(out, content[at:]...)
	})
	return out
}

// edited returns the content that leaves the editor, and the response before
// and after as it is on the wire.
func edited(t *testing.T, target *url.URL, content, cuts []byte, chunked bool) (got []byte, raw, sent string) {
	host := "us.example"
	tap := newTap(record.Discard, time.Now(), nil)
	defer tap.close()
	e := &endpointEditor{relay: &relay{tap: tap, http: &httpRun{HTTP: &HTTP{Target: target}}}}
	e.host.Store(&host)
	var in, out strings.Builder
	put := func(s string) {
		b, err := e.edit([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		in.WriteString(s)
		out.Write(b)
	}
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	if chunked {
		head += "Transfer-Encoding: chunked\r\n"
	}
	put(head + "\r\n")
	for i := 0; len(content) > 0; i++ {
		n := len(content)
		if len(cuts) > 0 {
			n = min(n, int(cuts[i%len(cuts)])%31+1)
		}
		piece := string(content[:n])
		if content = content[n:]; !chunked {
			put(piece)
			continue
		}
		chunk := fmt.Sprintf("%x\r\n%s\r\n", n, piece)
		half := len(chunk) / 2
		put(chunk[:half])
		put(chunk[half:])
	}
	if chunked {
		put("0\r\n\r\n")
	}
	out.Write(e.rest())
	return []byte(contentOf(t, out.String())), out.String(), in.String()
}
