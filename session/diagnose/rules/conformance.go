package rules

import (
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

// formal is a formal check of the specification, which explains nothing by itself: a row
// of the table conformance.
type formal struct {
	id       string
	on       diagnose.On
	methods  []string // nil for all
	alike    bool     // as Rule.Alike
	bySender bool     // the sender of the message is at fault, not the side of the page
	// when says whether the row is about the case in hand at all, nil for always.
	when func(*diagnose.Case) bool
	// wrong returns what the sentence in the row's page names, nil where nothing is wrong. Findings
	// with the same key are one that is counted.
	wrong func(*diagnose.Case) (key string, with fill)
	// check stands in the place of wrong where a row needs memory, or evidence of its own.
	check func(*diagnose.Case)
}

// conformance are the formal checks.
var conformance = asRules(
	httpConformance, messagesConformance, modernConformance, jsonrpcConformance, lifecycleConformance,
	toolsConformance, streamsConformance,
	sessionsConformance, tasksConformance, stdioConformance, envelopeConformance,
	extensionsConformance,
	tokensConformance, idsConformance, requestsConformance, gatewayConformance, loginConformance,
)

func asRules(tables ...[]formal) (list []*diagnose.Rule) {
	for _, row := range slices.Concat(tables...) {
		check := row.judge
		if row.when == nil && row.check != nil { // without a detour: it is asked of all traffic
			check = row.check
		}
		list = append(list, &diagnose.Rule{
			ID: row.id, On: row.on, Methods: row.methods, Alike: row.alike, Check: check,
		})
	}
	return list
}

// judge asks check, or reports what wrong says.
func (r *formal) judge(c *diagnose.Case) {
	if r.when != nil && !r.when(c) {
		return
	}
	if r.check != nil {
		r.check(c)
		return
	}
	key, with := r.wrong(c)
	if with == nil {
		return
	}
	f := diagnose.Finding{With: with, Frames: inHand(c)}
	if r.bySender {
		f.Side = c.Sender()
	}
	c.ReportAs(key, f)
}

type fill = diagnose.Values

// iff is what a row returns whose sentence needs no values of its own.
func iff(wrong bool, key string) (string, fill) {
	if wrong {
		return key, fill{}
	}
	return "", nil
}

// list is what a row returns that found a list of what is missing.
func list(key string, missing []string, and string) (string, fill) {
	if len(missing) == 0 {
		return "", nil
	}
	all := strings.Join(missing, and)
	return all + key, fill{"missing": all}
}

// inHand are the frames of what the case is about: a message with the request that it
// belongs to, or the heads of an HTTP exchange.
func inHand(c *diagnose.Case) []uint64 {
	switch {
	case c.Exchange != nil && (c.Kind != messageKind || c.Refusal != nil):
		return headFrames(c.Exchange)
	case c.Call != nil && c.Call.N != c.N:
		return []uint64{c.N, c.Call.N}
	case c.Parent != nil:
		return []uint64{c.N, c.Parent.N}
	}
	return []uint64{c.N}
}

// ofClient says whether the message in hand is a request of the client, or of one.
func ofClient(c *diagnose.Case) bool { return c.Call != nil && c.Call.Dir == wire.ToServer }
