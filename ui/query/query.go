// Package query makes a filter of session/filter ready for rows and frames: a
// term decides by what library knows of a row, and a PayloadMatcher by the bytes
// of its messages, which the caller reads. A Query is never changed.
package query

import (
	"context"
	"slices"
	"unicode/utf8"

	"midwire/session"
	lang "midwire/session/filter"
	"midwire/session/wire"
	"midwire/ui/library"
)

// Query is a filter made ready for rows.
type Query struct {
	Text       string
	Root       *cond
	Payloads   []PayloadMatcher // what has to look into payloads
	ReadsHeads bool             // some of them look into HTTP heads
	// findings says that rows pass or not by their findings, which may come late.
	AsksFindings bool
}

// Subject is what a term looks at.
type Subject struct {
	rec   *library.Recording
	index int // of the row
	Row   *session.Row
	id    uint32 // of the row
	Base  int64  // where time begins
	found *Found // what the payloads hold as far as they were searched
}

// cond is one node of a filter: a term, or what joins others.
type cond struct {
	kind  lang.Kind
	kids  []*cond
	hold  func(Subject) bool // of a term
	probe int                // 1 + index into query.probes; 0 for a term that is about the row alone
}

// truth is what is known of a condition. What payloads must decide that were
// not read yet, or do not hold it, is open.
type truth uint8

const (
	isFalse truth = iota
	isOpen
	isTrue
)

func (c *cond) truth(s Subject) truth {
	switch c.kind {
	case lang.Not:
		return isTrue - c.kids[0].truth(s)
	case lang.And:
		out := isTrue
		for _, k := range c.kids {
			if out = min(out, k.truth(s)); out == isFalse {
				break
			}
		}
		return out
	case lang.Or:
		out := isFalse
		for _, k := range c.kids {
			if out = max(out, k.truth(s)); out == isTrue {
				break
			}
		}
		return out
	}
	switch {
	case c.hold(s) || c.probe > 0 && s.found.has(c.probe-1, s.id):
		return isTrue
	case c.probe > 0:
		return isOpen
	}
	return isFalse
}

// holds takes what is open for false.
func (c *cond) holds(s Subject) bool {
	switch c.kind {
	case lang.Not:
		return !c.kids[0].holds(s)
	case lang.And:
		return !slices.ContainsFunc(c.kids, func(k *cond) bool { return !k.holds(s) })
	case lang.Or:
		return slices.ContainsFunc(c.kids, func(k *cond) bool { return k.holds(s) })
	}
	return c.hold(s) || c.probe > 0 && s.found.has(c.probe-1, s.id)
}

// RowSubject is about a row by itself.
func RowSubject(rec *library.Recording, i int, f *Found) Subject {
	return Subject{rec: rec, index: i, Row: rec.Tracker.Row(i), id: uint32(i), found: f}
}

// Match says whether a row passes. A nil query lets everything pass.
func (q *Query) Match(s Subject) bool { return q == nil || q.Root.holds(s) }

// Undecided says whether the payloads of a row could change what match says.
func (q *Query) Undecided(s Subject) bool { return q.Root.truth(s) == isOpen }

// Wanted is the first text that a row must have, folded, "" for none and for
// what is no UTF-8: on the screen nothing is.
func (q *Query) Wanted() string {
	if q == nil || !utf8.ValidString(q.Text) {
		return ""
	}
	return q.Root.wanted(q)
}

func (c *cond) wanted(q *Query) string {
	if c.kind == lang.Not {
		return ""
	}
	if c.probe > 0 {
		return q.Payloads[c.probe-1].text
	}
	for _, k := range c.kids {
		if w := k.wanted(q); w != "" {
			return w
		}
	}
	return ""
}

// Error is what is wrong with a filter, and where.
type Error = lang.Error

// Read reads a filter. Where only its end is missing it returns besides
// the error what holds already.
func Read(text string) (*Query, *Error) {
	n, err := lang.Parse(text)
	if n == nil {
		return nil, err
	}
	q := &Query{Text: text}
	q.Root = q.build(n)
	return q, err
}

func (q *Query) build(n *lang.Node) *cond {
	c := &cond{kind: n.Kind}
	for _, k := range n.Kids {
		c.kids = append(c.kids, q.build(k))
	}
	if n.Kind != lang.Term {
		return c
	}
	q.AsksFindings = q.AsksFindings || n.Key == "finding" || n.Key == "rule" || n.Key == "severity"
	if p, ok := probeOf(n); ok {
		q.Payloads = append(q.Payloads, p)
		q.ReadsHeads = q.ReadsHeads || p.kind == probeHeader || p.kind == probeHTTP
		c.probe = len(q.Payloads)
	}
	c.hold = holdOf(n)
	return c
}

// freeText looks for text in everything a row shows.
func freeText(n *lang.Node) hold {
	has := lang.TextMatch(n)
	return func(s Subject) bool {
		w := s.rec.Texts.Of(s.index)
		return has(s.rec.Tracker.Name(s.Row.Name)) || has(w.Target) || has(w.Result)
	}
}

// Found is which payloads hold which text, one bit for each id.
type Found struct {
	Bits [][]uint64 // by text
}

func (f *Found) has(text int, id uint32) bool {
	if f == nil || text >= len(f.Bits) {
		return false
	}
	b := f.Bits[text]
	return int(id/64) < len(b) && b[id/64]&(1<<(id%64)) != 0
}

// Set notes a hit and says whether it is new.
func (f *Found) Set(text int, id uint32) bool {
	if f.has(text, id) {
		return false
	}
	b := f.Bits[text]
	if n := int(id/64) + 1; n > len(b) {
		b = append(b, make([]uint64, n-len(b))...)
	}
	b[id/64] |= 1 << (id % 64)
	f.Bits[text] = b
	return true
}

// Holds says whether a row passes, and reads its payloads where they decide. A
// nil query lets everything pass.
func (q *Query) Holds(
	ctx context.Context, rec *library.Recording, row int, load func(n uint64) *wire.Frame,
) (bool, error) {
	found := &Found{}
	if q == nil {
		return true, nil
	}
	found.Bits = make([][]uint64, len(q.Payloads))
	s := RowSubject(rec, row, found)
	if !q.Undecided(s) {
		return q.Match(s), nil
	}
	mark := func(k int, has bool) {
		if has {
			found.Set(k, s.id)
		}
	}
	batch := [2]uint16{s.Row.Batch, s.Row.RBatch}
	for i, n := range [2]uint32{s.Row.Request, s.Row.Response} {
		f := (*wire.Frame)(nil)
		if n != 0 {
			f = load(uint64(n))
		}
		if f == nil {
			continue
		}
		m := Payload{Frame: f, Open: rec.Tracker.Decoder(n), Batch: int(batch[i])}
		for k := range q.Payloads {
			has, err := q.Payloads[k].Match(ctx, &m)
			if err != nil {
				return false, err
			}
			mark(k, has)
		}
	}
	if h, ok := rec.Heads[s.Row.X]; ok && q.ReadsHeads {
		for _, n := range [2]uint64{h.Req, h.Resp} {
			f := load(n)
			for k := range q.Payloads {
				mark(k, f != nil && q.Payloads[k].LooksInHeads() && q.Payloads[k].MatchHead(f.Data))
			}
		}
	}
	return q.Match(s), nil
}
