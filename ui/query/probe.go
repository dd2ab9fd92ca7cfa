package query

import (
	"bytes"
	"context"
	"errors"
	"time"

	lang "midwire/session/filter"
	"midwire/session/wire"
	"midwire/session/words"
)

// jqTime is how long a program may take over one message.
const jqTime = 2 * time.Second

type probeKind uint8

const (
	probeText probeKind = iota
	probeRegexp
	probeJQ
	probeHeader
	probeHTTP
)

// PayloadMatcher looks for something in the bytes of a row. It is not changed, and
// works in commands.
type PayloadMatcher struct {
	kind probeKind
	text string // in lower case, of probeText
	node *lang.Node
	head func([]byte) bool // of probeHeader and probeHTTP
	want []byte            // in lower case
}

// probeOf is what a term looks for in payloads; ok is false when it does not.
func probeOf(n *lang.Node) (p PayloadMatcher, ok bool) {
	p = PayloadMatcher{node: n, want: []byte(words.Fold(n.Value))}
	switch {
	case n.Key == "jq":
		p.kind = probeJQ
	case n.Key == "header":
		p.kind, p.head = probeHeader, lang.HeadMatch(n)
	case n.Key == "http":
		p.kind, p.head = probeHTTP, lang.HeadMatch(n)
	case n.Key != "" && n.Key != "text":
		return p, false
	case n.Op == "~":
		p.kind = probeRegexp
	default:
		p.text = string(p.want)
	}
	return p, true
}

// LooksInHeads says whether the probe looks into HTTP heads and not into messages.
func (p *PayloadMatcher) LooksInHeads() bool { return p.kind == probeHeader || p.kind == probeHTTP }

// Match says whether a message holds it. payload is what should be JSON-RPC,
// batch the place in it if it is a batch.
func (p *PayloadMatcher) Match(ctx context.Context, m *Payload) (bool, error) {
	switch p.kind {
	case probeText:
		return bytes.Contains(m.Lower(), p.want) || p.unescaped(m.Bytes()), nil
	case probeRegexp:
		return wire.Spelled(m.Bytes(), p.node.Match.Match), nil
	case probeJQ:
		return p.run(ctx, m)
	}
	return false, nil
}

// unescaped says whether a payload holds the text in another spelling.
func (p *PayloadMatcher) unescaped(payload []byte) bool {
	for text := range wire.Unescaped(payload) {
		if bytes.Contains(words.FoldBytes(text), p.want) {
			return true
		}
	}
	return false
}

// MatchHead says whether an HTTP head holds it.
func (p *PayloadMatcher) MatchHead(head []byte) bool { return p.head(head) }

// run asks the jq program. What cannot be parsed is no.
func (p *PayloadMatcher) run(ctx context.Context, m *Payload) (bool, error) {
	v, ok := m.Value()
	if !ok {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, jqTime)
	defer cancel()
	holds, err := lang.Holds(p.node.Code.RunWithContext(ctx, v))
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("it takes longer than " + jqTime.String())
	}
	return holds, err
}

// Payload is one message that is looked at. What several probes need of it is
// made once.
type Payload struct {
	Frame *wire.Frame
	Open  func(*wire.Frame) []byte // its payload, decompressed
	Batch int
	data  []byte
	low   []byte
	json  any
	state uint8 // 0 not parsed, 1 no JSON, 2 parsed
}

// Bytes are those to search: as they were on the wire, or decompressed.
func (m *Payload) Bytes() []byte {
	if m.data == nil {
		m.data = m.Frame.Data
		if p := m.Open(m.Frame); p != nil && m.Frame.Kind != wire.KindEvent {
			m.data = p
		}
	}
	return m.data
}

// Lower is the payload in lower case, made once.
func (m *Payload) Lower() []byte {
	if m.low == nil {
		m.low = words.FoldBytes(m.Bytes())
	}
	return m.low
}

// Value is the message as JSON, of a batch the one that is meant.
func (m *Payload) Value() (any, bool) {
	if m.state == 0 {
		m.state = 1
		v, err := wire.Value(m.Open(m.Frame))
		if m.json = v; err == nil {
			m.state = 2
		}
		if all, ok := m.json.([]any); ok && m.Batch < len(all) {
			m.json = all[m.Batch]
		}
	}
	return m.json, m.state == 2
}
