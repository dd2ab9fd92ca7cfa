package record

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"midwire/session/coded"
	"midwire/session/files"
	"midwire/session/wire"
)

const (
	keyFile = ".key"
	keySize = 32
	mark    = "redacted:"
)

// redactor masks secrets in copies of payloads. It belongs to one Writer. What
// it returns is valid until its next call.
type redactor struct {
	mac    hash.Hash
	sum    [sha256.Size]byte
	keys   []string   // lower case
	paths  [][]string // of member names
	values []*regexp.Regexp

	buf     [2][]byte               // results of the steps, in turn
	coding  coded.Coding            // that the head just seen names
	codings map[stream]coded.Coding // of bodies to come
	cut     map[stream]int          // units whose last part ended within a secret, and quoting of that plus 1
}

// stream identifies what the parts of one unit have in common.
type stream struct {
	kind wire.Kind
	dir  wire.Dir
	x    uint32
}

func newRedactor(opt Options, key []byte) *redactor {
	r := &redactor{mac: hmac.New(sha256.New, key), values: opt.RedactValues, cut: map[stream]int{}, codings: map[stream]coded.Coding{}}
	for _, k := range opt.RedactKeys {
		if k != "" {
			r.keys = append(r.keys, strings.ToLower(k))
		}
	}
	for _, p := range opt.RedactPaths {
		if p != "" {
			r.paths = append(r.paths, strings.Split(p, "."))
		}
	}
	return r
}

// loadKey returns the key of this installation, with which the same credential
// gets the same mask in every recording of the folder. Where none can be kept
// it is a key for this run.
func loadKey(dir string) []byte {
	path := filepath.Join(dir, keyFile)
	if key, err := files.ReadOwn(path, keySize); err == nil && len(key) == keySize {
		return key
	}
	key := make([]byte, keySize)
	rand.Read(key) // never fails
	tmp, err := os.CreateTemp(dir, keyFile+"-*")
	if err != nil {
		return key
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(key)
	if e := tmp.Close(); err != nil || e != nil {
		return key
	}
	// A link appears whole or not at all, and the first of two taps that start
	// together wins.
	if os.Link(tmp.Name(), path) != nil {
		if kept, err := files.ReadOwn(path, keySize); err == nil && len(kept) == keySize {
			return kept
		}
		_ = os.Rename(tmp.Name(), path) // no links here, or a broken key, or one that somebody else knows
	}
	return key
}

// appendMask appends what stands in place of a secret. Nothing at all stands
// for itself, and so does a mask: recordings are replayed.
func (r *redactor) appendMask(dst, secret []byte) []byte {
	if len(secret) == 0 || isMask(secret) {
		return append(dst, secret...)
	}
	r.mac.Reset()
	r.mac.Write(secret)
	dst = append(dst, mark...)
	return hex.AppendEncode(dst, r.mac.Sum(r.sum[:0])[:4])
}

func isMask(b []byte) bool {
	rest, ok := bytes.CutPrefix(b, []byte(mark))
	if !ok || len(rest) != 8 {
		return false
	}
	for _, c := range rest {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// frame returns the payload with its secrets masked, and whether there were
// any. Without any it is f.Data itself.
func (r *redactor) frame(f *wire.Frame) (data []byte, masked bool) {
	if c := r.compressed(f); c != coded.None {
		return r.unfolded(f, c)
	}
	p := pass{r: r, data: f.Data}
	switch f.Kind {
	case wire.KindRequest, wire.KindResponse, wire.KindTrailer:
		r.coding = coded.None
		p.step(r.head)
		if r.coding != coded.None && f.Kind != wire.KindTrailer {
			r.codings[stream{wire.KindBody, f.Dir, f.X}] = r.coding
		}
	case wire.KindLine, wire.KindBody, wire.KindEvent, wire.KindStderr, wire.KindGate, wire.KindRaw:
		r.members(&p, f)
		if f.Kind == wire.KindRaw {
			p.step(r.unframed)
		}
		if f.Kind == wire.KindBody && looksLikeForm(p.data) {
			p.step(r.form)
		}
		if f.Kind == wire.KindBody && bytes.Contains(p.data, []byte("form-data")) {
			p.step(r.formParts)
		}
		if f.Kind == wire.KindEvent && isEndpoint(p.data) {
			p.step(r.links)
		}
	case wire.KindEdit:
		p.step(r.links)
	}
	if len(r.paths)+len(r.values) > 0 && hasWireBytes(f.Kind) {
		r.patterns(&p, f)
	}
	return p.data, p.masked
}

// compressed returns how a payload is compressed, and notes when an exchange
// has no further one.
func (r *redactor) compressed(f *wire.Frame) coded.Coding {
	if len(r.codings) == 0 {
		return coded.None
	}
	unit := stream{wire.KindBody, f.Dir, f.X}
	switch f.Kind {
	case wire.KindBody:
		c := r.codings[unit]
		if f.Part != wire.More {
			delete(r.codings, unit)
			return c
		}
	case wire.KindRequest, wire.KindResponse: // a head of its own, or the one after 1xx
		delete(r.codings, unit)
	case wire.KindClose:
		delete(r.codings, stream{wire.KindBody, wire.ToServer, f.X})
		delete(r.codings, stream{wire.KindBody, wire.ToClient, f.X})
	}
	return coded.None
}

// maxUnfolded is how long a compressed payload may be, unfolded, to be searched
// for secrets: the tap waits for the recording, and a bomb must not hold it up.
const maxUnfolded = 8 << 20

// unfolded masks a compressed payload. One that has a secret is compressed
// anew, every other stays as it was.
func (r *redactor) unfolded(f *wire.Frame, c coded.Coding) ([]byte, bool) {
	plain, ok := c.DecodeSome(f.Data, maxUnfolded+1)
	if !ok || c == coded.Unknown || len(plain) > maxUnfolded {
		return f.Data, false
	}
	inner := *f
	inner.Data = plain
	data, masked := r.frame(&inner)
	if !masked {
		return f.Data, false
	}
	return c.Encode(data), true
}

// pass takes a payload through the steps that apply to it.
type pass struct {
	r      *redactor
	data   []byte
	masked bool
	turn   int
}

// step applies one: a function that appends the new payload to dst and says
// whether it masked anything. If not, what it appended does not count.
func (p *pass) step(apply func(dst, src []byte) ([]byte, bool)) {
	buf := &p.r.buf[p.turn]
	out, masked := apply((*buf)[:0], p.data)
	if !masked {
		return
	}
	p.data, p.masked = out, true
	*buf = out
	p.turn = 1 - p.turn
	if cap(out) > 1<<20 {
		*buf = nil // not to be kept for a rare giant
	}
}

// hasWireBytes says whether a payload came over the wire, all of it or in
// part.
func hasWireBytes(k wire.Kind) bool {
	switch k {
	case wire.KindStart, wire.KindExit, wire.KindOpen, wire.KindClose, wire.KindGap, wire.KindNote, wire.KindEnd:
		return false
	}
	return true
}

// isEndpoint says whether an SSE block announces a URL.
func isEndpoint(block []byte) bool {
	return len(block) < 8<<10 && bytes.Contains(block, []byte("endpoint")) && wire.ParseEvent(block).Name == "endpoint"
}

// patterns applies what the user asked for by place or by content.
func (r *redactor) patterns(p *pass, f *wire.Frame) {
	from, to, ok := 0, len(p.data), true
	if f.Kind == wire.KindEvent {
		from, to, ok = eventData(p.data)
	}
	if !ok || !wire.Valid(p.data[from:to]) {
		if len(r.values) > 0 {
			p.step(r.rewriteLines)
		}
		return
	}
	tail := len(p.data) - to
	rewrite := func(paths [][]string, values bool) {
		p.step(func(dst, src []byte) ([]byte, bool) {
			e := editor{r: r, paths: paths, values: values, src: src[from : len(src)-tail], out: append(dst, src[:from]...)}
			e.run()
			return append(e.out, src[len(src)-tail:]...), e.masked
		})
	}
	if len(r.values) > 0 {
		rewrite(nil, true)
	}
	for paths := range slices.Chunk(r.paths, maxPaths) {
		rewrite(paths, false)
	}
}

// rewriteLines masks matches line by line, so that the lines of heads and
// events stay lines.
func (r *redactor) rewriteLines(dst, src []byte) ([]byte, bool) {
	masked := false
	for line := range bytes.Lines(src) {
		text := bytes.TrimRight(line, "\r\n")
		out, hit := r.match(text)
		masked = masked || hit
		dst = append(append(dst, out...), line[len(text):]...)
	}
	return dst, masked
}

// match masks what the user's patterns match in a text.
func (r *redactor) match(text []byte) ([]byte, bool) {
	masked := false
	for _, re := range r.values {
		if !re.Match(text) {
			continue
		}
		text = re.ReplaceAllFunc(text, func(secret []byte) []byte {
			masked = masked || len(secret) > 0
			return r.appendMask(nil, secret)
		})
	}
	return text, masked
}
