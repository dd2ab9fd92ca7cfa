package redact

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"regexp"
	"slices"
	"strings"

	"midwire/session/encoding"
	"midwire/session/wire"
	"midwire/session/words"
)

const mark = "redacted:"

// Redactor masks secrets in copies of payloads, in the order in which they came.
// It belongs to one goroutine. What it returns is valid until its next call.
type Redactor struct {
	mac    hash.Hash
	sum    [sha256.Size]byte
	keys   []string   // lower case
	paths  [][]string // of member names
	values []*regexp.Regexp
	shapes bool // mask what looks like a token wherever it stands
	plain  bool // all masks are the word plainMask

	buf    [2][]byte // results of the steps, in turn
	edit   edit      // of the step at work
	head   body      // what the head just seen says of the body
	bodies map[stream]body
	budget encoding.Budget // for unfolding them
	parts  map[stream]*partial

	harmless [harmlessNames]harmless // names of members, known to be no secrets'
	names    wire.Names
}

// New returns a Redactor whose masks are made with key.
func New(opt Options, key []byte) *Redactor {
	r := &Redactor{
		mac:    hmac.New(sha256.New, key),
		values: opt.Values,
		shapes: opt.Shapes,
		bodies: map[stream]body{},
		parts:  map[stream]*partial{},
	}
	for _, k := range opt.Keys {
		if k != "" {
			r.keys = append(r.keys, words.Fold(k))
		}
	}
	for _, p := range opt.Paths {
		if p != "" {
			r.paths = append(r.paths, strings.Split(p, "."))
		}
	}
	return r
}

// appendMask appends what stands in place of a secret. Nothing at all stands
// for itself, and so does a mask: recordings are replayed.
func (r *Redactor) appendMask(dst, secret []byte) []byte {
	if len(secret) == 0 || isMask(secret) {
		return append(dst, secret...)
	}
	if r.plain {
		return append(dst, plainMask...)
	}
	r.mac.Reset()
	r.mac.Write(secret)
	dst = append(dst, mark...)
	return hex.AppendEncode(dst, r.mac.Sum(r.sum[:0])[:4])
}

func isMask(b []byte) bool {
	if string(b) == plainMask {
		return true
	}
	rest, ok := bytes.CutPrefix(b, []byte(mark))
	return ok && len(rest) == 8 && len(bytes.Trim(rest, "0123456789abcdef")) == 0
}

// Names is what wire.ScanLine may set for a payload, so that FrameNamed need not look for
// names again. It is nil where all of them must be looked at.
func (r *Redactor) Names() *wire.Names {
	if len(r.keys) > 0 {
		return nil
	}
	r.names.Matter = tails()
	return &r.names
}

// Frame returns the payload with its secrets masked, and whether there were
// any. Without any it is f.Data itself.
func (r *Redactor) Frame(f *wire.Frame) (data []byte, masked bool) { return r.FrameNamed(f, nil) }

// FrameNamed is Frame for a payload whose names were looked for, nil for none.
func (r *Redactor) FrameNamed(f *wire.Frame, names *wire.Names) (data []byte, masked bool) {
	return r.frame(f, r.bodyOf(f), names)
}

// frame is Frame for a body of which something is known.
func (r *Redactor) frame(f *wire.Frame, about body, names *wire.Names) (data []byte, masked bool) {
	if about != (body{}) && about.coding() != encoding.None && f.Part != wire.More {
		return r.decoded(f, about)
	}
	return r.masked(f, about, names)
}

func (r *Redactor) masked(f *wire.Frame, about body, names *wire.Names) (data []byte, masked bool) {
	p := pass{r: r, data: f.Data, names: names}
	switch f.Kind {
	case wire.KindRequest, wire.KindResponse, wire.KindTrailer:
		r.head = body{}
		p.step(heads)
		if r.head != (body{}) && f.Kind != wire.KindTrailer {
			r.bodies[stream{wire.KindBody, f.Dir, f.X}] = r.head
		}
	case wire.KindBody:
		before := r.resume(f)
		tail, open := r.members(&p, f, before)
		formTail, formOpen := r.forms(&p, about.form, before)
		if f.Part == wire.More {
			r.suspend(f, partial{tail, open, formTail, formOpen})
		}
	case wire.KindStderr:
		r.unit(&p, f)
		p.step(texts)
	case wire.KindRaw:
		r.unit(&p, f)
		p.step(unframed)
	case wire.KindEvent:
		r.unit(&p, f)
		if isEndpoint(p.data) {
			p.step(links)
		}
	case wire.KindEdit:
		r.unit(&p, f)
		p.step(links)
	case wire.KindStart, wire.KindExit, wire.KindEnd, wire.KindSignal:
	default:
		r.unit(&p, f)
	}
	if len(r.paths)+len(r.values) > 0 && hasWireBytes(f.Kind) {
		r.patterns(&p, f)
	}
	if r.shapes {
		p.step(tokens)
	}
	return p.data, p.masked
}

func heads(e *edit)    { e.fields(false) }
func unframed(e *edit) { e.fields(true) }
func links(e *edit)    { e.links(0, len(e.src)) }

// unit masks members in a payload that may be a part of a longer one.
func (r *Redactor) unit(p *pass, f *wire.Frame) {
	tail, open := r.members(p, f, r.resume(f))
	if f.Part == wire.More {
		r.suspend(f, partial{tail: tail, open: open})
	}
}

// pass takes a payload through the steps that apply to it.
type pass struct {
	r      *Redactor
	data   []byte
	names  *wire.Names // in data as it came; nil: not known
	masked bool
	turn   int
}

// step applies one, a function that masks what it finds.
func (p *pass) step(apply func(e *edit)) {
	buf := &p.r.buf[p.turn]
	e := &p.r.edit
	*e = edit{r: p.r, src: p.data, out: (*buf)[:0]}
	apply(e)
	if !e.masked {
		return
	}
	out := e.finish()
	p.data, p.masked = out, true
	*buf = out
	p.turn = 1 - p.turn
	if cap(out) > 1<<20 {
		*buf = nil // not to be kept for a rare giant
	}
}

// hasWireBytes reports whether a payload came over the wire, all of it or in
// part.
func hasWireBytes(k wire.Kind) bool {
	switch k {
	case wire.KindStart, wire.KindExit, wire.KindSignal, wire.KindOpen, wire.KindClose,
		wire.KindGap, wire.KindNote, wire.KindEnd:
		return false
	}
	return true
}

// isEndpoint reports whether an SSE block announces a URL.
func isEndpoint(block []byte) bool {
	return len(block) <= 8<<10 && (bytes.IndexByte(block, '\r') >= 0 || hasLine(block, "event:", "endpoint")) &&
		bytes.Contains(block, []byte("endpoint")) && wire.ParseEvent(block).Name == "endpoint"
}

// hasLine reports whether a line starts with one word and has the other in it.
func hasLine(block []byte, start, word string) bool {
	for line := range bytes.Lines(block) {
		if len(line) > len(start) && string(line[:len(start)]) == start && bytes.Contains(line, []byte(word)) {
			return true
		}
	}
	return false
}

// patterns masks what the user named by path or by content.
func (r *Redactor) patterns(p *pass, f *wire.Frame) {
	from, to, ok := 0, len(p.data), true
	if f.Kind == wire.KindEvent {
		from, to, ok = wire.EventData(p.data)
	}
	if !ok || !wire.Valid(p.data[from:to]) {
		if len(r.values) > 0 {
			p.step(matchLines)
		}
		return
	}
	tail := len(p.data) - to
	rewrite := func(paths [][]string, values bool) {
		p.step(func(e *edit) {
			j := editor{edit: e, paths: paths, values: values}
			j.run(from, len(e.src)-tail)
		})
	}
	if len(r.values) > 0 {
		rewrite(nil, true)
	}
	for paths := range slices.Chunk(r.paths, maxPaths) {
		rewrite(paths, false)
	}
}

// matchLines masks matches line by line, so that the lines of heads and events
// stay lines.
func matchLines(e *edit) {
	at := 0
	for line := range bytes.Lines(e.src) {
		text := bytes.TrimRight(line, "\r\n")
		if out, hit := e.r.match(text); hit {
			e.put(at, at+len(text), out)
		}
		at += len(line)
	}
}

// match masks what the user's patterns match in a text.
func (r *Redactor) match(text []byte) ([]byte, bool) {
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
