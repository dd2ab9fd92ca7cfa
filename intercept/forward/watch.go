package forward

import (
	"bytes"
	"net/url"
	"strings"
	"sync"

	"midwire/session/encoding"
	"midwire/session/wire"
	"midwire/session/words"
)

// maxDocument is how much of a body is looked at. Metadata is some kilobytes.
const maxDocument = 256 << 10

// watch looks for metadata in what passes on one connection, before it is passed
// on: a client may go to the host that a document names as soon as it has it.
type watch struct {
	learn  *Learner
	origin string       // HOST:PORT
	tell   func(string) // called with news

	mu    sync.Mutex // guards what follows: each direction has a goroutine
	up    *wire.HTTPStream
	down  *wire.HTTPStream
	asked []asked // requests whose responses have not ended
	off   bool    // no HTTP any more
	doc   *doc    // under way
}

type asked struct {
	target   string
	metadata bool
}

// doc is metadata that is being received.
type doc struct {
	coding encoding.Coding
	body   []byte
}

func newWatch(l *Learner, origin string, tell func(string)) *watch {
	return &watch{learn: l, origin: origin, tell: tell, up: wire.NewRequestStream(), down: wire.NewResponseStream()}
}

func (w *watch) see(d wire.Dir, p []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.off {
		return
	}
	stream, do := w.up, w.request
	if d == wire.ToClient {
		stream, do = w.down, w.response
	}
	for !w.off && (len(p) > 0 || stream.Ended()) {
		tok, n := stream.Next(p)
		if tok == wire.TokenRaw {
			w.off = true
			return
		}
		do(tok, p[:n])
		p = p[n:]
	}
}

func (w *watch) request(tok wire.Token, _ []byte) {
	if tok != wire.TokenHead {
		return
	}
	w.down.Expect(w.up.Facts().Method)
	a := asked{target: pathOf(requestTarget(w.up.Head()))}
	a.metadata = w.up.Facts().Method == "GET" && w.learn.isMetadata(w.origin, a.target)
	w.asked = append(w.asked, a)
}

func (w *watch) response(tok wire.Token, p []byte) {
	var a asked
	if len(w.asked) > 0 {
		a = w.asked[0]
	}
	switch tok {
	case wire.TokenHead:
		head, _ := wire.ParseHead(w.down.Head())
		w.off = head.Status == 101
		w.head(&head, a)
	case wire.TokenContent:
		if w.doc != nil {
			w.content(p)
		}
	case wire.TokenEnd:
		w.doc = nil
		if len(w.asked) > 0 {
			w.asked = w.asked[1:]
		}
	}
}

// metadataIn is the URL of metadata in a challenge (RFC 9728, 5.1).
var metadataIn = words.Pattern(`(?i)\bresource_metadata\s*=\s*(?:"([^"]*)"|([^\s,"]+))`)

func (w *watch) head(h *wire.Head, a asked) {
	switch {
	case h.Status == 401 || h.Status == 403:
		for _, f := range h.Fields {
			if !strings.EqualFold(f.Name, "WWW-Authenticate") {
				continue
			}
			for _, m := range metadataIn().FindAllStringSubmatch(f.Value, -1) {
				w.document(m[1]+m[2], "resource metadata")
			}
		}
	case !a.metadata:
	case h.Status/100 == 3:
		base := url.URL{Scheme: "https", Host: w.origin, Path: "/"}
		if to, err := base.Parse(h.Get("Location")); err == nil {
			w.document(to.String(), "the place of metadata")
		}
	case h.Status == 200:
		w.doc = &doc{coding: encoding.Parse(h.Get("Content-Encoding"))}
	}
}

// document takes in the URL of metadata.
func (w *watch) document(raw, as string) {
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		w.learn.expect(u)
		w.say(w.learn.learn(raw, as, w.origin))
	}
}

// content takes in a piece of metadata. Whether it is whole is not known until
// the next read, and the client may not wait for that.
func (w *watch) content(p []byte) {
	w.doc.body = append(w.doc.body, p...)
	if len(w.doc.body) > maxDocument {
		w.doc = nil
		return
	}
	text := w.doc.body
	if w.doc.coding != encoding.None {
		text, _ = w.doc.coding.DecodeSome(text, maxDocument)
	}
	if bytes.HasSuffix(bytes.TrimSpace(text), []byte("}")) {
		w.say(w.learn.document(text, w.origin)...)
	}
}

func (w *watch) say(news ...string) {
	for _, text := range news {
		if text != "" {
			w.tell(text)
		}
	}
}
